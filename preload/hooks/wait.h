/* wait.h - waits for mutual exclusion: a critical or ordered section, a lock.
 *
 * Such a wait makes no edge. The agent pauses the strand (engine_pause) before it asks the runtime
 * for entry, so a strand that waits does not run. The time is idle time, on the CPU or off it. It
 * is kept by call path: a wait has a site of its own (LPF_SITE_WAIT), whose contexts count waits
 * and hold their time.
 */
#ifndef PRELOAD_WAIT_H
#define PRELOAD_WAIT_H

#include "engine/engine.h"
#include "hooks/site.h"

/* [hook] STRAND, paused on TH, has entered and continues. Returns the ticks for which it waited for
 * others. 0: it did not wait, and the time was the runtime's work. If STRAND is NULL, nothing
 * happens. */
uint64_t wait_end(struct thread *th, struct task *strand);
/* [hook] The running strand of TH waited for TICKS at FROM, to enter CONSTRUCT (static string).
 * FLAGS: 0 or LPF_SITE_IN_ORDER. */
void wait_count(struct thread *th, const struct path_point *from, const struct site_style *style,
                const char *construct, uint32_t flags, uint64_t ticks);

#endif
