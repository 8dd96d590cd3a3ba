/* progress.c - see progress.h. */
#include "base/progress.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/format.h"

enum { PATIENCE_NS = 500000000, EVERY_NS = 100000000 };

/* When the step began and when the last line was printed, in ns of CLOCK_MONOTONIC_COARSE; 0: not
 * yet. */
static uint64_t started, last;
static bool shown;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static bool on_terminal(void)
{
    static int known = -1;
    if (known < 0)
        known = isatty(STDERR_FILENO);
    return known;
}

static void show(const char *what, const char *count)
{
    fprintf(stderr, "\r\033[Kprof: %s%s ...", what, count);
    fflush(stderr);
    shown = true;
    last = now_ns();
}

void progress(const char *what, uint64_t done)
{
    char digits[FORMAT_SIZE], count[FORMAT_SIZE + 2] = "";
    if (!on_terminal())
        return;
    uint64_t now = now_ns();
    if (!started)
        started = now;
    if (now - started < PATIENCE_NS || now - last < EVERY_NS)
        return;
    snprintf(count, sizeof count, ": %s", format_count(done, digits));
    show(what, count);
}

void progress_now(const char *what)
{
    if (on_terminal())
        show(what, "");
}

void progress_done(void)
{
    if (shown)
        fputs("\r\033[K", stderr);
    shown = false;
    started = 0;
}
