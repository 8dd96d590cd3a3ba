/* idle.c - see idle.h. */
#include "dag/idle.h"
#include "clock/clock.h"
#include "dag/thread.h"
#include "base/forbid.h"

/* ns of a tick, times 2^32. The rate so far is good enough for the bounds of buckets. */
static uint64_t tick_ns(void)
{
    enum { SOME_NS = 1 << 20 };
    static uint64_t known;      /* the first threads compute it, all to nearly the same value */
    uint64_t value = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(!value, 0)) {
        uint64_t ticks = clock_ns_to_ticks(SOME_NS);
        value = ((uint64_t)SOME_NS << 32) / (ticks ? ticks : 1);
        __atomic_store_n(&known, value, __ATOMIC_RELAXED);
    }
    return value;
}

unsigned idle_bucket(uint64_t ticks)
{
    uint64_t ns = (unsigned __int128)ticks * tick_ns() >> 32;
    unsigned octave = 63 - __builtin_clzll(ns | 1);
    unsigned bucket = octave > IDLE_LEAST ? octave - IDLE_LEAST : 0;
    return bucket < IDLE_BUCKETS ? bucket : IDLE_BUCKETS - 1;
}

struct idle *idle_of(const struct thread *th, uint32_t id, enum idle_kind kind)
{
    if (kind >= IDLE_CONTEXTS)
        return __atomic_load_n(&th->idle_outside[kind - IDLE_CONTEXTS], __ATOMIC_ACQUIRE);
    const struct metrics_piece *piece = __atomic_load_n(&th->metrics[id / METRICS_PIECE],
                                                        __ATOMIC_ACQUIRE);
    return piece ? __atomic_load_n(&piece->idle[kind][id % METRICS_PIECE], __ATOMIC_ACQUIRE) : 0;
}

static __attribute__((noinline, cold)) struct idle *make(struct thread *th, uint32_t id,
                                                         enum idle_kind kind)
{
    struct idle **at = kind >= IDLE_CONTEXTS ? &th->idle_outside[kind - IDLE_CONTEXTS] : 0;
    if (!at) {
        thread_metrics_made(th, id);
        struct metrics_piece *piece = th->metrics[id / METRICS_PIECE];
        at = piece ? &piece->idle[kind][id % METRICS_PIECE] : 0;
    }
    struct idle *made = at ? memory_keep_lines(sizeof *made) : 0;
    if (made)
        __atomic_store_n(at, made, __ATOMIC_RELEASE);
    else
        th->lost[LOSS_MEMORY]++;
    return made;
}

static inline struct idle *made_of(struct thread *th, uint32_t id, enum idle_kind kind)
{
    struct idle *x = idle_of(th, id, kind);
    return __builtin_expect(x != 0, 1) ? x : make(th, id, kind);
}

void idle_add(struct thread *th, uint32_t id, enum idle_kind kind, uint64_t ticks)
{
    struct idle *x = made_of(th, id, kind);
    th->idle_last = 0;
    if (!x)
        return;
    struct idle_sum *to = &x->interval[idle_bucket(ticks)];
    to->count++;
    to->ticks += ticks;
    th->idle_last = to;
}

void idle_latency(struct thread *th, uint32_t id, enum idle_kind kind, uint64_t ticks)
{
    struct idle *x = made_of(th, id, kind);
    if (!x)
        return;
    x->latency.count++;
    x->latency.ticks += ticks;
}
