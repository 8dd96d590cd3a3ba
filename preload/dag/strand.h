/* strand.h - the clock of a strand: where its parts begin and end, and what each part cost.
 *
 * The cost of a part is what the thread's clock counts between two readings. Every hook reads the
 * clock once. The reading ends the running strand's part (cut), starts a strand (start), or does
 * both. [hook] everything here.
 */
#ifndef PRELOAD_DAG_STRAND_H
#define PRELOAD_DAG_STRAND_H

#include "base/inline.h"
#include "dag/task.h"
#include "dag/thread.h"
#include "dag/typical.h"

/* Handles what only a slow reading finds: samples and off-CPU gaps. COST: of the part that the
 * reading ends. CTX: the part's last event belongs to it; NULL: there is no such event, because
 * work of libprof interrupts the part. Returns the delay of the part (PROF_DELAY), which the task
 * has been charged. */
uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost, const struct context *ctx)
    __attribute__((noinline, cold));
/* Set at start-up by sampling/, dagrec/ and whatif/. strand_samples hands the samples since the
 * last reading to the task. strand_scenarios charges the cost since then to the scenarios, and
 * returns the delay. */
extern void (*strand_samples)(struct thread *th, struct task *cur);
extern uint64_t (*strand_scenarios)(struct thread *th, struct task *cur, uint64_t cost);

/* What th->t0 is, in units of the clock:
 *
 *     a strand runs    t0 = S + C                  S: when its current part began
 *                                                  C: libprof's calibrated overhead in the part
 *     it is held       t0 = S + C + STRAND_HELD    (dag/own_overhead.h)
 *     none runs        t0 = E                      E: when the last one ended
 *
 * A reading NOW ends a part of cost NOW - t0; below 0, it is 0. The clock never reaches
 * STRAND_HELD. So all parts of a held strand cost nothing, and each new part is held as well. While
 * a strand is held, a cut reads no clock. */
#define STRAND_HELD (1ull << 62)
static ALWAYS_INLINE bool strand_is_held(const struct thread *th)
{
    return __builtin_expect((th->t0 & STRAND_HELD) != 0, 0);
}
static inline uint64_t strand_held(int64_t cost)
{
    return cost < -(int64_t)(STRAND_HELD / 2) ? STRAND_HELD : 0;
}

/* A part of the running task CUR ends, NOW. The next part will contain OVERHEAD, which is
 * calibrated profiler overhead, so it starts that much later. */
static ALWAYS_INLINE int64_t strand_part(struct thread *th, struct task *cur, uint64_t now,
                                         uint64_t overhead)
{
    int64_t cost = (int64_t)(now - th->t0);
    if (__builtin_expect(cost > 0, 1)) {
        cur->S += cost;
        lengths_add(&cur->len, cost);
        cur->own += cost;
    } else {
        overhead += strand_held(cost);
    }
    th->part_goes_on = 1;
    th->t0 = now + overhead;
    return cost;
}

/* A part of CUR that cost COST has ended with END, an event of CTX. If the part is an outlier,
 * takes its excess off len.T. GOES_ON: th->part_goes_on before the part ended. SLOW: the reading
 * that ended it was a slow one, which took time itself. */
static inline void strand_typical(struct thread *th, struct task *cur, int64_t cost, bool slow,
                                  uint32_t goes_on, const struct context *ctx, enum part_end end)
{
    if (__builtin_expect(cost < 0 || (uint64_t)cost < typical_least, 1))
        return;
    enum part_begin begin = goes_on                        ? PART_GOES_ON
                            : cur->own == (uint64_t)cost ? PART_BEGUN
                                                           : PART_RESUMED;
    uint64_t from = slow ? clock_ticks() : th->clock.last;
    cur->len.T -= typical_excess(th, ctx->id, part_kind(begin, end), cost, from);
}

/* Ends the current part of TH's strand at NOW with END, an event of CTX. Charges its cost to the
 * running task. SLOW: as clock_now_noting states of NOW. */
static inline void strand_cut_at(struct thread *th, struct task *cur, uint64_t now, bool slow,
                                 uint64_t overhead, const struct context *ctx, enum part_end end)
{
    uint32_t goes_on = th->part_goes_on;
    int64_t cost = strand_part(th, cur, now, overhead);
    strand_typical(th, cur, cost, slow, goes_on, ctx, end);
    if (__builtin_expect(slow, 0))
        th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0, ctx);
}

static inline void strand_cut_with(struct thread *th, struct task *cur, uint64_t overhead,
                                   const struct context *ctx, enum part_end end)
{
    if (strand_is_held(th))
        return;
    bool slow = false;
    uint64_t now = clock_now_noting(&th->clock, &slow);
    strand_cut_at(th, cur, now, slow, overhead, ctx, end);
}

static inline void strand_cut(struct thread *th, struct task *cur, uint64_t overhead)
{
    strand_cut_with(th, cur, overhead, cur->ctx, PART_CUT);
}

/* The same if a quick reading is enough and the part is short; else does nothing and returns false.
 * So the short ways need not ask whether the part is an outlier. OVERHEAD may be NULL: none. */
static ALWAYS_INLINE bool strand_cut_quick(struct thread *th, struct task *cur,
                                           const uint64_t *overhead)
{
    uint64_t now;
    if (strand_is_held(th))
        return true;
    if (__builtin_expect(!clock_now_short(&th->clock, &now), 0))
        return false;
    strand_part(th, cur, now, overhead ? *overhead : 0);
    return true;
}

/* The slow way, right after strand_cut_quick was false. */
static inline void strand_cut_again(struct thread *th, struct task *cur, uint64_t overhead,
                                    const struct context *ctx, enum part_end end)
{
    bool slow = false;
    uint64_t now = clock_now_again(&th->clock, &slow);
    strand_cut_at(th, cur, now, slow, overhead, ctx, end);
}

/* TASK runs from NOW on. between_cost becomes the clock's count since the last strand stopped. */
static ALWAYS_INLINE void strand_run(struct thread *th, struct task *task, uint64_t now,
                                     uint64_t overhead)
{
    th->cur = task;
    th->between_cost = now - th->t0;
    th->t0 = now + overhead;
    th->strand_tsc = th->clock.last;
    th->part_goes_on = 0;
}

/* A reading where no strand of TH runs. The thread's time off the CPU until now is no strand's. */
static inline uint64_t strand_none(struct thread *th)
{
    uint64_t now = clock_now(&th->clock);
    th->clock.off = 0;
    return now;
}

static inline void strand_start(struct thread *th, struct task *task, uint64_t overhead)
{
    bool slow = false;
    th->cur = task;             /* for samples that come meanwhile */
    uint64_t now = clock_now_noting(&th->clock, &slow);
    if (__builtin_expect(slow, 0))
        th->clock.off = 0;      /* no strand ran then */
    strand_run(th, task, now, overhead);
}

static ALWAYS_INLINE bool strand_start_quick(struct thread *th, struct task *task,
                                             const uint64_t *overhead)
{
    uint64_t now;
    if (__builtin_expect(!clock_now_short(&th->clock, &now), 0))
        return false;
    strand_run(th, task, now, *overhead);
    return true;
}

/* After a cut with OVERHEAD == 0, so that t0 is the clock now. */
static ALWAYS_INLINE void strand_stop(struct thread *th)
{
    uint64_t tsc = th->clock.last;
    th->busy_tsc += tsc - th->strand_tsc;
    th->idle_since = tsc;
    th->cur = 0;
}

/* The time before the running strand, back to the last one, was not the runtime's work: the thread
 * waited for others, and the wait counts for CTX as KIND. COST: the clock's part of that time. */
static inline void between_idle(struct thread *th, uint64_t cost, const struct context *ctx,
                                enum idle_kind kind)
{
    uint64_t ticks = th->strand_tsc - th->idle_since;
    th->idle_between_tsc += ticks;
    if ((int64_t)ticks > 0)
        idle_add(th, ctx->id, th->idle_since == th->life_since ? IDLE_START : kind, ticks);
    th->idle_between_cost += cost;
    th->idle_since = th->strand_tsc;    /* counted */
    th->between_cost = 0;
}

#endif
