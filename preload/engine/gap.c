/* gap.c - see gap.h. The wait that ends a gap knows what the gap was. */
#include "engine/gap.h"
#include "engine/rules.h"

void engine_gap_was_idle(struct thread *th)
{
    gap_was_idle(th, th->resume_gap);
}

void engine_gap_was_own(struct thread *th)
{
    th->measured_tsc += th->strand_tsc - th->idle_since;
}

void engine_gap_was_lent(struct thread *th)
{
    th->life_tsc -= th->strand_tsc - th->idle_since;
    th->life_cost -= th->resume_gap;
    th->idle_since = th->strand_tsc;    /* counted */
    th->resume_gap = 0;
}

void engine_call_waited(struct thread *th)
{
    struct task *cur = th->cur;
    uint64_t since = th->clock.last, now;
    if (!cur || clock_kind != CLOCK_TSC || (now = clock_now(&th->clock)) < th->t0)
        return;
    th->strand_tsc += th->clock.last - since;
    th->t0 = now;
    th->clock.off = 0;
    th->t0 += strand_slow(th, cur, 0, 0);  /* the samples belong to the strand */
}
