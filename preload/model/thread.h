/* thread.h - the list of all threads, for the snapshot. */
#ifndef PRELOAD_THREAD_H
#define PRELOAD_THREAD_H

struct thread;
extern struct thread *engine_threads;   /* newest first, push-only */
extern struct thread *engine_main;      /* the thread whose root strand starts the program */

#endif
