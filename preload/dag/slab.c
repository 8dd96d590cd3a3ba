/* slab.c - see slab.h. */
#include "dag/slab.h"
#include "base/inline.h"
#include "clock/ticks.h"
#include "dag/block.h"
#include "dag/region.h"
#include "dag/task.h"
#include "base/forbid.h"

#define SLAB_FIRST (16u << 10)  /* bytes; a thread's next slab is twice as large, */
#define SLAB_MOST (256u << 10)  /* up to this size; the pages of so many bytes are made at a time */
#define PAGE ((size_t)4096)
#define PIECE (64u << 10)       /* bytes that are populated by one system call */
/* A thread with so many bytes of slabs gets huge pages. One of them costs the kernel a small part
 * of what its 512 small pages cost (docs/FIGURES.md), and the thread has at most twice the memory
 * that it needs. */
#define SLABS_HUGE MEMORY_HUGE

/* Blocks begin at cache lines, unless the dag is recorded. */
static ALWAYS_INLINE size_t block_bytes(uint32_t class_)
{
    size_t object;
    switch (class_) {
    case BLOCK_TASK: object = sizeof(struct task); break;
    case BLOCK_SCOPE: object = sizeof(struct scope); break;
    case BLOCK_PREFIX: object = sizeof(struct prefix); break;
    case BLOCK_REGION: object = sizeof(struct region_instance); break;
    case BLOCK_NODE: return sizeof(struct block) + BLOCK_NODE_BYTES;    /* memory is what counts */
    default: return (size_t)64 << (class_ < BLOCK_BAG ? class_ : (class_ - BLOCK_BAG) % BLOCK_TASK);
    }
    return (sizeof(struct block) + object + 63) & ~(size_t)63;
}

uint32_t block_class(size_t bytes)
{
    size_t need = bytes + sizeof(struct block);
    uint32_t c = 0;
    while (((size_t)64 << c) < need)
        c++;
    return c;
}

size_t block_capacity(uint32_t class_)
{
    return block_bytes(class_) - sizeof(struct block);
}

/* Moves the blocks that other threads freed to TH's lists. */
static void collect(struct thread *th)
{
    struct block *b = __atomic_exchange_n(&th->returned, (struct block *)0, __ATOMIC_ACQUIRE);
    while (b) {
        struct block *next = b->next;
        ASSERT(b->magic == BLOCK_FREE && b->home == th);
        b->next = th->free_blocks[b->class_];
        th->free_blocks[b->class_] = b;
        b = next;
    }
}

/* Makes the pages of SLAB[BYTES]. The kernel needs longer for that than a hook takes, and that must
 * not be a strand's cost. The strand cannot be cut here, because the callers are in the middle of a
 * spawn or a join. So this measures each piece by the TSC. It leaves out a piece that takes as long
 * as an off-CPU gap, because the thread's clock takes that out by itself. All pieces together may
 * take longer than a gap. */
static void make_pages(struct thread *th, char *slab, size_t bytes)
{
    uint64_t took = 0, before = clock_ticks();
    for (size_t i = 0; i < bytes; i += PIECE) {
        memory_populate(slab + i, bytes - i < PIECE ? bytes - i : PIECE);
        uint64_t now = clock_ticks();
        if (now - before < clock_gap)
            took += now - before;
        before = now;
    }
    if (th->cur && clock_kind == CLOCK_TSC) {
        th->t0 += took;
        th->measured_tsc += took;
    }
}

/* A new slab for at least BYTES, without pages. False: there is no memory. */
static bool slab_new(struct thread *th, size_t bytes)
{
    size_t next = th->slab_bytes ? th->slab_bytes : SLAB_FIRST, chunk = bytes > next ? bytes : next;
    char *fresh = 0;
    if (th->slab_sum >= SLABS_HUGE && bytes <= MEMORY_HUGE && (fresh = memory_map_huge()))
        chunk = MEMORY_HUGE;
    else if (!(fresh = memory_map(chunk)))
        return false;
    /* The rest of the old slab is lost. It is less than one object of this class. */
    th->slab_bytes = next < SLAB_MOST ? 2 * next : next;
    th->slab_sum += chunk;
    th->slab = th->slab_end = fresh;
    th->slab_limit = fresh + chunk;
    return true;
}

/* The next BYTES of TH's slabs, with their pages, at th->slab. */
static bool slab_grow(struct thread *th, size_t bytes)
{
    if ((size_t)(th->slab_limit - th->slab) < bytes && !slab_new(th, bytes))
        return false;
    size_t more = bytes - (th->slab_end - th->slab), left = th->slab_limit - th->slab_end;
    /* of the first slab a page, because most threads need no more, and a fork copies it */
    size_t most = th->slab_sum > SLAB_FIRST ? SLAB_MOST : PAGE;
    size_t some = left < most ? left : most;
    more = more > some ? (more + PAGE - 1) & ~(PAGE - 1) : some;
    more = more < left ? more : left;
    make_pages(th, th->slab_end, more);
    th->slab_end += more;
    return true;
}

/* A new block of TH's slab, which has BYTES left. */
static inline void *block_carve(struct thread *th, uint32_t class_, size_t bytes)
{
    struct block *b = (struct block *)th->slab;
    th->slab += bytes;
    b->home = th;
    b->class_ = class_;
    block_mark(b, 0, BLOCK_LIVE);
    return b + 1;               /* fresh pages: zero */
}

/* The same, where other threads have freed blocks, or the slab is used up. */
static __attribute__((noinline)) void *block_new_slower(struct thread *th, uint32_t class_,
                                                        size_t bytes)
{
    if (__atomic_load_n(&th->returned, __ATOMIC_RELAXED)) {
        collect(th);
        struct block *b = th->free_blocks[class_];
        if (b)
            return block_take(th, class_, b);
    }
    if ((size_t)(th->slab_end - th->slab) < bytes && !slab_grow(th, bytes)) {
        th->lost[LOSS_MEMORY]++;
        return 0;
    }
    return block_carve(th, class_, bytes);
}

void *block_new_slow(struct thread *th, uint32_t class_)
{
    size_t bytes = block_bytes(class_);
    if (__builtin_expect(__atomic_load_n(&th->returned, __ATOMIC_RELAXED) ||
                             (size_t)(th->slab_end - th->slab) < bytes,
                         0))
        return block_new_slower(th, class_, bytes);
    return block_carve(th, class_, bytes);
}
