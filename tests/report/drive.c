/* drive.c LINESxCOLUMNS RAW STEP... -- COMMAND... - runs COMMAND on a terminal of its own, and does
 * STEPs one after the other; what the terminal gets goes to the file RAW:
 *     =TEXT    waits until the terminal gets TEXT, after the last step; escape sequences do not
 *              count
 *     +KEYS    presses these
 *     #N       waits until the last picture has N lines
 *     @LxC     gives the terminal another size
 *     ~        hangs up: the terminal is gone
 *     !N       sends signal N to COMMAND
 *     $LINE    runs this in a shell
 *     >FILE    writes the last picture, without escape sequences, there
 * No step depends on a time: a wait ends after 30 s or more, with status 3, also that for the end
 * of COMMAND. Then prints how COMMAND ended, and whether the terminal has the settings that it had:
 * "exit 0, same".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

static char *got;               /* all that the terminal got, and a NUL */
static size_t size, from;       /* its bytes; where the next wait begins */
static int master;
static pid_t command;

static void die(const char *what, const char *detail)
{
    kill(command, SIGKILL);
    printf("%s <%s>; the last bytes: %s\n", what, detail, size > 600 ? got + size - 600 : got);
    exit(3);
}

/* Reads what there is within MS. False: nothing came. */
static bool take(int ms)
{
    struct pollfd on = { .fd = master, .events = POLLIN };
    got = realloc(got, size + 4097);
    ssize_t n = poll(&on, 1, ms) > 0 ? read(master, got + size, 4096) : -1;
    if (n > 0)
        size += n;
    got[size] = 0;
    return n > 0;
}

/* The text of [AT, END), without escape sequences. If ORIGIN is not NULL, it becomes where each
 * byte of the text stands. */
static char *plain(const char *at, const char *end, const char ***origin)
{
    char *text = malloc(end - at + 1), *to = text;
    if (origin)
        *origin = malloc((end - at + 1) * sizeof **origin);
    for (; at < end; at++) {
        if (*at == '\033' && at + 1 < end && at[1] == '[') {
            for (at += 2; at < end && !(*at >= '@' && *at <= '~'); at++)
                ;
        } else if (*at && *at != '\r') {
            if (origin)
                (*origin)[to - text] = at;
            *to++ = *at;
        }
    }
    *to = 0;
    return text;
}

static void wait_for(const char *text)
{
    for (int waited = 0;; waited += 100) {
        const char **origin;
        char *now = plain(got + from, got + size, &origin), *found = strstr(now, text);
        if (found)
            from = origin[found - now + strlen(text) - 1] + 1 - got;
        free(now);
        free(origin);
        if (found)
            return;
        if (waited >= PATIENCE_MS)
            die("never came:", text);
        if (take(100))
            waited -= 100;
        else if (errno == EIO)
            die("ended before", text);
    }
}

/* The last picture, without escape sequences; NULL: there is none. */
static char *last_picture(void)
{
    static const char end_mark[] = "\033[?2026l";
    const char *end = 0, *begin = 0;
    for (const char *at = got; (at = strstr(at, end_mark)); at++)
        end = at;
    for (const char *at = got; end && (at = strstr(at, "\033[H")) && at < end; at++)
        begin = at;
    return begin ? plain(begin, end, 0) : 0;
}

/* Has the terminal got the end of the picture that it got last? */
static bool is_whole(void)
{
    const char *begin = 0, *end = 0;
    for (const char *at = got; (at = strstr(at, "\033[?2026h")); at++)
        begin = at;
    for (const char *at = begin; at && (at = strstr(at, "\033[?2026l")); at++)
        end = at;
    return end;
}

static void shoot(const char *file)
{
    for (int waited = 0; !is_whole(); waited += 100) {
        if (waited >= PATIENCE_MS)
            die("no picture for", file);
        take(100);
    }
    char *text = last_picture();
    FILE *f = fopen(file, "w");
    fprintf(f, "%s\n", text);
    fclose(f);
    free(text);
}

static void wait_for_lines(const char *number)
{
    for (int waited = 0, lines = 0;; waited += 100) {
        char *text = last_picture();
        lines = text != 0;
        for (const char *c = text; c && *c; c++)
            lines += *c == '\n';
        free(text);
        if (lines == atoi(number))
            return;
        if (waited >= PATIENCE_MS)
            die("no picture of lines:", number);
        take(100);
    }
}

static void step(const char *s)
{
    struct winsize w = { 0 };
    if (!strchr("=>#", *s)) {
        while (take(0))
            ;
        from = size;
    }
    switch (*s) {
    case '=': wait_for(s + 1); break;
    case '+':
        if (write(master, s + 1, strlen(s + 1)) < 0)
            die("cannot press", s);
        break;
    case '#': wait_for_lines(s + 1); break;
    case '@':
        sscanf(s + 1, "%hux%hu", &w.ws_row, &w.ws_col);
        ioctl(master, TIOCSWINSZ, &w);
        break;
    case '~':
        close(master);
        master = -1;
        break;
    case '!': kill(command, atoi(s + 1)); break;
    case '$':
        if (system(s + 1))
            die("failed:", s + 1);
        break;
    case '>': shoot(s + 1); break;
    default: die("what is", s);
    }
}

int main(int argc, char **argv)
{
    struct winsize w = { 0 };
    struct termios before, after;
    int slave, status, at = 3;
    if (argc < 5 || sscanf(argv[1], "%hux%hu", &w.ws_row, &w.ws_col) != 2 ||
        openpty(&master, &slave, 0, 0, &w))
        return 2;
    got = calloc(1, 1);
    tcgetattr(slave, &before);
    command = fork();
    if (!command) {
        for (at = 3; strcmp(argv[at], "--");)
            at++;
        setsid();
        ioctl(slave, TIOCSCTTY, 0);
        for (int i = 0; i < 3; i++)
            dup2(slave, i);
        close(slave);
        close(master);
        signal(SIGHUP, SIG_DFL);        /* nohup may have started the tests */
        execvp(argv[at + 1], argv + at + 1);
        _exit(127);
    }
    for (; strcmp(argv[at], "--"); at++)
        step(argv[at]);
    for (int left = PATIENCE_MS; waitpid(command, &status, WNOHANG) == 0;) {
        if (take(20))
            continue;
        poll(0, 0, 20);
        if ((left -= 20) <= 0)
            die("it still runs:", argv[argc - 1]);
    }
    while (take(0))
        ;
    if (tcgetattr(slave, &after))
        after = before;         /* it is gone */
    FILE *raw = fopen(argv[2], "w");
    fwrite(got, 1, size, raw);
    fclose(raw);
    bool same = before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag &&
                before.c_lflag == after.c_lflag && before.c_cflag == after.c_cflag &&
                !memcmp(before.c_cc, after.c_cc, sizeof before.c_cc);
    printf("%s %d, %s\n", WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), same ? "same" : "changed");
    return 0;
}
