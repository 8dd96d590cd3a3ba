/* bag.h - context -> what it contributes to a critical path; see engine.h for its invariant.
 *
 * A sorted array in a block; NULL is the empty bag. Adding a bag to a bag walks the smaller one
 * (small to large), so a path's entries are copied O(log) times. Out of memory loses the entry and
 * counts LOSS_MEMORY. All functions: [hook], on bags that no other thread uses.
 */
#ifndef PRELOAD_BAG_H
#define PRELOAD_BAG_H

#include "context.h"

struct thread;

struct bag_entry {
    uint32_t context;
    uint32_t pad;
    struct on_span v;
};

struct bag {
    uint32_t count, capacity;
    struct bag_entry e[];       /* ascending by context */
};

/* Entries of CONTEXT in *B, made if needed; NULL when memory is out. */
struct on_span *bag_at(struct thread *th, struct bag **b, uint32_t context);
/* *INTO += FROM; FROM is consumed. */
void bag_merge(struct thread *th, struct bag **into, struct bag *from);
struct bag *bag_copy(struct thread *th, const struct bag *b);
void bag_free(struct thread *th, struct bag *b);
/* Sum of span_local, for the invariant. */
uint64_t bag_span(const struct bag *b);

#endif
