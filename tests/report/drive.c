/* drive.c LINESxCOLUMNS RAW STEP... -- COMMAND... - runs COMMAND on a terminal of its own, and does
 * STEPs one after the other; what the terminal gets goes to the file RAW:
 *     =TEXT    waits until the terminal gets TEXT, after what earlier waits found; escape sequences
 *              do not count
 *     +KEYS    presses these
 *     @LxC     gives the terminal another size
 *     !N       sends signal N to COMMAND
 *     >FILE    writes the last picture, without escape sequences, there
 * No step depends on a time: a wait ends after 30 s, with status 3. Then prints how COMMAND ended,
 * and whether the terminal has the settings that it had: "exit 0, same".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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
static size_t size, from;       /* its bytes; the first that no wait has found */
static int master;

static void die(const char *what, const char *detail)
{
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

/* The text of [AT, END), without escape sequences. */
static char *plain(const char *at, const char *end)
{
    char *text = malloc(end - at + 1), *to = text;
    for (; at < end; at++) {
        if (*at == '\033' && at + 1 < end && at[1] == '[') {
            for (at += 2; at < end && !(*at >= '@' && *at <= '~'); at++)
                ;
        } else if (*at && *at != '\r') {
            *to++ = *at;
        }
    }
    *to = 0;
    return text;
}

static void wait_for(const char *text)
{
    for (int waited = 0;; waited += 100) {
        char *now = plain(got + from, got + size);
        bool found = strstr(now, text);
        free(now);
        if (found)
            break;
        if (waited >= PATIENCE_MS)
            die("never came:", text);
        if (take(100))
            waited -= 100;
        else if (errno == EIO)
            die("ended before", text);
    }
    from = size;
}

static void shoot(const char *file)
{
    static const char end_mark[] = "\033[?2026l";
    const char *end = 0, *begin = 0;
    for (const char *at = got; (at = strstr(at, end_mark)); at++)
        end = at;
    for (const char *at = got; end && (at = strstr(at, "\033[H")) && at < end; at++)
        begin = at;
    if (!begin)
        die("no picture for", file);
    char *text = plain(begin, end);
    FILE *f = fopen(file, "w");
    fprintf(f, "%s\n", text);
    fclose(f);
    free(text);
}

static void step(const char *s, pid_t pid)
{
    struct winsize w = { 0 };
    switch (*s) {
    case '=': wait_for(s + 1); break;
    case '+':
        if (write(master, s + 1, strlen(s + 1)) < 0)
            die("cannot press", s);
        break;
    case '@':
        sscanf(s + 1, "%hux%hu", &w.ws_row, &w.ws_col);
        ioctl(master, TIOCSWINSZ, &w);
        break;
    case '!': kill(pid, atoi(s + 1)); break;
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
    pid_t pid = fork();
    if (!pid) {
        for (at = 3; strcmp(argv[at], "--");)
            at++;
        setsid();
        ioctl(slave, TIOCSCTTY, 0);
        for (int i = 0; i < 3; i++)
            dup2(slave, i);
        close(slave);
        close(master);
        execvp(argv[at + 1], argv + at + 1);
        _exit(127);
    }
    for (; strcmp(argv[at], "--"); at++)
        step(argv[at], pid);
    while (waitpid(pid, &status, WNOHANG) == 0)
        take(20);
    while (take(0))
        ;
    tcgetattr(slave, &after);
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
