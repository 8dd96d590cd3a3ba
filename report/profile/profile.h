/* profile.h - a profile file in memory, checked. After profile_open has succeeded, every index,
 * string offset and count is within bounds, and the rest of report/ uses them without a check.
 */
#ifndef REPORT_PROFILE_PROFILE_H
#define REPORT_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libprof_format.h"

struct profile {
    const char *path;
    void *data;                 /* the whole file */
    size_t size;
    uint32_t flags;             /* LPF_F_* */
    const char *strings;
    size_t strings_size;
    struct lpf_totals totals;
    bool has_totals;
    struct lpf_setting *settings;
    struct lpf_module *modules;
    struct lpf_site *sites;
    struct lpf_context *contexts;
    struct lpf_region *regions;
    struct lpf_note *notes;
    struct lpf_thread *threads;
    struct lpf_node *nodes;     /* none, or node 0 is the root */
    struct lpf_sample *samples;
    struct lpf_candidate *candidates;
    struct lpf_scenario *scenarios;
    struct lpf_term *terms;
    struct lpf_input *inputs;   /* not none: it was merged from these */
    struct lpf_loops *loops;    /* at most one: loop_count is 0 or 1 */
    /* at most one; dag_count is 0 or 1, and 1 if there are operations */
    struct lpf_dag *dag;
    struct lpf_dag_op *dag_ops; /* a tree: see check_dag */
    /* between waits, or from 0 to a task with operations; perhaps in circles */
    struct lpf_dag_arc *dag_arcs;
    struct lpf_spread *spreads; /* ascending by context */
    size_t spread_count;
    struct lpf_squares *squares;        /* ascending by node */
    size_t square_count;
    size_t node_count, sample_count, candidate_count, scenario_count, term_count, input_count,
        loop_count, dag_count, dag_op_count, dag_arc_count;
    size_t setting_count, module_count, site_count, context_count, region_count, note_count,
        thread_count;
};

/* The squares of sample I of P; *AT: 0 at first, samples are asked for in their order. */
struct lpf_squares profile_squares(const struct profile *p, size_t i, size_t *at);

/* [any thread] CRC-32 of N bytes that follow what CRC is of; 0 at first. */
uint32_t profile_crc32(uint32_t crc, const void *data, size_t n);
/* [any thread] Reads PATH. 0; or -1 with one line, "PATH: reason", on stderr. */
int profile_open(struct profile *p, const char *path);
void profile_close(struct profile *p);

/* The string at OFFSET (checked when the file was read). */
static inline const char *profile_string(const struct profile *p, uint32_t offset)
{
    return p->strings + offset;
}
/* The value of setting NAME; "": the profile does not have it. */
const char *profile_setting(const struct profile *p, const char *name);

/* VALUE of a setting as a whole number; 0: it is not one. */
uint64_t profile_number(const char *value);
/* Is NAME a setting that is a time of the process, which merging sums? */
bool profile_is_time(const char *name);
/* The part of blocked time in which strands could have run, but had no CPU. False: the profile does
 * not have it. */
bool profile_run_delay_ns(const struct profile *p, uint64_t *ns);
/* The part of their time asleep in which workers could have run, between strands; the same. */
bool profile_idle_run_delay_ns(const struct profile *p, uint64_t *ns);
/* The same for threads between strands, too. 0: the profile does not have it. */
uint64_t profile_all_run_delay_ns(const struct profile *p);
bool profile_has_run_delay(const struct profile *p);
/* CPU time of the process that is in no row of the ledger: from before libprof started, and of
 * libprof's own start and writing. 0: the profile does not have it. */
uint64_t profile_cpu_before_ns(const struct profile *p);
uint64_t profile_cpu_outside_ns(const struct profile *p);

/* COST in ns, or in the clock's own unit if that is not time. */
double profile_ns(const struct profile *p, uint64_t cost);
/* The same as a whole number, rounded; exact where no conversion is needed. At most UINT64_MAX. */
uint64_t profile_whole_ns(const struct profile *p, uint64_t cost);
/* The longest path of the divided dag, in clock units; the span itself if no chunk was divided. */
uint64_t profile_divisible_span(const struct profile *p);
/* Burdened length LEN with EDGES burdens on it, in clock units; at most UINT64_MAX. */
uint64_t profile_burdened(const struct profile *p, uint64_t len, uint64_t edges);
/* Worker slots times elapsed time; if more threads than slots lived, the time of the threads. */
double profile_slots_ns(const struct profile *p);
/* The part of it without a task: the ledger's rows of threads that searched or slept, and of slots
 * without a thread. */
double profile_idle_rows_ns(const struct profile *p);
/* The same as a whole number, at most the largest. If no thread's time is known, the totals'
 * idle_ns. That is no substitute elsewhere: it includes the runtime's time between strands, and
 * excludes the time before libprof recorded. */
uint64_t profile_idle_ns(const struct profile *p);
/* "ns", or the clock's name. */
const char *profile_unit(const struct profile *p);

#endif
