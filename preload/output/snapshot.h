/* snapshot.h - sums what all threads have measured. */
#ifndef PRELOAD_OUTPUT_SNAPSHOT_H
#define PRELOAD_OUTPUT_SNAPSHOT_H

#include "dag/snapshot.h"

/* [writer] Sums over all threads. FINAL: the caller is the thread that ends the program. Else this
 * is a checkpoint, taken while other threads run: the sums are of this moment, and on_span is of
 * the path that the main strand last published, or of a longer strand or task. The snapshot's
 * arrays are mapped memory (snapshot_free). 0 or -ENOMEM. */
int snapshot_take(struct snapshot *out, bool final);
/* [writer] Has nothing happened that a snapshot would show? False: perhaps something has. Cheap:
 * most children of a shell end so. */
bool snapshot_is_idle(void);
void snapshot_free(struct snapshot *s);

#if LIBPROF_DEBUG
/* [writer] A number that stays the same as long as no other thread runs a strand or spawns.
 * UINT64_MAX: another thread runs a strand now. */
uint64_t strands_of_others(void);
/* [writer] Asserts that the parts of the span sum to the span. S is final. BEFORE:
 * strands_of_others() before S was begun. If that has changed since, nothing is asserted. */
bool snapshot_is_valid(const struct snapshot *s, uint64_t before);
#endif

#endif
