/* end.h - what start-up registers for the end of the process. */
#ifndef PRELOAD_LIFECYCLE_END_H
#define PRELOAD_LIFECYCLE_END_H

#include <stdint.h>

/* [init] From now on exit and quick_exit write the last profile, on the thread that calls them,
 * after the handlers and destructors of the program and its libraries. */
void end_setup(void);
/* [writer] For signals/fatal.h: signal NUMBER is about to end the process. If the process survives,
 * recording goes on. Called in libprof's handler, with all signals blocked. */
void write_at_signal(uint32_t number);

#endif
