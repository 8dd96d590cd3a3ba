/* snapshot.h - sums what all threads have measured. */
#ifndef PRELOAD_OUTPUT_SNAPSHOT_H
#define PRELOAD_OUTPUT_SNAPSHOT_H

#include "dag/totals.h"

/* [writer] Sums over all threads. FINAL: called on the thread that ends the program; otherwise a
 * checkpoint, taken while others run: sums are a moment's, on_span is the main strand's last sync.
 * metrics and on_span are mapped memory of the snapshot: engine_snapshot_free. 0 or -ENOMEM. */
int engine_snapshot(struct snapshot *out, bool final);
void engine_snapshot_free(struct snapshot *s);

#if LIBPROF_DEBUG
/* A number that stays the same as long as no other thread's strand takes a reading; UINT64_MAX:
 * one runs. */
uint64_t strands_of_others(void);
/* A final one that was begun when strands_of_others was BEFORE: the parts of the span sum to the
 * span. */
bool snapshot_is_valid(const struct snapshot *s, uint64_t before);
#endif

#endif
