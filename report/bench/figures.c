/* figures.c - computes the figures at each number of workers: idle time, work inflation, the
 * factored speedups of Acar, Chargueraud and Rainey, the gaps between them, bounds.
 *
 * The time of P cores is a sum without a rest (their facts 2.4, 2.5):
 *
 *     P T_P = T_s + (T_1 - T_s) + I_P + F_P
 *
 * Each term's share of P T_P is the part of the machine that this cause takes. The words are ranked
 * by these shares. T_s, T_1 and T_P are means of native trials, I_P is the mean of profiled ones
 * (all figures are ratios of expected values, section 2.7). A profiled run takes longer than a
 * native one, and part of its idle time may have grown with it. So I_P lies between the measured
 * time and that time divided by the perturbation. The width of this interval is part of the error
 * of F_P.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/strand_waits.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"
#include "words/limit_words.h"

/* No runtime needs more than this for a task. Without debug information, the program's code that
 * was inlined into templates counts as the runtime's. */
#define TASK_COST_NS 20e3

const char *const curve_names[CURVES] = {
    "linear", "elision", "maximal", "idle_specific", "inflation_specific", "actual"
};

static double search_of(const struct trial *t) { return t->profile.search; }

/* The time of slots without a thread. If there were more threads than slots, it is below 0. */
static double missing(const struct trial *t)
{
    return t->p * t->profile.elapsed - t->profile.threads_time;
}

/* With two runtimes, the workers of one sleep while those of the other run. So the sleep of threads
 * beyond the slots is no idle time. */
static double sleep_of(const struct trial *t)
{
    double beyond = missing(t) < 0 ? -missing(t) : 0;
    return t->profile.sleep > beyond ? t->profile.sleep - beyond : 0;
}

/* The time of slots without a thread. Before libprof started there was one thread. */
static double absent_of(const struct trial *t)
{
    return (missing(t) > 0 ? missing(t) : 0) + (t->p - 1.0) * t->profile.startup;
}

static double idle_of(const struct trial *t) { return search_of(t) + sleep_of(t) + absent_of(t); }

static double waits_of(const struct trial *t) { return t->profile.waits; }

static double sampled_of(const struct trial *t) { return t->profile.sampled; }

static double locked_of(const struct trial *t) { return t->profile.locked; }

static double blocked_of(const struct trial *t) { return t->profile.blocked; }

static double runtime_of(const struct trial *t)
{
    return t->profile.overhead + t->profile.dispatch;
}

static double total_of(const struct trial *t) { return t->profile.work + t->profile.dispatch; }

static double tasks_of(const struct trial *t) { return t->profile.tasks; }

static double samples_of(const struct trial *t) { return t->profile.samples; }

static double strand_of(const struct trial *t) { return t->profile.average_strand; }

static double threads_of(const struct trial *t) { return t->profile.threads; }

static double parallelism_of(const struct trial *t)
{
    return ratio(t->profile.work, t->profile.span);
}

void figures_baseline(struct factored *f)
{
    const struct bench *b = f->bench;
    const struct stat_of *t1 = &f->points[0].native;
    struct stat_of baseline = values_over(f, TRIAL_BASELINE, 0, value_wall);
    f->t_elision = values_over(f, TRIAL_ELISION, 0, value_wall);
    f->tasking_share = values_all_timed(f) &&
                               values_mean(f, 1, samples_of) *
                                       values_over(f, TRIAL_PROFILED, 1, samples_of).n >=
                                   MIN_SAMPLES
                           ? ratio(values_mean(f, 1, runtime_of), values_mean(f, 1, total_of))
                           : NAN;
    f->implausible = NAN;
    if (f->tasking_share >= WORTH &&
        values_mean(f, 1, runtime_of) > TASK_COST_NS * values_mean(f, 1, tasks_of)) {
        f->implausible = f->tasking_share;
        f->tasking_share = NAN;
    }
    if (!f->t_elision.n && f->tasking_share >= 0) {     /* not NAN */
        f->t_elision = *t1;
        /* it sleeps and waits as long without tasks, but less CPU time needs the CPU for less, and
         * so waits less for it */
        f->t_elision.mean *= 1 - f->tasking_share * factored_ready(f, TRIAL_NATIVE);
        f->t_elision.half = -1;
        f->elision_estimated = true;
    }
    if (b->baseline && baseline.n)
        f->source = BASELINE_COMMAND, f->t_s = baseline;
    else if (f->t_elision.n)
        f->delayed = f->elision_estimated
                         ? factored_ready(f, TRIAL_NATIVE) - factored_on_cpu(f, TRIAL_NATIVE)
                         : 0,
        f->source = f->elision_estimated ? BASELINE_ESTIMATE : BASELINE_ELISION,
        f->t_s = f->t_elision;
    else
        f->source = BASELINE_ONE, f->t_s = *t1;
}

/* At least this much of a figure is about all of it. */
#define NEARLY 0.99

/* Strands took longer than their work by the runtime's time and libprof's, as in
 * analysis/limits.c. */
static double longer_of(const struct trial_profile *p)
{
    return p->work > 0 ? 1 + (p->dispatch + p->own) / p->work : 1;
}

/* The most idle time that the dag of T explains; and if its loops divided. */
static double dag_idle_of(const struct trial *t)
{
    const struct trial_profile *p = &t->profile;
    return longer_of(p) * (p->dag_idle > 0 ? p->dag_idle : (t->p - 1) * p->span);
}

/* The same of a greedy schedule on any threads. */
static double greedy_idle_of(const struct trial *t)
{
    return longer_of(&t->profile) * (t->p - 1) * t->profile.span;
}

static double divided_idle_of(const struct trial *t)
{
    const struct trial_profile *p = &t->profile;
    double span = p->divisible_span > 0 ? fmin(p->divisible_span, p->span) : p->span;
    return fmin(dag_idle_of(t), longer_of(p) * (t->p - 1) * span);
}

static double own_of(const struct trial *t) { return t->profile.own; }

static double code_of(const struct trial *t) { return t->profile.work - t->profile.overhead; }

static double slots_of(const struct trial *t)
{
    double slots = t->p * t->profile.elapsed;
    return slots > t->profile.threads_time ? slots : t->profile.threads_time;
}

static void set_ledger(const struct factored *f, struct point *x)
{
    double all = values_mean(f, x->p, slots_of);
    x->ledger[LEDGER_RUNTIME] = values_mean(f, x->p, runtime_of) / all;
    x->ledger[LEDGER_LIBPROF] = values_mean(f, x->p, own_of) / all;
    x->ledger[LEDGER_IDLE] = values_mean(f, x->p, idle_of) / all;
    x->ledger[LEDGER_BLOCKED] = values_mean(f, x->p, blocked_of) / all;
    x->task_own = ratio(values_mean(f, x->p, code_of), values_mean(f, x->p, tasks_of));
}

/* Sets the waits for locks, if they are a good part of the strands' time that samples found. */
static void set_locks(const struct factored *f, struct point *x)
{
    x->locked_ns = values_mean(f, x->p, locked_of);
    x->locked = ratio(x->locked_ns, values_mean(f, x->p, sampled_of));
    if (!(x->locked >= STRAND_WAITS_WORTH))
        x->locked = x->locked_ns = 0;
}

static void set_parts(const struct factored *f, struct point *x)
{
    double scale = x->perturbation > 0 ? 1 / x->perturbation : 1;
    x->search = values_mean(f, x->p, search_of);
    x->sleep = values_mean(f, x->p, sleep_of);
    x->absent = values_mean(f, x->p, absent_of);
    x->blocked = (values_mean(f, x->p, blocked_of) - values_mean(f, 1, blocked_of)) * scale;
    x->scheduling = values_all_timed(f)
                        ? (values_mean(f, x->p, runtime_of) - values_mean(f, 1, runtime_of)) * scale
                        : NAN;
    x->off_cpu = values_mean(f, x->p, blocked_of);
    /* with {P} in the arguments, the work of one worker is another */
    bool known = values_all_timed(f) && x->one.mean == f->points[0].native.mean;
    x->work_all = known ? values_mean(f, x->p, total_of) : NAN;
    x->work_one = known ? values_mean(f, 1, total_of) : NAN;
    x->user = x->f - x->blocked - (isnan(x->scheduling) ? 0 : x->scheduling);
}

void figures_set(struct factored *f, struct point *x)
{
    const struct stat_of *one = &x->one;
    double p = x->p, t1 = one->mean, tp = x->native.mean, ts = f->t_s.mean;
    double p_tp = p * tp, idle;
    x->perturbation = x->profiled.mean / tp;
    x->idle = values_over(f, TRIAL_PROFILED, x->p, idle_of);
    /* by the perturbation, or by others that had the processors, it may exceed the native time */
    idle = x->idle.mean < p_tp ? x->idle.mean : NAN;
    x->idle_low = x->perturbation > 1 ? x->idle.mean / x->perturbation : x->idle.mean;
    x->waits = fmin(x->idle.mean, values_mean(f, x->p, waits_of));
    double rest = x->idle.mean - x->waits;
    x->for_span = values_all_timed(f) || f->bench->virtual
                      ? fmin(rest, values_mean(f, x->p, dag_idle_of))
                      : rest;
    x->by_threads = !(values_mean(f, x->p, dag_idle_of) >=
                      NEARLY * values_mean(f, x->p, greedy_idle_of));
    x->for_divided = fmin(x->for_span, values_mean(f, x->p, divided_idle_of));
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
    x->speedup_half = first->n > 1 && x->native.n > 1
                          ? x->speedup * sqrt(r1 * r1 + (x == f->points ? 0 : rp * rp))
                          : NAN;
    if (x == f->points)
        x->speedup_half = 0;    /* one worker's speedup over itself is exact */
    x->threads = values_over(f, TRIAL_PROFILED, x->p, threads_of).max;
    x->parallelism = values_over(f, TRIAL_PROFILED, x->p, parallelism_of).median;
    x->average_strand = values_all_timed(f) ? values_mean(f, x->p, strand_of) : NAN;
    set_parts(f, x);
    set_ledger(f, x);
    set_locks(f, x);
}

double factored_lower(const struct factored *f, double p)
{
    return summary_least(f->bound_work, f->bound_burdened, p);
}

static double upper(double work, double span, double p)
{
    double parallelism = ratio(work, span);
    return parallelism && parallelism < p ? parallelism : p;
}

double factored_upper(const struct factored *f, double p)
{
    return upper(f->bound_work, f->bound_span, p);
}

double factored_upper_divided(const struct factored *f, double p)
{
    return upper(f->bound_work, f->bound_divisible, p);
}

double factored_upper_typical(const struct factored *f, double p)
{
    return upper(f->bound_work, f->bound_typical, p);
}

/* Takes the bounds from one profile, because runtimes (auto_partitioner, static loops) make more
 * tasks for more workers: from the trial with the median parallelism, at the largest P that the
 * machine has. */
void figures_bounds(struct factored *f)
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
            (!best || fabs(parallelism_of(t) - x->parallelism) <
                          fabs(parallelism_of(best) - x->parallelism)))
            best = t;
    }
    if (!best) {
        f->bounds = -1;
        return;
    }
    f->bound_work = best->profile.work;
    f->bound_span = best->profile.span;
    f->bound_burdened = best->profile.burdened_span < best->profile.span
                            ? best->profile.span
                            : best->profile.burdened_span;
    f->bound_divisible = best->profile.divisible_span > 0 &&
                                 best->profile.divisible_span < best->profile.span
                             ? best->profile.divisible_span
                             : best->profile.span;
    f->loops_divide = summary_divides(f->bound_span, f->bound_divisible);
    f->cut_by_either = best->profile.chunks_by_either > 0;
    f->cut_by_program = best->profile.chunks_by_program > 0 && !f->cut_by_either &&
                        !(best->profile.chunks_by_runtime > 0);
    f->bound_typical = best->profile.typical_span > 0 ? best->profile.typical_span : f->bound_span;
    f->has_outliers = summary_divides(f->bound_span, f->bound_typical);
    f->bound_exact = best->profile.exact;
    f->bound_estimate = limit_estimate(best->profile.taken, best->profile.own_part);
    f->few_steals = f->bound_burdened > f->bound_span ? fmin(best->profile.few_steals, 100) : 0;
    f->long_chunk = f->loops_divide ? best->profile.long_chunk : NULL;
    for (unsigned i = 0; i < f->count; i++) {
        f->points[i].lower = factored_lower(f, f->points[i].p);
        f->points[i].upper = factored_upper(f, f->points[i].p);
        f->points[i].upper_divided = factored_upper_divided(f, f->points[i].p);
        f->points[i].upper_typical = factored_upper_typical(f, f->points[i].p);
    }
}

double figures_loop_slowdown(const struct bench_machine *m)
{
    double *ratios = format_memory(malloc((m->loops + 1) * sizeof *ratios));
    unsigned n = 0;
    for (unsigned i = 0; i < m->loops; i++)
        if (m->loop_one[i] > 0 && m->loop_all[i] > 0)
            ratios[n++] = m->loop_all[i] / m->loop_one[i];
    double r = n ? values_statistics(ratios, n).median : 1;
    free(ratios);
    return r;
}
