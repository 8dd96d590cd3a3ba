/* strand.c - see strand.h. */
#include "dag/strand.h"
#include "base/forbid.h"

void (*strand_samples)(struct thread *th, struct task *cur);
uint64_t (*strand_scenarios)(struct thread *th, struct task *cur, uint64_t cost);

/* Each hook has calls of strand_slow of its own, so FROM, where it was called, shows which hook. */
static uint32_t event_of(const void *from, const struct context *ctx)
{
    uint64_t h = ((uintptr_t)from ^ (uint64_t)ctx->id << 40) * 0x9e3779b97f4a7c15ull;
    return h >> 32 | 1;
}

uint64_t strand_slow(struct thread *th, struct task *cur, uint64_t cost, const struct context *ctx)
{
    if (th->clock.off)
        thread_blocked_add(th, cur->ctx->id, th->clock.off);
    th->clock.off = 0;
    if (strand_scenarios)
        th->part_event = ctx ? event_of(__builtin_return_address(0), ctx) : 0;
    if (th->sampled && strand_samples)
        strand_samples(th, cur);
    return strand_scenarios ? strand_scenarios(th, cur, cost) : 0;
}
