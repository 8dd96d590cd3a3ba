/* own_threads.h - libprof's own threads: how they start, what wakes them, how they end.
 *
 * There are two (checkpoint.c). The checkpoint thread orders checkpoints. The sampling thread takes
 * off-CPU samples. The first event of a thread or task starts each of them that the settings ask
 * for. A process without such an event has neither. Nor has a process under valgrind or
 * ThreadSanitizer.
 */
#ifndef PRELOAD_LIFECYCLE_OWN_THREADS_H
#define PRELOAD_LIFECYCLE_OWN_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* `announced` has bits for libprof's threads, which sleep on this word. Any thread may set a bit.
 * Only ORDER is ever cleared. */
enum {
    /* The main thread has left. The last thread ends the process, and must not be libprof's. */
    MAIN_GONE = 1,
    DISMISSED = 2,  /* our threads end and none starts again, also in children of fork */
    ORDER = 4,      /* a checkpoint is ordered; the sampling thread clears this */
    LAST_GONE = 8,  /* the program's last thread leaves, and waits for ours; none starts again */
};
extern uint32_t announced;
/* [any] Is a bit of NEWS set? */
bool own_threads_announced(uint32_t news);
/* [any] Sets NEWS and wakes the threads. False: all were set before. */
bool own_threads_announce(uint32_t news);
/* [writer] Sleeps until AT, of CLOCK_MONOTONIC, or until there is news. */
void own_threads_sleep_until(uint64_t at);
/* [any] NS from now, of CLOCK_MONOTONIC. */
uint64_t own_threads_from_now(uint64_t ns);

/* The tid of a thread, or STARTING. 0: there is no thread. A creator stores STARTING, then reads
 * `announced`. A thread that sets `announced` then reads these. So one of the two sees the
 * other. */
#define STARTING UINT32_MAX
extern uint32_t sampling_thread, checkpoint_thread;
extern bool checkpoint_written; /* a checkpoint is being written; set by the checkpoint thread */
/* [hook, writer] Waits until *THREAD, one of libprof's, has ended. When its tid is free, the thread
 * does not count towards limits any more. Waits for NS at most, not counting the time of a
 * checkpoint that is being written. */
void own_threads_wait(uint32_t *thread, uint64_t ns);
/* [hook] Starts a thread. False: a bit of UNLESS was set, or the thread could not be created. */
bool own_threads_start(uint32_t *thread, uint32_t unless, void *(*start)(void *));
/* [any] The number of threads of the process, including a main thread that has left. 0: unknown. */
unsigned own_threads_in_process(void);
/* [any] The number of libprof's threads among them. */
unsigned own_threads_count(void);

/* [writer] On a thread of libprof's that is about to end. Where the main thread has left by the
 * system call itself, unseen, and this thread is the last, the process gets the main thread's exit
 * status: since Linux 5.17 it gets the last thread's. */
void own_threads_leave(void);

/* [init] */
void own_threads_setup(void);
/* [hook] The calling thread is the main thread; also in a child of fork. */
void own_threads_main_is_here(void);

#endif
