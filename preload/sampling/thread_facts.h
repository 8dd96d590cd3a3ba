/* thread_facts.h - what the kernel states of another thread of this process: its times, its name,
 * where it is blocked.
 *
 * [any] all functions: they make system calls only. */
#ifndef PRELOAD_SAMPLING_THREAD_FACTS_H
#define PRELOAD_SAMPLING_THREAD_FACTS_H

#include "dag/thread.h"

/* The CPU time of thread TID in ns. 0: not known. */
uint64_t thread_facts_cpu(uint32_t tid);
/* The ns that thread TID has waited for a CPU. 0: not known. */
uint64_t thread_facts_run_delay(uint32_t tid);
/* Copies the file NAME of /proc/self/task/TID into TEXT: up to SIZE - 1 bytes. "": it cannot be
 * read. */
void thread_facts_file(uint32_t tid, const char *name, char *text, size_t size);
/* The voluntary and involuntary context switches of thread TID so far. Both 0: not known. */
struct switches thread_facts_switches(uint32_t tid);

/* The files that are read at each tick. To open one takes four times as long as to read it. */
enum thread_file { THREAD_FILE_SYSCALL, THREAD_FILE_SCHEDSTAT, THREAD_FILE_STATUS };

/* The same of thread TID, for the sampling thread alone: it keeps the files open, in its own table
 * of descriptors. TEXT gets the first SIZE - 1 bytes of FILE. */
void thread_files_read(struct thread_files *f, uint32_t tid, enum thread_file file, char *text,
                       size_t size);
uint64_t thread_files_run_delay(struct thread_files *f, uint32_t tid);
struct switches thread_files_switches(struct thread_files *f, uint32_t tid);
/* In the child of fork, which has no sampling thread: F is open nowhere. */
void thread_files_forked(struct thread_files *f);

/* wait_kind.c: enum lpf_wait_kind of the system call NUMBER, in which a thread is; -1: in none. */
uint32_t wait_kind_of(long number);

#endif
