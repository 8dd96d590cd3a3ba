/* ompt_agent.h - the calls from the agent of libgomp to that of libomp, for code that gcc compiled
 * and that runs on libomp.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_OMPT_AGENT_H
#define AGENTS_OPENMP_OMPT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* The running implicit task is in a loop of this kind. STARTS: the loop starts with this call, and
 * hands out chunks of CHUNK iterations, as for omp_loop_chunk. */
void ompt_schedule(bool is_static, bool starts, uint64_t chunk);

/* The following call of the runtime waits: to begin a loop, or for the thread's turn in an ordered
 * loop. */
void ompt_loop_waits(void);
/* The wait of that call is over. Returns its ticks. */
uint64_t ompt_loop_waited(void);

/* The thread is about to fulfil an event (BEGINS), or has. */
void ompt_fulfilling(bool begins);

/* Does libomp report to us? */
bool ompt_has_reports(void);

#endif
