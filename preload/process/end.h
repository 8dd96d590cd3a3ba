/* end.h - what start-up registers for the end of the process. */
#ifndef PRELOAD_PROCESS_END_H
#define PRELOAD_PROCESS_END_H

#include <stdint.h>

/* [init] The calling thread, which is the main thread, calls back before the process's destructors
 * run. */
void end_setup(void);
/* For signals/fatal.h: signal NUMBER is about to end the process. If the process survives,
 * recording goes on. Called in libprof's handler, with all signals blocked. */
void write_at_signal(uint32_t number);

#endif
