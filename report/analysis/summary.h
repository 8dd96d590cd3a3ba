/* summary.h - a profile's figures, ready for the report: the program's, and one row for each spawn
 * site.
 *
 * A row sums the contexts of a site. Sites with the same line of the program and the same construct
 * are one row unless RAW: a compiler or a template made one line into several call sites.
 */
#ifndef REPORT_ANALYSIS_SUMMARY_H
#define REPORT_ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include "analysis/standstill.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

/* Cilkview section 3: the span coefficient of the lower bound on speedup. */
#define SPAN_COEFFICIENT 0.85
/* Cilkview section 4: it warns if an average maximal strand has less than 500 instructions. As time
 * that is about 170 ns, at 3 instructions a ns. */
#define SHORT_STRAND_INSTRUCTIONS 500
#define SHORT_STRAND_NS 170.0

/* The most inlined frames at one address that are looked at. */
#define INLINED_MOST 64

/* One of Cilkprof's measurements of a call site (section 6). */
struct measure {
    uint64_t count, work, span; /* clock units */
};

/* Chunks of loops that divide further, or may: struct lpf_chunks. `sized` of by_runtime have a size
 * that the program chose. All 0: there are none, or the profile does not state it
 * (profile_chunks_unsaid). */
struct cut {
    uint64_t by_runtime, by_program, sized;
};

struct row {
    const char *function;       /* the program's function and line */
    const char *plain;          /* FUNCTION as name_plain has it, as call paths name functions */
    /* the program's function around FUNCTION, if clang made this of an OpenMP construct and its
     * name does not show of whose; else NULL. As PLAIN */
    const char *origin;
    const char *file;           /* NULL: no line information */
    int line;
    uint64_t offset;            /* from FUNCTION's start, when there is no line */
    /* MODULE+0xOFFSET of the site, when its own line is not known, else NULL */
    const char *code;
    const char *module;         /* path, or NULL */
    const char *construct, *runtime;
    uint32_t first, last;       /* sites, a list by summary.next_site; LPF_NONE: the root */
    bool root;                  /* the program's own strands, outside every task */
    bool lower_bound;
    bool took_others;           /* LPF_SITE_TOOK_OTHERS, of one of the sites */
    bool recursive;             /* some of its tasks run inside others of the site */
    /* wait: strands waited here, and spawned nothing; `top` has the count and the time. in_order:
     * the span includes the wait */
    bool wait, in_order;
    uint32_t mpi;               /* LPF_SITE_MPI: why strands were in a call of MPI; 0: none */
    /* its parallelism is at most the number of threads that ran it, whatever the program allows */
    bool as_executed;
    uint64_t tasks, invocations, steals;
    uint64_t spawned;           /* tasks that its strands spawned, of any site */
    uint64_t parts;             /* its tasks that have work of their own: site_tasks.h */
    struct cut cut;             /* of its loops */
    /* executions of a region in a team of one thread, and their work: struct lpf_team_of_one */
    struct { uint64_t executions, work; } of_one;
    /* How its own work (local.work) is spread: the cost of the longest task; a lower bound of the
     * threads that executed tasks; and of the busiest thread its id and lower bounds of its work
     * and its tasks. All 0: the profile does not have it. */
    uint64_t longest, busiest_work, busiest_tasks, busiest_tid;
    uint32_t threads;
    /* chunks that the loops of a region handed out: struct lpf_handed; 0: none, or not known */
    struct { uint64_t chunks, work, longest; } handed;
    /* COUNT of its PARTS of strands are outliers: they took at least 1.5 times as long as their
     * like. Together they took EXCESS more; the longest took LONGEST. COUNT 0: there are none, or
     * the profile does not have them. */
    struct { uint64_t parts, count, excess, longest; } outliers;
    struct measure top, topcaller, local;       /* of the work */
    struct measure on_top, on_topcaller, on_local; /* of the span; on_local.span sums to T_inf */
    double share;               /* on_local.span / T_inf: TaskProf's share of the critical path */
};

/* The mean cost of R's parts. Where these are chunks that a region handed out, what its threads did
 * beside them is no part of it. */
static inline double row_mean(const struct row *r)
{
    bool chunks = r->handed.chunks && r->handed.chunks == r->parts;
    return r->parts ? (double)(chunks ? r->handed.work : r->local.work) / r->parts : 0;
}

struct summary {
    const struct profile *profile;
    struct symbols *symbols;
    struct row *rows;
    size_t row_count;
    /* the rows of waits, longest first; `rows` does not have them */
    struct row *waits;
    size_t wait_count;
    /* the rows of calls of MPI, longest first; neither of these has them */
    struct row *calls;
    size_t call_count;
    uint32_t *next_site;        /* the next site of the same row, or LPF_NONE */
    uint64_t burdened_cost;     /* burdened span in clock units, never less than the span */
    /* ns, or the clock's unit; divisible_span: of the dag whose chunks are divided */
    double work, span, burdened_span, divisible_span;
    double parallelism, burdened_parallelism, divisible_parallelism;   /* 0: the span is 0 */
    double typical_span, typical_parallelism;   /* the span without outliers */
    double burden;
    struct standstill standstill;
    bool as_executed;    /* a row is as executed */
    /* threads of the program's own are most of the critical path, several of one site: they may
     * have shared out their work in this run, as a pool does. Nothing shows whether they did */
    bool pooled;
    struct cut cut;      /* of all rows */
    uint32_t note_kinds; /* 1 << kind of every note */
    /* This run decided in which order these took messages or items, which its critical path depends
     * on */
    struct { bool flow, pipeline, mpi; } ordered;
    double strands, average_strand;
    /* average_strand below Cilkview's limit; never by the virtual clock */
    bool short_strands;
};

/* RAW: each site has a row of its own. P must outlive M. */
void summary_new(struct summary *m, const struct profile *p, bool raw);
/* The same, with the symbols S, which are M's now. */
void summary_new_with(struct summary *m, const struct profile *p, bool raw, struct symbols *s);
void summary_free(struct summary *m);

/* By site of the profile: its row; NULL: none, as of a wait. The caller frees the array. */
const struct row **summary_rows_of_sites(const struct summary *m);

/* Bounds on the speedup on P processors: Cilkview, inequalities (3), (4), (6). */
double summary_upper(const struct summary *m, unsigned p);
/* libprof takes its own cost off the strands. The cost of events of tasks is calibrated, not
 * measured. So where tasks are small, a small error of that cost is a large one of what is left.
 * The most that was taken off row R's own strands, or off the whole program if R is NULL, in ns, if
 * it is at least as much as the work that is left there. Then work, span and their ratio are
 * estimates. Else 0; or the cost of rare work, which is measured, may be most of it; or the clock
 * does not count it. */
double summary_taken_most(const struct summary *m, const struct row *r);
/* Did this run decide the order of messages or items? Another run may have another critical path.
 */
bool summary_in_run_order(const struct summary *m);
/* Do they have a lower one, summary_lower? Not those of a job: no scheduler moves work from rank to
 * rank. */
bool summary_has_lower(const struct summary *m);
/* The upper bound for the divided dag, in which a chunk of a loop costs what one of its iterations
 * costs on average. */
double summary_upper_divided(const struct summary *m, unsigned p);
/* Do the program's loops allow more parallelism than the chunks of this run have? */
bool summary_loops_divide(const struct summary *m);
/* Did the program choose the size of all their chunks? */
bool summary_cut_by_program(const struct summary *m);
/* Did most of the work of R, a region, run in teams of one thread, though there were more? */
bool summary_is_of_one(const struct row *r);
/* The region of which most ran in teams of one thread, if that is a good part of the program's
 * work; NULL: it is not. *WORK, unless WORK is NULL: the ns of all such regions, at most the
 * program's. Whatever the dag's parallelism, no other thread could take a part of this work. */
const struct row *summary_of_one(const struct summary *m, double *work);
/* A loop with a chunk that took much more than the mean, though chunks of equal iterations do not,
 * and is most of the critical path. Then perhaps one iteration did. NULL: there is none. */
const struct row *summary_long_chunk(const struct summary *m);
/* A loop whose longest chunk is most of the critical path, and took far longer than the others,
 * though all have as many iterations, so that these cost more in one than in another. NULL: there
 * is none, or it is not known. */
const struct row *summary_unlike_chunk(const struct summary *m);
/* May the program have cut loops whose chunks count as the runtime's? So it is for OpenMP's
 * schedules other than dynamic: a profile does not have their chunk size. */
bool summary_cut_by_either(const struct summary *m);
/* summary_loops_divide for the span SPAN, and the span DIVISIBLE of the divided dag. */
bool summary_divides(double span, double divisible);
/* The upper bound for the typical dag. */
double summary_upper_typical(const struct summary *m, unsigned p);
/* Do outliers make the parallelism notably smaller? */
bool summary_has_outliers(const struct summary *m);
/* Is most of the critical path in threads that the program started, so that their number limits
 * the parallelism? */
bool summary_limited_by_threads(const struct summary *m);
double summary_lower(const struct summary *m, unsigned p);
/* The lower bound for WORK and the burdened span BURDENED. It is at least 1, because one processor
 * is enough for that. */
double summary_least(double work, double burdened, double p);
/* Fills P with the numbers of processors that a speedup table shows, at most CAPACITY. Returns how
 * many. */
unsigned summary_processors(const struct summary *m, unsigned *p, unsigned capacity);

/* Sorts rows by KEY, largest first (names: ascending). Returns 0, or -1 if there is no such KEY. */
int summary_sort(struct summary *m, const char *key);
/* The keys, separated by commas, in a static buffer. */
const char *summary_sort_keys(void);
bool summary_is_sort_key(const char *key);

/* The row with the largest part of the critical path; NULL: there is no span. */
const struct row *summary_heaviest(const struct summary *m);

/* The time that strands waited to enter critical sections or take locks, in ns: not in the span.
 * *LONGEST: the place with the longest wait; NULL: there is none. */
double summary_exclusion(const struct summary *m, const struct row **longest);

/* Time of strands in calls of MPI, in ns, by what it was for. They are part of the idle time, but
 * `transfer`, which is part of the runtime's time between strands. */
struct mpi_time {
    double late_sender, late_receiver, collective, sent, transfer;
    double start_end;           /* the part of TRANSFER in MPI_Init and MPI_Finalize */
    double unknown;             /* the part of it that may be waits: summary_may_wait_in_mpi */
};
/* Is R, a row of m->calls, MPI_Init or MPI_Finalize, which each rank calls once? */
bool summary_starts_or_ends_mpi(const struct row *r);
/* Is R, a row of m->calls, a poll, or one of a file, a window or neighbours? There libprof does not
 * tell waits for other ranks from transfers. */
bool summary_may_wait_in_mpi(const struct row *r);
struct mpi_time summary_mpi(const struct summary *m);
/* POP's efficiencies of an MPI job, 0 to 1: where the time of the ranks went (POP Standard Metrics
 * for Parallel Performance Analysis, pop-coe.eu). The job's critical path stands for the run time
 * on a network without transfer times:
 *
 *   parallel = load_balance x communication    mean work / elapsed
 *   load_balance                               mean work / most work of a rank
 *   communication = serialisation x transfer   most work / elapsed
 *   serialisation                              most work / critical path
 *   transfer                                   critical path / elapsed
 *
 * If ranks have several workers, what a rank does outside MPI takes the place of its work (POP's
 * multiplicative model of hybrid programs), and a factor for the workers comes in:
 *
 *   parallel = mpi x threads                   work / sum over ranks of workers x elapsed
 *   mpi = load_balance x communication         mean time outside MPI / elapsed
 *   load_balance                               mean time outside MPI / most of a rank
 *   communication                              most time outside MPI / elapsed
 *   threads                                    the rest: idleness and overhead within the ranks
 *
 * False: they are not known. */
struct efficiencies {
    bool hybrid;                /* ranks have several workers */
    double parallel, load_balance, communication;
    double serialisation, transfer;     /* not of hybrid jobs */
    /* tasks make the critical path shorter than the most work of a rank, which one worker has to
     * do: that work stands for the path */
    bool by_work;
    double mpi, threads;        /* of others, mpi is parallel, and threads is 1 */
};
bool summary_efficiencies(const struct summary *m, struct efficiencies *e);
/* The same of a region: of what the ranks' main threads did in it, elapsed is the time of the rank
 * that was in it longest, and a rank that was never in it did nothing. Serialisation and transfer
 * are not known (NAN): the critical path's part in a region is not. */
bool summary_region_efficiencies(const struct summary *m, const struct lpf_region_rank *r,
                                 struct efficiencies *e);
/* Is the profile of one rank of a job, whose critical path leads through other ranks, too? */
bool summary_is_one_rank(const struct summary *m);

/* Work / span, at least 1: where samples split both, each has an error of its own. 0: there is no
 * span. */
static inline double summary_parallelism(double work, double span)
{
    return span > 0 ? work > span ? work / span : 1 : 0;
}

/* A / B, or 0 if B is not positive. */
static inline double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

#endif
