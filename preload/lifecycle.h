/* lifecycle.h - the states of a profiled process: start, fork, exec, end.
 *
 *   BOOT -> RUNNING -> FINAL          once; FINAL is whoever ends the process first
 *           RUNNING -> (fork) child: RUNNING anew, with its own file
 *           RUNNING -> (exec) file written, RUNNING again if exec fails
 */
#ifndef PRELOAD_LIFECYCLE_H
#define PRELOAD_LIFECYCLE_H

#include <stdint.h>

/* [hook] Write the profile and stop recording; END is enum lpf_end. Does nothing the second time. */
void lifecycle_end(uint32_t end, uint32_t status);

/* [hook] A thread or task has been seen: checkpoints are worth their thread from now. */
extern uint32_t lifecycle_checkpoints_started;
void lifecycle_start_checkpoints_slow(void);
static inline void lifecycle_start_checkpoints(void)
{
    if (__builtin_expect(!lifecycle_checkpoints_started, 0))
        lifecycle_start_checkpoints_slow();
}

#endif
