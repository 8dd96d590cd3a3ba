/* block.h - the inline part of memory.h: one load, one store a block. */
#ifndef PRELOAD_BLOCK_H
#define PRELOAD_BLOCK_H

#include "engine.h"
#include "lock.h"
#include "memory.h"

/* B is the first of CLASS_'s free blocks. */
static inline void *block_take(struct thread *th, uint32_t class_, struct block *b)
{
    th->free_blocks[class_] = b->next;
    return b + 1;
}

static inline void *block_new(struct thread *th, uint32_t class_)
{
    struct block *b = th->free_blocks[class_];
    return __builtin_expect(b != 0, 1) ? block_take(th, class_, b) : block_new_slow(th, class_);
}

static inline void block_free(struct thread *th, void *object)
{
    struct block *b = (struct block *)object - 1;
    struct thread *home = b->home;
    if (__builtin_expect(home == th, 1)) {
        b->next = th->free_blocks[b->class_];
        th->free_blocks[b->class_] = b;
        return;
    }
    /* pairs with the exchange in collect() */
    struct block *old = __atomic_load_n(&home->returned, __ATOMIC_RELAXED);
    do
        b->next = old;
    while (!__atomic_compare_exchange_n(&home->returned, &old, b, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

#endif
