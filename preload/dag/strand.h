/* strand.h - the clock of a strand: where its parts begin and end, and what each one cost.
 *
 * A strand's cost is what its thread's clock counts between two readings. Every hook reads the
 * clock once: that ends the running strand's part (cut), starts a strand (start), or both. [hook]
 * everything here.
 */
#ifndef PRELOAD_DAG_STRAND_H
#define PRELOAD_DAG_STRAND_H

#include "dag/task.h"
#include "dag/thread.h"

/* Handles what only a slow reading finds: samples and off-CPU gaps. COST: of the part that ends
 * with it. Returns what the part was delayed by (PROF_DELAY), which the task has been charged. */
uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost)
    __attribute__((noinline, cold));
/* Set at start-up by sampling/, dagrec/ and whatif/. strand_samples hands the samples since the
 * last reading to the task. strand_scenarios charges the cost since then to the scenarios, and
 * returns what it was delayed by. */
extern void (*strand_samples)(struct thread *th, struct task *cur);
extern uint64_t (*strand_scenarios)(struct thread *th, struct task *cur, uint64_t cost);

/* A strand is held (dag/own.h): its next part begins so far ahead of the clock that no reading ends
 * it, and what seems to be a new part is held as well. */
#define STRAND_HELD (1ull << 62)
static inline uint64_t strand_held(int64_t cost)
{
    return cost < -(int64_t)(STRAND_HELD / 2) ? STRAND_HELD : 0;
}

/* A part of the running task CUR ends, NOW. OWN: profiler overhead that the next part will contain
 * (calibrated): the next part starts that much later. */
static inline int64_t strand_part(struct thread *th, struct task *cur, uint64_t now, uint64_t own)
{
    int64_t cost = (int64_t)(now - th->t0);
    if (__builtin_expect(cost > 0, 1)) {
        cur->S += cost;
        lengths_add(&cur->len, cost);
        cur->own += cost;
    } else {
        own += strand_held(cost);
    }
    th->t0 = now + own;
    return cost;
}

/* End the current part of TH's strand; its cost goes to the running task. */
static inline void strand_cut(struct thread *th, struct task *cur, uint64_t own)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    int64_t cost = strand_part(th, cur, now, own);
    if (__builtin_expect(slow, 0))
        th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0);
}

/* The same if the reading is a quick one; else nothing happens: false. */
static inline bool strand_cut_quick(struct thread *th, struct task *cur, uint64_t own)
{
    uint64_t now;
    if (__builtin_expect(!clock_now_quick(&th->clock, &now), 0))
        return false;
    strand_part(th, cur, now, own);
    return true;
}

/* TASK runs from NOW on; resume_gap is what the clock counted since the last strand stopped. */
static inline void strand_run(struct thread *th, struct task *task, uint64_t now, uint64_t own)
{
    th->cur = task;
    th->resume_gap = now - th->t0;
    th->t0 = now + own;
    th->strand_tsc = th->clock.last;
}

/* A reading where no strand of TH runs: what it was off the CPU until now is no strand's. */
static inline uint64_t strand_none(struct thread *th)
{
    uint64_t now = clock_now(&th->clock);
    th->clock.off = 0;
    return now;
}

static inline void strand_start(struct thread *th, struct task *task, uint64_t own)
{
    bool slow = false;
    th->cur = task;             /* for samples that come meanwhile */
    uint64_t now = clock_now_telling(&th->clock, &slow);
    if (__builtin_expect(slow, 0))
        th->clock.off = 0;      /* it had no strand then */
    strand_run(th, task, now, own);
}

static inline bool strand_start_quick(struct thread *th, struct task *task, uint64_t own)
{
    uint64_t now;
    if (__builtin_expect(!clock_now_quick(&th->clock, &now), 0))
        return false;
    strand_run(th, task, now, own);
    return true;
}

/* After a cut without own cost: t0 is the clock now. */
static inline void strand_stop(struct thread *th)
{
    uint64_t tsc = th->clock.last;
    th->busy_tsc += tsc - th->strand_tsc;
    th->idle_since = tsc;
    th->cur = 0;
}

/* The gap before the running strand was not the runtime's work: the thread waited for others. COST:
 * the clock's part of the gap. */
static inline void gap_was_idle(struct thread *th, uint64_t cost)
{
    th->idle_gap_tsc += th->strand_tsc - th->idle_since;
    th->idle_gap_cost += cost;
    th->idle_since = th->strand_tsc;    /* counted */
    th->resume_gap = 0;
}

#endif
