/* timeline.c - see timeline.h. */
#include "sampling/timeline.h"
#include <stddef.h>
#include <string.h>
#include "base/lock.h"
#include "base/memory.h"
#include "clock/clock.h"
#include "dag/run.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

uint64_t timeline_width = 1;
static uint32_t rows;           /* given; atomic */
static uint64_t unplaced;       /* atomic */
static uint64_t period_ticks;   /* of a sample on the CPU; 0: no timelines. By timeline_setup */

void timeline_setup(uint64_t period_ns)
{
    timeline_width = clock_ns_to_ticks(TIMELINE_BIN_NS);
    period_ticks = clock_ns_to_ticks(period_ns);
}

bool timeline_is_on(void)
{
    return period_ticks;
}

enum timeline_on_kind timeline_kind_of(uintptr_t pc)
{
    const struct runtime_self *self = &runtime_self;
    if (pc - self->lo < self->hi - self->lo)
        return TIMELINE_OWN;
    return runtime_owns(pc) ? TIMELINE_OVERHEAD : TIMELINE_WORK;
}

void timeline_sample(struct timelines *l, enum timeline_on_kind kind, uint64_t weight)
{
    if (period_ticks)
        timeline_spread(l, false, kind, clock_ticks() - engine_start_tsc, weight * period_ticks,
                        weight);
}

/* Adds up the pairs. `version` is odd meanwhile; see `stable`. */
static void widen(struct timeline *t)
{
    __atomic_store_n(&t->version, t->version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    for (uint32_t i = 0; i < TIMELINE_BINS; i++)
        for (uint32_t k = 0; k < t->kinds; k++) {
            const uint32_t *pair = &t->count[2 * i * t->kinds + k];
            uint32_t *to = &t->count[i * t->kinds + k];
            uint32_t two = i < TIMELINE_BINS / 2 ? pair[0] + pair[t->kinds] : 0;
            if (two != *to)
                __atomic_store_n(to, two, __ATOMIC_RELAXED);
        }
    __atomic_store_n(&t->shift, t->shift + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&t->version, t->version + 1, __ATOMIC_RELEASE);
}

void timeline_add(struct timeline *t, unsigned kind, uint64_t at, uint32_t n)
{
    uint64_t bin = at / timeline_width;
    while (bin >> t->shift >= TIMELINE_BINS)
        widen(t);
    uint32_t *count = &t->count[(bin >> t->shift) * t->kinds + kind];
    __atomic_store_n(count, *count + n, __ATOMIC_RELAXED);
}

/* The handler of L's thread and the sampling thread may both be the first to ask. */
static bool has_row(struct timelines *l)
{
    uint32_t right = __atomic_load_n(&l->row, __ATOMIC_RELAXED);
    if (right != TIMELINE_UNASKED)
        return right == TIMELINE_HAS_ROW;
    bool mine = __atomic_fetch_add(&rows, 1, __ATOMIC_RELAXED) < TIMELINE_ROWS;
    bool first = __atomic_compare_exchange_n(&l->row, &right,
                                             mine ? TIMELINE_HAS_ROW : TIMELINE_NO_ROW, false,
                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    if (!first || !mine)
        __atomic_fetch_sub(&rows, 1, __ATOMIC_RELAXED);
    return first ? mine : right == TIMELINE_HAS_ROW;
}

static struct timeline *timeline_make(bool off)
{
    uint32_t kinds = off ? TIMELINE_OFF_KINDS : TIMELINE_ON_KINDS;
    struct timeline *t = memory_map(offsetof(struct timeline, count) +
                                    TIMELINE_BINS * kinds * sizeof t->count[0]);
    if (t)
        t->kinds = kinds;
    return t;
}

uint64_t timeline_unplaced(void)
{
    return __atomic_load_n(&unplaced, __ATOMIC_RELAXED);
}

void timeline_spread(struct timelines *l, bool off, unsigned kind, uint64_t at, uint64_t ticks,
                     uint64_t n)
{
    struct timeline **t = off ? &l->off_cpu : &l->on_cpu;
    uint64_t steps = n < TIMELINE_BINS ? n : TIMELINE_BINS;
    at = (int64_t)at < 0 ? 0 : at;      /* counters of two CPUs may differ */
    uint64_t from = at > ticks ? at - ticks : 0;
    if (n && !*t && has_row(l))
        __atomic_store_n(t, timeline_make(off), __ATOMIC_RELEASE);
    if (!*t) {
        __atomic_fetch_add(&unplaced, n, __ATOMIC_RELAXED);
        return;
    }
    for (uint64_t i = 0, done = 0; i < steps; i++) {
        uint64_t upto = n * (i + 1) / steps;
        timeline_add(*t, kind, from + (at - from) / (2 * steps) * (2 * i + 1), upto - done);
        done = upto;
    }
}

static void empty_line(struct timeline *t)
{
    if (!t)
        return;
    memset(t->count, 0, TIMELINE_BINS * t->kinds * sizeof t->count[0]);
    t->version = t->shift = 0;
}

void timeline_forked(struct timelines *l)
{
    unplaced = 0;
    rows = l && l->row == TIMELINE_HAS_ROW;
    if (!l)
        return;
    struct timelines empty = { .on_cpu = l->on_cpu, .off_cpu = l->off_cpu,
                               .row = rows ? TIMELINE_HAS_ROW : TIMELINE_UNASKED };
    empty_line(l->on_cpu);
    empty_line(l->off_cpu);
    *l = empty;
}

uint32_t timeline_shift(uint64_t ticks)
{
    uint32_t shift = 0;
    while (ticks / timeline_width >> shift >= TIMELINE_BINS)
        shift++;
    return shift;
}

/* Copies T while its writer may write. Pairs with the fences in `widen`. If the writer does not get
 * on with its sum for long, the copy may count a pair twice. */
static void stable(const struct timeline *t, struct timeline *copy)
{
    uint32_t turns = 0, before;
    do {
        before = __atomic_load_n(&t->version, __ATOMIC_ACQUIRE);
        copy->shift = __atomic_load_n(&t->shift, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < TIMELINE_BINS * t->kinds; i++)
            copy->count[i] = __atomic_load_n(&t->count[i], __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(before & 1) && before == __atomic_load_n(&t->version, __ATOMIC_RELAXED))
            return;
        lock_turn(&turns);
    } while (turns < LOCK_TURNS_MOST);
}

void timeline_sum(const struct timeline *t, uint32_t shift, unsigned kind,
                  uint64_t (*sum)[TIMELINE_KINDS])
{
    static SELDOM struct timeline copy;        /* one writer of profiles at a time */
    if (!t)
        return;
    stable(t, &copy);
    for (uint32_t i = 0; i < TIMELINE_BINS; i++) {
        uint32_t to = copy.shift <= shift ? i >> (shift - copy.shift)
                                          : i << (copy.shift - shift);
        to = to < TIMELINE_BINS ? to : TIMELINE_BINS - 1;
        for (unsigned k = 0; k < t->kinds; k++)
            sum[to][kind + k] += copy.count[i * t->kinds + k];
    }
}
