/* lengths.h - the lengths of longest paths that are carried beside S, without bags.
 *
 *   L, K   in the burdened dag: the length without burdens, and the number of burdened edges. Paths
 *          are compared by L + K * burden (Cilkview section 3). A burden is on the edge that a
 *          thief takes. In a child-stealing runtime that is the edge to the child
 *   D      in the divided dag: a chunk of a loop costs as much as one of its iterations on average
 *          (engine/divide.h)
 *   T      in the typical dag: an outlier, a part of a strand far longer than comparable parts,
 *          costs as much as those (typical.h). Loops do not divide here
 *
 * D contains outliers. But a chunk's iterations share its outliers, so a maximum over chunks
 * collects little of them.
 *
 *   D <= S <= L + K * burden      (the second holds if the burden has never changed)
 *   T <= S
 *
 * Each length is a maximum of its own over paths: S, (L, K), D and T may belong to four paths.
 */
#ifndef PRELOAD_DAG_LENGTHS_H
#define PRELOAD_DAG_LENGTHS_H

#include "dag/run.h"

struct lengths {
    uint64_t L, K, D, T;
};

static inline uint64_t lengths_burdened(const struct lengths *a)
{
    return burdened(a->L, a->K);
}

static inline bool lengths_zero(const struct lengths *a)
{
    return !(a->L | a->K | a->D | a->T);
}

/* A strand's part of cost COST ends. */
static inline void lengths_add(struct lengths *a, uint64_t cost)
{
    a->L += cost;
    a->D += cost;
    a->T += cost;
}

static inline struct lengths lengths_plus(const struct lengths *a, uint64_t cost)
{
    return (struct lengths){ .L = a->L + cost, .K = a->K, .D = a->D + cost,
                             .T = a->T + cost };
}

/* A = max(A, B) for each length. B came over BURDENS more burdened edges. */
static inline void lengths_max_burdened(struct lengths *a, const struct lengths *b,
                                        uint64_t burdens)
{
    uint64_t K = b->K + burdens;
    if (burdened(b->L, K) > lengths_burdened(a)) {
        a->L = b->L;
        a->K = K;
    }
    if (b->D > a->D)
        a->D = b->D;
    if (b->T > a->T)
        a->T = b->T;
}

static inline void lengths_max(struct lengths *a, const struct lengths *b)
{
    lengths_max_burdened(a, b, 0);
}

/* Restores D <= S and T <= S after a reading while other threads wrote. */
static inline void lengths_at_most(struct lengths *a, uint64_t S)
{
    if (a->D > S)
        a->D = S;
    if (a->T > S)
        a->T = S;
}

#endif
