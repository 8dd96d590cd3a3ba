/* calibrate.h - measures the cost of libprof's own events (engine/calibrated.h). */
#ifndef PRELOAD_LIFECYCLE_CALIBRATE_H
#define PRELOAD_LIFECYCLE_CALIBRATE_H

struct thread;

/* [init] Measures `calibrated` on TH with the engine itself. The aim: an empty strand costs 0. */
void calibrate(struct thread *th);

#endif
