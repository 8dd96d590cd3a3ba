/* bench.h - the measurements of `prof bench`, and the figures derived from them.
 *
 * struct bench is the data: trials, facts of the machine, a few figures of the profiles. trials.c
 * fills it; file.c saves and loads it. factored.c derives all that is shown from this data alone,
 * so a saved bench shows the same as the bench that ran. The terms are those of Acar, Chargueraud
 * and Rainey, section 2. T_s, T_1 and T_P are the expected times of the baseline, of the program
 * with one worker, and with P. I_P is the idle time. W_P = P T_P - I_P. F_P = W_P - T_1. All times
 * are in ns, as double.
 */
#ifndef REPORT_BENCH_BENCH_H
#define REPORT_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum trial_kind {
    TRIAL_NATIVE, TRIAL_PROFILED,
    TRIAL_BASELINE, TRIAL_ELISION,
    TRIAL_COPIES,               /* P copies of the one-worker program at once */
    TRIAL_ONE,                  /* one worker, but {P} is replaced by P */
    TRIAL_KINDS
};
extern const char *const trial_kinds[TRIAL_KINDS];      /* "native", ... */

enum { BENCH_PROCESSORS = 64, BENCH_MAX_P = 1024, BENCH_ROUNDS = 1000, BENCH_FUNCTIONS = 24 };

/* What limits a profiled trial: the findings of its profile (analysis/causes.h), with their texts,
 * so that a saved bench shows the same. */
struct bench_finding {
    char *id, *function, *file, *text, *remedy;     /* FUNCTION, FILE: "": unknown */
    double line;                /* 0: unknown */
    double gain, low, high, share, worker;
};
struct bench_findings {
    bool known;                 /* false: the profile has no clock of time, or no samples */
    struct bench_finding *all;  /* largest gain first */
    size_t count;
};

/* The figures of a profiled trial's profile. Costs (work, span, ...) are in ns only if TIMED. */
struct trial_profile {
    bool timed, exact;
    double elapsed, startup;    /* the time that libprof recorded; the time before it started */
    double search, sleep, dispatch, blocked, own, threads_time;        /* as in lpf_totals */
    double work, overhead, span, burdened_span, average_strand;
    double divisible_span, typical_span;                               /* 0: unknown */
    /* chunks of the loops that divide, by who chose their size; all 0: there are none, or the
     * profile does not show it. Either: OpenMP's schedules where the profile does not show who
     * did */
    double chunks_by_runtime, chunks_by_program, chunks_by_either;
    double threads, workers, samples, tasks, steals;   /* THREADS: those that ran tasks */
    double few_steals;          /* how many its burden is measured from, if these are too few */
    double busy_threads;        /* those, and others with a good part of the work; 0: unknown */
    double runtimes;            /* how many of TBB and OpenMP ran tasks; 0: unknown */
    /* where work and span are estimates, why: as much of libprof's own cost as was taken off, or
     * the share of the strands' samples that are libprof's. Both 0: they are none */
    double taken, own_part;
    struct bench_findings findings;
};

struct trial {
    enum trial_kind kind;
    unsigned p, round;
    double wall, cpu;
    /* on all CPUs during the trial: CPU time of other processes, and time that the hypervisor
     * stole */
    double other, steal;
    double delay;               /* time in which the first thread could have run but had no CPU */
    bool signaled;
    int code;                   /* the exit status, or the signal */
    uint64_t output;            /* a hash of the output to stdout */
    bool has_profile;
    bool no_tasks;              /* it has none because the program had no tasks */
    struct trial_profile profile;
};

/* A function's work in the profiled trials: to find functions whose work grew with P. */
struct bench_function {
    char *function, *file;      /* FILE "": unknown */
    /* over the trials of bench.p[i]: the mean of the work, the sum of the samples */
    double work[BENCH_PROCESSORS], samples[BENCH_PROCESSORS];
};

struct bench_machine {
    char *host, *cpu, *governor;        /* "": unknown */
    double cpus, allowed;       /* CPUs online; CPUs that the trials could use */
    double quota;               /* of the cgroup, in cores; 0: none */
    bool smt;
    double load;                /* the 1-minute average before the first trial */
    double throttled;           /* ns that the cgroup was throttled during the trials */
    /* the time of a loop that uses registers only, by round: on one core, and on LOOP_P at once */
    unsigned loops;
    double loop_p, *loop_one, *loop_all;
};

struct bench {
    char **command;             /* NULL-terminated */
    char *baseline, *elision;   /* shell commands, or NULL */
    /* how the number of workers was set: "runtime", "affinity", "none" */
    char *control;
    bool placeholder;           /* COMMAND has a {P} */
    /* under the virtual clock, a time is the length of a greedy schedule of the recorded dag */
    bool virtual;
    unsigned p[BENCH_PROCESSORS], p_count;      /* ascending; the first is 1 */
    unsigned rounds;            /* the number that was asked for */
    bool interrupted;
    double start_unix_ns;
    struct trial *trials;
    size_t trial_count;
    struct bench_machine machine;
    struct bench_function *functions;
    size_t function_count;
};

void bench_free(struct bench *b);
struct trial *bench_add(struct bench *b);       /* adds a trial; all of it is 0 */
/* The trial with a profile, on P workers, whose time is the nearest to the mean; NULL: there is
 * none. */
const struct trial *bench_nearest_to_mean(const struct bench *b, unsigned p);

/* ---- file.c ---- */
struct json_t;
/* A new reference. */
struct json_t *bench_json(const struct bench *b);
/* Loads *B from PATH. Returns 0, or -1 after one line on stderr. The file may be hostile: all that
 * is loaded is within the limits above. */
int bench_load(struct bench *b, const char *path);

/* ---- findings.c ---- */
struct options;
struct summary;
struct paths;
/* The findings of M's profile; PATHS may be NULL. */
void findings_take(struct bench_findings *f, const struct summary *m, const struct paths *paths);
/* Those in J, which may be hostile; and a new reference. */
void findings_load(struct bench_findings *f, const struct json_t *j);
struct json_t *findings_json(const struct bench_findings *f);
void findings_free(struct bench_findings *f);
/* Prints the first of them. */
void findings_text(const struct bench_findings *f, const struct options *o, FILE *out);

/* ---- factored.c, and the files that it calls (factored_private.h) ---- */

struct stat_of {
    unsigned n;
    double mean, median, min, max;
    double half;                /* half the 95 % interval of the mean (Student); -1: fewer than 2
                                 * trials */
};

enum curve {
    CURVE_LINEAR,
    CURVE_ELISION,
    CURVE_MAXIMAL,
    CURVE_IDLE,
    CURVE_INFLATION,
    CURVE_ACTUAL,
    CURVES
};
extern const char *const curve_names[CURVES];

/* The program at one P. NAN: not known. */
struct point {
    unsigned p;
    bool over;                  /* P is above the number of cores: no conclusion uses the point */
    struct stat_of native, profiled, idle;
    struct stat_of one;         /* T_1; T_1^P (section 3.1, chart 3.f) if the work depends on {P} */
    double perturbation;        /* profiled mean / native mean */
    /* idle.mean divided by the perturbation; I_P lies between this and idle.mean */
    double idle_low;
    /* of the profiled trials, with one worker and with P: exact work, and the runtime's time
     * between strands. NAN: no clock of time, no profiles, or another T_1 for each P */
    double work_one, work_all;
    /* work_all / work_one; the efficiency T_s / (P T_P); Karp and Flatt's serial fraction. Of each
     * half a 95 % interval, by the spread of the trials */
    double growth, growth_half, efficiency, efficiency_half, serial, serial_half;
    /* W_P; F_P; half an interval of F_P, from the trials' spread and from the range of I_P. NAN:
     * not known, as I_P, of the profiled trials, is all of the native trials' time or more */
    double w, f, f_error;
    /* parts of F_P: off the CPU inside tasks; the runtime; the program's own code */
    double blocked, scheduling, user;
    double search, sleep, absent;       /* parts of I_P; ABSENT: slots without a thread */
    /* gap: A linear - maximal, B maximal - idle, C maximal - inflation, D maximal - actual */
    double curve[CURVES], gap[4];
    double speedup, speedup_half;       /* T_1 / T_P by medians; half an interval, by the spread */
    /* bounds by one profile; upper_divided: of the divided dag; upper_typical: of the typical
     * dag */
    double lower, upper, upper_divided, upper_typical;
    double threads, parallelism;
};

enum baseline_source { BASELINE_COMMAND, BASELINE_ELISION, BASELINE_ESTIMATE, BASELINE_ONE };

enum mark { MARK_WORD, MARK_WARNING };
struct words {
    enum mark mark;
    const char *cause;          /* from the list in docs/SCALING.md; "": none */
    char *text;
};

/* A function whose work grew between one worker and the point that is judged: by MORE ns, +- HALF
 * by the number of samples. */
struct grown {
    const struct bench_function *function;
    double more, half;
};
enum { BENCH_GROWN = 3 };

struct factored {
    const struct bench *bench;
    int expected[TRIAL_KINDS];  /* the exit status that a trial must have to count */
    unsigned cores;             /* the cores that the trials had: CPUs, or less by a quota */
    struct stat_of t_s, t_elision;
    enum baseline_source source;
    bool elision_estimated;
    /* the runtime's overhead as a share of T_1, by the profile of one worker; NAN: unknown */
    double tasking_share;
    /* the part of T_1 in which it could have run but had no CPU; 0: T_s is no estimate */
    double delayed;
    double implausible;         /* that share if tasks cannot cost so much; else NAN */
    struct point points[BENCH_PROCESSORS];
    unsigned count;
    int judged;                 /* index of the largest P that the cores can run; -1: none */
    const struct bench_findings *findings;      /* of its profile nearest to the mean; NULL: none */
    struct grown grown[BENCH_GROWN];    /* there, the largest growth first */
    unsigned grown_count;
    int bounds;                 /* index of the point whose profile gives the bounds; -1: none */
    double bound_work, bound_span, bound_burdened, bound_divisible, bound_typical;
    bool bound_exact;
    double bound_taken, bound_own_part; /* of that profile: trial_profile */
    bool bound_estimated;       /* one of them is not 0: work and span are estimates */
    unsigned few_steals;        /* of that profile; 0: its burden is known */
    /* The loops of that profile were cut, and allow more: bound_divisible is shorter. The program
     * cut all of them, whatever P is; it or P did; or P did. */
    bool loops_divide, cut_by_program, cut_by_either;
    bool has_outliers;          /* bound_typical is shorter */
    double machine_slowdown;    /* the loop's time on all cores / on one; 1: none */
    /* the time of P copies of the one-worker program at once / of one alone; NAN: not tried */
    double copies;
    struct words *words;
    size_t word_count;
};

void factored_new(struct factored *f, const struct bench *b);
void factored_free(struct factored *f);
double factored_lower(const struct factored *f, double p);
double factored_upper(const struct factored *f, double p);
double factored_upper_divided(const struct factored *f, double p);
double factored_upper_typical(const struct factored *f, double p);
/* Does trial T count? It does if it ended with the expected status. */
bool factored_counts(const struct factored *f, const struct trial *t);
struct json_t *factored_json(const struct factored *f);

/* ---- text.c, forms.c ---- */
void bench_text(const struct factored *f, const struct options *o, FILE *out);
void bench_csv(const struct factored *f, FILE *out);
void bench_gnuplot(const struct factored *f, FILE *out);

/* ---- machine.c ---- */
void machine_facts(struct bench_machine *m);
/* Times one round of the loop, on one core and on P. */
void machine_loop(struct bench_machine *m, unsigned p);
/* ns since boot, on all CPUs: in use, and stolen by the hypervisor. */
void machine_cpu(double *busy, double *steal);
/* ns for which the cgroup has been throttled; 0: not known. */
double machine_throttled(void);

/* ---- trials.c ---- */
struct bench_how {
    const char *output;         /* -o: profiles are kept as OUTPUT.pP.prof; NULL: not kept */
    bool copies, quiet;
    bool one;                   /* run TRIAL_ONE at each P */
    const char *control;        /* NULL: the setting of the program's runtime */
    char *const *settings;      /* NAME=VALUE, for every trial of the program */
    unsigned setting_count;
};
/* Runs the trials. The caller has set command, baseline, elision, p and rounds of B. Returns 0, or
 * an exit status after one line on stderr. */
int bench_trials(struct bench *b, const struct bench_how *how);

#endif
