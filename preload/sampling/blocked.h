/* blocked.h - where strands are off the CPU: samples of the clock on the wall, taken from outside.
 *
 * Timers of CPU time (sampler.h) never hit a thread that waits in the kernel, and a signal would interrupt its system call. So a
 * thread of libprof's looks every 10 ms at those whose strands have been off the CPU since the last look: the kernel says where one is
 * blocked (/proc/self/task/TID/syscall), its stack is copied (by /proc/self/mem, which cannot fault) and walked as any other, and if its CPU
 * time has not changed meanwhile, all of that is true of one moment. The application does nothing for it and notices nothing.
 *
 * rbp is not among what the kernel says: where a frame is found by it before one has saved it, as in code with frame pointers, it is looked
 * for. Time that a strand waits for a CPU has no place of its own, and stays under `[blocked]`. Idle slots are charged to what waits as by
 * other samples, in proportion to the time: it keeps the others waiting. So are they to a strand that has no CPU, where its last sample hit it.
 */
#ifndef PRELOAD_BLOCKED_H
#define PRELOAD_BLOCKED_H

#include "model/totals.h"

/* [init] After sampler_setup and cct_setup. */
void blocked_setup(void);
/* [any] Is there anything to look at? */
bool blocked_wanted(void);
/* [writer] Looks, with no lock of the writer's. Returns ns until the next look. */
uint64_t blocked_look(void);
/* [writer] All samples so far into S. */
void blocked_sum(struct snapshot *s);
/* [writer] For how much of their time off the CPU strands could have run, until the last look. False: nobody has looked. */
bool blocked_run_delay(uint64_t *ns);
/* [hook] Around what unmaps code: no stack is walked meanwhile. A strand may go on, and the code on the copy of its stack be unmapped,
 * before the copy has been walked. begin waits for a walk that is under way; calls nest. */
void blocked_unload_begin(void);
void blocked_unload_end(void);
/* [hook] In the child of fork: nothing was seen. */
void blocked_forked(void);

#endif
