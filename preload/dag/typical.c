/* typical.c - see typical.h. */
#include "dag/typical.h"
#include <string.h>
#include "dag/block.h"
#include "dag/thread.h"
#include "base/memory.h"
#include "base/forbid.h"

/* Memory for a thread's tally and histograms: mapped at once, first and at most. */
#define ROOM_FIRST (8u << 10)
#define ROOM_MOST (64u << 10)

enum { LEAST_NS = 1000, MOST_NS = 300000, WINDOW = 4, SHARE = 16,
       FACTOR = 10,             /* a level has so many times as many parts around it as above it */
       FACTOR_CONFIRMED = 8,    /* the same at the end: a few more parts above do no harm */
       FACTOR_FEWER = 200,      /* the same for level 0, where tasks may outnumber parts */
       FACTOR_FIRST = 4, FIRST_PARTS = 64,
       JUDGE_EVERY = 64,        /* a level is judged anew after so many parts, and after a 64th */
       THREADS_MOST = 256 };    /* whose histograms a judge reads */
#define COUNT_MOST (1u << 28)   /* of a bucket: the sum of sixteenths stays below 2^32 */

READ_MOSTLY uint64_t typical_least = UINT64_MAX, typical_most;

static bool counts_ticks(void)
{
    return clock_kind == CLOCK_WALL || (clock_kind == CLOCK_TSC && clock_gap);
}

void typical_setup(void)
{
    typical_least = UINT64_MAX;
    if (!clock_is_time())
        return;
    bool ns = !counts_ticks();
    uint64_t least = ns ? LEAST_NS : clock_ns_to_ticks(LEAST_NS);
    typical_least = 1ull << (63 - __builtin_clzll(least | 256));
    typical_most = ns ? MOST_NS : clock_ns_to_ticks(MOST_NS);
    if (clock_short_gap > typical_least)
        clock_short_gap = typical_least;
}

/* ---- buckets ---- */

static inline unsigned least_log2(void)
{
    return 63 - __builtin_clzll(typical_least);
}

/* The bucket of COST; *POSITION in it, in sixteenths. */
static inline unsigned bucket_of(uint64_t cost, unsigned *position)
{
    unsigned log2 = 63 - __builtin_clzll(cost), octave = log2 - least_log2();
    *position = cost >> (log2 - 8) & 15;
    return octave < TYPICAL_OCTAVES ? octave * TYPICAL_STEPS + (cost >> (log2 - 4) & 15)
                                    : TYPICAL_BUCKETS;
}

static uint64_t bucket_from(unsigned i)
{
    return (uint64_t)(TYPICAL_STEPS + i % TYPICAL_STEPS) << (i / TYPICAL_STEPS) <<
           (least_log2() - 4);
}

static uint32_t bucket_count(uint64_t b)
{
    return (uint32_t)b;
}

/* The mean cost of its parts; of an empty one its middle. */
static uint64_t bucket_mean(unsigned i, uint64_t b)
{
    uint64_t from = bucket_from(i), width = bucket_from(i + 1) - from;
    uint64_t n = bucket_count(b), sixteenths = b >> 32;
    return from + (n ? width * (2 * sixteenths + n) / (32 * n) : width / 2);
}

/* Bucket I of H; NULL: its octave has no parts. */
static uint64_t *bucket_at(struct typical *h, unsigned i)
{
    if (i == TYPICAL_BUCKETS)
        return &h->longer;
    struct typical_octave *o = h->octave[i / TYPICAL_STEPS];
    return o ? &o->bucket[i % TYPICAL_STEPS] : 0;
}

static __attribute__((noinline)) void halve(struct typical *h)
{
    for (unsigned i = h->from; i < h->to; i++) {
        uint64_t *b = bucket_at(h, i);
        if (b)
            *b = *b >> 1 & 0x7fffffff7fffffffull;
    }
}

/* ---- levels ---- */

/* Histograms of one context, summed. A judge has it in memory of its thread's: a program's stack
 * may be nearly full (base/aside.h). A context has few parts at first, and a program may have many
 * contexts. So only the buckets that may have parts are cleared, summed and searched. */
struct tally {
    uint64_t bucket[TYPICAL_BUCKETS + 1];   /* from..to-1; the others are 0 */
    uint64_t above[TYPICAL_BUCKETS + 2];    /* from..to: parts above each level (level_of) */
    uint64_t parts, tasks, cost;
    unsigned kind, from, to;
};

static void tally_begin(struct tally *t, unsigned kind)
{
    for (unsigned i = t->from; i < t->to; i++)
        t->bucket[i] = 0;
    t->parts = t->tasks = t->cost = 0;
    t->kind = kind;
    t->from = TYPICAL_BUCKETS;
    t->to = 0;
}

/* Bucket I of H, which another thread may write, and the rest of its octave; NULL: no parts. */
static const uint64_t *bucket_of_other(const struct typical *h, unsigned i)
{
    if (i == TYPICAL_BUCKETS)
        return &h->longer;
    const struct typical_octave *o =
        __atomic_load_n(&h->octave[i / TYPICAL_STEPS], __ATOMIC_ACQUIRE);
    return o ? &o->bucket[i % TYPICAL_STEPS] : 0;
}

static void tally_add(struct tally *t, const struct thread *th, uint32_t context, unsigned kind)
{
    const struct typical *h = typical_of(th, context, kind);
    const struct metrics *m = thread_metrics(th, context);
    if (h) {
        unsigned from = __atomic_load_n(&h->from, __ATOMIC_RELAXED);
        unsigned to = __atomic_load_n(&h->to, __ATOMIC_RELAXED);
        for (unsigned i = from, end; i < to; i = end) {
            end = i / TYPICAL_STEPS * TYPICAL_STEPS + TYPICAL_STEPS;
            end = end < to ? end : to;
            const uint64_t *b = bucket_of_other(h, i);
            for (unsigned k = i; b && k < end; k++)
                t->bucket[k] += __atomic_load_n(b++, __ATOMIC_RELAXED);
        }
        t->from = from < t->from ? from : t->from;
        t->to = to > t->to ? to : t->to;
        t->parts += __atomic_load_n(&h->parts, __ATOMIC_RELAXED);
    }
    t->tasks += m ? m->tasks : 0;
    t->cost += m ? m->work_local : 0;
}

static void tally_all(struct tally *t, uint32_t context, unsigned kind)
{
    unsigned n = 0;
    tally_begin(t, kind);
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE);
         th && n < THREADS_MOST; th = th->next, n++)
        tally_add(t, th, context, kind);
}

/* The parts below the first bucket, as far as they are tasks'. */
static uint64_t parts_below(const struct tally *t)
{
    return t->tasks > t->parts ? t->tasks - t->parts : 0;
}

/* Level 0 is below the first bucket, level I is bucket I - 1. */
static uint64_t level_cost(const struct tally *t, unsigned level)
{
    return level ? bucket_mean(level - 1, t->bucket[level - 1]) : typical_least;
}

/* Is the excess of the parts above LEVEL as small as that of outliers? */
static bool excess_is_small(const struct tally *t, unsigned level)
{
    uint64_t like = level_cost(t, level), excess = 0, cost = 0;
    for (unsigned i = t->from; i < t->to && i < TYPICAL_BUCKETS; i++) {
        uint64_t n = bucket_count(t->bucket[i]), mean = n ? bucket_mean(i, t->bucket[i]) : 0;
        cost += n * mean;
        if (i >= level && mean > like && mean - like <= typical_most)
            excess += n * (mean - like);
    }
    return excess <= (cost > t->cost ? cost : t->cost) / SHARE + typical_most;
}

/* Level 0 holds if there are so many times as many parts below it as above it. The parts below are
 * counted as tasks. 0: the number of tasks does not show the number of parts of KIND. */
static unsigned factor_of_tasks(unsigned kind)
{
    return kind == part_kind(PART_GOES_ON, PART_SPAWNS) || kind == part_kind(PART_BEGUN, PART_ENDS)
               ? FACTOR
           : kind == part_kind(PART_BEGUN, PART_SPAWNS) ? FACTOR_FEWER
                                                        : 0;
}

/* The lowest level that has outliers above it; -1: none has. */
static int level_of(struct tally *t, unsigned factor_settled)
{
    uint64_t *above = t->above, like = 0;
    unsigned times = t->parts < FIRST_PARTS ? FACTOR_FIRST : factor_settled;
    if (t->from >= t->to)
        return -1;
    above[t->to] = 0;
    for (unsigned level = t->to; level-- > t->from;)
        above[level] = above[level + 1] + bucket_count(t->bucket[level]);
    unsigned fewer = factor_of_tasks(t->kind);
    uint64_t all = above[t->from];
    if (fewer && all && all * fewer <= parts_below(t) && excess_is_small(t, 0))
        return 0;
    for (unsigned level = t->from + 1; level < t->to && above[level]; level++) {
        like += bucket_count(t->bucket[level - 1]);
        if (level > t->from + WINDOW)
            like -= bucket_count(t->bucket[level - 1 - WINDOW]);
        if (bucket_count(t->bucket[level - 1]) && above[level] * times <= like &&
            excess_is_small(t, level))
            return level;
    }
    return -1;
}

/* ---- parts ---- */

struct typical *typical_of(const struct thread *th, uint32_t context, unsigned kind)
{
    const struct typical_set *set = thread_typical(th, context);
    return set ? __atomic_load_n(&set->of[kind], __ATOMIC_ACQUIRE) : 0;
}

void typical_forget(struct typical_set *set)
{
    for (unsigned kind = 0; kind < PART_KINDS; kind++) {
        struct typical *h = set->of[kind];
        if (!h)
            continue;
        for (unsigned i = 0; i < TYPICAL_OCTAVES; i++)
            if (h->octave[i])
                memset(h->octave[i], 0, sizeof *h->octave[i]);
        h->parts = h->judge_at = h->level = h->longer = h->to = 0;
        h->from = TYPICAL_BUCKETS;
    }
}

/* BYTES of what TH has mapped for this; NULL: there is no memory. */
static void *room_of(struct thread *th, size_t bytes)
{
    if (th->typical_left < bytes) {
        size_t size = th->typical_bytes < ROOM_MOST ? th->typical_bytes : ROOM_MOST;
        size = size ? size : ROOM_FIRST;
        char *room = memory_map(size);
        if (!room) {
            th->lost[LOSS_MEMORY]++;
            return 0;
        }
        if (size > ROOM_FIRST)
            memory_populate(room, size);
        th->typical_room = room;
        th->typical_left = size;
        th->typical_bytes += size;
    }
    void *at = th->typical_room;
    th->typical_room += bytes;
    th->typical_left -= bytes;
    return at;
}

/* Makes TH's histogram of KIND in CONTEXT, and its octave with bucket I. */
static bool typical_make(struct thread *th, uint32_t context, unsigned kind, unsigned i)
{
    thread_metrics_made(th, context);
    struct metrics_piece *piece = th->metrics[context / METRICS_PIECE];
    struct typical_set **at = piece ? &piece->typical[context % METRICS_PIECE] : 0, *set = 0;
    if (!at || !(th->typical_tally || (th->typical_tally = room_of(th, sizeof *th->typical_tally))))
        return false;
    if (!(set = *at)) {
        if (!(set = room_of(th, sizeof *set)))
            return false;
        __atomic_store_n(at, set, __ATOMIC_RELEASE);
    }
    struct typical *h = set->of[kind];
    if (!h) {
        if (!(h = room_of(th, sizeof *h)))
            return false;
        h->from = TYPICAL_BUCKETS;
        __atomic_store_n(&set->of[kind], h, __ATOMIC_RELEASE);
    }
    if (!bucket_at(h, i)) {
        struct typical_octave *o = room_of(th, sizeof *o);
        if (!o)
            return false;
        __atomic_store_n(&h->octave[i / TYPICAL_STEPS], o, __ATOMIC_RELEASE);
    }
    return true;
}

/* A part of BUCKET is no outlier, and LEVEL is level_of's. The highest bucket whose parts are none
 * either: that of LEVEL, or, if no level has outliers, the highest that has parts. */
static unsigned judged_with(const struct tally *t, int level, unsigned bucket)
{
    if (level > 0 && bucket < (unsigned)level)
        return level - 1;
    if (level < 0)
        while (bucket < TYPICAL_BUCKETS - 1 && bucket + 1 < t->to && t->above[bucket + 1])
            bucket++;
    return bucket;
}

/* TICKS of the next part are profiler overhead. */
static void leave_out(struct thread *th, uint64_t ticks)
{
    th->measured_tsc += ticks;
    if (counts_ticks())
        th->t0 += ticks;
}

/* The same, unless the thread was off its CPU, which its clock sees. */
static void leave_out_short(struct thread *th, uint64_t ticks)
{
    if (ticks < clock_gap)
        leave_out(th, ticks);
}

static uint64_t judge(struct thread *th, uint32_t context, unsigned kind, uint64_t cost)
{
    struct typical *h = typical_of(th, context, kind);
    struct tally *t = th->typical_tally;
    tally_begin(t, kind);
    tally_add(t, th, context, kind);
    if (t->parts < FIRST_PARTS)
        tally_all(t, context, kind);
    unsigned position, bucket = bucket_of(cost, &position);
    int level = level_of(t, FACTOR);
    uint64_t like = level < 0 ? cost : level_cost(t, level);
    if (level < 0 || bucket < (unsigned)level || cost <= like || cost - like > typical_most) {
        uint64_t as_long = bucket_from(judged_with(t, level, bucket) + 1) - 1;
        h->level = as_long > cost ? as_long : cost;
        return 0;
    }
    struct typical_taken *taken = &h->octave[bucket / TYPICAL_STEPS]->taken;
    taken->count++;
    taken->cost += cost;
    taken->counted += like;
    return cost - like;
}

/* ---- one part ----
 *
 * The program's stack may be nearly full. So typical_excess ends with its rare work, which needs
 * room there, and then has no frame of its own (policy/depth-begin). */

static __attribute__((noinline)) uint64_t excess_judged(struct thread *th, uint32_t context,
                                                        unsigned kind, uint64_t cost,
                                                        uint64_t from)
{
    uint64_t begin = clock_ticks(), excess = judge(th, context, kind, cost);
    /* a judgement with hundreds of threads is longer than an off-CPU gap */
    leave_out(th, clock_ticks() - begin);
    leave_out_short(th, begin - from);
    return excess;
}

static __attribute__((noinline)) uint64_t excess_first(struct thread *th, uint32_t context,
                                                       unsigned kind, uint64_t cost, uint64_t from)
{
    unsigned position;
    if (typical_make(th, context, kind, bucket_of(cost, &position)))
        return typical_excess(th, context, kind, cost, from);
    leave_out_short(th, clock_ticks() - from);
    return 0;
}

uint64_t typical_excess(struct thread *th, uint32_t context, unsigned kind, uint64_t cost,
                        uint64_t from)
{
    struct typical *h = typical_of(th, context, kind);
    unsigned position, i = bucket_of(cost, &position);
    uint64_t *at = h ? bucket_at(h, i) : 0;
    if (__builtin_expect(!at, 0))
        return excess_first(th, context, kind, cost, from);
    uint64_t b = *at + (1 | (uint64_t)position << 32), parts = h->parts + 1;
    __atomic_store_n(at, b, __ATOMIC_RELAXED);
    __atomic_store_n(&h->parts, parts, __ATOMIC_RELAXED);
    if (i < h->from)
        __atomic_store_n(&h->from, i, __ATOMIC_RELAXED);
    if (i >= h->to)
        __atomic_store_n(&h->to, i + 1, __ATOMIC_RELAXED);
    if (__builtin_expect(bucket_count(b) >= COUNT_MOST, 0))
        halve(h);
    if (parts >= h->judge_at) {
        h->judge_at = parts < JUDGE_EVERY ? 2 * parts
                      : parts + (parts > JUDGE_EVERY * 64 ? parts / 64 : JUDGE_EVERY);
        h->level = 0;
    }
    if (cost > h->level && i < TYPICAL_BUCKETS)
        return excess_judged(th, context, kind, cost, from);
    leave_out_short(th, clock_ticks() - from);
    return 0;
}

/* ---- sums ---- */

static uint64_t taken_again(uint32_t context, unsigned kind, uint64_t like)
{
    uint64_t again = 0;
    for (const struct thread *th = engine_threads; th; th = th->next) {
        const struct typical *h = typical_of(th, context, kind);
        for (unsigned i = 0; h && i < TYPICAL_OCTAVES; i++) {
            const struct typical_octave *o = __atomic_load_n(&h->octave[i], __ATOMIC_ACQUIRE);
            if (!o)
                continue;
            const struct typical_taken k = o->taken;
            if (!k.count || k.cost <= k.counted)
                continue;
            /* a level that grew by less than a quarter since then counts as the same level */
            uint64_t mean = k.cost / k.count, want = like && like < mean ? like : mean;
            if (want * k.count > k.counted + k.counted / 4)
                again += want * k.count - k.counted;
        }
    }
    return again;
}

static uint64_t parts_of(const struct thread *th, uint32_t context, unsigned kind)
{
    const struct typical *h = typical_of(th, context, kind);
    return h ? __atomic_load_n(&h->parts, __ATOMIC_RELAXED) : 0;
}

static void sum_kind(uint32_t context, unsigned kind, struct outliers *out)
{
    static SELDOM struct tally t;      /* one snapshot at a time */
    tally_all(&t, context, kind);
    int level = level_of(&t, FACTOR_CONFIRMED);
    uint64_t like = level < 0 ? 0 : level_cost(&t, level), count = 0, excess = 0;
    out->again += taken_again(context, kind, like);
    unsigned to = level < 0 ? 0 : t.to < TYPICAL_BUCKETS ? t.to : TYPICAL_BUCKETS;
    for (unsigned i = level > (int)t.from ? (unsigned)level : t.from; i < to; i++) {
        uint64_t n = bucket_count(t.bucket[i]), mean = n ? bucket_mean(i, t.bucket[i]) : 0;
        if (!n || 2 * mean < 3 * like || mean - like > typical_most)
            continue;
        count += n;
        excess += n * (mean - like);
        if (out->longest < mean)
            out->longest = mean;
    }
    if (count) {
        out->parts += t.parts + parts_below(&t);
        out->count += count;
        out->excess += excess;
    }
}

bool typical_sum(uint32_t context, struct outliers *out)
{
    bool any = false;
    memset(out, 0, sizeof *out);
    for (unsigned kind = 0; kind < PART_KINDS; kind++) {
        const struct thread *th = engine_threads;
        while (th && !parts_of(th, context, kind))
            th = th->next;
        if (th)
            sum_kind(context, kind, out);
        any |= th != 0;
    }
    return any;
}
