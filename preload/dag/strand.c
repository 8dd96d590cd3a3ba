/* strand.c - see strand.h. */
#include "dag/strand.h"

void (*strand_samples)(struct thread *th, struct task *cur);
uint64_t (*strand_scenarios)(struct thread *th, struct task *cur, uint64_t cost);

uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost)
{
    if (th->clock.off)
        thread_blocked_add(th, cur->ctx->id, th->clock.off);
    th->clock.off = 0;
    if (th->sampled && strand_samples)
        strand_samples(th, cur);
    return strand_scenarios ? strand_scenarios(th, cur, cost) : 0;
}
