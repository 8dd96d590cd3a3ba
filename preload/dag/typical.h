/* typical.h - which parts of strands are outliers: far longer than comparable parts, their LIKE.
 *
 * Interrupts and a hypervisor take time from a strand, and no clock can separate that time from the
 * strand's own. They take a few percent, in single interruptions of up to some hundred us. A
 * maximum over thousands of short strands collects the interruptions. T (lengths.h) is the length
 * of the longest path without them: an outlier counts as much as comparable parts cost.
 *
 * The LIKE of a part is the set of the parts of its context that begin and end in the same way (its
 * KIND). A leaf of a recursion is not like a part between two spawns. A part that ends with a spawn
 * belongs to the context of the spawned task. So there are as many such parts as tasks. Each thread
 * counts its own parts, in a histogram for each context and kind:
 *
 *   n(i)   parts in bucket i; an octave (a factor of two) has 16 buckets
 *   N(i)   = n(i-3) + ... + n(i), the parts around level i, within a fifth of each other
 *   A(i)   parts above level i
 *
 * Level i has outliers above it under two conditions:
 *   A(i) * F <= N(i), with the factor F = 10
 *   their excess over the level is at most 1/16 of the context's cost, plus 300 us
 * So a smooth distribution has no outliers, whatever its scale: exponential, uniform, or one in
 * which half of the parts cost 1, a quarter 2, an eighth 4, and so on. Nor has a distribution of
 * several modes. A part that costs over 300 us more than the level is the program's, never an
 * outlier. The lowest such level holds. An outlier counts as much as the mean cost of the level's
 * bucket.
 *
 * The short ways of the engine add parts below typical_least as they are. All these parts together
 * are level 0, below the first bucket. They are not counted. If each task has one part of the kind,
 * libprof computes their number: the context's tasks less the counted parts. Not every task spawns,
 * so for the part before a task's first spawn F is 200. For other kinds, the number of parts of
 * level 0 is not known.
 *
 * A context's first parts have no LIKE yet. Up to 64 parts, the judgement includes other threads'
 * parts, and F is 4. The histogram also notes what was taken off T. At the end, all threads'
 * histograms together must confirm this, with F = 8. What they do not confirm is added to T again
 * (typical_sum).
 */
#ifndef PRELOAD_DAG_TYPICAL_H
#define PRELOAD_DAG_TYPICAL_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* The events at which a part begins and ends. */
enum part_begin { PART_BEGUN, PART_RESUMED, PART_GOES_ON, PART_BEGINS };
enum part_end { PART_SPAWNS, PART_PAUSES, PART_ENDS, PART_CUT, PART_KINDS = 4 * PART_BEGINS };
static inline unsigned part_kind(enum part_begin begin, enum part_end end)
{
    return 4 * begin + end;
}

enum { TYPICAL_STEPS = 16, TYPICAL_OCTAVES = 12,
       TYPICAL_BUCKETS = TYPICAL_STEPS * TYPICAL_OCTAVES };

/* An octave of a histogram. */
struct typical_octave {
    /* The number of parts, and from bit 32 the sum of their positions in the bucket, in
     * sixteenths. */
    uint64_t bucket[TYPICAL_STEPS];
    /* The number of outliers, their cost, and the cost that T counted for them. */
    struct typical_taken {
        uint64_t count, cost, counted;
    } taken;
};

/* The histogram of one thread's parts of one kind in one context. That thread writes it, others
 * read it. A program may have 10^5 contexts, with parts in an octave or two, so octaves are made
 * when they are needed. */
struct typical {
    uint16_t from, to;          /* only the buckets from..to-1 may have parts */
    uint64_t parts;
    uint64_t judge_at;          /* parts at the next judgement, whatever the part's cost */
    uint64_t level;             /* a part up to this cost is no outlier, as of the last judgement */
    uint64_t longer;            /* the last bucket: all longer parts */
    struct typical_octave *octave[TYPICAL_OCTAVES];     /* NULL: it has no parts */
};

/* One thread's histograms of one context, by kind. NULL: no part was long enough. Set once. */
struct typical_set {
    struct typical *of[PART_KINDS];
};

/* Clock units, a power of two. Only parts of this cost or more may be outliers. UINT64_MAX: none
 * may, because the clock does not count interrupts. */
extern uint64_t typical_least;
extern uint64_t typical_most;   /* the most that is taken off one part */

/* [init] After clock_setup: sets both for the clock in force. */
void typical_setup(void);

/* [hook] Counts a part of TH's strand, of KIND in CONTEXT. COST is at least typical_least. Returns
 * its excess over its LIKE. 0: the part is no outlier. The time since FROM, ticks of the TSC, is
 * profiler overhead, and is taken off the next part. */
uint64_t typical_excess(struct thread *th, uint32_t context, unsigned kind, uint64_t cost,
                        uint64_t from);

/* The outliers of one context, on all threads. */
struct outliers {
    uint64_t parts;             /* of the kinds that have outliers */
    uint64_t count, excess;     /* parts of 1.5 times their level and more; what they cost more */
    uint64_t longest;           /* cost of the longest of these, as exact as a bucket */
    uint64_t again;             /* was taken off T, but is not confirmed: to be added again */
};
/* [writer] Sums all kinds of CONTEXT. False: no part of it cost typical_least or more. */
bool typical_sum(uint32_t context, struct outliers *out);
/* [hook] Empties the histograms of SET. They stay allocated. */
void typical_forget(struct typical_set *set);
/* [any] TH's histogram of KIND in CONTEXT; NULL: there is none. */
struct typical *typical_of(const struct thread *th, uint32_t context, unsigned kind);

#endif
