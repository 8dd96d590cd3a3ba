/* between.c - see between.h. The wait that ends the time between two strands knows what it was. */
#include "engine/between.h"
#include "engine/rules.h"
#include "base/forbid.h"

void between_was_idle(struct thread *th)
{
    between_idle(th, th->between_cost, th->cur->ctx, IDLE_WAIT);
}

void between_was_wait_for(struct thread *th, const struct context *ctx, uint64_t ended)
{
    uint64_t since = ended > th->idle_since ? ended : th->idle_since;
    if (ended && th->strand_tsc > since)
        idle_latency(th, ctx->id, IDLE_WAIT, th->strand_tsc - since);
    between_idle(th, th->between_cost, ctx, IDLE_WAIT);
}

uint64_t engine_children_ended(const struct task *t)
{
    const struct scope *s = __atomic_load_n(&t->own_scope, __ATOMIC_ACQUIRE);
    return s && scope_done(s) && __atomic_load_n(&s->remote.done, __ATOMIC_RELAXED)
               ? __atomic_load_n(&s->ended, __ATOMIC_RELAXED) : 0;
}

void between_was_before(struct thread *th, uint64_t ready)
{
    const struct context *ctx = th->cur->ctx;
    uint64_t since = ready > th->idle_since ? ready : th->idle_since;
    if (th->strand_tsc > since)
        idle_latency(th, ctx->id, IDLE_WORK, th->strand_tsc - since);
    between_idle(th, th->between_cost, ctx, IDLE_WORK);
}

void between_was_idle_until(struct thread *th, uint64_t until, enum idle_kind kind)
{
    uint64_t since = th->idle_since, gap = th->strand_tsc - since, idle = until - since;
    if ((int64_t)gap <= 0 || (int64_t)idle <= 0)
        return;
    if (idle >= gap) {
        between_idle(th, th->between_cost, th->cur->ctx, kind);
        return;
    }
    /* the clock may be behind by what the strand before it was charged */
    uint64_t cost = (int64_t)th->between_cost > 0 ? (double)th->between_cost * idle / gap : 0;
    th->idle_between_tsc += idle;
    idle_add(th, th->cur->ctx->id, since == th->life_since ? IDLE_START : kind, idle);
    th->idle_between_cost += cost;
    th->between_cost -= cost;
    th->idle_since += idle;     /* counted */
}

void between_was_own(struct thread *th)
{
    uint64_t gap = th->strand_tsc - th->idle_since;
    th->measured_tsc += gap;
    if (clock_kind == CLOCK_TSC && (int64_t)(gap - th->between_cost) > 0)
        th->own_off_tsc += gap - th->between_cost;
}

void between_was_lent(struct thread *th)
{
    th->life_tsc -= th->strand_tsc - th->idle_since;
    th->life_cost -= th->between_cost;
    th->idle_since = th->strand_tsc;    /* counted */
    th->between_cost = 0;
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
