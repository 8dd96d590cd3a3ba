/* factored.c - what follows from trials: expected values, the factored speedups of Acar, Chargueraud and Rainey, the gaps
 * between them, and words.
 *
 * The time that P cores have is divided without a rest (their fact 2.4, 2.5):
 *     P T_P = T_s + (T_1 - T_s) + I_P + F_P
 * Each term as a share of P T_P is what that cause takes of the machine; the words rank these. T_s, T_1, T_P are means of native
 * trials, I_P the mean of profiled ones (all: ratios of expected values, section 2.7). A profiled run takes longer than a native
 * one, and part of its idle time may have grown with it, so that I_P lies between what was measured and that divided by the
 * perturbation: the width of it is part of the error of F_P.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/model.h"
#include "base/format.h"
#include "bench/bench.h"

/* Below this share of P x T_P a loss is not worth a sentence. */
#define WORTH 0.05
/* The estimate of the runtime's overhead with one worker is a share of samples: fewer say nothing. */
#define MIN_SAMPLES 20
/* More a task is not the runtime's: the program's code looks like it where it was inlined into templates, without debug information. */
#define TASK_COST_NS 20e3
/* A trial shorter than that is start-up and clock ticks. */
#define SHORT_NS 20e6

const char *const trial_kinds[TRIAL_KINDS] = { "native", "profiled", "baseline", "elision", "copies", "one_worker" };
const char *const curve_names[CURVES] = { "linear", "elision", "maximal", "idle_specific", "inflation_specific", "actual" };

/* ---- statistics ---- */

/* 97.5 % quantile of Student's t with N degrees of freedom. */
static double student(unsigned n)
{
    static const double t[] = { 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
                                2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086 };
    return n <= sizeof t / sizeof t[0] ? t[n - 1] : 1.96 + 2.4 / n;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct stat_of statistics(double *v, unsigned n)
{
    struct stat_of s = { .n = n, .mean = NAN, .median = NAN, .min = NAN, .max = NAN, .half = -1 };
    double sum = 0, squares = 0;
    if (!n)
        return s;
    qsort(v, n, sizeof *v, compare_doubles);
    for (unsigned i = 0; i < n; i++)
        sum += v[i];
    s.mean = sum / n;
    s.median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
    s.min = v[0];
    s.max = v[n - 1];
    for (unsigned i = 0; i < n; i++)
        squares += (v[i] - s.mean) * (v[i] - s.mean);
    if (n > 1)
        s.half = student(n - 1) * sqrt(squares / (n - 1) / n);
    return s;
}

static double wall_of(const struct trial *t) { return t->wall; }

static double search_of(const struct trial *t) { return t->profile.search; }

/* Slots that no thread was there for; below 0: threads beyond the slots. */
static double missing(const struct trial *t)
{
    return t->p * t->profile.elapsed - t->profile.threads_time;
}

/* With two runtimes one's workers sleep while the other's run: what threads beyond the slots sleep is nobody's idle time. */
static double sleep_of(const struct trial *t)
{
    double beyond = missing(t) < 0 ? -missing(t) : 0;
    return t->profile.sleep > beyond ? t->profile.sleep - beyond : 0;
}

/* Before libprof started there was one thread. */
static double absent_of(const struct trial *t)
{
    return (missing(t) > 0 ? missing(t) : 0) + (t->p - 1.0) * t->profile.startup;
}

static double idle_of(const struct trial *t) { return search_of(t) + sleep_of(t) + absent_of(t); }
static double blocked_of(const struct trial *t) { return t->profile.blocked; }
static double runtime_of(const struct trial *t) { return t->profile.overhead + t->profile.dispatch; }
static double total_of(const struct trial *t) { return t->profile.work + t->profile.dispatch; }
static double tasks_of(const struct trial *t) { return t->profile.tasks; }
static double runtimes_of(const struct trial *t) { return t->profile.runtimes; }
static double samples_of(const struct trial *t) { return t->profile.samples; }
static double strand_of(const struct trial *t) { return t->profile.average_strand; }
static double threads_of(const struct trial *t) { return t->profile.threads; }
static double cores_of(const struct trial *t) { return t->wall > 0 ? t->cpu / t->wall : 0; }
static double taken_of(const struct trial *t) { return t->p * t->delay + t->steal; }
static double parallelism_of(const struct trial *t) { return ratio(t->profile.work, t->profile.span); }

bool factored_counts(const struct factored *f, const struct trial *t)
{
    return !t->signaled && t->code == f->expected[t->kind];
}

/* The program's own idea of success: 0, or what its trials end with. */
static void set_expected(struct factored *f)
{
    static const enum trial_kind groups[TRIAL_KINDS] = { TRIAL_NATIVE, TRIAL_NATIVE, TRIAL_BASELINE, TRIAL_ELISION, TRIAL_NATIVE, TRIAL_NATIVE };
    bool known[TRIAL_KINDS] = { false };
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i];
        enum trial_kind g = groups[t->kind];
        if (t->signaled || (known[g] && t->code))
            continue;
        f->expected[g] = t->code;
        known[g] = true;
    }
    for (unsigned k = 0; k < TRIAL_KINDS; k++)
        f->expected[k] = f->expected[groups[k]];
}

/* Statistics of VALUE over the trials of KIND at P (0: any) that count; of profiled ones, those with a profile. */
static struct stat_of over(const struct factored *f, enum trial_kind kind, unsigned p, double (*value)(const struct trial *))
{
    const struct bench *b = f->bench;
    double *v = format_memory(malloc((b->trial_count + 1) * sizeof *v));
    unsigned n = 0;
    for (size_t i = 0; i < b->trial_count; i++) {
        const struct trial *t = &b->trials[i];
        bool native = value == wall_of || value == cores_of || value == taken_of;
        if (t->kind == kind && (!p || t->p == p) && (native || t->has_profile) && factored_counts(f, t))
            v[n++] = value(t);
    }
    struct stat_of s = statistics(v, n);
    free(v);
    return s;
}

static double mean_of(const struct factored *f, unsigned p, double (*value)(const struct trial *))
{
    return over(f, TRIAL_PROFILED, p, value).mean;
}

static bool all_timed(const struct factored *f)
{
    bool any = false;
    for (size_t i = 0; i < f->bench->trial_count; i++)
        if (f->bench->trials[i].has_profile) {
            any = true;
            if (!f->bench->trials[i].profile.timed)
                return false;
        }
    return any;
}

/* ---- words ---- */

static void say(struct factored *f, enum mark mark, const char *cause, double share, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static void say(struct factored *f, enum mark mark, const char *cause, double share, const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    f->words = format_memory(realloc(f->words, (f->word_count + 1) * sizeof *f->words));
    f->words[f->word_count++] = (struct words){ mark, cause, share, mark == MARK_CAUSE ? share : -1, format_memory(n < 0 ? NULL : text) };
}

/* ---- the figures ---- */

static void set_baseline(struct factored *f)
{
    const struct bench *b = f->bench;
    const struct stat_of *t1 = &f->points[0].native;
    struct stat_of baseline = over(f, TRIAL_BASELINE, 0, wall_of);
    f->t_elision = over(f, TRIAL_ELISION, 0, wall_of);
    f->tasking_share = all_timed(f) && mean_of(f, 1, samples_of) * over(f, TRIAL_PROFILED, 1, samples_of).n >= MIN_SAMPLES
                           ? ratio(mean_of(f, 1, runtime_of), mean_of(f, 1, total_of)) : NAN;
    f->implausible = NAN;
    if (f->tasking_share >= WORTH && mean_of(f, 1, runtime_of) > TASK_COST_NS * mean_of(f, 1, tasks_of)) {
        f->implausible = f->tasking_share;
        f->tasking_share = NAN;
    }
    if (!f->t_elision.n && f->tasking_share >= 0) {     /* not NAN */
        f->t_elision = *t1;
        f->t_elision.mean *= 1 - f->tasking_share;
        f->t_elision.half = -1;
        f->elision_estimated = true;
    }
    if (b->baseline && baseline.n)
        f->source = BASELINE_COMMAND, f->t_s = baseline;
    else if (f->t_elision.n)
        f->source = f->elision_estimated ? BASELINE_ESTIMATE : BASELINE_ELISION, f->t_s = f->t_elision;
    else
        f->source = BASELINE_ONE, f->t_s = *t1;
}

static double positive(double v)
{
    return v > 0 ? v : 0;
}

static void set_parts(const struct factored *f, struct point *x)
{
    double scale = x->perturbation > 0 ? 1 / x->perturbation : 1;
    x->search = mean_of(f, x->p, search_of);
    x->sleep = mean_of(f, x->p, sleep_of);
    x->absent = mean_of(f, x->p, absent_of);
    x->blocked = (mean_of(f, x->p, blocked_of) - mean_of(f, 1, blocked_of)) * scale;
    x->scheduling = all_timed(f) ? (mean_of(f, x->p, runtime_of) - mean_of(f, 1, runtime_of)) * scale : NAN;
    x->user = x->f - x->blocked - (isnan(x->scheduling) ? 0 : x->scheduling);
}

static void set_point(struct factored *f, struct point *x)
{
    const struct stat_of *one = &x->one;
    double p = x->p, t1 = one->mean, tp = x->native.mean, ts = f->t_s.mean;
    double p_tp = p * tp, idle;
    x->perturbation = x->profiled.mean / tp;
    x->idle = over(f, TRIAL_PROFILED, x->p, idle_of);
    /* idle time beyond all that there was: the perturbation */
    idle = x->idle.mean = x->idle.mean > p_tp ? p_tp : x->idle.mean;
    x->idle_low = x->perturbation > 1 ? idle / x->perturbation : idle;
    x->w = p_tp - idle;
    x->f = x->w - t1;
    double a = p * positive(x->native.half), b = positive(x->idle.half), c = positive(one->half);
    x->f_error = sqrt(a * a + b * b + c * c) + idle - x->idle_low;
    x->curve[CURVE_LINEAR] = p;
    x->curve[CURVE_ELISION] = f->t_elision.n ? p * ts / f->t_elision.mean : NAN;
    x->curve[CURVE_MAXIMAL] = p * ts / t1;
    x->curve[CURVE_IDLE] = p * ts / (t1 + idle);
    x->curve[CURVE_INFLATION] = x->w > 0 ? p * ts / x->w : NAN;
    x->curve[CURVE_ACTUAL] = ts / tp;
    x->gap[0] = x->curve[CURVE_LINEAR] - x->curve[CURVE_MAXIMAL];
    x->gap[1] = x->curve[CURVE_MAXIMAL] - x->curve[CURVE_IDLE];
    x->gap[2] = x->curve[CURVE_MAXIMAL] - x->curve[CURVE_INFLATION];
    x->gap[3] = x->curve[CURVE_MAXIMAL] - x->curve[CURVE_ACTUAL];
    const struct stat_of *first = &f->points[0].native;
    x->speedup = first->median / x->native.median;
    double r1 = positive(first->half) / first->mean, rp = positive(x->native.half) / tp;
    x->speedup_half = first->n > 1 && x->native.n > 1 ? x->speedup * sqrt(r1 * r1 + (x == f->points ? 0 : rp * rp)) : NAN;
    if (x == f->points)
        x->speedup_half = 0;    /* over itself */
    x->threads = over(f, TRIAL_PROFILED, x->p, threads_of).max;
    x->parallelism = over(f, TRIAL_PROFILED, x->p, parallelism_of).median;
    x->average_strand = all_timed(f) ? mean_of(f, x->p, strand_of) : NAN;
    set_parts(f, x);
}

double factored_lower(const struct factored *f, double p)
{
    return ratio(f->bound_work, f->bound_work / p + 2 * SPAN_COEFFICIENT * f->bound_burdened);
}

double factored_upper(const struct factored *f, double p)
{
    double parallelism = ratio(f->bound_work, f->bound_span);
    return parallelism && parallelism < p ? parallelism : p;
}

/* The bounds are those of one profile: of the trial whose parallelism is the median at the largest P that the machine has, since
 * runtimes (auto_partitioner, static loops) make more tasks for more workers. */
static void set_bounds(struct factored *f)
{
    f->bounds = -1;
    for (unsigned i = 0; i < f->count; i++)
        if (!f->points[i].over && f->points[i].parallelism > 0)
            f->bounds = i;
    if (f->bounds < 0)
        return;
    const struct point *x = &f->points[f->bounds];
    const struct trial *best = 0;
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i];
        if (t->kind == TRIAL_PROFILED && t->p == x->p && t->has_profile && factored_counts(f, t) &&
            (!best || fabs(parallelism_of(t) - x->parallelism) < fabs(parallelism_of(best) - x->parallelism)))
            best = t;
    }
    if (!best) {
        f->bounds = -1;
        return;
    }
    f->bound_work = best->profile.work;
    f->bound_span = best->profile.span;
    f->bound_burdened = best->profile.burdened_span < best->profile.span ? best->profile.span : best->profile.burdened_span;
    f->bound_exact = best->profile.exact;
    for (unsigned i = 0; i < f->count; i++) {
        f->points[i].lower = factored_lower(f, f->points[i].p);
        f->points[i].upper = factored_upper(f, f->points[i].p);
    }
}

static double loop_slowdown(const struct bench_machine *m)
{
    double *ratios = format_memory(malloc((m->loops + 1) * sizeof *ratios));
    unsigned n = 0;
    for (unsigned i = 0; i < m->loops; i++)
        if (m->loop_one[i] > 0 && m->loop_all[i] > 0)
            ratios[n++] = m->loop_all[i] / m->loop_one[i];
    double r = n ? statistics(ratios, n).median : 1;
    free(ratios);
    return r;
}

/* ---- what limits it ---- */

static const char *ns(double v, char *buffer)
{
    return v < 0 ? (buffer[0] = '-', format_short_ns(-v, buffer + 1), buffer) : format_short_ns(v, buffer);
}

/* "sweep (1.2 s with one worker, 2.0 s with 4)": the functions whose work grew most, together at least half of it. */
static char *grown(const struct factored *f)
{
    const struct bench *b = f->bench;
    unsigned at = f->judged;
    size_t size = 0;
    char *text = NULL, one[FORMAT_SIZE], more[FORMAT_SIZE];
    FILE *out = format_memory(open_memstream(&text, &size));
    double all = 0, told = 0;
    for (size_t i = 0; i < b->function_count; i++)
        all += positive(b->functions[i].work[at] - b->functions[i].work[0]);
    bool *used = format_memory(calloc(b->function_count + 1, 1));
    for (unsigned k = 0; k < 3 && told < 0.5 * all; k++) {
        const struct bench_function *best = 0;
        for (size_t i = 0; i < b->function_count; i++) {
            const struct bench_function *g = &b->functions[i];
            if (!used[i] && g->samples[at] + g->samples[0] >= MIN_SAMPLES &&
                (!best || g->work[at] - g->work[0] > best->work[at] - best->work[0]))
                best = g;
        }
        if (!best || best->work[at] - best->work[0] <= 0.1 * best->work[0])
            break;
        used[best - b->functions] = true;
        told += best->work[at] - best->work[0];
        fprintf(out, "%s%s (%s with one worker, %s with %u)", k ? ", " : "", best->function, ns(best->work[0], one),
                ns(best->work[at], more), b->p[at]);
    }
    fclose(out);
    free(used);
    return format_memory(text);
}

static void tell_growth(struct factored *f)
{
    char *where = grown(f);
    if (*where) {
        say(f, MARK_WORD, "", NAN, "By samples in the profiled runs, the work grew most in %s.", where);
        struct words *w = &f->words[f->word_count - 1];
        w->rank = nextafter(w[-1].rank, 0);     /* right behind the cause */
    }
    free(where);
}

static void tell_overhead(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, t1 = x->one.mean, lost = t1 - f->t_s.mean;
    double tasking = f->t_elision.n ? t1 - f->t_elision.mean : 0, algorithm = lost - positive(tasking);
    double error = (positive(x->one.half) + positive(f->t_s.half)) / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (lost / core < WORTH || lost / core < error)
        return;
    if (tasking / core >= WORTH && tasking >= 0.4 * lost)
        say(f, MARK_CAUSE, "tasking", tasking / core,
            "Tasking overhead takes %.0f %% of the cores (gap A): %s of the %s that one worker needs go into making and running "
            "tasks%s. %s%s%sMake the tasks larger: a larger grain or cutoff.",
            100 * tasking / core, ns(tasking, a), ns(t1, b), f->elision_estimated ? " (estimated from the one-worker profile)" : "",
            x->average_strand > 0 ? "The average maximal strand is " : "", x->average_strand > 0 ? ns(x->average_strand, c) : "",
            x->average_strand > 0 ? " long. " : "");
    if (f->source == BASELINE_COMMAND && algorithm / core >= WORTH && algorithm > 0.25 * lost)
        say(f, MARK_CAUSE, "algorithm", algorithm / core,
            "The parallel algorithm does more work than the baseline: %.0f %% of the cores (gap A) go into the difference between the "
            "baseline's %s and the %s that the program needs without the runtime%s.",
            100 * algorithm / core, ns(f->t_s.mean, a), ns(f->t_s.mean + algorithm, b),
            f->t_elision.n ? (f->elision_estimated ? " (estimated)" : "") : " (no --elision: the runtime is part of it)");
}

/* Time that the workers of a trial of KIND could have run, but others had the CPUs: the first thread's, for each of them; and stolen. */
static double taken_from(const struct factored *f, const struct point *x, enum trial_kind kind)
{
    return over(f, kind, x->p, taken_of).mean;
}

static void tell_idle(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, share = x->idle.mean / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE];
    if (!(share >= WORTH))
        return;
    ns(x->idle.mean, a);
    ns(core, b);
    if (x->idle.mean < positive(x->idle.half)) {
        say(f, MARK_WORD, "", NAN, "Idle time is %.0f %% of the cores' time (gap B; %s of %s), but differs so much between the trials that it may be none: more trials (-n), "
            "or a quieter machine, will tell.", 100 * share, a, b);
        return;
    }
    format_ratio(ratio(f->bound_work, f->bound_span), par);
    double taken = taken_from(f, x, TRIAL_PROFILED);
    if (x->idle.mean - taken < WORTH * core) {
        say(f, MARK_CAUSE, "load", share, "%.0f %% of the cores' time seems idle (gap B; %s of %s), but other processes, or the hypervisor, had the CPUs for %s (estimated) of "
            "each profiled trial, while it could have run: that may be all of it.", 100 * share, a, b, ns(taken, par));
        return;
    }
    if (f->bounds >= 0 && ratio(f->bound_work, f->bound_span) < 10 * x->p)
        say(f, MARK_CAUSE, "parallelism", share,
            "Lack of parallelism: %.0f %% of the cores' time is idle (gap B; %s of %s). The program's parallelism is %s%s, less than ten times "
            "%u.%s%s%s Shorten the critical path: prof report and prof view of its profile show it.",
            100 * share, a, b, par, f->bound_exact ? "" : " at most", x->p, *f->bench->critical ? " Most of the critical path is in " : "",
            f->bench->critical, *f->bench->critical ? "." : "");
    else
        say(f, MARK_CAUSE, "idle", share,
            "%.0f %% of the cores' time is idle (gap B; %s of %s: %.0f %% searching, %.0f %% asleep, %.0f %% without a thread), and the "
            "program's parallelism, %s, is ample: it is the scheduler, not the program, that has no work there. Tasks that are made by one "
            "thread, waits for threads to start, and runs that are too short do that.",
            100 * share, a, b, 100 * x->search / x->idle.mean, 100 * x->sleep / x->idle.mean, 100 * x->absent / x->idle.mean, par);
}

/* Inflation is what is left; what it consists of, the profiles, the machine's own test and copies of the program tell. */
static void tell_inflation(struct factored *f, const struct point *x, const struct point *before)
{
    double core = x->p * x->native.mean, share = x->f / core, t1 = x->one.mean;
    double machine = t1 * positive(f->machine_slowdown - 1);
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (share < WORTH || x->f < x->f_error) {
        if (share >= WORTH)
            say(f, MARK_WORD, "", NAN, "Work inflation is %.0f %% of the cores' time, within its error of %.0f points: it cannot be told from "
                "noise. More trials (-n), or a quieter machine, may.", 100 * share, 100 * x->f_error / core);
        return;
    }
    ns(x->f, a);
    ns(t1, b);
    const char *lead = "Work inflation takes %.0f %% of the cores (gap C): the same work costs %s more with %u workers than the %s that one needs. ";
    char *start = format_text(lead, 100 * share, a, x->p, b);
    double slope = (x->curve[CURVE_INFLATION] - before->curve[CURVE_INFLATION]) / (x->p - before->p) / before->curve[CURVE_MAXIMAL] * before->p;
    double memory = t1 > 0 ? f->copies - 1 : NAN, per_work = x->f / t1;
    double taken = taken_from(f, x, TRIAL_NATIVE);
    if (taken >= 0.5 * x->f)
        say(f, MARK_CAUSE, "load", share, "%sOther processes, or the hypervisor, had the CPUs for %s (estimated) of each trial, while it could have run: that may be most of it, and nothing is known of "
            "the program's own until it runs on a quiet machine.", start, ns(taken, b));
    else if (x->blocked >= 0.5 * x->f)
        say(f, MARK_CAUSE, "blocked", share, "%s%.0f %% of it are tasks off the CPU: they wait for each other's locks, for I/O, or were preempted. "
            "Hold locks for a shorter time, or fewer of them; keep what is shared in each worker until the end.", start, 100 * x->blocked / x->f > 100 ? 100 : 100 * x->blocked / x->f);
    else if (machine >= 0.6 * x->f)
        say(f, MARK_CAUSE, "machine", share, "%sThe machine explains it: %u cores that are busy at once each run %.0f %% slower than one alone, with "
            "registers only (clock frequency, threads that share a core, or other load).", start, x->p, 100 * (f->machine_slowdown - 1));
    else if (x->scheduling >= 0.5 * x->f)
        say(f, MARK_CAUSE, "scheduling", share, "%sMost of it is the runtime's (%.0f %%): stealing, and queues that workers contend for. Make fewer, "
            "larger tasks.", start, 100 * x->scheduling / x->f > 100 ? 100 : 100 * x->scheduling / x->f);
    else if (!isnan(memory) && memory >= 0.4 * per_work)
        say(f, MARK_CAUSE, "memory", share, "%sIt is the memory system: %u independent copies of the one-worker program at once take %.2f times as long as "
            "one alone, and they share nothing but caches and memory bandwidth. Touch less memory, in order, or more often while it is in a "
            "cache.", start, x->p, f->copies);
    else if (!isnan(memory))
        say(f, MARK_CAUSE, "sharing", share, "%s%s: %u independent copies of the one-worker program at once take %.2f times as "
            "long as one alone. What is left is what the workers share: cache lines that several write (false sharing), contended atomics, "
            "locks that spin.", start, memory < 0.1 ? "It is not memory bandwidth" : "Memory bandwidth and caches are the smaller part of it", x->p, f->copies);
    else if (slope < 0)
        say(f, MARK_CAUSE, "sharing", share, "%sThe inflation-specific speedup falls from %.2f to %.2f as workers are added, which is typical of false "
            "sharing, contended atomics and spinning locks (--copies tells them from memory bandwidth for sure).", start,
            before->curve[CURVE_INFLATION], x->curve[CURVE_INFLATION]);
    else
        say(f, MARK_CAUSE, "inflation", share, "%sMemory bandwidth and caches, false sharing, contended atomics and spinning locks do that. --copies tells "
            "memory from sharing by running %u independent copies at once.", start, x->p);
    free(start);
    tell_growth(f);
}

static void tell_bounds(struct factored *f, const struct point *x)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    double slack = isnan(x->speedup_half) ? 0.05 * x->speedup : x->speedup_half;
    if (f->bounds < 0 || !(x->speedup > 0))
        return;
    format_ratio(x->speedup, a);
    format_ratio(x->lower, b);
    format_ratio(x->upper, c);
    if (x->speedup + slack < x->lower)
        say(f, MARK_WORD, "", NAN, "The measured speedup over one worker, %s, is below the burdened lower bound, %s, of what a work-stealing scheduler "
            "reaches with this dag: neither parallelism nor grain size explains it. Memory, sharing, locks or other load do.", a, b);
    else if (x->speedup - slack > x->upper)
        say(f, MARK_WORD, "", NAN, "The measured speedup over one worker, %s, is above the upper bound, %s: %s.", a, c,
            f->bound_exact ? "more cores have more cache, or one worker was disturbed" : "the profile's tasks are not the program's parallelism");
    else
        say(f, MARK_WORD, "", NAN, "The measured speedup over one worker, %s, is within the bounds of the profile, %s to %s.", a, b, c);
}

/* Acar, section 2.5: the last slope of a curve, as a share of what it was at the beginning. */
static void tell_curvature(struct factored *f, unsigned last)
{
    static const struct { enum curve curve; const char *flat, *down; } shapes[] = {
        { CURVE_MAXIMAL, "The maximal speedup flattens: the program makes more work for more workers.",
          "The maximal speedup falls at the end: the program makes more work for more workers than they can do." },
        { CURVE_IDLE, "The idle-time-specific speedup flattens: what more cores add is idle. The program lacks parallelism for them.", NULL },
        { CURVE_INFLATION, "The inflation-specific speedup flattens: what more cores add becomes work inflation, as where memory bandwidth is used up.",
          "The inflation-specific speedup falls at the end: more cores make it slower, as contended atomics, locks and false sharing do." },
    };
    if (last < 2 || last >= f->count)
        return;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct point *x = &f->points[last], *y = x - 1;
        enum curve c = shapes[i].curve;
        double slope = (x->curve[c] - y->curve[c]) / (x->p - y->p) / f->points[0].curve[c];
        if (slope < 0 && shapes[i].down)
            say(f, MARK_WORD, "", NAN, "%s", shapes[i].down);
        else if (slope < 0.25)
            say(f, MARK_WORD, "", NAN, "%s", shapes[i].flat);
    }
}

static int compare_words(const void *a, const void *b)
{
    const struct words *x = a, *y = b;
    return x->rank < y->rank ? 1 : x->rank > y->rank ? -1 : strcmp(x->text, y->text);
}

static void tell(struct factored *f)
{
    if (f->judged < 0) {
        say(f, MARK_WORD, "", NAN, "Nothing to compare: there is no number of workers above 1 that the %u core%s can run at once and whose trials "
            "succeeded.", f->cores, f->cores == 1 ? "" : "s");
        return;
    }
    const struct point *x = &f->points[f->judged], *before = &f->points[f->judged - 1];
    double core = x->p * x->native.mean, efficiency = f->t_s.mean / core;
    char a[FORMAT_SIZE];
    static const char *const over[] = { "the baseline", "the elision", "its own work without tasking (estimated)", "one worker" };
    say(f, MARK_WORD, "efficiency", efficiency, "With %u workers it is %s times as fast as %s: %.0f %% of the cores' time is its work.", x->p,
        format_ratio(x->curve[CURVE_ACTUAL], a), over[f->source], 100 * efficiency);
    size_t first = f->word_count;
    tell_overhead(f, x);
    if (x->idle.n)
        tell_idle(f, x);
    if (x->idle.n)
        tell_inflation(f, x, before);
    else
        say(f, MARK_WORD, "", NAN, "There are no profiles with tasks at %u workers: idle time and work inflation cannot be told apart. prof doctor may know "
            "why.", x->p);
    qsort(f->words + first, f->word_count - first, sizeof *f->words, compare_words);
    bool any = false;
    for (size_t i = first; i < f->word_count; i++)
        any |= f->words[i].mark == MARK_CAUSE;
    double noise = sqrt(pow(positive(x->native.half) / x->native.mean, 2) + pow(positive(f->t_s.half) / f->t_s.mean, 2));
    bool scales = efficiency >= 0.85 && efficiency * noise < 0.15;
    if (!any)
        say(f, MARK_CAUSE, scales ? "scales" : "none", efficiency, scales ? "It scales to %u: no cause takes more than %.0f %%." :
            "Nothing at %u workers that takes more than %.0f %% stands out from the noise.", x->p, 100 * WORTH);
    tell_bounds(f, x);
    tell_curvature(f, f->judged);
}

/* ---- what the trials are worth ---- */

static char *list_of(const struct factored *f, bool (*which)(const struct factored *, const struct point *))
{
    size_t size = 0;
    char *text = NULL;
    FILE *out = format_memory(open_memstream(&text, &size));
    bool any = false;
    for (unsigned i = 0; i < f->count; i++)
        if (which(f, &f->points[i])) {
            fprintf(out, "%s%u", any ? ", " : "", f->points[i].p);
            any = true;
        }
    fclose(out);
    return format_memory(text);
}

static bool is_over(const struct factored *f, const struct point *x) { return x->over; }
static bool is_spread(const struct factored *f, const struct point *x)
{
    return !x->over && x->native.n > 1 && x->native.max - x->native.min > 0.1 * x->native.median;
}
static bool is_skewed(const struct factored *f, const struct point *x)
{
    return !x->over && x->native.n > 2 && fabs(x->native.mean / x->native.median - 1) > 0.05;
}
static bool is_short(const struct factored *f, const struct point *x) { return !f->bench->virtual && x->native.median < SHORT_NS; }
static bool is_perturbed(const struct factored *f, const struct point *x) { return x->perturbation > 1.25; }
static bool has_more_cores(const struct factored *f, const struct point *x)
{
    struct stat_of c = over(f, TRIAL_NATIVE, x->p, cores_of);
    return c.n && c.median > 1.03 * x->p + 0.02;
}
static bool has_more_threads(const struct factored *f, const struct point *x)
{
    double runtimes = over(f, TRIAL_PROFILED, x->p, runtimes_of).max;
    return x->threads > 1 + (runtimes > 1 ? runtimes : 1) * (x->p - 1);
}
static bool has_fewer_threads(const struct factored *f, const struct point *x) { return x->threads > 0 && x->threads < x->p; }
static bool has_failures(const struct factored *f, const struct point *x)
{
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i];
        if (t->p == x->p && (t->kind == TRIAL_NATIVE || t->kind == TRIAL_PROFILED) && !factored_counts(f, t))
            return true;
    }
    return false;
}

/* The elision is the same program: what it writes, always the same, is another than what the program with one worker always writes. */
static bool elision_differs(const struct factored *f)
{
    const struct trial *program = 0, *elision = 0;
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i], **first = t->kind == TRIAL_ELISION ? &elision : &program;
        if ((t->kind != TRIAL_NATIVE && t->kind != TRIAL_ELISION) || t->p != 1 || !factored_counts(f, t))
            continue;
        if (!*first)
            *first = t;
        if ((*first)->output != t->output)
            return false;
    }
    return program && elision && program->output != elision->output;
}

/* FORMAT has one %s, for the list of P. */
static void warn_of(struct factored *f, bool (*which)(const struct factored *, const struct point *), const char *cause, const char *format)
{
    char *list = list_of(f, which), *text;
    if (*list) {
        int n = asprintf(&text, format, list);
        format_memory(n < 0 ? NULL : text);
        say(f, MARK_WARNING, cause, NAN, "%s", text);
        free(text);
    }
    free(list);
}

/* Whether native outputs differ: within one P (2), or only between several (1). */
static int outputs_differ(const struct factored *f, unsigned *p)
{
    const struct bench *b = f->bench;
    const struct trial *first[BENCH_PROCESSORS] = { 0 };
    int r = 0;
    for (size_t i = 0; i < b->trial_count; i++) {
        const struct trial *t = &b->trials[i];
        unsigned at = 0;
        if ((t->kind != TRIAL_NATIVE && t->kind != TRIAL_PROFILED) || !factored_counts(f, t))
            continue;
        while (at < b->p_count && b->p[at] != t->p)
            at++;
        if (at == b->p_count)
            continue;
        if (!first[at])
            first[at] = t;
        if (first[at]->output != t->output) {
            *p = t->p;
            return 2;
        }
    }
    for (unsigned i = 1; i < b->p_count; i++)
        if (first[0] && first[i] && first[0]->output != first[i]->output && !r) {
            *p = b->p[i];
            r = 1;
        }
    return r;
}

static void judge_machine(struct factored *f)
{
    const struct bench *b = f->bench;
    const struct bench_machine *m = &b->machine;
    double wall = 0, other = 0, steal = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < b->trial_count; i++) {
        wall += b->trials[i].wall;
        other += b->trials[i].other;
        steal += b->trials[i].steal;
    }
    for (unsigned i = 0; i < m->loops; i++) {
        low = m->loop_one[i] < low ? m->loop_one[i] : low;
        high = m->loop_one[i] > high ? m->loop_one[i] : high;
    }
    if (wall > 0 && other > 0.05 * wall)
        say(f, MARK_WARNING, "load", NAN, "Other processes used %.2f of the machine's %.0f CPUs while the trials ran: they are disturbed.", other / wall, m->cpus);
    if (wall > 0 && steal > 0.01 * wall)
        say(f, MARK_WARNING, "steal", NAN, "The hypervisor took %.2f of the machine's %.0f CPUs away while the trials ran (steal time).", steal / wall, m->cpus);
    if (m->throttled > 0)
        say(f, MARK_WARNING, "throttled", NAN, "The control group was throttled for %.3f s by its CPU quota of %.2f cores during the trials.", m->throttled / 1e9, m->quota);
    if (m->loops > 1 && high > 1.05 * low)
        say(f, MARK_WARNING, "frequency", NAN, "The same register-only loop took %.2f to %.2f ms between the trials: the clock frequency changed, or other load took "
            "the core.", low / 1e6, high / 1e6);
    if (f->machine_slowdown > 1.05)
        say(f, MARK_WARNING, "cores", NAN, "%.0f cores that are busy at once each run %.2f times slower than one alone%s: no program reaches linear speedup here.",
            m->loop_p, f->machine_slowdown, m->smt ? " (some CPUs share a core)" : "");
    if (*m->governor && strcmp(m->governor, "performance"))
        say(f, MARK_WARNING, "governor", NAN, "The CPU frequency governor is %s: clock speeds depend on load (performance keeps them).", m->governor);
}

static void judge_trials(struct factored *f)
{
    const struct bench *b = f->bench;
    unsigned p = 0, failed = 0, all = 0;
    const struct trial *example = 0;
    if (b->interrupted)
        say(f, MARK_WARNING, "interrupted", NAN, "The trials were interrupted: some rounds are missing.");
    for (size_t i = 0; i < b->trial_count; i++) {
        const struct trial *t = &b->trials[i];
        all++;
        if (!factored_counts(f, t)) {
            failed++;
            example = example ? example : t;
        } else if (t->code) {
            example = example ? example : t;
        }
    }
    if (failed) {
        char *list = list_of(f, has_failures);
        say(f, MARK_WARNING, "failed", NAN, "%u of %u trials failed and are left out%s%s: the first (%s, P = %u) ended with %s %d.", failed, all,
            *list ? ", at P = " : "", list, trial_kinds[example->kind], example->p, example->signaled ? "signal" : "exit status", example->code);
        free(list);
    } else if (example) {
        say(f, MARK_WARNING, "status", NAN, "Every trial of %s ended with exit status %d: do they do their work?",
            example->kind == TRIAL_BASELINE ? "the baseline" : example->kind == TRIAL_ELISION ? "the elision" : "the program", example->code);
    }
    switch (outputs_differ(f, &p)) {
    case 1:
        say(f, MARK_WARNING, "output", NAN, "Its output with %u workers is another than with 1, the same in every trial: does it do the same work?", p);
        break;
    case 2:
        say(f, MARK_WARNING, "output_varies", NAN, "Its output differs between trials with the same number of workers (%u): times in it, or results that depend on the "
            "schedule.", p);
    }
    if (elision_differs(f))
        say(f, MARK_WARNING, "output", NAN, "The elision's output is another than the program's: does it do the same work?");
    warn_of(f, is_over, "oversubscribed", "P = %s is more than the cores: workers share them, and these trials are in no conclusion.");
    warn_of(f, has_more_cores, "control", "Native trials at P = %s used more CPU time than that many workers can: the number of workers does not reach the program. "
            "--control affinity, or {P} in its arguments, may.");
    warn_of(f, has_more_threads, "control", "At P = %s more threads than that ran tasks: the number of workers does not reach the program. --control affinity, or {P} "
            "in its arguments, may.");
    warn_of(f, has_fewer_threads, "workers", "At P = %s fewer threads than that ran tasks: the runtime has no more, or the program has no work for them.");
    warn_of(f, is_short, "short", "Trials at P = %s take less than 20 ms: starting the process is a good part of it. Take a larger input.");
    warn_of(f, is_spread, "spread", "The trials at P = %s are spread by more than 10 %% of their median: the machine is noisy, or the program is.");
    warn_of(f, is_skewed, "outliers", "Mean and median at P = %s are more than 5 %% apart: there are outliers, and the factored speedups, which are ratios of means, "
            "follow them.");
    warn_of(f, is_perturbed, "perturbed", "Profiled runs at P = %s take more than 1.25 times as long as native ones: idle time, and with it work inflation, is known only "
            "between the limits shown.");
    if (b->rounds == 1)
        say(f, MARK_WARNING, "one_trial", NAN, "One trial each: there is no spread to judge by (-n 5).");
}

void factored_new(struct factored *f, const struct bench *b)
{
    const struct bench_machine *m = &b->machine;
    memset(f, 0, sizeof *f);
    f->bench = b;
    f->judged = -1;
    set_expected(f);
    double cores = m->quota > 0 && m->quota < m->allowed ? floor(m->quota) : m->allowed;
    f->cores = b->virtual ? BENCH_MAX_P : cores >= 1 ? (cores < BENCH_MAX_P ? cores : BENCH_MAX_P) : 1;
    f->machine_slowdown = loop_slowdown(m);
    f->count = b->p_count;
    for (unsigned i = 0; i < f->count; i++) {
        struct point *x = &f->points[i];
        x->p = b->p[i];
        x->over = x->p > f->cores;
        x->native = over(f, TRIAL_NATIVE, x->p, wall_of);
        x->profiled = over(f, TRIAL_PROFILED, x->p, wall_of);
        x->one = over(f, TRIAL_ONE, x->p, wall_of);
        if (!x->one.n)
            x->one = f->points[0].native;
    }
    set_baseline(f);
    for (unsigned i = 0; i < f->count; i++) {
        set_point(f, &f->points[i]);
        if (i && !f->points[i].over && f->points[i].native.n && f->points[0].native.n)
            f->judged = i;
    }
    set_bounds(f);
    struct stat_of copies = over(f, TRIAL_COPIES, 0, wall_of);
    f->copies = copies.n ? copies.mean / f->points[0].native.mean : NAN;
    tell(f);
    judge_trials(f);
    if (!b->virtual)
        judge_machine(f);
}

void factored_free(struct factored *f)
{
    for (size_t i = 0; i < f->word_count; i++)
        free(f->words[i].text);
    free(f->words);
}
