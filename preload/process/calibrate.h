/* calibrate.h - measures what libprof's own events cost (engine/burden.h). */
#ifndef PRELOAD_PROCESS_CALIBRATE_H
#define PRELOAD_PROCESS_CALIBRATE_H

struct thread;

/* [init] Measures `calibrated` on TH with the engine itself: empty strands must cost nothing. */
void calibrate(struct thread *th);

#endif
