/* memory.h - memory without the application's allocator.
 *
 * Objects of the hot path (tasks, scopes, bags) come from per-thread free lists in power-of-two
 * classes, refilled from slabs that are mapped and never unmapped. A block freed by another thread
 * than the one that made it goes home over a lock-free stack, so that a producer and a consumer
 * thread reach a steady state instead of growing (10^6 enqueues: flat).
 *
 * [hook] block_new, block_free: TH is the calling thread's state. No locks, no system calls but
 * mmap when a slab is used up. [any] memory_map.
 */
#ifndef PRELOAD_MEMORY_H
#define PRELOAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;

/* Where variables stand. Every hook reads what is READ_MOSTLY: the linker keeps it together, away from locks and counters. What
 * all threads write often has cache lines of its own. */
#define READ_MOSTLY __attribute__((section(".data.read_mostly")))
#define CACHE_LINE __attribute__((aligned(64)))

/* Classes below BLOCK_TASK hold 64 << class bytes, header included. Tasks and scopes have classes of
 * their own because their free blocks must be all-zero where the next user expects it. */
enum { BLOCK_TASK = 18, BLOCK_SCOPE, BLOCK_PREFIX, BLOCK_REGION, BLOCK_NODE,
/* Bags, and the samples in them: the sizes below BLOCK_TASK again. A snapshot that follows a task's old pointer finds a bag there, never
 * something else that it would take for a count and an address. */
       BLOCK_BAG, BLOCK_SAMPLES = BLOCK_BAG + BLOCK_TASK, BLOCK_CLASSES = BLOCK_SAMPLES + BLOCK_TASK };

/* Every block starts with this; the object follows. 32 bytes keep objects 32-byte aligned. */
struct block {
    struct thread *home;        /* whose lists it returns to */
    struct block *next;         /* while free */
    uint32_t class_;
    uint32_t magic;             /* debug: BLOCK_LIVE or BLOCK_FREE */
    uint64_t pad;
};

/* Written by debug builds alone: by who takes the block, by who frees it. Everything else is a foreign block. */
enum { BLOCK_LIVE = 0x4556494c, BLOCK_FREE = 0x45455246 };

/* [init] Where the program's address space or data are limited (RLIMIT_AS, RLIMIT_DATA), a quarter of it is ours at most: what we take, its own mmap,
 * malloc and pthread_create have not. Returns that quarter; UINT64_MAX: no limit. */
uint64_t memory_setup(void);
/* [writer] The program ends, and needs no more: the last profile takes what it needs. */
void memory_all(void);
/* Zeroed pages straight from the kernel; NULL when there are none. */
void *memory_map(size_t bytes);
void memory_unmap(void *p, size_t bytes);
/* Zeroed memory that lives as long as the process, for tables off the hot path. Takes a lock. */
void *memory_keep(size_t bytes);
/* The same, from the start of a cache line. */
void *memory_keep_lines(size_t bytes);
/* Bytes mapped so far, all callers. */
uint64_t memory_mapped(void);

/* Smallest class whose block holds BYTES. */
uint32_t block_class(size_t bytes);
size_t block_capacity(uint32_t class_);
void *block_new_slow(struct thread *th, uint32_t class_);

#endif
