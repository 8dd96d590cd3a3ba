/* helper.h - libprof's own threads: how they start, what wakes them, how they end.
 *
 * There are two (checkpoint.c): one orders checkpoints, one takes off-CPU samples. The first event
 * of a thread or task starts both. A process without such an event has neither.
 */
#ifndef PRELOAD_PROCESS_HELPER_H
#define PRELOAD_PROCESS_HELPER_H

#include <stdbool.h>
#include <stdint.h>

/* News for libprof's threads, and the word that they sleep on. Any thread sets bits; bits stay set,
 * but for ORDER. */
enum {
    /* the main thread has left. The last thread ends the process, and must not be libprof's */
    MAIN_GONE = 1,
    DISMISSED = 2,  /* our threads end and none starts again, also in children of fork */
    ORDER = 4,      /* a checkpoint is ordered; the sampling thread clears this */
};
extern uint32_t told;
bool is_told(uint32_t news);
/* Sets NEWS and wakes the threads. False: the bit was set before. */
bool tell(uint32_t news);
/* Sleeps until AT, of CLOCK_MONOTONIC, or until there is news. */
void wait_until(uint64_t at);
/* NS from now, of CLOCK_MONOTONIC. */
uint64_t after(uint64_t ns);

/* The number of a thread; STARTING; or 0: there is none. The creator stores it before it reads
 * `told`. The thread that sets `told` reads it after that. */
#define STARTING UINT32_MAX
extern uint32_t sampling_thread, checkpoint_thread;
extern bool checkpoint_written; /* the checkpoint thread writes; it alone sets this */
/* Waits until one of libprof's threads has ended: once its number is free, it does not count
 * towards limits any more. Waits NS at most, not counting a checkpoint that the thread is
 * writing. */
void wait_for(uint32_t *thread, uint64_t ns);
/* False: UNLESS was set before, or the thread could not be created. */
bool start_thread(uint32_t *thread, uint32_t unless, void *(*start)(void *));
/* Threads of the process, the dead main thread included; 0: unknown. */
unsigned thread_count(void);

/* [init] */
void main_thread_setup(void);
/* [hook] The calling thread is the main thread; also in a child of fork. */
void main_is_here(void);

#endif
