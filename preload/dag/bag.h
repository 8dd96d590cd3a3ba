/* bag.h - context -> what it contributes to a critical path; dag/task.h has its invariant.
 *
 * A bag also holds the samples that hit the path: node of the calling context tree -> weight.
 * Samples of the task's current block are kept apart, each with the S at which its strand part
 * ended. For how much of the block stays on the path is not known yet: a child that was spawned in
 * it may replace the rest.
 *
 * A sorted array in a block; NULL is the empty bag. Adding a bag to a bag walks the smaller one
 * (small to large), so a path's entries are copied O(log) times. Out of memory loses the entry and
 * counts LOSS_MEMORY. All functions: [hook], on bags that no other thread uses.
 */
#ifndef PRELOAD_BAG_H
#define PRELOAD_BAG_H

#include "context/context.h"

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
    struct bag_entry e[];       /* ascending by context */
};

/* Set in `context`: the entry is a node's. Its weight is v.count, the squares of its
 * samples' weights v.work; it has nothing else. */
#define BAG_NODE 0x80000000u

/* Entries of CONTEXT in *B, made if needed; NULL when memory is out. */
struct on_span *bag_at_slow(struct thread *th, struct bag **b, uint32_t context)
    __attribute__((noinline));
static inline struct on_span *bag_at(struct thread *th, struct bag **bag, uint32_t context)
{
    struct bag *b = *bag;
    return b && b->count && b->e[0].context == context ? &b->e[0].v : bag_at_slow(th, bag, context);
}
/* sample: WEIGHT samples of NODE, whose squares sum up to SQUARES, hit a part of the strand that
 * ended at S. settle: those up to UNTIL become part of the path, the others are dropped. */
void bag_sample(struct thread *th, struct bag **b, uint64_t S, uint32_t node, uint32_t weight,
                uint64_t squares);
void bag_samples_settle(struct thread *th, struct bag **b, uint64_t until);
/* *INTO += FROM; FROM is consumed. Neither has unsettled samples. */
void bag_merge(struct thread *th, struct bag **into, struct bag *from);
struct bag *bag_copy(struct thread *th, const struct bag *b);
void bag_free(struct thread *th, struct bag *b);
/* Sum of span_local, for the invariant. */
uint64_t bag_span(const struct bag *b);

#endif
