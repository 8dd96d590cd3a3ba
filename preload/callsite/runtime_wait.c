/* runtime_wait.c - see runtime_wait.h. */
#include "callsite/runtime_wait.h"
#include "clock/clock.h"
#include "libprof_format.h"
#include "base/forbid.h"

/* A thread takes a free lock in 10 to 50 ns. A lock that becomes free at once costs the transfer of
 * a cache line or two. Both are overhead of the runtime, not waits. */
#define WAIT_NS 500

uint64_t runtime_wait_end(struct thread *th, struct task *strand)
{
    static uint64_t limit;      /* ticks; the first threads compute it, all to the same value */
    if (!strand)
        return 0;
    uint64_t since = th->idle_since;
    engine_resume(th, strand);
    uint64_t ticks = th->strand_tsc - since, least = __atomic_load_n(&limit, __ATOMIC_RELAXED);
    if (__builtin_expect(!least, 0)) {
        least = clock_ns_to_ticks(WAIT_NS);
        __atomic_store_n(&limit, least, __ATOMIC_RELAXED);
    }
    if (__builtin_expect(ticks < least, 1))
        return 0;
    between_was_idle(th);
    return ticks;
}

struct context *runtime_wait_context(const struct task *strand, const struct path_point *from,
                                     const struct site_style *style, const char *construct,
                                     uint32_t flags)
{
    if (!strand || (clock_kind != CLOCK_TSC && clock_kind != CLOCK_WALL))
        return 0;               /* costs are not time */
    struct context *ctx = site_context(strand, path_here(from, task_entry(strand)), style,
                                       construct, LPF_SITE_WAIT | flags);
    return ctx->site && ctx->site->flags & LPF_SITE_WAIT ? ctx : 0;     /* no room for it */
}

const struct context *runtime_wait_count(struct thread *th, const struct task *strand,
                                         const struct path_point *from,
                                         const struct site_style *style, const char *construct,
                                         uint32_t flags, uint64_t ticks)
{
    const struct context *ctx = runtime_wait_context(strand, from, style, construct, flags);
    if (ctx) {
        struct metrics *m = thread_metrics_made(th, ctx->id);
        m->invocations++;
        m->work += ticks;
    }
    return ctx;
}
