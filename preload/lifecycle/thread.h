/* thread.h - the start and the end of a thread's state (dag/thread.h). */
#ifndef PRELOAD_LIFECYCLE_THREAD_H
#define PRELOAD_LIFECYCLE_THREAD_H

#include "dag/thread.h"

/* [init] */
int threads_setup(void);
/* [hook] Measures what events cost libprof (engine/calibrated.h), once. On a thread state that no
 * thread has yet, because the calling thread may be in the middle of an event. */
void threads_calibrate(void);
/* [hook] Makes the calling thread's state, if it has none. NULL: not recording. */
struct thread *thread_make(uint32_t kind);
/* [hook] The calling thread's state, made at first use, with a root strand. NULL: not recording. */
struct thread *thread_self_slow(void);
static inline struct thread *thread_self(void)
{
    struct thread *th = thread_self_;
    return __builtin_expect(th != 0, 1) ? th : thread_self_slow();
}
/* [hook] The thread is about to end: ends its running strand, releases its slot. */
void thread_exit(struct thread *th);
/* [hook] In the child of fork, which has only the calling thread: starts the profile anew. */
void threads_forked(void);

#endif
