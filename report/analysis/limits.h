/* limits.h - what limits a program, from its ledger. The costliest finding comes first. Each has
 * its share of the worker time and, if the profile shows them, the reason and the place.
 */
#ifndef REPORT_ANALYSIS_LIMITS_H
#define REPORT_ANALYSIS_LIMITS_H

#include "analysis/ledger.h"
#include "analysis/paths.h"
#include "analysis/summary.h"

/* A finding has at least this share of the worker time. */
#define LIMIT_WORTH 0.05
/* So much parallelism, or so many tasks, for each worker is enough. */
#define LIMIT_AMPLE 10
/* A task with less of the program's own code than this is small: a runtime needs 0.05 to 1 us for
 * a task, which is a good part of it. */
#define LIMIT_SMALL_NS 2e3
/* Below this length a task may be fine-grained, above it coarse. Barriers closer together than this
 * cost a good part of the time. */
#define LIMIT_FINE_NS 20e3
/* If idle workers had no CPU for more than this share of the worker time, the report names this
 * beside any other cause of their idleness. */
#define LIMIT_READY 0.10
/* A thread with at least this share of the work has executed it alone. */
#define LIMIT_ALONE 0.9
/* If each thread of a region has about so many strands, the barriers between them are in an inner
 * loop. */
#define LIMIT_MANY_STRANDS 100
/* If libprof has more of the samples in strands than this, work and span are mostly its own. */
#define LIMIT_MOSTLY_LIBPROF 0.5
/* Code whose work exceeds its span by less than this factor is serial: samples split both, each
 * with an error. */
#define LIMIT_SERIAL 1.05

/* So many samples of waits on the CPU, and so much of the work, are no chance: threads wait for
 * each other there, however short these waits were in this run. */
#define LIMIT_SPIN_SAMPLES 2
#define LIMIT_SPIN_PART 0.005

enum limit {
    LIMITED_BY_OVERHEAD, /* the runtime's time */
    LIMITED_BY_LIBPROF,
    LIMITED_BY_SPAN,     /* idle, as far as the critical path can explain it */
    LIMITED_BY_WAITS,    /* waits for a critical section or lock */
    LIMITED_BY_MPI,      /* ranks in MPI: they wait for each other, or transfer */
    LIMITED_BY_IDLENESS, /* the rest of the idle time */
    LIMITED_BY_BLOCKING, /* off the CPU inside strands */
    LIMITED_BY_SPINNING, /* a part of the work: strands waited on the CPU */
    LIMITS
};
/* The names in the JSON, by enum limit. */
extern const char *const limit_names[LIMITS];

enum limit_reason {
    REASON_UNKNOWN,
    REASON_SMALL_TASKS, /* overhead; or idleness, if tasks are too small to be worth stealing */
    REASON_BARRIERS,    /* overhead; or idleness, if threads wait for each other at barriers */
    REASON_ONE_THREAD,  /* idleness: one thread executed what is parallel */
    REASON_UNDEFERRED,  /* the same, because there were more OpenMP tasks than runtimes defer */
    REASON_FEW_TASKS,   /* idleness: too few tasks at a time */
    REASON_PREEMPTED,   /* idleness or blocked: other programs or threads had the CPUs */
    REASON_ABSENT,      /* idleness: slots had no thread */
    REASON_OFF_CPU,     /* idleness of the only worker: it was off the CPU */
    REASON_TEAM_OF_ONE, /* idleness: regions ran in teams of one thread */
    REASON_UNEQUAL,     /* idleness: a region's threads had unequal parts of it */
    REASONS
};
/* The names in the JSON, by enum limit_reason. */
extern const char *const limit_reasons[REASONS];

struct finding {
    enum limit what;
    enum limit_reason why;
    double ns, share;      /* ns of worker time; their share of it, 0 to 1 */
    double of_ends;        /* the part of NS of the start and end of MPI: it makes none first */
    const struct row *row; /* the place; NULL: no single place */
    const struct path_node *caller; /* of LIMITED_BY_SPINNING: what spun most; NULL: otherwise */
};

struct limits {
    struct ledger ledger;
    struct finding found[LIMITS]; /* largest first, without of_ends */
    unsigned count;
    /* the program's own code in a mean task and a mean strand, without the runtime's share by
     * samples; ns or the clock's unit. task_own is 0 if there were no tasks */
    double task_own, strand_own;
    /* by how much all tasks' own code may be off by sampling (95 %), in that unit; and the most it
     * may be, as far as that is known: without libprof's cost, if too much of that was taken off */
    double own_error, own_most;
    bool short_strands; /* strand_own is below Cilkview's limit */
    /* ns in which threads could have run but had no CPU; below 0: the profile does not have it */
    double preempted;
    double without_cpu; /* ns in which threads between strands had none; 0: as above, or none */
    /* more of the idle time was for lack of a CPU than for lack of a task */
    bool busy_machine;
    bool partly_busy; /* a good part of the idle time was */
    bool crowded; /* more workers than processors: at any time, some of them had no CPU */
    bool processors_full; /* the process had nearly all the time of its processors */
    /* its own threads, more than its processors, may be why they had no CPU most of that time */
    bool crowds_itself;
    /* ns of idle time that the critical path may explain beside LIMITED_BY_SPAN: then the workers
     * had no CPU, either */
    double span_too;
    double spun; /* the share of waits on the CPU in the work, by samples; 0: too few for any */
    /* the most idle ns beside LIMITED_BY_SPAN that phases, one after the other, may explain by the
     * parallelism of each, if that of the whole run is ample */
    double phases;
    double taken;    /* summary_taken_most of the program: above 0, work and span bound nothing */
    double own_part; /* the share of libprof in the strands' samples; 0: it may be by chance */
};

/* The most idle time, in ns, of SLOTS that M's critical path explains: (P - 1) spans (Graham).
 * Where each part has a thread of its own, nobody waits for longer than until the longest part
 * ends. That holds of these parts' share of the path alone: other phases, before and after, may
 * have few tasks, however much work the whole run has. LONGER: all strands took so many times
 * their work. */
double limits_by_span(const struct summary *m, double slots, double longer);
/* The ns that the threads of region R waited for its longest part, if each had one part. */
double limits_unequal(const struct summary *m, const struct row *r);
/* The deviation by sampling of the overhead in strands, whose cost is ALL. */
double limits_inside_deviation(const struct summary *m, const struct path_cost *all);
/* T may be NULL. M must outlive L. */
void limits_new(struct limits *l, const struct summary *m, const struct paths *t);

/* The site with the most tasks; NULL: there is none. */
const struct row *limits_most_tasks(const struct summary *m);
/* How many of a site's TASKS there are at a time: tasks for each of the site's ON_COUNT invocations
 * on the critical path. 0: none is on it. */
double limits_at_a_time(uint64_t tasks, uint64_t on_count);
/* The barriers of each invocation of a parallel region on each of its threads. 0: ROW is no
 * parallel region, or has few barriers. */
double limits_barriers(const struct summary *m, const struct row *row);
/* A region's TASKS are strands. True: they were chunks of loops of the profile P. False: they were
 * strands between barriers. Each barrier gives each thread of the team a strand. A loop gives
 * chunks to the threads that ask. */
bool limits_are_chunks(const struct profile *p, uint64_t tasks, uint64_t busiest_tasks,
                       uint32_t threads);

#endif
