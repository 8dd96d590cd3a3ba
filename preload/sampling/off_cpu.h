/* off_cpu.h - off-CPU samples: where strands are blocked, sampled by wall-clock time from another
 * thread.
 *
 * Timers of CPU time (sampler.h) never hit a thread that is blocked in the kernel, and a signal
 * would interrupt its system call. So every 2.5 ms, or later in a long run, the sampling thread
 * samples the threads whose strands have been off the CPU since its last sample. The kernel reports
 * where such a thread is blocked (/proc/self/task/TID/syscall). The sampling thread copies the
 * thread's stack (from /proc/self/mem, which cannot fault) and walks the copy. If the thread's CPU
 * time has not changed meanwhile, all this data is of one moment. The program does nothing for a
 * sample and does not notice it.
 *
 * The kernel does not report the frame pointer (fp). Code with frame pointers needs fp to find
 * frames, so the sampling thread searches for it. It does not report anything of a thread that is
 * ready either. How long a strand was ready is known from the run delay. If it had left its CPU to
 * wait (switches.h), this is a part of that wait, and charged where the thread was last found in a
 * wait. If it was preempted, the time is charged where the strand's last sample hit it, with a kind
 * of its own, and is not blocked time of that place. Idle worker slots are charged in proportion to
 * the time: to a blocked strand, because it keeps the others waiting; and to a strand without a
 * CPU.
 */
#ifndef PRELOAD_SAMPLING_OFF_CPU_H
#define PRELOAD_SAMPLING_OFF_CPU_H

#include "dag/snapshot.h"

#define OFF_CPU_NS 2500000u     /* a tick: for which a sample of weight 1 stands */

/* [init] After sampler_setup and cct_setup. */
void off_cpu_setup(void);
/* [hook] The sampling thread is about to start. The main thread has run its own strand so far, and
 * waited for a CPU in no other. */
void off_cpu_start(void);
/* [any] Are off-CPU samples taken? */
bool off_cpu_wanted(void);
/* [writer] Takes one off-CPU sample of each blocked thread, without the writer's lock. Returns the
 * ns until the next sample. */
uint64_t off_cpu_sample(void);
/* [writer] How long, in ns, the last sample took for what comes only once, or a few times, for each
 * thread: its timeline and its name. */
uint64_t off_cpu_once(void);
/* [writer] Adds all samples so far to S. */
void off_cpu_sum(struct snapshot *s);
/* [hook] The calling thread TH ends: its switches, and what it waited for a CPU and no sample
 * found, count from now on. A thread that lives for a few samples has much of it before the
 * first one and after the last one. */
void off_cpu_thread_ends(struct thread *th);
/* [writer] *OF, an estimate: the switches of TH's slot, and what its threads waited for a CPU. In
 * strands: what samples found; all of a thread of the program's own; of the main thread all if
 * there was no sample. Between strands: the rest. False: it is not known. */
bool off_cpu_switches(const struct thread *th, struct thread_switches *of);
/* [writer] *NS, an estimate: how long the main thread slept or waited, not for a CPU, before the
 * sampling thread started. Later waits are known by off-CPU samples alone. False: not known. */
bool off_cpu_waited_alone(uint64_t *ns);
/* [hook] Before a call that unmaps code, after objects_unload_begin: waits for a walk that is under
 * way. No stack is walked until objects_unload_end, because a walk reads the code. (A copied stack
 * may contain code that its strand has left and unmapped since.) */
void off_cpu_unload_wait(void);
/* [hook] In the child of fork: forgets all samples. */
void off_cpu_forked(void);

#endif
