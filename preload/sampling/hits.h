/* hits.h - the samples that one writer counted, by nodes of the calling context tree. A HIT is a
 * node with the weight of its samples. The table has no other nodes.
 *
 * A program's tree may have a hundred thousand nodes while a thread's samples hit a hundred. The
 * table is a row of hash tables, each four times as large as the one before. The newest takes new
 * nodes, all are searched, and nothing ever moves. So the writer may be a signal handler, other
 * threads may read while it writes, and a pointer to a hit is good for ever.
 *
 * The writer maps the next table when the newest one is three quarters full. A hook of the same
 * thread maps it earlier, when the newest is half full. So a handler maps a table only in strands
 * that hit many nodes and have no hooks.
 */
#ifndef PRELOAD_SAMPLING_HITS_H
#define PRELOAD_SAMPLING_HITS_H

#include <stdint.h>

#define HITS_FIRST 64u          /* slots of the first table, which comes with the thread */
#define HITS_TABLES 10          /* 22 million slots in all, more than there can be nodes */

struct hit {
    uint64_t weight;
    /* Idleness is (P - w) / w for w threads that work (Tallent, 2.1). P, the number of slots, is
     * known for sure only at the end: before a runtime starts there are none. So weight / w and
     * weight are summed apart, and the snapshot multiplies the first by P. */
    uint64_t shares;            /* of weight / w, scaled by the writer */
    uint64_t shared;            /* the sum of these weights */
    struct hit *next;           /* the writer's: the next hit of the running strand */
    uint64_t pending;           /* the writer's: hit_more */
    uint32_t key;               /* node + 1; 0: free. Set once */
    /* The squares of the weights sum up to weight + late. `late` stops at its largest number, after
     * a month in which every sample comes late. */
    uint32_t late;
};

static inline uint32_t hit_stop(uint64_t sum)
{
    return sum < UINT32_MAX ? sum : UINT32_MAX;
}

static inline void hit_add(struct hit *h, uint64_t weight)
{
    uint64_t one = hit_stop(weight);
    h->weight += weight;
    h->late = hit_stop(h->late + one * (one - 1));
}

/* PENDING with one more WEIGHT. A pending word is the sum of weights and, from bit 32, the sum of
 * their squares, so that one exchange takes both. The latter stops at its largest number. */
static inline uint64_t hit_more(uint64_t pending, uint64_t weight)
{
    uint64_t one = weight < UINT16_MAX ? weight : UINT16_MAX;
    uint64_t squares = hit_stop((pending >> 32) + one * one);
    return (uint32_t)(pending + weight) | squares << 32;
}

/* All-zero: empty. */
struct hits {
    struct hit *table[HITS_TABLES];     /* except table 0. A table is complete before its pointer */
    uint32_t newest, used;      /* the table that takes new nodes; its slots in use */
    struct hit first[HITS_FIRST];
};

/* [any] The hit at NODE, made if needed. NULL: no memory. Only the writer calls this. */
struct hit *hits_at(struct hits *h, uint32_t node);
/* [hook] Maps the next table early. On the writer's thread; the writer may interrupt it. */
void hits_prepare(struct hits *h);
/* [any] Iterates over all hits. *AT starts at 0. NULL: no more. The writer may write meanwhile. */
struct hit *hits_next(const struct hits *h, uint32_t *at);
static inline uint32_t hit_node(const struct hit *h)
{
    return h->key - 1;
}
/* [hook] In the child of fork: sets all counts to 0. */
void hits_clear(struct hits *h);

#endif
