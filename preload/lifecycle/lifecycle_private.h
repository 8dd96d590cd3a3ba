/* lifecycle_private.h - what the files of this room call of each other. */
#ifndef PRELOAD_LIFECYCLE_LIFECYCLE_PRIVATE_H
#define PRELOAD_LIFECYCLE_LIFECYCLE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

struct thread;

/* calibrate.c [hook]: measures `calibrated` (engine/calibrated.h) on TH, whose root strand runs,
 * with the engine itself. TH then has measured things that are to be forgotten. The aim: an empty
 * strand costs 0. */
void calibrate(struct thread *th);

/* fork.c [any]: registers what happens at fork, once. Before anybody registers a handler of their
 * own. */
void fork_setup(void);

/* checkpoint.c [hook]: in the child of fork, which does not have libprof's threads. */
void checkpoint_forked(void);

/* end.c [init]: from now on exit and quick_exit write the last profile, on the thread that calls
 * them, after the handlers and destructors of the program and its libraries. */
void end_setup(void);
/* end.c [writer], for signals/fatal.h: signal NUMBER is about to end the process. If the process
 * survives, recording goes on. Called in libprof's handler, with all signals blocked. */
void write_at_signal(uint32_t number);

/* ancestor.c [writer]: does a living ancestor have libprof.so and a library whose file name begins
 * with LIBRARY? False where /proc cannot be read. */
bool ancestor_has(const char *library);

#endif
