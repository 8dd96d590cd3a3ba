/* own.c - see own.h. */
#include "dag/own.h"
#include "base/memory.h"
#include "dag/strand.h"
#include "base/forbid.h"

READ_MOSTLY uint64_t own_rest;

void own_told(struct thread *th, uint64_t now)
{
    struct task *cur = th->cur;
    int64_t cost = (int64_t)(now - th->t0);
    if (!cur)
        return;
    /* or the strand starts later: its hook has cut it, and taken off what it costs itself */
    if (cost > 0)
        strand_part(th, cur, now, 0);
    th->t0 += strand_slow(th, cur, cost > 0 ? cost : 0);
}

struct own own_begin(struct thread *th)
{
    uint64_t measured = th->measured_tsc;
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    int64_t cost = th->cur ? strand_part(th, th->cur, now, STRAND_HELD) : 0;
    if (__builtin_expect(slow && th->cur, 0))
        th->t0 += strand_slow(th, th->cur, cost > 0 ? cost : 0);
    return (struct own){ now, th->clock.last, measured };
}

void own_end(struct thread *th, struct own from)
{
    bool slow = false;
    uint64_t now = clock_now_telling(&th->clock, &slow);
    th->measured_tsc = from.measured +
                       (clock_kind == CLOCK_TSC ? now - from.cost : th->clock.last - from.tsc);
    if (!th->cur)
        return;
    th->t0 = now + own_rest;
    if (__builtin_expect(slow, 0))
        own_told(th, now);
}
