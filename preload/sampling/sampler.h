/* sampler.h - samples inside strands: where the exact costs were spent.
 *
 * Each thread has a timer of its own CPU time (or an overflowing counter, PROF_SAMPLE), which sends
 * the thread a signal. The handler walks the stack from the interrupted code to the entry of the
 * running task. It finds the node of the calling context tree whose path is the task's logical call
 * path plus those frames, and counts there: one sample of work and, following Tallent &
 * Mellor-Crummey (PPoPP 2009, section 2.1), idle / working worker slots of idleness. Threads
 * without a task are idle: nothing is charged to them.
 *
 * A sample also belongs to the strand that it hit. The strand's next reading of the clock puts it
 * into the task's path (dag/strand.h), so that the samples on the critical path are known at the
 * end.
 *
 * The handler takes no lock and calls no libc function but _dl_find_object. Its tables grow before
 * they are full, usually in hooks. In a strand without hooks the handler maps memory by a system
 * call, a few times in a thread's life. See docs/SIGNAL-SAFETY.md.
 */
#ifndef PRELOAD_SAMPLER_H
#define PRELOAD_SAMPLER_H

#include "dag/task.h"
#include "dag/totals.h"

/* [init] SETTING: PROF_SAMPLE. A bad one gets one line; then the default stands. */
void sampler_setup(const char *setting);
/* [any] For the profile: the nominal ns of CPU time between two samples, or the number of events of
 * another kind; both 0: there are no samples. What drives them. */
uint64_t sampler_period_ns(void);
uint64_t sampler_period_events(void);
const char *sampler_source(void);
/* [any] The most threads that samples found at work at one time, at least 1: P, where no runtime
 * has worker slots. */
uint32_t sampler_at_work(void);

/* [any] Threads that work now: idleness is shared among them. */
uint32_t sampler_working(void);

/* [any] The node where the last sample of TH hit T's strand; false: it hit another strand. */
bool sampler_last(const struct thread *th, const struct task *t, uint32_t *node);

/* [hook] The calling thread TH is sampled from now on, or no longer. */
void sampler_thread_start(struct thread *th);
void sampler_thread_stop(struct thread *th);
/* [any] The calling thread TH can have no samples any more. False: it had none. */
bool sampler_thread_give_up(struct thread *th);
/* [hook] In the child of fork: nothing was sampled, no thread is. */
void sampler_forked(void);
/* [hook] exec: no signal of ours may reach the new program. sampler_thread_start undoes it. */
void sampler_before_exec(struct thread *th);
/* [writer] No thread is sampled any more; the calling one has no signal pending. */
void sampler_stop(void);

/* [hook] What was hit since the last reading goes to T, whose strand part has just ended. */
void sampler_take(struct thread *th, struct task *t) __attribute__((cold));

/* [writer] All threads' samples into S. */
void sampler_sum(struct snapshot *s);

#endif
