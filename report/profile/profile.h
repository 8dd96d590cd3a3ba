/* profile.h - a profile file in memory, checked. After profile_open has succeeded, every index,
 * string offset and count is within bounds. The rest of report/ relies on this and checks none.
 */
#ifndef REPORT_PROFILE_PROFILE_H
#define REPORT_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libprof_format.h"

struct tar;

struct profile {
    const char *path;
    struct tar *archive;        /* of prof archive, which the profile was in; NULL: none */
    char *folder;               /* of that archive, in which all its members are: "NAME/" */
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
    struct lpf_input *inputs;   /* the profiles that this one was merged from; else none */
    struct lpf_loops *loops;    /* loop_count is 0 or 1 */
    /* dag_count is 0 or 1; it is 1 if there are operations */
    struct lpf_dag *dag;
    struct lpf_dag_op *dag_ops; /* a tree: see check_dag */
    /* from a wait to a wait, or from 0 to a task with operations; they may form a cycle */
    struct lpf_dag_arc *dag_arcs;
    struct lpf_spread *spreads; /* ascending by context */
    size_t spread_count;
    struct lpf_squares *squares;        /* ascending by node */
    size_t square_count;
    struct lpf_wait *waits;             /* ascending by node, then by kind */
    size_t wait_count;
    struct lpf_switches *switches;      /* ascending by thread */
    size_t switch_count;
    struct lpf_rank *ranks;             /* of an MPI job */
    size_t rank_count;
    struct lpf_rank_sample *rank_samples;       /* ascending by rank */
    size_t rank_sample_count;
    struct lpf_awaited *awaited;        /* ascending by context, then by rank */
    size_t awaited_count;
    struct lpf_region_rank *region_ranks;       /* ascending by region */
    size_t region_rank_count;
    struct lpf_typical *typical;        /* typical_count is 0 or 1 */
    size_t typical_count;
    struct lpf_outliers *outliers;      /* ascending by context */
    size_t outlier_count;
    struct lpf_timeline *timeline;      /* timeline_count is 0 or 1; 1: there are rows */
    size_t timeline_count;
    struct lpf_timeline_row *timeline_rows;
    size_t timeline_row_count;
    struct lpf_timeline_bin *timeline_bins;     /* ascending by row, then by bin */
    size_t timeline_bin_count;
    struct lpf_timed *timed;    /* timed_count is 0 or 1; 1: there is a timeline */
    size_t timed_count;
    struct lpf_timed_sample *timed_samples;     /* each in one of the timeline's bins */
    size_t timed_sample_count;
    struct lpf_ready *ready;    /* ready_count is 0 or 1; 1: there is a timeline */
    size_t ready_count;
    struct lpf_ready_bin *ready_bins;   /* ascending; none: it is not known of any task */
    size_t ready_bin_count;
    struct lpf_machine *machine;        /* machine_count is 0 or 1 */
    size_t machine_count;
    struct lpf_cpu *cpus;       /* ascending; none, or there is a machine */
    size_t cpu_count;
    struct lpf_chunks *chunks;  /* ascending by context; LPF_NONE: the program's own strands */
    size_t chunk_count;
    struct lpf_team_of_one *teams_of_one;       /* ascending by context */
    size_t team_of_one_count;
    struct lpf_handed *handed;  /* ascending by context */
    size_t handed_count;
    struct lpf_idle *idle;      /* ascending by context, kind and octave; none without idle_sum */
    size_t idle_count;
    struct lpf_idle_sum *idle_sum;      /* idle_sum_count is 0 or 1 */
    size_t idle_sum_count;
    struct lpf_phases *phases;  /* ascending by context; none without idle_sum */
    size_t phase_count;
    size_t node_count, sample_count, candidate_count, scenario_count, term_count, input_count,
        loop_count, dag_count, dag_op_count, dag_arc_count;
    size_t setting_count, module_count, site_count, context_count, region_count, note_count,
        thread_count;
};

/* The squares of sample I of P. Call it with ascending I; *AT is the caller's cursor, 0 at first. A
 * sample without an entry in the file has the squares of weights of 1. */
struct lpf_squares profile_squares(const struct profile *p, size_t i, size_t *at);

/* The names of enum lpf_wait_kind in JSON. */
extern const char *const profile_wait_names[LPF_WAIT_KINDS];
/* Sets *SUM to the sums of the threads' switches and run delays, at most UINT64_MAX. False: the
 * profile does not have them. */
bool profile_switches(const struct profile *p, struct lpf_switches *sum);
/* Off-CPU samples are this far apart, or closer: in a time off the CPU of so many ns was at least
 * one independent of others. */
#define PROFILE_OFF_CPU_APART_NS 10000000.0

/* [any thread] The CRC-32 of all bytes so far: CRC is that of the bytes before DATA, 0 at first. */
uint32_t profile_crc32(uint32_t crc, const void *data, size_t n);
/* [any thread] Reads PATH. P keeps the pointer PATH. Returns 0; or -1, after a line on stderr with
 * the path and the reason. Then there is nothing to close. */
int profile_open(struct profile *p, const char *path);
/* Frees all that profile_open allocated. */
void profile_close(struct profile *p);

/* Adds V to *TO, which stops at UINT64_MAX: the numbers of a hostile file may have any sum. */
static inline void add_capped(uint64_t *to, uint64_t v)
{
    if (__builtin_add_overflow(*to, v, to))
        *to = UINT64_MAX;
}

/* The string at OFFSET, which profile_open has checked. */
static inline const char *profile_string(const struct profile *p, uint32_t offset)
{
    return p->strings + offset;
}
/* The value of setting NAME, or "" if the profile has no such setting. */
const char *profile_setting(const struct profile *p, const char *name);

/* The event of PROF_EVENTS at setting *AT or after it, and its count; *AT is then the next setting.
 * NULL: there are no more. */
const char *profile_event(const struct profile *p, size_t *at, uint64_t *count);

/* VALUE of a setting as a whole number, or 0 if it is not one. */
uint64_t profile_number(const char *value);
/* Is setting NAME a time or a count of the process? Merging sums such settings. */
bool profile_is_time(const char *name);
/* Sets *NS to the part of the blocked time in which strands could have run but had no CPU. False:
 * the profile does not have it. */
bool profile_run_delay_ns(const struct profile *p, uint64_t *ns);
/* How long the main thread slept or waited before the first task or thread, and not for a CPU. 0:
 * the profile does not have it. */
uint64_t profile_waited_alone_ns(const struct profile *p);
/* Sets *NS to the part of the workers' sleep between strands in which they could have run but had
 * no CPU. False: the profile does not have it. */
bool profile_idle_run_delay_ns(const struct profile *p, uint64_t *ns);
/* The time in which threads could have run but had no CPU, in strands and between them. 0: the
 * profile does not have it. */
uint64_t profile_all_run_delay_ns(const struct profile *p);
/* CPU time of the process since libprof started, as the elapsed time is; since its exec where the
 * profile does not have what was before. */
uint64_t profile_cpu_ns(const struct profile *p);
/* CPU time of the process that is in no row of the ledger. 0: the profile does not have it. */
uint64_t profile_cpu_before_ns(const struct profile *p);        /* before libprof started */
uint64_t profile_cpu_outside_ns(const struct profile *p);       /* libprof's start and writing */

/* The processors that the program might use when it started. 0: the profile does not have it, or is
 * merged: its processes may have run on several machines. */
unsigned profile_processors(const struct profile *p);

/* The child processes that the program made by calls that libprof sees. *CPU_NS: the CPU time of
 * those that it waited for. Both 0: none, or the profile does not have it. */
uint64_t profile_children(const struct profile *p, uint64_t *cpu_ns);

/* COST in ns, or in the clock's own unit if the clock does not count time. */
double profile_ns(const struct profile *p, uint64_t cost);
/* The same, rounded to a whole number of at most UINT64_MAX. */
uint64_t profile_whole_ns(const struct profile *p, uint64_t cost);
/* Has P chunks that divide further, or may, without a word on who chose their size? */
bool profile_chunks_unsaid(const struct profile *p);
/* The span of the divided dag, in clock units. If no chunk was divided, the span. */
uint64_t profile_divisible_span(const struct profile *p);
/* Did P have nothing parallel that libprof saw: no tasks, no threads, not several ranks? */
bool profile_is_serial(const struct profile *p);
/* Is P of ranks of an MPI job that have agreed on its critical path? */
bool profile_job_finished(const struct profile *p);
/* The time of R's strands in MPI. */
double profile_rank_in_mpi_ns(const struct lpf_rank *r);
/* The typical span, in clock units. If the profile does not have it, the span. */
uint64_t profile_typical_span(const struct profile *p);
/* The length LEN with EDGES burdens on it, in clock units; at most UINT64_MAX. */
uint64_t profile_burdened(const struct profile *p, uint64_t len, uint64_t edges);
/* The time of all worker slots: slots times elapsed time. If more threads than slots lived, the
 * time of the threads. */
double profile_slots_ns(const struct profile *p);
/* What more than it did the program could have executed, in ns, on as many processors as it has
 * workers; may be below 0. Threads that wait while the workers are busy cost nothing. */
double profile_room_ns(const struct profile *p);
/* The part of own_ns in strands and between them, without that in intervals of idle time. */
double profile_own_of_tasks_ns(const struct profile *p);
/* The part of the slots' time without a task: the ledger's rows of threads that searched or slept,
 * and of slots without a thread. If there were more threads than slots, at most profile_room_ns
 * without the waits for a processor: the sleep of those beyond is no idle time. */
double profile_idle_rows_ns(const struct profile *p);
/* The same as a whole number of at most UINT64_MAX. If the profile has no thread's time, this is
 * the totals' idle_ns. Use idle_ns for nothing else: it includes the runtime's time between
 * strands, and excludes the time before libprof recorded. */
uint64_t profile_idle_ns(const struct profile *p);
/* "ns", or the clock's name. */
const char *profile_unit(const struct profile *p);

#endif
