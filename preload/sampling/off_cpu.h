/* off_cpu.h - off-CPU samples: where strands are blocked, sampled by wall-clock time from another
 * thread.
 *
 * Timers of CPU time (sampler.h) never hit a thread that is blocked in the kernel, and a signal
 * would interrupt its system call. So every 10 ms the sampling thread samples the threads whose
 * strands have been off the CPU since its last sample. The kernel reports where such a thread is
 * blocked (/proc/self/task/TID/syscall). The sampling thread copies the thread's stack (from
 * /proc/self/mem, which cannot fault) and walks the copy. If the thread's CPU time has not changed
 * meanwhile, all this data is of one moment. The program does nothing for a sample and does not
 * notice it.
 *
 * The kernel does not report the frame pointer (fp). Code with frame pointers needs fp to find
 * frames, so the sampling thread searches for it. The time that a strand waits for a CPU has no
 * place of its own, and stays under `[blocked]`. Idle worker slots are charged in proportion to the
 * time: to a blocked strand, because it keeps the others waiting; and to a strand without a CPU,
 * where its last sample hit it.
 */
#ifndef PRELOAD_SAMPLING_OFF_CPU_H
#define PRELOAD_SAMPLING_OFF_CPU_H

#include "dag/snapshot.h"

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
/* [hook] TH, which the program created, ends: what it waited for a CPU and no sample found counts
 * from now on. A thread that lives for a few samples has much of it before the first one and after
 * the last one. */
void off_cpu_thread_ends(const struct thread *th);
/* [writer] *NS, an estimate: the time that strands waited for a CPU. It counts the main thread from
 * its start, an ended thread of the program whole, and each other thread from its first sample in a
 * strand. After the last sample it counts only strands that still run. Without a sample there was
 * no task, and only the main thread counts. False: it is not known. */
bool off_cpu_run_delay(uint64_t *ns);
/* [writer] *NS, an estimate: how long the main thread slept or waited, not for a CPU, before the
 * sampling thread started. Later waits are known by off-CPU samples alone. False: not known. */
bool off_cpu_waited_alone(uint64_t *ns);
/* [writer] *NS, an estimate: the time that workers waited for a CPU between strands. It is the
 * kernel's count for each living worker, less what samples found in its strands. False: there was
 * no sample. */
bool off_cpu_idle_run_delay(uint64_t *ns);
/* [hook] Before a call that unmaps code, after objects_unload_begin: waits for a walk that is under
 * way. No stack is walked until objects_unload_end, because a walk reads the code. (A copied stack
 * may contain code that its strand has left and unmapped since.) */
void off_cpu_unload_wait(void);
/* [hook] In the child of fork: forgets all samples. */
void off_cpu_forked(void);

#endif
