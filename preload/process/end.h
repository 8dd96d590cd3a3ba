/* end.h - what start-up registers for the end of the process. */
#ifndef PRELOAD_PROCESS_END_H
#define PRELOAD_PROCESS_END_H

#include <stdint.h>

/* For on_exit. */
void at_exit(int status, void *unused);
/* For signals/fatal.h: signal NUMBER is about to end the process. If the process survives,
 * recording goes on. Called in libprof's handler, with all signals blocked. */
void write_at_signal(uint32_t number);

#endif
