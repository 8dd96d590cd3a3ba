/* own_overhead.c - see own_overhead.h. */
#include "dag/own_overhead.h"
#include "base/memory.h"
#include "dag/strand.h"
#include "base/forbid.h"

READ_MOSTLY uint64_t own_rest;

void own_slow_reading(struct thread *th, uint64_t now)
{
    struct task *cur = th->cur;
    int64_t cost = (int64_t)(now - th->t0);
    if (!cur) {
        th->clock.off = 0;      /* no strand ran then */
        return;
    }
    /* Else a hook has just cut the strand: its next part starts later than NOW. */
    if (cost > 0) {
        uint32_t goes_on = th->part_goes_on;
        strand_part(th, cur, now, 0);
        strand_typical(th, cur, cost, true, goes_on, cur->ctx, PART_CUT);
    }
    th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0, 0);
}

/* Right after clock_now_short was false. */
static __attribute__((noinline)) struct own begin_slow(struct thread *th)
{
    uint64_t measured = th->measured_tsc;
    uint32_t goes_on = th->part_goes_on;
    bool slow = false;
    uint64_t now = clock_now_again(&th->clock, &slow);
    int64_t cost = th->cur ? strand_part(th, th->cur, now, STRAND_HELD) : 0;
    if (th->cur)
        strand_typical(th, th->cur, cost, slow, goes_on, th->cur->ctx, PART_CUT);
    if (__builtin_expect(slow && th->cur, 0))
        th->t0 += strand_slow(th, th->cur, cost > 0 ? cost : 0, 0);
    else if (__builtin_expect(slow, 0))
        th->clock.off = 0;      /* no strand ran then */
    return (struct own){ .cost = now, .tsc = th->clock.last, .measured = measured };
}

struct own own_begin(struct thread *th)
{
    uint64_t now;
    if (strand_is_held(th))
        return (struct own){ .nested = true };
    if (__builtin_expect(!clock_now_short(&th->clock, &now), 0))
        return begin_slow(th);
    if (__builtin_expect(th->cur != 0, 1))
        strand_part(th, th->cur, now, STRAND_HELD);
    return (struct own){ .cost = now, .tsc = th->clock.last, .measured = th->measured_tsc };
}

/* NOW, the reading that ends FROM, was SLOW or not. */
static inline void end_at(struct thread *th, const struct own *from, uint64_t now, bool slow)
{
    th->measured_tsc = from->measured +
                       (clock_kind == CLOCK_TSC ? now - from->cost : th->clock.last - from->tsc);
    if (!th->cur)
        return;
    th->t0 = now + own_rest;
    if (__builtin_expect(slow, 0))
        own_slow_reading(th, now);
}

static __attribute__((noinline)) void end_slow(struct thread *th, const struct own *from)
{
    end_at(th, from, clock_now_slow(&th->clock), true);
}

void own_end_at(struct thread *th, const struct own *from)
{
    uint64_t now;
    if (__builtin_expect(clock_now_quick(&th->clock, &now), 1))
        end_at(th, from, now, false);
    else
        end_slow(th, from);
}
