/* block.h - the inline part of slab.h. To take or free a block takes one load and one store. */
#ifndef PRELOAD_DAG_BLOCK_H
#define PRELOAD_DAG_BLOCK_H

#include "base/debug.h"
#include "dag/slab.h"
#include "dag/thread.h"
#include "dag/valid.h"

/* Debug builds: changes B's mark from FROM to TO. An atomic exchange, because by mistake two
 * threads may free B at once. */
static inline void block_mark(struct block *b, uint32_t from, uint32_t to)
{
#if LIBPROF_DEBUG
    uint32_t was = __atomic_exchange_n(&b->magic, to, __ATOMIC_RELAXED);
    ASSERT(!(was == BLOCK_FREE && to == BLOCK_FREE));   /* freed twice */
    ASSERT(was == from);        /* else: no block of ours, or overwritten */
    ASSERT(b->class_ < BLOCK_CLASSES && b->home);
#endif
}

/* Takes B, the first of CLASS_'s free blocks. */
static inline void *block_take(struct thread *th, uint32_t class_, struct block *b)
{
    ASSERT(b->class_ == class_ && b->home == th);
    ASSERT_WALK(block_is_clean(b));
    th->free_blocks[class_] = b->next;
    /* After B is off the list: another thread may fork between, and the child uses the list. */
    block_mark(b, BLOCK_FREE, BLOCK_LIVE);
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
    ASSERT_WALK(block_is_clean(b));
    block_mark(b, BLOCK_LIVE, BLOCK_FREE);
    ASSERT_ALL(block_poison(b));
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
