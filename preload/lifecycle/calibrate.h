/* calibrate.h - measures the cost of libprof's own events (engine/calibrated.h). */
#ifndef PRELOAD_LIFECYCLE_CALIBRATE_H
#define PRELOAD_LIFECYCLE_CALIBRATE_H

struct thread;

/* [hook] Measures `calibrated` on TH, whose root strand runs, with the engine itself. TH then has
 * measured things that are to be forgotten. The aim: an empty strand costs 0. */
void calibrate(struct thread *th);

#endif
