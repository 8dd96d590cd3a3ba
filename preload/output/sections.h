/* sections.h - the sections of a profile (include/libprof_format.h), each in a buffer of its own.
 *
 * [writer] all functions. They read the snapshot, and lists that other threads may still extend.
 */
#ifndef PRELOAD_OUTPUT_SECTIONS_H
#define PRELOAD_OUTPUT_SECTIONS_H

#include "dag/snapshot.h"
#include "output/buffer.h"

struct sections {               /* only buffers, because sections_release treats it as an array */
    struct buffer strings, settings, totals, modules, sites, contexts, regions, notes, threads;
    struct buffer nodes, samples, candidates, scenarios, terms, loops, dag, dag_ops, dag_arcs;
    struct buffer spread, squares, typical, outliers, chunks, teams_of_one, handed;
    struct buffer idle, idle_sum, phases;
    struct buffer timeline, timeline_rows, timeline_bins, timed, timed_samples, ready, ready_bins;
    struct buffer ranks, region_ranks, awaited, cpus, machine, waits, switches;
};

/* Fills S, which is all 0. END is enum lpf_end; STATUS is the program's exit status. */
void sections_fill(struct sections *s, const struct snapshot *snap, uint32_t end, uint32_t status);
/* For sections_fill: the notes; the sections of the timeline, of samples with their
 * times, which come after the nodes, and of the tasks that were ready. */
void sections_notes(struct sections *s, const struct snapshot *snap);
void sections_timeline(struct sections *s, struct clock_rate rate);
/* For sections_fill: who had the processors. */
void sections_cpus(struct sections *s);
/* For sections_fill: the ranks that were waited for. It comes after the contexts. */
void sections_awaited(struct sections *s);
/* For sections_fill: the intervals of idle time. */
void sections_idle(struct sections *s, const struct snapshot *snap, struct clock_rate rate);
void sections_release(struct sections *s);

#endif
