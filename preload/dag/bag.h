/* bag.h - a map from contexts to what they contribute to a critical path. dag/task.h has its
 * invariant.
 *
 * A bag also holds the samples that hit the path: from nodes of the calling context tree to
 * weights. The samples of the task's current block are kept apart, each with the S at which its
 * part of the strand ended. It is not known yet how much of the block stays on the path: a child
 * that was spawned in the block may replace the rest.
 *
 * A bag is a sorted array in one memory block (block.h). NULL is the empty bag. A merge walks the
 * smaller of two bags, so an entry of a path of n entries is copied O(log n) times. Without memory
 * an entry is lost, and counted as LOSS_MEMORY. All functions: [hook], on bags that no other thread
 * uses.
 */
#ifndef PRELOAD_DAG_BAG_H
#define PRELOAD_DAG_BAG_H

#include "contexts/context.h"

struct thread;

struct bag_entry {
    uint32_t context;
    uint32_t pad;
    struct on_span v;
};

struct bag_sample {
    uint64_t S, squares;
    uint32_t node, weight;
};

struct bag {
    uint32_t count, capacity;
    uint32_t fresh_count, fresh_capacity;
    struct bag_sample *fresh;   /* a block; ascending by S */
    uint64_t put;               /* S at the task's last edge in this block; 0: none (edge.h) */
    struct bag_entry e[];       /* ascending by context */
};

/* Set in `context`: the entry is a node's. v.count is the weight of the node's samples, v.work the
 * sum of the squares of their weights. The other fields are 0. */
#define BAG_NODE 0x80000000u

/* The entry of CONTEXT in *B, made if needed. NULL: no memory. */
struct on_span *bag_at_slow(struct thread *th, struct bag **b, uint32_t context)
    __attribute__((noinline));
static inline struct on_span *bag_at(struct thread *th, struct bag **bag, uint32_t context)
{
    struct bag *b = *bag;
    return b && b->count && b->e[0].context == context ? &b->e[0].v : bag_at_slow(th, bag, context);
}
/* Adds samples of NODE that hit a part of the strand. The part ended at S. WEIGHT: the sum of their
 * weights; SQUARES: the sum of the weights' squares. */
void bag_sample(struct thread *th, struct bag **b, uint64_t S, uint32_t node, uint32_t weight,
                uint64_t squares);
/* Samples with S up to UNTIL become part of the path. The others are dropped. */
void bag_samples_settle(struct thread *th, struct bag **b, uint64_t until);
/* *INTO += FROM; FROM is consumed. Neither has unsettled samples. */
void bag_merge(struct thread *th, struct bag **into, struct bag *from);
struct bag *bag_copy(struct thread *th, const struct bag *b);
void bag_free(struct thread *th, struct bag *b);
/* Sum of span_local, for the invariant. */
uint64_t bag_span(const struct bag *b);

#endif
