/* job_scaling.h - `prof bench --mpi`: how an MPI job scales with its number of ranks, and POP's
 * efficiencies at each.
 *
 * A round runs the job at each P natively and under `prof run`. The next round runs them in the
 * opposite order. Native runs give the times, profiled runs the efficiencies.
 */
#ifndef REPORT_BENCH_JOB_SCALING_H
#define REPORT_BENCH_JOB_SCALING_H

#include <stdbool.h>
#include <stdio.h>
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "bench/bench.h"

struct options;

/* What a number of ranks gave: means over its runs. */
struct job_point {
    unsigned p;
    struct moments native, profiled;    /* elapsed, ns */
    unsigned profiles;          /* runs with a profile of all ranks, whose efficiencies are known */
    unsigned alone;             /* runs whose profile is not of a job of P ranks */
    struct efficiencies efficiencies;
    double work, span, workers;
    struct bench_findings findings;     /* of the last run's profile */
    char *profile;              /* the last run's, beside the output; NULL: none */
};

struct job_scaling {
    char **command;             /* NULL-terminated */
    const char *launcher;       /* shell words before the program, with {P} */
    const char *output;         /* BASE of BASE.pP.prof; NULL: profiles are removed */
    unsigned rounds;
    bool weak;                  /* the job's work grows with P: a rank's is to stay the same */
    double cpus;                /* that prof may use here */
    struct job_point points[BENCH_PROCESSORS];    /* ascending by p */
    unsigned count;
};

/* Runs all. Returns prof's exit status: 2 after a line on stderr, if a run failed. */
int job_scaling_run(struct job_scaling *b);
void job_scaling_free(struct job_scaling *b);
/* Speedup over the smallest P, per rank (weak: not per rank); and how much less work that P had, in
 * all (weak: of a rank). NAN: not known. */
double job_efficiency(const struct job_scaling *b, unsigned i);
double job_work_scaling(const struct job_scaling *b, unsigned i);
void job_scaling_text(const struct job_scaling *b, const struct options *o, FILE *out);
struct json_t *job_scaling_json(const struct job_scaling *b);

#endif
