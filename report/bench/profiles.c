/* profiles.c - reads the profiles of trials. */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/runner.h"
#include "launch/launch.h"
#include "profile/profile.h"
#include "simulation/expand.h"
#include "simulation/simulate.h"

enum { SCHEDULED = 10000000 };  /* tasks above which small ones are merged */

/* A thread outside of tasks with less than this part of a thread's mean work hardly worked. */
#define BUSY_PART 0.05

static char *profiles_glob(const struct runner *r)
{
    return format_text("%s/*.prof", r->directory);
}

void profiles_remove(const struct runner *r)
{
    char *search = profiles_glob(r);
    glob_t g;
    if (!glob(search, GLOB_NOSORT, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++)
            unlink(g.gl_pathv[i]);
        globfree(&g);
    }
    free(search);
}

static struct bench_function *function_named(struct bench *b, const char *name, const char *file)
{
    for (size_t i = 0; i < b->function_count; i++)
        if (!strcmp(b->functions[i].function, name) && !strcmp(b->functions[i].file, file))
            return &b->functions[i];
    b->functions = format_memory(
        realloc(b->functions, (b->function_count + 1) * sizeof *b->functions));
    struct bench_function *f = &b->functions[b->function_count++];
    memset(f, 0, sizeof *f);
    f->function = format_text("%s", name);
    f->file = format_text("%s", file);
    return f;
}

/* Adds the functions with the most work of a profile to the sums. profiles_finish_functions makes
 * means of them. */
static void add_functions(struct bench *b, struct paths *t, unsigned at)
{
    paths_sort(t, "work");
    for (size_t i = 0; i < t->function_count && i < 2 * BENCH_FUNCTIONS; i++) {
        const struct cost_row *row = &t->functions[i];
        char *name = format_clean(row->function), *file = format_clean(row->file ? row->file : "");
        struct bench_function *f = function_named(b, name, file);
        f->work[at] += row->self.work;
        f->samples[at] += row->self.samples;
        free(name);
        free(file);
    }
}

static int compare_functions(const void *a, const void *b)
{
    const struct bench_function *x = a, *y = b;
    double most[2] = { 0, 0 };
    for (unsigned i = 0; i < BENCH_PROCESSORS; i++) {
        most[0] = x->work[i] > most[0] ? x->work[i] : most[0];
        most[1] = y->work[i] > most[1] ? y->work[i] : most[1];
    }
    return most[0] < most[1] ? 1 : most[0] > most[1] ? -1 : strcmp(x->function, y->function);
}

void profiles_finish_functions(struct bench *b)
{
    unsigned n[BENCH_PROCESSORS] = { 0 };
    for (size_t i = 0; i < b->trial_count; i++)
        for (unsigned k = 0; k < b->p_count; k++)
            n[k] += b->trials[i].has_profile && b->trials[i].p == b->p[k];
    for (size_t i = 0; i < b->function_count; i++)
        for (unsigned k = 0; k < b->p_count; k++)
            b->functions[i].work[k] = n[k] ? b->functions[i].work[k] / n[k] : 0;
    if (b->function_count)
        qsort(b->functions, b->function_count, sizeof *b->functions, compare_functions);
    for (; b->function_count > BENCH_FUNCTIONS; b->function_count--) {
        free(b->functions[b->function_count - 1].function);
        free(b->functions[b->function_count - 1].file);
    }
}

/* How many threads ran tasks, or worked as much outside of them. */
static unsigned busy_threads(const struct profile *p, unsigned of)
{
    unsigned n = 0;
    for (size_t i = 0; i < p->thread_count; i++)
        n += p->threads[i].tasks > 0 ||
             (double)p->threads[i].work_cost * of > BUSY_PART * p->totals.work_cost;
    return n;
}

/* How many of TBB and OpenMP ran tasks. */
static unsigned runtimes_of(const struct profile *p)
{
    bool tbb = false, openmp = false;
    for (size_t i = 0; i < p->site_count; i++) {
        const char *runtime = profile_string(p, p->sites[i].runtime);
        tbb |= !strcmp(runtime, "tbb");
        openmp |= !strcmp(runtime, "openmp");
    }
    return tbb + openmp;
}

/* Of fewer values, not even the least and the largest are an interval of 95 % for the median. */
#define ENOUGH_STEALS 6

/* Sets what makes figures of T's profile unsure. */
static void take_doubts(struct trial *t, const struct summary *m, const struct paths *paths)
{
    struct trial_profile *q = &t->profile;
    const struct lpf_totals *k = &m->profile->totals;
    struct own_share own = paths_own_share_all(m, paths);
    q->taken = own.taken;
    q->own_part = own.large ? ratio(own.own, own.samples) : 0;
    if (k->burden_source == LPF_BURDEN_MEASURED && k->burden_steals < ENOUGH_STEALS)
        q->few_steals = k->burden_steals;
}

static void take_totals(struct trial *t, const struct summary *m, const struct paths *paths,
                        const struct launched *l)
{
    const struct profile *p = m->profile;
    const struct lpf_totals *k = &p->totals;
    struct trial_profile *q = &t->profile;
    t->has_profile = true;
    q->timed = k->ns_num && strcmp(profile_string(p, k->clock), "virtual");
    q->exact = k->exact;
    q->elapsed = k->elapsed_ns;
    q->startup = k->start_unix_ns > l->start_unix_ns &&
                         k->start_unix_ns - l->start_unix_ns < l->wall_ns
                     ? k->start_unix_ns - l->start_unix_ns
                     : 0;
    q->search = k->search_ns;
    q->sleep = k->sleep_ns;
    q->dispatch = k->dispatch_ns;
    q->blocked = k->blocked_ns;
    q->own = k->own_ns;
    q->threads_time = k->threads_ns;
    q->work = m->work;
    q->span = m->span;
    q->divisible_span = m->divisible_span;
    q->typical_span = m->typical_span;
    double rest = (double)(m->cut.by_runtime - m->cut.sized);
    *(summary_cut_by_either(m) ? &q->chunks_by_either : &q->chunks_by_runtime) = rest;
    q->chunks_by_program = (double)(m->cut.by_program + m->cut.sized);
    q->burdened_span = m->burdened_span;
    q->average_strand = m->average_strand;
    q->overhead = paths ? paths->total.overhead : 0;
    q->samples = paths ? paths->total.samples : 0;
    q->workers = k->workers;
    q->tasks = k->tasks;
    q->steals = k->steals;
    q->runtimes = runtimes_of(p);
    q->busy_threads = busy_threads(p, t->p);
    for (size_t i = 0; i < p->thread_count; i++)
        q->threads += p->threads[i].tasks > 0;
}

/* Where the profile of a trial waits until all trials have run. profiles_glob leaves it out. */
static char *kept_name(const struct runner *r, const struct trial *t)
{
    return format_text("%s/%u.%u.kept", r->directory, t->p, t->round);
}

/* For -o: the mean is known only at the end. */
static void keep_profile(const struct runner *r, const char *path, const struct trial *t)
{
    if (!r->how->output)
        return;
    char *name = kept_name(r, t);
    if (rename(path, name))
        fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
    free(name);
}

void profiles_finish_kept(const struct runner *r)
{
    const struct bench *b = r->b;
    for (unsigned at = 0; at < b->p_count && r->how->output; at++) {
        const struct trial *t = bench_nearest_to_mean(b, b->p[at]);
        char *from = t ? kept_name(r, t) : 0;
        char *name = format_text("%s.p%u.prof", r->how->output, b->p[at]);
        if (t && rename(from, name))
            fprintf(stderr, "prof: %s: %s\n", name, strerror(errno));
        free(name);
        free(from);
    }
    for (size_t i = 0; i < b->trial_count && r->how->output; i++) {
        char *name = kept_name(r, &b->trials[i]);
        unlink(name);
        free(name);
    }
}

/* The length of a greedy schedule on WORKERS; 0: the dag is not known. */
static double schedule_length(const struct profile *p, unsigned workers)
{
    if (!p->dag)
        return workers == 1 ? profile_ns(p, p->totals.work_cost) : 0;
    struct expanded *s = expanded_new(p, 0, SCHEDULED);
    double length = s ? profile_ns(p, simulate_greedy(s, workers).time) : 0;
    expanded_free(s);
    return length;
}

/* Sets a profiled trial's times under the virtual clock: the part of the schedule that is not work
 * is idle. */
static void take_schedule(struct trial *t, const struct profile *p)
{
    struct trial_profile *q = &t->profile;
    double length = schedule_length(p, t->p);
    q->elapsed = t->wall = length;
    q->threads_time = t->p * length;
    q->search = q->threads_time > q->work ? q->threads_time - q->work : 0;
    q->threads = t->p;
    q->startup = q->sleep = q->dispatch = q->blocked = q->own = 0;
}

unsigned profiles_work(const struct runner *r, double *work, unsigned n)
{
    char *search = profiles_glob(r);
    struct profile p;
    unsigned found = 0;
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            if (profile_open(&p, g.gl_pathv[i]))
                continue;
            double v = profile_ns(&p, p.totals.work_cost);
            profile_close(&p);
            for (unsigned k = 0; v > 0 && k < n; k++)
                if (k == found || v > work[k]) {
                    double less = k == found ? 0 : work[k];
                    found += k == found;
                    work[k] = v;
                    v = less;
                }
        }
        globfree(&g);
    }
    free(search);
    profiles_remove(r);
    return found;
}

void profiles_take(struct runner *r, struct trial *t, const struct launched *l, unsigned at,
                   bool warm_up)
{
    char *search = profiles_glob(r), *path = 0;
    struct profile p;
    double most = -1;
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            if (profile_open(&p, g.gl_pathv[i]))
                continue;
            double work = p.totals.tasks ? profile_ns(&p, p.totals.work_cost) : 0;
            if (work > most) {
                most = work;
                free(path);
                path = format_text("%s", g.gl_pathv[i]);
            }
            profile_close(&p);
        }
        globfree(&g);
    }
    free(search);
    if (path && !profile_open(&p, path)) {
        struct summary m;
        struct paths paths, *have = 0;
        summary_new(&m, &p, false);
        if (p.node_count)
            paths_new(have = &paths, &m, false, false, 0);
        if (warm_up) {
            r->b->virtual = !strcmp(profile_string(&p, p.totals.clock), "virtual");
            r->by_environment |= runtimes_of(&p) > 0;
        } else if (p.totals.tasks) {
            take_totals(t, &m, have, l);
            take_doubts(t, &m, have);
            if (r->b->virtual)
                take_schedule(t, &p);
            findings_take(&t->profile.findings, &m, have);
            if (have)
                add_functions(r->b, have, at);
        } else {
            t->no_tasks = true;
        }
        if (have)
            paths_free(have);
        summary_free(&m);
        profile_close(&p);
        if (t->has_profile)
            keep_profile(r, path, t);
    }
    free(path);
    profiles_remove(r);
}
