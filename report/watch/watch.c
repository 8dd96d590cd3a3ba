/* watch.c - see watch.h. prof takes CPU time from the program that it watches. So it runs at a
 * lower priority, keeps the names that it has looked up, and does not read the next checkpoint
 * before READ_PAUSE times the CPU time of the last reading have passed.
 */
#define _GNU_SOURCE
#include "watch/watch.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/format.h"
#include "base/terminal.h"
#include "launch/launch.h"
#include "launch/written.h"
#include "watch/follow.h"
#include "watch/keys.h"
#include "watch/picture.h"
#include "watch/screen.h"
#include "watch/spool.h"

enum { LOOK_MS = 250, FIND_NS = 500000000, DRAW_NS = 1000000000, READ_PAUSE = 20, NICE = 10 };

struct watching {
    struct watch *w;
    struct follow follow;
    pid_t pid;                  /* of the program; 0: prof watches a file */
    int pidfd;                  /* can be read once the program has ended; -1: not known */
    struct keys keys;
    bool changed;
    /* CLOCK_MONOTONIC; the next look for the file, and the next reading, come at these */
    uint64_t start, find_at, read_at, drawn_at;
    int width, height;          /* of the screen, when it was drawn */
    char output[4096];
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* ---- drawing ---- */

static double cost_so_far(const struct watching *v)
{
    struct rusage u;
    double wall = now_ns() - v->start;
    getrusage(RUSAGE_SELF, &u);
    double cpu = 1e9 * (u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                 1e3 * (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    return wall > 5e9 ? cpu / wall : -1;
}

static unsigned interval_of(const struct watching *v)
{
    const struct reading *r = v->follow.now;
    uint64_t set = r ? profile_number(profile_setting(&r->p, "PROF_CHECKPOINT")) : 0;
    return set ? set : v->w->interval;
}

static struct picture picture_of(struct watching *v)
{
    struct picture f = {
        .follow = &v->follow,
        .command = v->w->command,
        .utf8 = terminal_is_utf8(),
        .help = v->keys.help,
        .paused = v->keys.paused,
        .waited = 1e-9 * (now_ns() - v->start),
        .interval = interval_of(v),
        .cost = -1,
        .message = "",
    };
    options_defaults(&f.options, v->w->pattern ? stderr : stdout);
    f.options.metric = v->keys.metric;
    return f;
}

static void draw(struct watching *v)
{
    struct picture f = picture_of(v);
    screen_size(&v->width, &v->height);
    f.options.width = v->width;
    f.height = v->height;
    f.options.color = terminal_permits_colors();
    f.cost = cost_so_far(v);
    char *message = format_clean(screen_message());
    f.message = v->follow.damaged ? message : "";
    if (v->w->spool) {
        spool_resize(v->w->spool, v->width, v->height);
        spool_last(v->w->spool, v->output, sizeof v->output);
        f.output = v->output;
    }
    char *text = picture_text(&f);
    screen_show(text, v->height);
    free(text);
    free(message);
    v->drawn_at = now_ns();
    v->changed = false;
}

/* Without a screen: one block for what was read. */
static void print_block(struct watching *v, FILE *out)
{
    struct picture f = picture_of(v);
    if (!v->follow.now)
        return;
    if (f.options.width == OPTIONS_WIDTH && !f.options.narrowed)
        f.options.width = OPTIONS_BRIEF;
    char *text = picture_text(&f);
    fprintf(out, "%s\n", text);
    fflush(out);
    free(text);
}

/* ---- reading ---- */

/* Finds the file of the program that prof started. A program without tasks of its own may be a
 * script: then the file is that of a process that it started. */
static void find_file(struct watching *v)
{
    char *path = written_newest(*v->w->pattern, v->pid, v->w->start);
    if (!path || (v->follow.now && !v->follow.now->p.totals.tasks))
        written_by_others(*v->w->pattern, v->w->start, &path);
    if (path && (!v->follow.path || strcmp(path, v->follow.path)))
        follow_path(&v->follow, path);
    else
        free(path);
}

static void read_again(struct watching *v)
{
    if (v->pid && now_ns() >= v->find_at) {
        find_file(v);
        v->find_at = now_ns() + FIND_NS;
    }
    if (follow_read(&v->follow)) {
        v->changed = true;
        v->read_at = now_ns() + v->follow.cpu_ns * READ_PAUSE;
    }
}

static bool has_ended(const struct watching *v)
{
    return v->pid ? launch_has_ended(v->pid)
                  : follow_has_ended(&v->follow) || follow_has_vanished(&v->follow);
}

/* ---- the loops ---- */

static bool is_resized(const struct watching *v)
{
    int width, height;
    screen_size(&width, &height);
    return width != v->width || height != v->height;
}

static void watch_on_screen(struct watching *v)
{
    char keys[KEYS_MOST];
    while (!v->keys.left && !screen_signal()) {
        if (!v->keys.paused && now_ns() >= v->read_at)
            read_again(v);
        if (has_ended(v))
            break;
        bool on = screen_is_on();       /* else prof is in the background: it draws later */
        if (on && (v->changed || is_resized(v) ||
                   (!v->keys.paused && now_ns() - v->drawn_at >= DRAW_NS)))
            draw(v);
        v->changed |= !on;
        size_t n = screen_wait(LOOK_MS, v->pidfd, keys);
        for (size_t i = 0; i < n; i++)
            keys_press(&v->keys, keys[i]);
        v->changed |= n > 0;
    }
}

static void wait_a_little(const struct watching *v)
{
    struct pollfd on = { .fd = v->pidfd, .events = POLLIN };
    poll(&on, 1, LOOK_MS);
}

static void watch_in_blocks(struct watching *v, FILE *out)
{
    while (!has_ended(v)) {
        if (now_ns() >= v->read_at)
            read_again(v);
        if (v->changed && !v->follow.damaged && !has_ended(v))
            print_block(v, out);
        v->changed = false;
        wait_a_little(v);
    }
}

static void begin(struct watching *v, struct watch *w, pid_t pid)
{
    *v = (struct watching){ .w = w, .pid = pid, .pidfd = -1, .start = now_ns(), .changed = true,
                            .keys.metric = w->metric };
    if (pid)
        v->pidfd = syscall(SYS_pidfd_open, pid, 0);     /* Linux before 5.3 has none */
    setpriority(PRIO_PROCESS, 0, NICE);
}

void watch_program(void *watch, pid_t pid)
{
    struct watch *w = watch;
    struct watching v;
    begin(&v, w, pid);
    if (w->slave >= 0)
        close(w->slave);
    if (w->screen && !screen_open(false)) {
        watch_on_screen(&v);
        screen_close(false);    /* the report at the end repeats what was kept */
        if (v.keys.left) {
            char *clean = format_clean(w->command);
            fprintf(stderr, "prof: %s goes on, pid %d\n", clean, (int)pid);
            free(clean);
        }
    } else if (!w->screen) {
        watch_in_blocks(&v, stderr);
    }
    if (w->spool) {
        spool_pass(w->spool);
        while (!launch_has_ended(pid))
            wait_a_little(&v);
        spool_end(w->spool);
    }
    if (v.pidfd >= 0)
        close(v.pidfd);
    follow_free(&v.follow);
}

/* Is there no way in which a profile PATH can come? Prints why. */
static bool cannot_come(const char *path)
{
    struct stat st;
    if (!stat(path, &st))
        return false;
    int error = errno;
    char *folder = format_text("%.*s", (int)(format_base(path) - path), path);
    if (error == ENOENT && !stat(*folder ? folder : ".", &st))
        error = 0;
    free(folder);
    if (!error)
        return false;
    char *clean = format_clean(path);
    fprintf(stderr, "prof: %s: %s\n", clean, strerror(error));
    free(clean);
    return true;
}

int watch_file(struct watch *w, const char *path)
{
    struct watching v;
    int status = 0, sig = 0;
    if (cannot_come(path))
        return 2;
    begin(&v, w, 0);
    follow_path(&v.follow, format_text("%s", path));
    read_again(&v);
    if (v.follow.damaged) {
        status = 2;
    } else if (has_ended(&v)) {
        ;
    } else if (w->screen && !screen_open(true)) {
        watch_on_screen(&v);
        sig = screen_signal();
        screen_close(true);
    } else {
        if (!v.follow.now) {
            char *clean = format_clean(path);
            fprintf(stderr, "prof: there is no %s yet: waiting for it; Ctrl-C ends this\n", clean);
            free(clean);
        }
        watch_in_blocks(&v, stdout);
    }
    if (!status && !v.keys.left && !sig)
        print_block(&v, stdout);
    follow_free(&v.follow);
    if (sig)
        raise(sig);             /* its handler is the one that was there before the screen */
    return sig ? 128 + sig : status;
}
