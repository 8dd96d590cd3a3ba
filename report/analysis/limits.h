/* limits.h - what limits a program, from its closed ledger: what costs most first, each finding
 * with its share of the worker time and, where the profile says so, why and where.
 */
#ifndef REPORT_ANALYSIS_LIMITS_H
#define REPORT_ANALYSIS_LIMITS_H

#include "analysis/ledger.h"
#include "analysis/model.h"
#include "analysis/paths.h"

/* Below this share of the worker time nothing is a finding; idleness above this asks for its
 * reason. */
#define LIMIT_WORTH 0.05
#define LIMIT_IDLE 0.20
/* Enough parallelism for a worker; as many tasks. */
#define LIMIT_AMPLE 10
/* Tasks of less of the program's own code are small: what a runtime needs for one, 0.1 to 1 us, is
 * a good part of it. */
#define LIMIT_SMALL_NS 2e3
/* Tasks of more are no fine grain, whatever the runtime does besides; of less, no coarse one.
 * Barriers so close to each other cost a good part. */
#define LIMIT_FINE_NS 20e3
/* Code that is on the CPU for so much longer than its span still is serial: samples split both. */
#define LIMIT_SERIAL 1.05

enum limit {
    LIMITED_BY_OVERHEAD, /* the runtime's time */
    LIMITED_BY_LIBPROF,
    LIMITED_BY_SPAN,     /* idle, as far as the critical path can explain it */
    LIMITED_BY_WAITS,    /* idle, to get in where one at a time may be */
    LIMITED_BY_IDLENESS, /* idle, the rest */
    LIMITED_BY_BLOCKING, /* off the CPU inside strands */
    LIMITS
};
/* By enum limit, as the JSON has them. */
extern const char *const limit_names[LIMITS];

enum limit_reason {
    REASON_UNKNOWN,
    REASON_SMALL_TASKS, /* of overhead; of idleness: too small to be worth stealing */
    REASON_BARRIERS,    /* of overhead; of idleness: its threads wait for each other there */
    REASON_ONE_THREAD,  /* of idleness: one thread executed what is parallel */
    REASON_UNDEFERRED,  /* the same, of more OpenMP tasks than the runtimes let wait */
    REASON_FEW_TASKS,   /* too few at a time */
    REASON_PREEMPTED,   /* others had the processors */
    REASON_ABSENT,      /* threads that were not there */
    REASON_OFF_CPU,     /* one worker has nobody to wait for: it was off the CPU */
    REASONS
};
extern const char *const limit_reasons[REASONS];

struct finding {
    enum limit what;
    enum limit_reason why;
    double ns, share;      /* of the worker time */
    const struct row *row; /* where; NULL: no one place */
};

struct limits {
    struct ledger ledger;
    struct finding found[LIMITS]; /* largest first */
    unsigned count;
    /* of the program's own code, without what samples say is the runtime's; ns or the clock's unit;
     * 0: there were no tasks */
    double task_own, strand_own;
    bool short_strands; /* strand_own is below Cilkview's limit */
    /* off the CPU though they could have run; below 0: the profile does not say */
    double preempted;
    /* more of the time without work was for want of a processor than for want of work */
    bool busy_machine;
};

/* T may be NULL. M must outlive L. */
void limits_new(struct limits *l, const struct model *m, const struct paths *t);

/* Tasks of the site for each invocation on the critical path: how many there are at a time. 0: none
 * is on it. */
double limits_at_a_time(uint64_t tasks, uint64_t on_count);
/* Barriers in each invocation of a parallel region on each of its threads; 0: ROW is none. */
double limits_barriers(const struct row *row);

#endif
