/* ready.c - see ready.h. */
#include "base/memory.h"
#include "sampling/ready.h"
#include <string.h>
#include "base/lock.h"
#include "dag/thread.h"
#include "base/forbid.h"

static SELDOM struct ready counts;     /* written by the sampling thread */

int64_t ready_now(void)
{
    struct thread *first = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
    uint64_t spawned = 0, begun = 0;
    for (const struct thread *th = first; th; th = th->next)
        spawned += __atomic_load_n(&th->spawns, __ATOMIC_RELAXED);
    /* What was spawned up to here and has begun by now counts as begun below. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next)
        begun += __atomic_load_n(&th->begun, __ATOMIC_RELAXED) +
                 __atomic_load_n(&th->never_ready, __ATOMIC_RELAXED);
    return (int64_t)(spawned - begun);
}

bool ready_tasks(uint64_t *unknown)
{
    uint64_t sum = 0;
    *unknown = 0;
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next) {
        sum += __atomic_load_n(&th->spawns, __ATOMIC_RELAXED) -
               __atomic_load_n(&th->never_ready, __ATOMIC_RELAXED);
        *unknown += __atomic_load_n(&th->ready_unknown, __ATOMIC_RELAXED);
    }
    return (int64_t)sum > 0;
}

static void bin_set(struct ready_bin *b, struct ready_bin to)
{
    __atomic_store_n(&b->sum, to.sum, __ATOMIC_RELAXED);
    __atomic_store_n(&b->most, to.most, __ATOMIC_RELAXED);
    __atomic_store_n(&b->samples, to.samples, __ATOMIC_RELAXED);
}

static struct ready_bin bin_read(const struct ready_bin *b)
{
    return (struct ready_bin){ .sum = __atomic_load_n(&b->sum, __ATOMIC_RELAXED),
                               .most = __atomic_load_n(&b->most, __ATOMIC_RELAXED),
                               .samples = __atomic_load_n(&b->samples, __ATOMIC_RELAXED) };
}

static struct ready_bin both(struct ready_bin a, struct ready_bin b)
{
    return (struct ready_bin){ .sum = a.sum + b.sum, .most = a.most > b.most ? a.most : b.most,
                               .samples = a.samples + b.samples };
}

/* R's version is odd while a bin changes: its three figures belong together. */
static void change_begins(struct ready *r)
{
    __atomic_store_n(&r->version, r->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void change_ends(struct ready *r)
{
    __atomic_store_n(&r->version, r->version + 1, __ATOMIC_RELEASE);
}

static void widen(struct ready *r)
{
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        bin_set(&r->bin[i], i < TIMELINE_BINS / 2 ? both(r->bin[2 * i], r->bin[2 * i + 1])
                                                  : (struct ready_bin){ .samples = 0 });
    __atomic_store_n(&r->shift, r->shift + 1, __ATOMIC_RELAXED);
}

void ready_add(struct ready *r, uint64_t at, uint64_t count)
{
    uint64_t bin = at / timeline_width;
    change_begins(r);
    while (bin >> r->shift >= TIMELINE_BINS)
        widen(r);
    struct ready_bin *b = &r->bin[bin >> r->shift];
    bin_set(b, both(*b, (struct ready_bin){ .sum = count, .most = count, .samples = 1 }));
    change_ends(r);
}

void ready_sample(uint64_t at)
{
    int64_t count = timeline_is_on() ? ready_now() : 0;
    if (timeline_is_on())
        ready_add(&counts, (int64_t)at < 0 ? 0 : at, count < 0 ? 0 : count);
}

void ready_forget(void)
{
    memset(&counts, 0, sizeof counts);
}

const struct ready *ready_counts(void)
{
    return &counts;
}

/* Copies R. As `stable` of timeline.c. */
static void stable(const struct ready *r, struct ready *copy)
{
    uint32_t turns = 0, before;
    do {
        before = __atomic_load_n(&r->version, __ATOMIC_ACQUIRE);
        copy->shift = __atomic_load_n(&r->shift, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < TIMELINE_BINS; i++)
            copy->bin[i] = bin_read(&r->bin[i]);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(before & 1) && before == __atomic_load_n(&r->version, __ATOMIC_RELAXED))
            return;
        lock_turn(&turns);
    } while (turns < LOCK_TURNS_MOST);
}

void ready_sum(const struct ready *r, uint32_t shift, struct ready_bin *sum)
{
    static SELDOM struct ready copy;           /* one writer of profiles at a time */
    stable(r, &copy);
    for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
        uint32_t to = copy.shift <= shift ? i >> (shift - copy.shift)
                                          : i << (copy.shift - shift);
        to = to < TIMELINE_BINS ? to : TIMELINE_BINS - 1;
        sum[to] = both(sum[to], copy.bin[i]);
    }
}
