/* thread.h - the start and the end of a thread's state (dag/thread.h). */
#ifndef PRELOAD_PROCESS_THREAD_H
#define PRELOAD_PROCESS_THREAD_H

#include "dag/thread.h"

extern uint32_t engine_forking,
    engine_forking_pid; /* the thread that is in fork(): it has no state, nor has its
                                          copy in the child yet; 0: none */

/* [init] */
int engine_setup(void);
/* [hook] the calling thread's state, made on first use with a root strand; NULL: not recording. */
struct thread *engine_thread(void);
struct thread *engine_thread_make(uint32_t kind);
static inline struct thread *engine_self(void)
{
    struct thread *th = thread_self_;
    return __builtin_expect(th != 0, 1) ? th : engine_thread();
}
/* [hook] the thread is about to end: finishes its root strand, releases its slot. */
void engine_thread_exit(struct thread *th);
/* [hook] child of fork: the calling thread is the only one; the profile starts anew. */
void engine_forked(void);

#endif
