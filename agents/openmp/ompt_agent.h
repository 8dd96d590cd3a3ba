/* ompt_agent.h - what the agent of libgomp reports to that of libomp, when code that gcc compiled
 * runs on libomp.
 *
 * [hook] all.
 */
#ifndef AGENTS_OPENMP_OMPT_AGENT_H
#define AGENTS_OPENMP_OMPT_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* The running implicit task is in a loop of this kind. STARTS: the loop starts with this call. */
void ompt_schedule(bool is_static, bool starts);

/* The following call waits: to begin a loop, or for the thread's turn in an ordered one. */
void ompt_loop_waits(void);
/* That call is over, or asks for a part now. Returns how many ticks it waited. */
uint64_t ompt_loop_waited(void);

/* The thread is about to fulfil an event (BEGINS), or has. */
void ompt_fulfilling(bool begins);

/* Does libomp report to us? */
bool ompt_is_told(void);

#endif
