/* lengths.h - the longest paths that are carried beside S, without where they come from.
 *
 *   L, K   in the burdened dag: length without burdens, and number of burdened edges; compared by
 *          L + K * burden (Cilkview section 3; a burden sits on the edge that a thief takes, which
 *          in a child-stealing runtime is the edge to the child)
 *   D      in the divided dag: a chunk of a loop costs what one of its iterations costs on average
 *          (engine/divide.h)
 *
 *   D <= S <= L + K * burden      (the latter where the burden has always been what it is)
 *
 * Each is a maximum over paths, found by itself: the three may be the lengths of three paths.
 */
#ifndef PRELOAD_DAG_LENGTHS_H
#define PRELOAD_DAG_LENGTHS_H

#include "dag/run.h"

struct lengths {
    uint64_t L, K, D;
};

static inline uint64_t lengths_burdened(const struct lengths *a)
{
    return burdened(a->L, a->K);
}

static inline bool lengths_zero(const struct lengths *a)
{
    return !(a->L | a->K | a->D);
}

/* A strand's part of cost COST ends. */
static inline void lengths_add(struct lengths *a, uint64_t cost)
{
    a->L += cost;
    a->D += cost;
}

static inline struct lengths lengths_plus(const struct lengths *a, uint64_t cost)
{
    return (struct lengths){ .L = a->L + cost, .K = a->K, .D = a->D + cost };
}

/* A = the longest of A and of B, which came over BURDENS burdened edges more. */
static inline void lengths_max_burdened(struct lengths *a, const struct lengths *b, uint64_t burdens)
{
    uint64_t K = b->K + burdens;
    if (burdened(b->L, K) > lengths_burdened(a)) {
        a->L = b->L;
        a->K = K;
    }
    if (b->D > a->D)
        a->D = b->D;
}

static inline void lengths_max(struct lengths *a, const struct lengths *b)
{
    lengths_max_burdened(a, b, 0);
}

#endif
