/* follow.c - see follow.h. */
#define _GNU_SOURCE
#include "watch/follow.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include "base/format.h"

/* A checkpoint may be late on a busy machine: by this many seconds, and one interval. */
#define PATIENCE 5.0

static void forget(struct reading *r)
{
    if (!r)
        return;
    if (r->paths)
        paths_free(r->paths);
    summary_free(&r->m);
    profile_close(&r->p);
    free(r);
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void follow_path(struct follow *f, char *path)
{
    follow_free(f);
    f->path = path;
}

bool follow_read(struct follow *f)
{
    struct stat st;
    if (!f->path || stat(f->path, &st) || same_file(&st, &f->file))
        return false;
    uint64_t start = cpu_ns();
    struct reading *old = f->now, *new = format_memory(calloc(1, sizeof *new));
    f->file = st;
    f->damaged = profile_open(&new->p, f->path) != 0;
    if (f->damaged) {
        free(new);
        return true;
    }
    const struct lpf_totals *t = &new->p.totals, *b = old ? &old->p.totals : 0;
    bool later = b && b->pid == t->pid && b->start_unix_ns == t->start_unix_ns &&
                 b->elapsed_ns < t->elapsed_ns && b->cpu_ns <= t->cpu_ns && b->tasks <= t->tasks;
    f->before = later ? *b : (struct lpf_totals){ 0 };
    struct symbols *known = old ? old->m.symbols : 0;
    summary_new_with(&new->m, &new->p, false, symbols_renew(known, &new->p));
    if (old)
        old->m.symbols = 0;
    if (new->p.node_count)
        paths_new_program(new->paths = &new->t, &new->m, 0);
    f->cpu_ns = new->m.symbols == known ? cpu_ns() - start : 0;
    f->now = new;
    forget(old);
    return true;
}

void follow_free(struct follow *f)
{
    forget(f->now);
    free(f->path);
    memset(f, 0, sizeof *f);
}

bool follow_has_ended(const struct follow *f)
{
    return f->now && !(f->now->p.flags & LPF_F_CHECKPOINT);
}

double follow_age(const struct follow *f)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double age = (double)(now.tv_sec - f->file.st_mtim.tv_sec) +
                 1e-9 * (now.tv_nsec - f->file.st_mtim.tv_nsec);
    return fmax(age, 0);
}

bool follow_has_vanished(const struct follow *f)
{
    struct utsname here;
    if (!f->now || f->now->p.input_count)
        return false;
    const struct profile *p = &f->now->p;
    double every = profile_number(profile_setting(p, "PROF_CHECKPOINT"));
    return follow_age(f) > 2 * every + PATIENCE && !uname(&here) &&
           !strcmp(profile_setting(p, "host"), here.nodename) && p->totals.pid > 1 &&
           kill(p->totals.pid, 0) && errno == ESRCH;
}
