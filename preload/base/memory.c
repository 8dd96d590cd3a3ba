/* memory.c - see memory.h. */
#define _GNU_SOURCE
#include "base/kernel.h"
#include "base/memory.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/forbid.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  /* Linux 5.14 */
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102  /* Linux 6.13 */
#endif
#define PAGE 4096
#define KEEP_FIRST (32u << 10)  /* bytes; each piece that is kept is twice as large as the last, */
#define KEEP_MOST (1u << 20)    /* up to this */

static uint64_t mapped;         /* bytes that all callers mapped; atomic, relaxed */
static uint64_t mapped_most = UINT64_MAX;       /* written by memory_setup, memory_all */

uint64_t memory_setup(void)
{
    static const int limits[] = { RLIMIT_AS, RLIMIT_DATA };
    struct rlimit limit;
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (!getrlimit(limits[i], &limit) && limit.rlim_cur != RLIM_INFINITY &&
            limit.rlim_cur / 4 < mapped_most)
            mapped_most = limit.rlim_cur / 4;
    return mapped_most;
}

void memory_all(void)
{
    mapped_most = UINT64_MAX;
}

/* What a process without events maps. It costs no system call, and a fork has fewer mappings to
 * copy. Pages that are never written cost nothing. They stay readable for good: a leak checker
 * reads all variables of the libraries that it finds. */
static char first[236u << 10] __attribute__((aligned(PAGE)));
static size_t first_used;

static void *from_first(size_t bytes)
{
    size_t whole = (bytes + PAGE - 1) & -(size_t)PAGE;
    size_t at = __atomic_load_n(&first_used, __ATOMIC_RELAXED);
    do
        if (whole > sizeof first - at)
            return 0;
    while (!__atomic_compare_exchange_n(&first_used, &at, at + whole, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return first + at;
}

static bool has_room(size_t bytes)
{
    return __builtin_expect(mapped_most == UINT64_MAX, 1) || memory_mapped() + bytes <= mapped_most;
}

void *memory_map(size_t bytes)
{
    void *here = has_room(bytes) ? from_first(bytes) : 0;
    if (!here)
        return memory_map_apart(bytes);
    __atomic_fetch_add(&mapped, bytes, __ATOMIC_RELAXED);
    return here;
}

void *memory_map_apart(size_t bytes)
{
    int saved = errno;
    if (!has_room(bytes))
        return 0;
    /* A system call, not mmap(): a signal handler may run this, and the program may interpose
     * mmap. */
    long p = kernel_call(SYS_mmap, 0L, bytes, (long)(PROT_READ | PROT_WRITE),
                     (long)(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), -1L, 0L);
    if (p == -1) {
        errno = saved;
        return 0;
    }
    __atomic_fetch_add(&mapped, bytes, __ATOMIC_RELAXED);
    return (void *)p;
}

void *memory_map_huge(void)
{
    char *p = memory_map_apart(MEMORY_HUGE);
    if (p && (uintptr_t)p % MEMORY_HUGE) {
        memory_unmap(p, MEMORY_HUGE);
        if (!(p = memory_map_apart(2 * MEMORY_HUGE)))
            return 0;
        size_t before = -(uintptr_t)p % MEMORY_HUGE;
        if (before)
            memory_unmap(p, before);
        p += before;
        memory_unmap(p + MEMORY_HUGE, MEMORY_HUGE - before);
    }
    int saved = errno;
    if (p)
        kernel_call(SYS_madvise, p, (long)MEMORY_HUGE, (long)MADV_HUGEPAGE);
    errno = saved;
    return p;
}

void memory_unmap(void *p, size_t bytes)
{
    if (!p)
        return;
    int saved = errno;
    if ((uintptr_t)p - (uintptr_t)first < sizeof first)
        kernel_call(SYS_madvise, p, bytes, (long)MADV_DONTNEED);
    else
        kernel_call(SYS_munmap, p, bytes);
    errno = saved;
    __atomic_fetch_sub(&mapped, bytes, __ATOMIC_RELAXED);
}

void memory_populate(void *p, size_t bytes)
{
    int saved = errno;
    if (kernel_call(SYS_madvise, p, bytes, (long)MADV_POPULATE_WRITE))
        for (size_t i = 0; i < bytes; i += PAGE)
            ((volatile char *)p)[i] = 0;
    errno = saved;
}

bool memory_guard(void *p, size_t bytes)
{
    int saved = errno;
    bool guarded = !kernel_call(SYS_madvise, p, bytes, (long)MADV_GUARD_INSTALL);
    errno = saved;
    return guarded;
}

uint64_t memory_mapped(void)
{
    return __atomic_load_n(&mapped, __ATOMIC_RELAXED);
}

/* keep_lock protects keep_at, keep_end, keep_bytes. It nests in every lock. None nests in it. */
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
