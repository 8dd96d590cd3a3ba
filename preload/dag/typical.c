/* typical.c - see typical.h. */
#include "dag/typical.h"
#include <string.h>
#include "dag/block.h"
#include "dag/thread.h"
#include "base/forbid.h"

#define TYPICAL_ROOM (8u << 10)    /* mapped at once, for a thread's tally and histograms */

enum { LEAST_NS = 1000, MOST_NS = 300000, WINDOW = 4, SHARE = 16,
       LIKE = 10,               /* a level has so many times as many parts around it as above it */
       LIKE_CONFIRMED = 8,      /* the same at the end: a few more parts above do no harm */
       LIKE_FEWER = 200,        /* the same for level 0, where tasks may outnumber parts */
       LIKE_FIRST = 4, FIRST_PARTS = 64,
       JUDGE_EVERY = 64,        /* parts after which a level is judged anew */
       THREADS_MOST = 256 };    /* whose histograms a judge reads */
#define COUNT_MOST (1u << 28)   /* of a bucket: the sum of sixteenths stays below 2^32 */

READ_MOSTLY uint64_t typical_least = UINT64_MAX, typical_most;

static bool counts_ticks(void)
{
    return clock_kind == CLOCK_WALL || (clock_kind == CLOCK_TSC && clock_gap);
}

void typical_setup(void)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    typical_least = UINT64_MAX;
    if (!num || clock_kind == CLOCK_VIRTUAL)
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

static void halve(struct typical *h)
{
    for (unsigned i = 0; i <= TYPICAL_BUCKETS; i++)
        h->bucket[i] = h->bucket[i] >> 1 & 0x7fffffff7fffffffull;
}

/* ---- levels ---- */

/* Histograms of one context, summed. A judge has it in memory of its thread's: a program's stack
 * may be nearly full (base/aside.h). */
struct tally {
    uint64_t bucket[TYPICAL_BUCKETS + 1];
    uint64_t above[TYPICAL_BUCKETS + 1];    /* parts above each level (level_of) */
    uint64_t parts, tasks, cost;
    unsigned kind;
};

static void tally_add(struct tally *t, const struct thread *th, uint32_t context, unsigned kind)
{
    const struct typical *h = typical_of(th, context, kind);
    const struct metrics *m = thread_metrics(th, context);
    for (unsigned i = 0; h && i <= TYPICAL_BUCKETS; i++)
        t->bucket[i] += __atomic_load_n(&h->bucket[i], __ATOMIC_RELAXED);
    t->parts += h ? __atomic_load_n(&h->parts, __ATOMIC_RELAXED) : 0;
    t->tasks += m ? m->tasks : 0;
    t->cost += m ? m->work_local : 0;
}

static void tally_all(struct tally *t, uint32_t context, unsigned kind)
{
    unsigned n = 0;
    memset(t, 0, sizeof *t);
    t->kind = kind;
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
    for (unsigned i = 0; i < TYPICAL_BUCKETS; i++) {
        uint64_t n = bucket_count(t->bucket[i]), mean = n ? bucket_mean(i, t->bucket[i]) : 0;
        cost += n * mean;
        if (i >= level && mean > like && mean - like <= typical_most)
            excess += n * (mean - like);
    }
    return excess <= (cost > t->cost ? cost : t->cost) / SHARE + typical_most;
}

/* Level 0 holds if there are so many times as many parts below it as above it. The parts below are
 * counted as tasks. 0: the number of tasks does not show the number of parts of KIND. */
static unsigned tasks_like(unsigned kind)
{
    return kind == part_kind(PART_GOES_ON, PART_SPAWNS) || kind == part_kind(PART_BEGUN, PART_ENDS)
               ? LIKE
           : kind == part_kind(PART_BEGUN, PART_SPAWNS) ? LIKE_FEWER
                                                        : 0;
}

/* The lowest level that has outliers above it; -1: none has. */
static int level_of(struct tally *t, unsigned like_settled)
{
    uint64_t *above = t->above, like = 0;
    unsigned times = t->parts < FIRST_PARTS ? LIKE_FIRST : like_settled;
    above[TYPICAL_BUCKETS] = bucket_count(t->bucket[TYPICAL_BUCKETS]);
    for (unsigned level = TYPICAL_BUCKETS; level--;)
        above[level] = above[level + 1] + bucket_count(t->bucket[level]);
    unsigned fewer = tasks_like(t->kind);
    if (fewer && above[0] && above[0] * fewer <= parts_below(t) && excess_is_small(t, 0))
        return 0;
    for (unsigned level = 1; level <= TYPICAL_BUCKETS && above[level]; level++) {
        like += bucket_count(t->bucket[level - 1]);
        if (level > WINDOW)
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
    struct typical *h = thread_typical(th, context);
    while (h && h->kind != kind)
        h = h->next;
    return h;
}

void typical_forget(struct typical *h)
{
    memset(h->bucket, 0, sizeof h->bucket);
    memset(h->taken, 0, sizeof h->taken);
    h->parts = h->level = 0;
}

/* BYTES of what TH has mapped for this; NULL: there is no memory. */
static void *room_of(struct thread *th, size_t bytes)
{
    if (th->typical_left < bytes) {
        char *room = memory_map(TYPICAL_ROOM);
        if (!room) {
            th->lost[LOSS_MEMORY]++;
            return 0;
        }
        th->typical_room = room;
        th->typical_left = TYPICAL_ROOM;
    }
    void *at = th->typical_room;
    th->typical_room += bytes;
    th->typical_left -= bytes;
    return at;
}

static struct typical *typical_made(struct thread *th, uint32_t context, unsigned kind)
{
    struct typical *h = typical_of(th, context, kind);
    if (__builtin_expect(h != 0, 1))
        return h;
    struct metrics_piece *piece;
    thread_metrics_made(th, context);
    if (!(piece = th->metrics[context / METRICS_PIECE]))
        return 0;
    if (!th->typical_tally && !(th->typical_tally = room_of(th, sizeof *th->typical_tally)))
        return 0;
    if (!(h = room_of(th, sizeof *h)))
        return 0;
    h->kind = kind;
    h->next = piece->typical[context % METRICS_PIECE];
    __atomic_store_n(&piece->typical[context % METRICS_PIECE], h, __ATOMIC_RELEASE);
    return h;
}

static __attribute__((noinline)) uint64_t judge(struct thread *th, uint32_t context,
                                                struct typical *h, uint64_t cost, unsigned bucket)
{
    struct tally *t = th->typical_tally;
    memset(t, 0, sizeof *t);
    t->kind = h->kind;
    tally_add(t, th, context, h->kind);
    if (t->parts < FIRST_PARTS)
        tally_all(t, context, h->kind);
    int level = level_of(t, LIKE);
    uint64_t like = level < 0 ? cost : level_cost(t, level);
    if (level < 0 || bucket < (unsigned)level || cost <= like || cost - like > typical_most) {
        h->level = cost;
        return 0;
    }
    struct typical_taken *taken = &h->taken[bucket / TYPICAL_STEPS];
    taken->count++;
    taken->cost += cost;
    taken->counted += like;
    return cost - like;
}

/* TICKS of the next part are profiler overhead. */
static void leave_out(struct thread *th, uint64_t ticks)
{
    th->measured_tsc += ticks;
    if (counts_ticks())
        th->t0 += ticks;
}

/* Counts the part. Returns its excess. *FROM grows by what a judgement took, which is left out. */
static uint64_t excess_of(struct thread *th, uint32_t context, unsigned kind, uint64_t cost,
                          uint64_t *from)
{
    struct typical *h = typical_made(th, context, kind);
    if (__builtin_expect(!h, 0))
        return 0;
    unsigned position, i = bucket_of(cost, &position);
    uint64_t b = h->bucket[i] + (1 | (uint64_t)position << 32);
    __atomic_store_n(&h->bucket[i], b, __ATOMIC_RELAXED);
    if (__builtin_expect(bucket_count(b) >= COUNT_MOST, 0))
        halve(h);
    uint64_t parts = h->parts + 1;
    __atomic_store_n(&h->parts, parts, __ATOMIC_RELAXED);
    if (parts % JUDGE_EVERY == 0 || (parts & (parts - 1)) == 0)
        h->level = 0;
    if (cost <= h->level || i == TYPICAL_BUCKETS)
        return 0;
    /* with hundreds of threads longer than an off-CPU gap */
    uint64_t begin = clock_ticks(), excess = judge(th, context, h, cost, i);
    uint64_t took = clock_ticks() - begin;
    leave_out(th, took);
    *from += took;
    return excess;
}

uint64_t typical_excess(struct thread *th, uint32_t context, unsigned kind, uint64_t cost,
                        uint64_t from)
{
    uint64_t excess = excess_of(th, context, kind, cost, &from), took = clock_ticks() - from;
    if (took < clock_gap)       /* else the thread was off its CPU, which its clock sees */
        leave_out(th, took);
    return excess;
}

/* ---- sums ---- */

static uint64_t taken_again(uint32_t context, unsigned kind, uint64_t like)
{
    uint64_t again = 0;
    for (const struct thread *th = engine_threads; th; th = th->next) {
        const struct typical *h = typical_of(th, context, kind);
        for (unsigned i = 0; h && i < TYPICAL_OCTAVES; i++) {
            const struct typical_taken k = h->taken[i];
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

static bool sum_kind(uint32_t context, unsigned kind, struct outliers *out)
{
    static struct tally t;      /* one snapshot at a time */
    tally_all(&t, context, kind);
    if (!t.parts)
        return false;
    int level = level_of(&t, LIKE_CONFIRMED);
    uint64_t like = level < 0 ? 0 : level_cost(&t, level), count = 0, excess = 0;
    out->again += taken_again(context, kind, like);
    for (unsigned i = level < 0 ? TYPICAL_BUCKETS : level; i < TYPICAL_BUCKETS; i++) {
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
    return true;
}

bool typical_sum(uint32_t context, struct outliers *out)
{
    bool any = false;
    memset(out, 0, sizeof *out);
    for (unsigned kind = 0; kind < PART_KINDS; kind++)
        any |= sum_kind(context, kind, out);
    return any;
}
