/* memory.h - memory without the application's allocator: pages from the kernel, and tables that
 * live as long as the process. Objects of the hot path have blocks (dag/slab.h).
 *
 * [any] memory_map, memory_map_apart, memory_map_huge, memory_unmap, memory_populate, memory_guard,
 * memory_mapped: a few system calls each at most, no lock, errno untouched.
 */
#ifndef PRELOAD_BASE_MEMORY_H
#define PRELOAD_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Placement of variables. READ_MOSTLY: variables that every hook reads. The linker keeps these
 * together, away from locks and counters. SELDOM: large tables of zeros that most processes do not
 * touch. The linker sorts by alignment, so what each process touches is on few pages. CACHE_LINE:
 * for variables that all threads write often. */
#define READ_MOSTLY __attribute__((section(".data.read_mostly")))
#define SELDOM __attribute__((aligned(256)))
#define CACHE_LINE __attribute__((aligned(64)))

/* [init] If the program's address space or data are limited (RLIMIT_AS, RLIMIT_DATA), libprof takes
 * at most a quarter of the limit: the program's own mmap, malloc and pthread_create need the rest.
 * Returns that quarter. UINT64_MAX: there is no limit. */
uint64_t memory_setup(void);
/* [writer] The program ends and needs no more memory: no limit for the last profile. */
void memory_all(void);
/* Zeroed pages, of libprof.so's own data or from the kernel; NULL when there are none. */
void *memory_map(size_t bytes);
/* The same, always from the kernel: for pages that are to be guarded. */
void *memory_map_apart(size_t bytes);
/* The same, MEMORY_HUGE bytes at a multiple of that address. The kernel makes them as one huge page
 * when the first is written, unless it has none, or transparent_hugepage is "never". */
#define MEMORY_HUGE ((size_t)2 << 20)
void *memory_map_huge(void);
void memory_unmap(void *p, size_t bytes);
/* The kernel makes the pages of P[BYTES], from memory_map, now: all in one system call, where it
 * can (Linux 5.14), else by a first write to each. Those cost a fault each. */
void memory_populate(void *p, size_t bytes);
/* Whoever touches these whole pages gets SIGSEGV. They stay part of their mapping. False: the
 * kernel cannot do that, before Linux 6.13. */
bool memory_guard(void *p, size_t bytes);
/* Zeroed memory that lives as long as the process, for tables off the hot path. Takes a lock. */
void *memory_keep(size_t bytes);
/* The same, from the start of a cache line. */
void *memory_keep_lines(size_t bytes);
/* Bytes mapped so far, all callers. */
uint64_t memory_mapped(void);

#endif
