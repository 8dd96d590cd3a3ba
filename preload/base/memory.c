/* memory.c - see memory.h. */
#define _GNU_SOURCE
#include "base/memory.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engine/engine.h"
#include "model/block.h"
#include "extras/dagrec.h"
#include "engine/region.h"

#define SLAB_FIRST (16u << 10)  /* bytes; each slab of a thread is twice as large as the one before, */
#define SLAB_MOST (256u << 10)
#define KEEP_FIRST (64u << 10)  /* the same of what is kept */
#define KEEP_MOST (1u << 20)

static uint64_t mapped;         /* bytes, every caller, relaxed */
static uint64_t mapped_most = UINT64_MAX;       /* written by memory_setup, memory_all */

uint64_t memory_setup(void)
{
    static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };
    struct rlimit limit;
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (!getrlimit(limits[i], &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 4 < mapped_most)
            mapped_most = limit.rlim_cur / 4;
    return mapped_most;
}

void memory_all(void)
{
    mapped_most = UINT64_MAX;
}

void *memory_map(size_t bytes)
{
    int saved = errno;
    if (__builtin_expect(mapped_most != UINT64_MAX, 0) && memory_mapped() + bytes > mapped_most)
        return 0;
    /* by system call: a signal handler may ask, and mmap may be the program's own */
    long p = syscall(SYS_mmap, 0L, bytes, (long)(PROT_READ | PROT_WRITE), (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);
    if (p == -1) {
        errno = saved;
        return 0;
    }
    __atomic_fetch_add(&mapped, bytes, __ATOMIC_RELAXED);
    return (void *)p;
}

void memory_unmap(void *p, size_t bytes)
{
    if (!p)
        return;
    int saved = errno;
    syscall(SYS_munmap, p, bytes);
    errno = saved;
    __atomic_fetch_sub(&mapped, bytes, __ATOMIC_RELAXED);
}

uint64_t memory_mapped(void)
{
    return __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}

/* keep_lock protects keep_at, keep_end, keep_bytes; it nests in every lock and none nests in it. */
LOCK_DEFINE(keep_lock, LOCK_MEMORY);
static char *keep_at, *keep_end;
static size_t keep_bytes;       /* of the next piece; 0: the first */

static void *keep(size_t bytes, size_t alignment)
{
    bytes = (bytes + 31) & ~(size_t)31;
    void *p = 0;
    lock_take(&keep_lock);
    keep_at += -(uintptr_t)keep_at & (alignment - 1);
    if (keep_at >= keep_end || (size_t)(keep_end - keep_at) < bytes) {
        size_t next = keep_bytes ? keep_bytes : KEEP_FIRST, chunk = bytes > next ? bytes : next;
        char *fresh = memory_map(chunk);
        if (!fresh)
            goto out;
        keep_bytes = next < KEEP_MOST ? 2 * next : next;
        keep_at = fresh;
        keep_end = fresh + chunk;
    }
    p = keep_at;
    keep_at += bytes;
out:
    lock_release(&keep_lock);
    return p;
}

void *memory_keep(size_t bytes)
{
    return keep(bytes, 32);
}

void *memory_keep_lines(size_t bytes)
{
    return keep(bytes, 64);
}

static size_t block_bytes(uint32_t class_)
{
    switch (class_) {
    case BLOCK_TASK: return (sizeof(struct block) + sizeof(struct task) + 63) & ~(size_t)63;
    case BLOCK_SCOPE: return (sizeof(struct block) + sizeof(struct scope) + 63) & ~(size_t)63;
    case BLOCK_PREFIX: return (sizeof(struct block) + sizeof(struct prefix) + 63) & ~(size_t)63;
    case BLOCK_REGION: return sizeof(struct block) + sizeof(struct region_instance);
    case BLOCK_NODE: return sizeof(struct block) + sizeof(struct dag_node);
    default: return (size_t)64 << (class_ < BLOCK_BAG ? class_ : (class_ - BLOCK_BAG) % BLOCK_TASK);
    }
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

/* Bring home what other threads freed. */
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

void *block_new_slow(struct thread *th, uint32_t class_)
{
    if (__atomic_load_n(&th->returned, __ATOMIC_RELAXED)) {
        collect(th);
        struct block *b = th->free_blocks[class_];
        if (b)
            return block_take(th, class_, b);
    }
    size_t bytes = block_bytes(class_);
    if ((size_t)(th->slab_end - th->slab) < bytes) {
        size_t next = th->slab_bytes ? th->slab_bytes : SLAB_FIRST, chunk = bytes > next ? bytes : next;
        char *fresh = memory_map(chunk);
        if (!fresh) {
            th->lost[LOSS_MEMORY]++;
            return 0;
        }
        /* What is left of the old slab (less than one object of this class) is given up: at most
         * half of a large object once, or one small object a slab. */
        th->slab_bytes = next < SLAB_MOST ? 2 * next : next;
        th->slab = fresh;
        th->slab_end = fresh + chunk;
    }
    struct block *b = (struct block *)th->slab;
    th->slab += bytes;
    b->home = th;
    b->class_ = class_;
    block_mark(b, 0, BLOCK_LIVE);
    return b + 1;               /* fresh pages: zero */
}
