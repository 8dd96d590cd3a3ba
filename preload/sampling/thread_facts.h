/* thread_facts.h - what the kernel states of another thread of this process: its times, its name,
 * where it is blocked.
 *
 * [any] all functions: they make system calls only. */
#ifndef PRELOAD_SAMPLING_THREAD_FACTS_H
#define PRELOAD_SAMPLING_THREAD_FACTS_H

#include <stddef.h>
#include <stdint.h>

/* The CPU time of thread TID in ns. 0: not known. */
uint64_t thread_facts_cpu(uint32_t tid);
/* The ns that thread TID has waited for a CPU. 0: not known. */
uint64_t thread_facts_run_delay(uint32_t tid);
/* Copies the file NAME of /proc/self/task/TID into TEXT: up to SIZE - 1 bytes. "": it cannot be
 * read. */
void thread_facts_file(uint32_t tid, const char *name, char *text, size_t size);

#endif
