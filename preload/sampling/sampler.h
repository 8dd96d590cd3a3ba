/* sampler.h - samples inside strands: they show where the exact costs arose.
 *
 * Each thread has a timer of its own CPU time (or an overflowing counter, PROF_SAMPLE), which sends
 * the thread a signal. The handler walks the stack from the interrupted code to the entry of the
 * running task. It finds the node of the calling context tree whose path is the task's logical call
 * path plus those frames. At this node it counts one sample of work. It also counts idleness there:
 * idle / working worker slots (Tallent & Mellor-Crummey, PPoPP 2009, section 2.1). Nothing is
 * charged to threads without a task: they are idle.
 *
 * A sample also belongs to the strand that it hit. The strand's next reading of the clock puts it
 * into the task's path (dag/strand.h), so that the samples on the critical path are known at the
 * end.
 *
 * The handler takes no lock and calls no libc function but _dl_find_object (unwind/objects.h). Its
 * tables grow before they are full, usually in hooks. In a strand without hooks the handler maps
 * memory by a system call, a few times in a thread's life; and once for the thread's timeline, and
 * once in a process for samples with their times. See docs/SIGNAL-SAFETY.md.
 */
#ifndef PRELOAD_SAMPLING_SAMPLER_H
#define PRELOAD_SAMPLING_SAMPLER_H

#include "dag/task.h"
#include "dag/snapshot.h"

/* [init] SETTING: PROF_SAMPLE. For a bad one it prints one line and uses the default. */
void sampler_setup(const char *setting);
/* [any] The most threads that samples found at work at one time, at least 1. This is P if no
 * runtime has worker slots. */
uint32_t sampler_most_working(void);

/* [any] TH's timelines. NULL: it has none. The source does not sample time, or TH has no
 * samples. */
struct timelines *sampler_timelines(const struct thread *th);

/* [any] What is known of the CPUs that TH may use. NULL: TH has no samples. */
struct cpus_thread *sampler_cpus(const struct thread *th);
/* [any] The weight of the samples that hit strands of TH, all its threads, outside libprof's own
 * code: what a thread takes to start others is no work. */
uint64_t sampler_weight(const struct thread *th);

/* [any] The number of threads that work now. Idleness is shared among them. */
uint32_t sampler_working(void);

/* [any] *NODE: where the last sample of TH hit a strand of a task below PATH. False: it hit
 * another. */
bool sampler_last(const struct thread *th, const struct logical_path *path, uint32_t *node);

/* [hook] The calling thread TH is sampled from now on, or no longer. */
void sampler_thread_start(struct thread *th);
void sampler_thread_stop(struct thread *th);
/* [any] Ends the samples of the calling thread TH, which cannot have any. False: it had none. */
bool sampler_thread_give_up(struct thread *th);
/* [hook] In the child of fork: forgets all samples; no thread is sampled. */
void sampler_forked(void);
/* [hook] Before exec: no signal of ours may reach the new program. sampler_thread_start undoes
 * this. */
void sampler_before_exec(struct thread *th);
/* [writer] Ends the samples of all threads. The calling thread then has no signal pending. */
void sampler_stop(void);

/* [hook] The hits since the last reading go to T. A part of T's strand has just ended. */
void sampler_take(struct thread *th, struct task *t) __attribute__((cold));

/* [writer] Adds all threads' samples to S. */
void sampler_sum(struct snapshot *s);

#endif
