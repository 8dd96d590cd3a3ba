/* wait.h - strands that wait until another leaves what only one may be in: a critical or an ordered section, a lock. It makes no
 * edge. A strand that waits does not run: the agent pauses it (engine_pause) before it asks the runtime for entry, and
 * what it was kept for is idle time, on the CPU or off it, like any other in which a thread has nothing to do.
 * Who waited, and where, is kept as a site of its own (LPF_SITE_WAIT), whose contexts count waits and hold their time.
 */
#ifndef PRELOAD_WAIT_H
#define PRELOAD_WAIT_H

#include "engine/engine.h"
#include "hooks/site.h"

/* [hook] STRAND, paused on TH, has got in and goes on. Returns for how many ticks others kept it out; 0: they did not, and
 * the runtime was at work. NULL: nothing happens. */
uint64_t wait_end(struct thread *th, struct task *strand);
/* [hook] The running strand of TH waited for TICKS at FROM, to enter CONSTRUCT (static string). FLAGS: 0 or LPF_SITE_IN_ORDER. */
void wait_count(struct thread *th, const struct path_point *from, const struct site_style *style, const char *construct, uint32_t flags, uint64_t ticks);

#endif
