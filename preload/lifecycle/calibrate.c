/* calibrate.c - measures the cost of libprof's own events (engine/calibrated.h). */
#include "base/memory.h"
#include "lifecycle/lifecycle_private.h"
#include <stdlib.h>
#include <string.h>
#include "dag/bag.h"
#include "dag/own_overhead.h"
#include "engine/calibrated.h"
#include "engine/engine.h"
#include "base/forbid.h"

#define ROUNDS 400

/* The median of the N values of V. Reorders V. Hoare's selection (Algorithm 65, CACM 4(7), 1961):
 * a simple sort would take longer than all else. */
static uint64_t median(uint64_t *v, int n)
{
    int low = 0, high = n - 1, middle = n / 2;
    while (low < high) {
        uint64_t pivot = v[middle];
        int i = low, j = high;
        do {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                uint64_t t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        } while (i <= j);
        if (j < middle)
            low = i;
        if (i > middle)
            high = j;
    }
    return v[middle];
}

/* The times of each round, in units of the thread's clock; `all` in ticks of the TSC. */
static SELDOM struct {
    uint64_t spawn[ROUNDS], begin[ROUNDS], resume[ROUNDS], into[ROUNDS], all[ROUNDS], rest[ROUNDS];
    uint64_t cut[ROUNDS], call[ROUNDS], called[ROUNDS];
} took;

/* The same of a call. */
static bool run_call(struct thread *th, unsigned i)
{
    struct task *cur = th->cur;
    struct scope *s = scope_own(th, cur);
    uint64_t S = cur->S;
    engine_cut(th);
    took.cut[i] = cur->S - S;           /* a reading and nothing else */
    S = cur->S;
    struct task *t = s ? engine_spawn_call(th, s, context_root, 0) : 0;
    if (!t)
        return false;
    if (!(t->flags & TASK_DIRECT)) {    /* scenarios, the recorded dag: there is no short way */
        engine_discard(th, t);
        engine_join(th, s);
        return true;
    }
    engine_begin_call(th, t);
    took.call[i] = cur->S - S;          /* with engine_spawn_call */
    if (!engine_return_call(th, cur))
        return false;
    S = cur->S;
    engine_cut(th);
    took.called[i] = cur->S - S;        /* a call's end, on the path -> the next reading */
    return true;
}

/* Runs round I. False: there is no memory for a task. */
static bool run_round(struct thread *th, unsigned i)
{
    struct task *cur = th->cur;
    struct lengths len;
    uint64_t t0 = clock_ticks();
    struct scope *s = scope_new(th, 0);
    struct task *t = s ? engine_spawn(th, s, context_root, TASK_INHERIT | TASK_CANCELLED) : 0;
    if (!t)
        return false;
    uint64_t S = cur->S;
    engine_pause(th);
    took.spawn[i] = cur->S - S;         /* spawn -> pause */
    engine_begin(th, t);
    engine_end(th);
    took.begin[i] = half_sums(&s->local, &len); /* begin -> end */
    engine_resume(th, cur);
    engine_join(th, s);
    scope_free(th, s);
    S = cur->S;
    engine_cut(th);
    took.resume[i] = cur->S - S;        /* resume and join -> the next reading */
    took.all[i] = clock_ticks() - t0;
    s = scope_own(th, cur);
    t = s ? engine_spawn(th, s, context_root, TASK_INHERIT | TASK_CANCELLED) : 0;
    if (!t)
        return false;
    engine_interrupt(th, t);
    engine_end_into(th, cur);
    S = cur->S;
    engine_cut(th);
    took.into[i] = cur->S - S; /* a task's end and what it interrupted -> the next reading */
    engine_join(th, s);
    struct own own = own_begin(th);
    own_end(th, &own);
    S = cur->S;
    own = own_begin(th);
    own_end(th, &own);
    took.rest[i] = cur->S - S;          /* own_end -> own_begin */
    return run_call(th, i);
}

void calibrate(struct thread *th)
{
    memset(&calibrated, 0, sizeof calibrated);
    own_rest = 0;
    if (clock_kind == CLOCK_VIRTUAL)
        return;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (!run_round(th, i))
            return;
    calibrated = (struct calibrated){ .spawn = median(took.spawn, ROUNDS),
                                      .begin = median(took.begin, ROUNDS),
                                      .resume = median(took.resume, ROUNDS),
                                      .into = median(took.into, ROUNDS),
                                      .called = median(took.called, ROUNDS),
                                      .event = median(took.all, ROUNDS) / 6 };
    uint64_t call = median(took.call, ROUNDS), cut = median(took.cut, ROUNDS);
    calibrated.call = call > cut ? call - cut : 0;
    own_rest = median(took.rest, ROUNDS);
    bag_free(th, th->cur->bag);
}
