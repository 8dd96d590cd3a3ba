/* helper.h - libprof's own threads: how they start, what wakes them, how they go.
 *
 * There are two, both started by the first event of a thread or task, never in a process without:
 * one orders checkpoints, one takes off-CPU samples (checkpoint.c).
 */
#ifndef PRELOAD_PROCESS_HELPER_H
#define PRELOAD_PROCESS_HELPER_H

#include <stdbool.h>
#include <stdint.h>

/* What our threads are told, and sleep on. Bits are set by whoever has the news, and stay. */
enum {
    MAIN_GONE = 1,  /* the main thread: the process ends with its last, which must not be ours */
    DISMISSED = 2,  /* they end, and none starts again; nor in a child of fork: it lacks the same */
    ORDER = 4,      /* the sampling one: a checkpoint is ordered; it takes this back */
};
extern uint32_t told;
bool is_told(uint32_t news);
/* False: they were told before. */
bool tell(uint32_t news);
/* Until AT, of CLOCK_MONOTONIC, or until there is news. */
void wait_until(uint64_t at);
/* The end of a wait of NS from now. */
uint64_t after(uint64_t ns);

/* The threads: 0: there is none; STARTING; its number. Who starts one sets this before reading `told`, and the other way round. */
#define STARTING UINT32_MAX
extern uint32_t looker, checkpointer;
extern bool checkpoint_written; /* the checkpoint thread writes; it alone sets this */
/* Until a thread of ours has gone, which it has for the kernel's limits, too, when its number is free; NS at most, not counting a
 * checkpoint that it is writing. */
void wait_for(uint32_t *thread, uint64_t ns);
/* Not where our threads were told UNLESS before. */
bool start_thread(uint32_t *thread, uint32_t unless, void *(*start)(void *));
/* Threads of the process, the dead main thread included; 0: unknown. */
unsigned thread_count(void);

/* [init] */
void main_thread_setup(void);
/* [hook] The calling thread is the main thread; also in a child of fork. */
void main_is_here(void);

#endif
