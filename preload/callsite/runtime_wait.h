/* runtime_wait.h - waits inside a runtime that its agent knows: for a critical section, a lock of
 * the runtime, or a turn. libprof interposes no lock of the program. The report knows waits for
 * these from samples alone, by the names of functions (report/analysis/services.c).
 *
 * The wait itself makes no edge in the dag; for a turn, the order does. The agent pauses the strand
 * (engine_pause) before it asks the runtime for entry. So the wait is idle time, on the CPU or off
 * it. libprof counts waits by call path: a wait has a site of its own (LPF_SITE_WAIT), whose
 * contexts count the waits and sum their time.
 */
#ifndef PRELOAD_CALLSITE_RUNTIME_WAIT_H
#define PRELOAD_CALLSITE_RUNTIME_WAIT_H

#include "callsite/site.h"
#include "engine/engine.h"

/* [hook] STRAND, paused on TH, has entered and continues. Returns the ticks for which it waited for
 * other strands. 0: it did not wait, and the time was the runtime's overhead. If STRAND is NULL,
 * nothing happens. */
uint64_t runtime_wait_end(struct thread *th, struct task *strand);
/* [hook] STRAND, which runs on TH or is paused there, waited for TICKS at FROM, to enter CONSTRUCT
 * (static string). NULL: nothing happens. FLAGS: LPF_SITE_IN_ORDER, or one of LPF_SITE_MPI. Returns
 * the context that it counted the wait in; NULL: in none. */
const struct context *runtime_wait_count(struct thread *th, const struct task *strand,
                                         const struct path_point *from,
                                         const struct site_style *style, const char *construct,
                                         uint32_t flags, uint64_t ticks);

/* [hook] The context that runtime_wait_count counts such a wait in. NULL: it counts none. */
struct context *runtime_wait_context(const struct task *strand, const struct path_point *from,
                                     const struct site_style *style, const char *construct,
                                     uint32_t flags);

#endif
