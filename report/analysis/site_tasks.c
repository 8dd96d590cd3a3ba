/* site_tasks.c - see site_tasks.h. */
#define _GNU_SOURCE
#include "analysis/site_tasks.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static bool is_region(const struct profile *p, const struct lpf_context *c)
{
    const char *construct = profile_string(p, p->sites[c->site].construct);
    return p->sites[c->site].flags & LPF_SITE_AS_EXECUTED &&
           (!strcmp(construct, "teams") || !strcmp(construct, "parallel") ||
            !strncmp(construct, "parallel ", 9));
}

/* A context of libomp's taskloops has the construct "task", and none of the calls. */
static bool is_taskloop(const struct profile *p, const struct lpf_context *c)
{
    return !strcmp(profile_string(p, p->sites[c->site].construct), "taskloop");
}

/* May tasks of C, which is no region, be chunks of a loop? libomp's taskloops: see above. A thread,
 * or a task of a task_group, is none. */
static bool may_be_chunks(const struct profile *p, const struct lpf_context *c)
{
    static const char *const loops[] = { "parallel_for", "reduce", "parallel_sort", "taskloop" };
    const char *construct = profile_string(p, p->sites[c->site].construct);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strstr(construct, loops[i]))
            return true;
    return !strcmp(construct, "task") &&
           !strcmp(profile_string(p, p->sites[c->site].runtime), "openmp");
}

/* The tasks of C that are neither its executions nor the first of each of its THREADS: chunks, and
 * strands after barriers. */
static uint64_t others(const struct lpf_context *c, uint32_t threads)
{
    uint64_t own;
    if (__builtin_mul_overflow(c->invocations, 1 + (uint64_t)threads, &own))
        return 0;
    return less(c->tasks, own);
}

/* An older profile has the number of all chunks, not of each context's: THEIRS are the tasks of
 * other contexts that may be chunks. */
static uint64_t parts_of_region(const struct profile *p, const struct lpf_context *c,
                                uint32_t threads, uint64_t theirs)
{
    uint64_t most = others(c, threads), all = p->loop_count ? p->loops->chunks : 0,
             chunks = less(all, theirs);
    if (chunks > most)
        chunks = most;
    uint64_t strands = less(c->tasks, c->invocations);
    return 2 * chunks > strands ? chunks : strands;
}

/* C's strands, or its chunks if most strands are these. H: its chunks, or NULL. */
static uint64_t parts_handed(const struct lpf_context *c, const struct lpf_handed *h)
{
    uint64_t strands = less(c->tasks, c->invocations);
    return h && h->chunks > strands / 2 ? h->chunks : strands;
}

/* By context: its chunks; NULL: none. */
static const struct lpf_handed **handed_of(const struct profile *p)
{
    const struct lpf_handed **of = format_memory(calloc(p->context_count + 1, sizeof *of));
    for (size_t i = 0; i < p->handed_count; i++)
        of[p->handed[i].context] = &p->handed[i];
    return of;
}

/* By context: the threads that executed its tasks; 0: not known. */
static uint32_t *threads_of(const struct profile *p)
{
    uint32_t *threads = format_memory(calloc(p->context_count + 1, sizeof *threads));
    for (size_t i = 0; i < p->spread_count; i++)
        threads[p->spreads[i].context] = p->spreads[i].threads;
    return threads;
}

uint64_t *site_tasks_of(const struct profile *p)
{
    uint64_t *parts = format_memory(calloc(p->context_count + 1, sizeof *parts)), sum = 0;
    uint32_t *threads = threads_of(p);
    const struct lpf_handed **handed = handed_of(p);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->context_count; i++) {
            const struct lpf_context *c = &p->contexts[i];
            bool region = is_region(p, c);
            uint64_t other = region                ? others(c, threads[i])
                             : may_be_chunks(p, c) ? c->tasks
                                                   : 0;
            if (!pass && __builtin_add_overflow(sum, other, &sum))
                sum = UINT64_MAX;
            if (pass)
                parts[i] = region && p->handed_count ? parts_handed(c, handed[i])
                           : region ? parts_of_region(p, c, threads[i], less(sum, other))
                           : is_taskloop(p, c) ? less(c->tasks, c->invocations)
                                               : c->tasks;
            if (pass && !parts[i] && c->tasks)
                parts[i] = 1;
        }
    free(threads);
    free(handed);
    return parts;
}
