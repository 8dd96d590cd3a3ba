/* screen.c - see screen.h. Signal handlers here call write, tcsetattr and raise only, which are
 * async-signal-safe, and then the handlers that were there before: launch/launch.c's send signals
 * on to the program.
 */
#define _GNU_SOURCE
#include "watch/screen.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>
#include "base/format.h"

/* the alternate screen; no cursor; lines that are too long are cut. Then the reverse */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[2J",
                  leave[] = "\033[?2026l\033[0m\033[?7h\033[?25h\033[?1049l";

static struct {
    int tty;                    /* -1: closed */
    int wake[2];                /* a pipe: handlers write, screen_wait reads */
    int kept, err;              /* the file of stderr meanwhile, and stderr; -1: none */
    struct termios before;
    struct sigaction old[NSIG];
    volatile sig_atomic_t on, signal;
    bool fatal, deaf;           /* deaf: the terminal has no more keys */
} s = { .tty = -1, .kept = -1, .err = -1 };

static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
#define COUNT(array) (sizeof array / sizeof array[0])

bool screen_possible(int out)
{
    const char *term = getenv("TERM");
    int tty = term && *term && strcmp(term, "dumb") && isatty(out)
                  ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
                  : -1;
    if (tty >= 0)
        close(tty);
    return tty >= 0;
}

static void put(const char *text, size_t size)
{
    for (ssize_t n; size; text += n, size -= n) {
        n = write(s.tty, text, size);
        if (n < 0 && errno == EINTR)
            n = 0;
        if (n < 0)
            return;             /* the terminal is gone */
    }
}

static void turn_off(void)
{
    if (!s.on)
        return;
    s.on = false;
    put(leave, sizeof leave - 1);
    tcsetattr(s.tty, TCSADRAIN, &s.before);
}

static void turn_on(void)
{
    struct termios keys = s.before;
    keys.c_lflag &= ~(ICANON | ECHO);   /* ISIG stays: Ctrl-C and Ctrl-Z are signals */
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    tcsetattr(s.tty, TCSADRAIN, &keys);
    put(enter, sizeof enter - 1);
    s.on = true;
}

static bool in_foreground(void)
{
    return tcgetpgrp(s.tty) == getpgrp();
}

/* ---- signals ---- */

/* Calls the handler that was there before. False: there was none. */
static bool pass_on(int sig, siginfo_t *info, void *context)
{
    const struct sigaction *old = &s.old[sig];
    if (old->sa_flags & SA_SIGINFO)
        old->sa_sigaction(sig, info, context);
    else if (old->sa_handler == SIG_DFL)
        return false;
    else if (old->sa_handler != SIG_IGN)
        old->sa_handler(sig);
    return true;
}

static void awake(void)
{
    ssize_t done = write(s.wake[1], "", 1);
    (void)done;                 /* the pipe is full: then screen_wait awakes anyway */
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    if (sig == SIGTSTP) {
        turn_off();
        if (!pass_on(sig, info, context))
            raise(SIGSTOP);     /* prof is stopped here; screen_is_on turns the screen on again */
    } else {
        if (sig != SIGWINCH && sig != SIGCONT)
            s.signal = sig;
        pass_on(sig, info, context);
    }
    awake();
    errno = saved;
}

static void on_crash(int sig)
{
    turn_off();
    raise(sig);                 /* SA_RESETHAND: it ends prof */
}

static void catch(int sig)
{
    struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigaction(sig, 0, &s.old[sig]);
    if (!(s.old[sig].sa_handler == SIG_IGN && !(s.old[sig].sa_flags & SA_SIGINFO)) ||
        sig == SIGWINCH || sig == SIGCONT)
        sigaction(sig, &act, 0);
}

static void set_handlers(void)
{
    for (unsigned i = 0; s.fatal && i < COUNT(fatal); i++)
        catch(fatal[i]);
    catch(SIGTSTP);
    catch(SIGCONT);
    catch(SIGWINCH);
    for (unsigned i = 0; i < COUNT(crashes); i++)
        sigaction(crashes[i], &(struct sigaction){ .sa_handler = on_crash,
                                                   .sa_flags = SA_RESETHAND | SA_NODEFER },
                  &s.old[crashes[i]]);
}

static void reset_handlers(void)
{
    for (unsigned i = 0; s.fatal && i < COUNT(fatal); i++)
        sigaction(fatal[i], &s.old[fatal[i]], 0);
    sigaction(SIGTSTP, &s.old[SIGTSTP], 0);
    sigaction(SIGCONT, &s.old[SIGCONT], 0);
    sigaction(SIGWINCH, &s.old[SIGWINCH], 0);
    for (unsigned i = 0; i < COUNT(crashes); i++)
        sigaction(crashes[i], &s.old[crashes[i]], 0);
}

/* ---- prof's own stderr ---- */

/* A line on stderr would garble the screen. So stderr is a file in memory meanwhile. */
static void keep_stderr(void)
{
    fflush(stderr);
    s.kept = memfd_create("prof-watch", MFD_CLOEXEC);
    s.err = s.kept >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    if (s.err >= 0)
        dup2(s.kept, STDERR_FILENO);
}

static void give_stderr_back(bool print)
{
    char text[4096];
    ssize_t n;
    if (s.err < 0)
        return;
    fflush(stderr);
    dup2(s.err, STDERR_FILENO);
    close(s.err);
    s.err = -1;
    lseek(s.kept, 0, SEEK_SET);
    while (print && (n = read(s.kept, text, sizeof text)) > 0)
        fwrite(text, 1, n, stderr);
    close(s.kept);
    s.kept = -1;
}

const char *screen_message(void)
{
    static char text[1024];
    off_t size = s.kept >= 0 ? lseek(s.kept, 0, SEEK_CUR) : 0;
    off_t from = size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0;
    ssize_t n = size > 0 ? pread(s.kept, text, sizeof text - 1, from) : 0;
    text[n > 0 ? n : 0] = 0;
    if (n > 0 && text[n - 1] == '\n')
        text[n - 1] = 0;
    char *last = strrchr(text, '\n');
    return last ? last + 1 : text;
}

/* ---- the screen ---- */

/* prof may have to end where it has no memory. Then stderr has the reason. */
static void at_exit(void)
{
    turn_off();
    give_stderr_back(true);
}

int screen_open(bool fatal_too)
{
    static bool registered;
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (tty < 0)
        return -errno;
    if (tcgetattr(tty, &s.before) || pipe2(s.wake, O_CLOEXEC | O_NONBLOCK)) {
        int error = errno;
        close(tty);
        return -error;
    }
    s.tty = tty;
    s.fatal = fatal_too;
    s.signal = 0;
    s.deaf = false;
    if (!registered)
        atexit(at_exit);
    registered = true;
    keep_stderr();
    set_handlers();
    screen_is_on();
    return 0;
}

void screen_close(bool print)
{
    turn_off();
    reset_handlers();
    give_stderr_back(print);
    close(s.wake[0]);
    close(s.wake[1]);
    close(s.tty);
    s.tty = -1;
}

bool screen_is_on(void)
{
    if (!s.on && in_foreground()) {
        tcgetattr(s.tty, &s.before);    /* the shell may have changed it since */
        turn_on();
    }
    return s.on && in_foreground();
}

void screen_size(int *width, int *height)
{
    struct winsize w;
    bool known = !ioctl(s.tty, TIOCGWINSZ, &w);
    *width = known && w.ws_col ? w.ws_col : 80;
    *height = known && w.ws_row ? w.ws_row : 24;
}

void screen_show(const char *text, int height)
{
    char *frame = NULL;
    size_t size = 0;
    FILE *f = format_memory(open_memstream(&frame, &size));
    fputs("\033[?2026h\033[H", f);      /* terminals that know 2026 draw the frame at once */
    for (int line = 0; line < height && *text; line++) {
        size_t n = strcspn(text, "\n");
        /* wiped first: afterwards, the cursor may still stand on the last character */
        fprintf(f, "%s\033[K%.*s\033[0m", line ? "\r\n" : "", (int)n, text);
        text += n + (text[n] == '\n');
    }
    fputs("\033[J\033[?2026l", f);
    fclose(f);
    format_memory(frame);
    if (screen_is_on())
        put(frame, size);
    free(frame);
}

int screen_signal(void)
{
    return s.signal;
}

size_t screen_wait(int milliseconds, int other, char keys[KEYS_MOST])
{
    struct pollfd on[] = {
        { .fd = s.wake[0], .events = POLLIN },
        { .fd = other, .events = POLLIN },
        { .fd = s.deaf || !s.on ? -1 : s.tty, .events = POLLIN },
    };
    char bytes[KEYS_MOST];
    if (poll(on, COUNT(on), milliseconds) <= 0)
        return 0;
    if (on[0].revents)
        while (read(s.wake[0], bytes, sizeof bytes) > 0)
            ;
    if (on[2].revents & (POLLHUP | POLLERR))
        s.deaf = true;          /* the terminal is gone. nohup lets prof and the program go on */
    if (s.deaf || !on[2].revents || !in_foreground())
        return 0;
    ssize_t n = read(s.tty, bytes, sizeof bytes);
    s.deaf = !n || (n < 0 && errno != EINTR && errno != EAGAIN);
    return keys_read(bytes, n, keys);
}
