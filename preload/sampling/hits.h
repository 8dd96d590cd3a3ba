/* hits.h - what one writer counted at nodes of the calling context tree: a table of those that it
 * met alone.
 *
 * A program's tree has a hundred thousand nodes where a thread's samples hit a hundred. The table
 * is a row of hash tables, each four times as large as the one before: the newest takes what is
 * new, all are searched, and nothing ever moves. So the writer may be a signal handler, others read
 * while it writes, and a pointer to a hit is good for ever.
 *
 * The writer maps the next table when the newest one is three quarters full. A hook of the same
 * thread does it earlier, at a half, so that a handler does it only in strands that have many
 * places and no hooks.
 */
#ifndef PRELOAD_HITS_H
#define PRELOAD_HITS_H

#include <stdint.h>

#define HITS_FIRST 64u          /* places of the first table, which comes with the thread */
#define HITS_TABLES 10          /* places in all: 22 million, more than there can be nodes */

struct hit {
    uint64_t weight;
    /* Idleness is (P - w) / w for w threads that work (Tallent, 2.1). How many slots P there are is
     * known for sure at the end only: until a runtime starts there is none. So P / w and 1 are
     * summed apart. */
    uint64_t shares;            /* of weight / w, scaled by the writer */
    uint64_t shared;            /* weight of those */
    struct hit *next;           /* the writer's */
    uint64_t pending;           /* the writer's: hit_more */
    uint32_t place;             /* node + 1; 0: free. Set once */
    /* The squares of the weights sum up to weight + late. It stops at the largest number: after a
     * month in which every sample comes late. */
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

/* A weight, and above it the sum of squares, in one word, so that one exchange takes both. The sum
 * stops at its largest number. */
static inline uint64_t hit_more(uint64_t pending, uint64_t weight)
{
    uint64_t one = weight < UINT16_MAX ? weight : UINT16_MAX;
    uint64_t squares = hit_stop((pending >> 32) + one * one);
    return (uint32_t)(pending + weight) | squares << 32;
}

/* All-zero: empty. */
struct hits {
    struct hit *table[HITS_TABLES];     /* but the first; complete before the pointer is */
    uint32_t newest, used;      /* the table that takes what is new; its places taken */
    struct hit first[HITS_FIRST];
};

/* [any] The hit at NODE, made if needed; NULL: no memory. The writer alone. */
struct hit *hits_at(struct hits *h, uint32_t node);
/* [hook] Room for what comes. On the writer's thread; the writer may interrupt it. */
void hits_prepare(struct hits *h);
/* [any] All hits: of *AT, which starts at 0, and on; NULL: no more. Others may write. */
struct hit *hits_next(const struct hits *h, uint32_t *at);
static inline uint32_t hit_node(const struct hit *h)
{
    return h->place - 1;
}
/* [hook] In the child of fork: nothing was counted. */
void hits_clear(struct hits *h);

#endif
