/* blocked.h - off-CPU samples: where strands wait in the kernel, sampled by wall-clock time from
 * another thread.
 *
 * Timers of CPU time (sampler.h) never hit a thread that waits in the kernel, and a signal would
 * interrupt its system call. So a thread of libprof samples, every 10 ms, the threads whose strands
 * have been off the CPU since its last sample. The kernel reports where such a thread is blocked
 * (/proc/self/task/TID/syscall). The sampling thread copies its stack (from /proc/self/mem, which
 * cannot fault) and walks it like any other. If the thread's CPU time has not changed meanwhile,
 * all of this holds for one moment. The application does nothing for it and does not notice.
 *
 * The kernel does not report rbp. Code with frame pointers finds frames by rbp; there the sampling
 * thread searches for it. The time that a strand waits for a CPU has no place of its own, and stays
 * under `[blocked]`. Idle worker slots are charged as by other samples, in proportion to the time:
 * to what waits, for it keeps the others waiting; and to a strand without a CPU, where its last
 * sample hit it.
 */
#ifndef PRELOAD_BLOCKED_H
#define PRELOAD_BLOCKED_H

#include "dag/totals.h"

/* [init] After sampler_setup and cct_setup. */
void blocked_setup(void);
/* [any] Whether off-CPU samples are taken. */
bool blocked_wanted(void);
/* [writer] Takes one off-CPU sample of each blocked thread, without the writer's lock. Returns the
 * ns until the next. */
uint64_t blocked_sample(void);
/* [writer] All samples so far into S. */
void blocked_sum(struct snapshot *s);
/* [writer] For how much of their time off the CPU strands could have run, up to the last sample.
 * False: none was taken. */
bool blocked_run_delay(uint64_t *ns);
/* [writer] For how long workers had no CPU between strands: the kernel's count for each that lives,
 * less what samples found in its strands. An estimate. False: as before. */
bool blocked_idle_run_delay(uint64_t *ns);
/* [hook] Around what unmaps code: no stack is walked meanwhile. (A strand may go on, and the code
 * on the copy of its stack may be unmapped, before the copy has been walked.) begin waits for a
 * walk that is under way; calls nest. */
void blocked_unload_begin(void);
void blocked_unload_end(void);
/* [hook] In the child of fork: nothing was sampled. */
void blocked_forked(void);

#endif
