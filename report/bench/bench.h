/* bench.h - what `prof bench` measures, and what follows from it.
 *
 * struct bench is the data: trials, facts of the machine, a few figures of the profiles. trials.c
 * fills it, file.c saves and loads it. factored.c derives all that is shown from it alone, so a
 * saved bench shows what it showed when it ran. The terms are those of Acar, Chargueraud, Rainey,
 * section 2. T_s, T_1, T_P: expected times of the baseline, of the program with one worker, with P.
 * I_P: idle time. W_P = P T_P - I_P. F_P = W_P - T_1. All times are ns, as double.
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
    TRIAL_COPIES,               /* P runs of the one-worker program at once */
    TRIAL_ONE,                  /* one worker, but {P} stands for P */
    TRIAL_KINDS
};
extern const char *const trial_kinds[TRIAL_KINDS];      /* "native", ... */

enum { BENCH_PROCESSORS = 64, BENCH_MAX_P = 1024, BENCH_ROUNDS = 1000, BENCH_FUNCTIONS = 24 };

/* Of a profiled trial's profile. Costs (work, span, ...) are ns only where TIMED. */
struct trial_profile {
    bool timed, exact;
    double elapsed, startup;    /* recorded by libprof; before libprof started */
    double search, sleep, dispatch, blocked, own, threads_time;        /* as in the ledger */
    double work, overhead, span, burdened_span, average_strand;
    double divisible_span;                                             /* 0: unknown */
    double threads, workers, samples, tasks, steals;                   /* THREADS: that ran tasks */
    double runtimes;            /* that have workers of their own: of TBB and OpenMP; 0: unknown */
};

struct trial {
    enum trial_kind kind;
    unsigned p, round;
    double wall, cpu;
    /* CPU time of other processes meanwhile, and time stolen by the hypervisor; all CPUs */
    double other, steal;
    double delay;               /* for so long its first thread could have run, but others had the
                                   CPUs */
    bool signaled;
    int code;                   /* exit status, or the signal */
    uint64_t output;            /* hash of what it wrote to stdout */
    bool has_profile;
    struct trial_profile profile;
};

/* A function's work in the profiled trials, to find those whose work grew with P. */
struct bench_function {
    char *function, *file;      /* FILE: "" unknown */
    /* mean and sum over the trials of bench.p[i] */
    double work[BENCH_PROCESSORS], samples[BENCH_PROCESSORS];
};

struct bench_machine {
    char *host, *cpu, *governor;        /* "": unknown */
    double cpus, allowed;       /* online; that the trials could use */
    double quota;               /* of the cgroup, in cores; 0: none */
    bool smt;
    double load;                /* 1-minute average before the first trial */
    double throttled;           /* ns that the cgroup was throttled, during the trials */
    /* timings of one register-only loop, one a round: on one core, and on LOOP_P at once */
    unsigned loops;
    double loop_p, *loop_one, *loop_all;
};

struct bench {
    char **command;             /* NULL-terminated */
    char *baseline, *elision;   /* shell commands, or NULL */
    /* how the number of workers was set: "runtime", "affinity", "none" */
    char *control;
    bool placeholder;           /* {P} stands in COMMAND */
    /* the virtual clock: a time is the length of a greedy schedule of the recorded dag */
    bool virtual;
    unsigned p[BENCH_PROCESSORS], p_count;      /* ascending; the first is 1 */
    unsigned rounds;            /* asked for */
    bool interrupted;
    double start_unix_ns;
    struct trial *trials;
    size_t trial_count;
    struct bench_machine machine;
    struct bench_function *functions;
    size_t function_count;
    /* the function that holds most of the critical path, and where; "": unknown */
    char *critical;
    double critical_share;
};

void bench_free(struct bench *b);
struct trial *bench_add(struct bench *b);       /* a zeroed one at the end */

/* file.c. DERIVED is added under "derived" and never read. */
struct json_t;
struct json_t *bench_json(const struct bench *b);
/* 0, or -1 with one line on stderr. The file is hostile input: what is loaded is within the limits
 * above. */
int bench_load(struct bench *b, const char *path);

/* ---- factored.c ---- */

struct stat_of {
    unsigned n;
    double mean, median, min, max;
    /* of the 95 % interval of the mean (Student); -1: fewer than 2 trials */
    double half;
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

enum ledger_row { LEDGER_RUNTIME, LEDGER_LIBPROF, LEDGER_IDLE, LEDGER_BLOCKED, LEDGER_ROWS };

/* The program at one P. NAN: not known. */
struct point {
    unsigned p;
    bool over;                  /* P above the cores: in no conclusion */
    struct stat_of native, profiled, idle;
    /* T_1; T_1^P (section 3.1, chart 3.f) where the work depends on {P} */
    struct stat_of one;
    double perturbation;        /* profiled mean / native mean */
    /* I_P scaled down by the perturbation: it lies between this and idle.mean */
    double idle_low;
    /* f_error: half an interval, from the trials' spread and what the perturbation leaves open */
    double w, f, f_error;
    /* parts of F_P: off the CPU inside tasks; the runtime's; the program's own code */
    double blocked, scheduling, user;
    double search, sleep, absent;       /* parts of I_P; ABSENT: no thread was there */
    /* gap: A linear - maximal, B maximal - idle, C maximal - inflation, D maximal - actual */
    double curve[CURVES], gap[4];
    double speedup, speedup_half;       /* T_1 / T_P by medians; half an interval, from the
                                           spread */
    /* of the one profile; upper_divided: of the dag whose loops are divided */
    double lower, upper, upper_divided;
    double threads, parallelism, average_strand;
    /* shares of the profiled trials' worker time: the runtime, libprof, idle, off the CPU in tasks;
     * and the program's own code of a task, ns */
    double ledger[LEDGER_ROWS], task_own;
};

enum baseline_source { BASELINE_COMMAND, BASELINE_ELISION, BASELINE_ESTIMATE, BASELINE_ONE };

enum mark { MARK_CAUSE, MARK_WORD, MARK_WARNING };
struct words {
    enum mark mark;
    /* a cause of the list in docs/SCALING.md; "": none */
    const char *cause;
    double share;               /* of P x T_P; NAN: none */
    double rank;                /* the largest goes first */
    char *text;
};

struct factored {
    const struct bench *bench;
    int expected[TRIAL_KINDS];  /* the exit status of a trial that counts */
    unsigned cores;             /* those that the trials had: CPUs, fewer by a quota */
    struct stat_of t_s, t_elision;
    enum baseline_source source;
    bool elision_estimated;
    /* of T_1: overhead of the runtime in the profile of one worker; NAN: unknown */
    double tasking_share;
    double implausible;         /* that share, if tasks cannot cost so much; NAN: they can */
    struct point points[BENCH_PROCESSORS];
    unsigned count;
    int judged;                 /* index of the point that the verdict is about; -1: none */
    int bounds;                 /* index of the point whose profile gives the bounds; -1: none */
    double bound_work, bound_span, bound_burdened, bound_divisible;
    bool bound_exact;
    /* The loops of that profile were cut for its P and allow more: bound_divisible is shorter. */
    bool loops_divide;
    double machine_slowdown;    /* the loop on all cores / on one; 1: none */
    /* P copies of the one-worker program at once / one alone; NAN: not tried */
    double copies;
    struct words *words;
    size_t word_count;
};

void factored_new(struct factored *f, const struct bench *b);
void factored_free(struct factored *f);
double factored_lower(const struct factored *f, double p);
double factored_upper(const struct factored *f, double p);
double factored_upper_divided(const struct factored *f, double p);
/* Does trial T count? It does if it ended as the others did. */
bool factored_counts(const struct factored *f, const struct trial *t);
struct json_t *factored_json(const struct factored *f);

/* ---- text.c, forms.c ---- */
struct options;
void bench_text(const struct factored *f, const struct options *o, FILE *out);
void bench_csv(const struct factored *f, FILE *out);
void bench_gnuplot(const struct factored *f, FILE *out);

/* ---- machine.c ---- */
void machine_facts(struct bench_machine *m);
/* One round's timings of the loop, on one core and on P. */
void machine_loop(struct bench_machine *m, unsigned p);
/* CPU time since boot of everything, and stolen, ns; of the cgroup's throttling. */
void machine_cpu(double *busy, double *steal);
double machine_throttled(void);

/* ---- trials.c ---- */
struct bench_how {
    const char *output;         /* -o: profiles are kept as OUTPUT.pP.prof; NULL: not kept */
    bool copies, quiet;
    bool one;                   /* TRIAL_ONE at each P */
    const char *control;        /* NULL: the setting that the program's runtime takes */
    char *const *settings;      /* for every trial of the program */
    unsigned setting_count;
};
/* Runs the trials. B holds command, baseline, elision, p and rounds. 0; or an exit status, after
 * one line on stderr. */
int bench_trials(struct bench *b, const struct bench_how *how);

#endif
