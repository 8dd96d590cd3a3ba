/* figures.c - computes the figures at each number of workers: idle time, work inflation, the
 * factored speedups of Acar, Chargueraud and Rainey, the gaps between them, bounds.
 *
 * The time of P cores is a sum without a rest (their facts 2.4, 2.5):
 *
 *     P T_P = T_s + (T_1 - T_s) + I_P + F_P
 *
 * Each term's share of P T_P is the part of the machine that it takes. T_s, T_1 and T_P are means
 * of native trials, I_P is the mean of profiled ones (all figures are ratios of expected values,
 * section 2.7). A profiled run takes longer than a native one, and part of its idle time may have
 * grown with it. So I_P lies between the measured time and that time divided by the perturbation.
 * The width of this interval is part of the error of F_P.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

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

static double blocked_of(const struct trial *t) { return t->profile.blocked; }

static double runtime_of(const struct trial *t)
{
    return t->profile.overhead + t->profile.dispatch;
}

static double total_of(const struct trial *t) { return t->profile.work + t->profile.dispatch; }

static double tasks_of(const struct trial *t) { return t->profile.tasks; }

static double samples_of(const struct trial *t) { return t->profile.samples; }

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
    /* with {P} in the arguments, the work of one worker is another */
    bool known = values_all_timed(f) && x->one.mean == f->points[0].native.mean;
    x->work_all = known ? values_mean(f, x->p, total_of) : NAN;
    x->work_one = known ? values_mean(f, 1, total_of) : NAN;
    x->user = x->f - x->blocked - (isnan(x->scheduling) ? 0 : x->scheduling);
}

/* Half the 95 % interval of A / B as a part of it, by the spread of both; NAN: one of them has a
 * single trial. The virtual clock has no spread. */
static double ratio_half(const struct factored *f, const struct stat_of *a,
                         const struct stat_of *b)
{
    if (f->bench->virtual)
        return 0;
    return a->half < 0 || b->half < 0 ? NAN : hypot(a->half / a->mean, b->half / b->mean);
}

static void set_ratios(const struct factored *f, struct point *x)
{
    const struct stat_of *one = &x->one, *t1 = &f->points[0].native,
                         *from = f->t_s.half < 0 || f->source == BASELINE_ONE ? t1 : &f->t_s;
    double p = x->p, speedup = one->median / x->native.median;
    struct stat_of work = values_over(f, TRIAL_PROFILED, x->p, total_of),
                   first = values_over(f, TRIAL_PROFILED, 1, total_of);
    x->growth = x->work_all / x->work_one;
    x->growth_half = x == f->points ? 0 : x->growth * ratio_half(f, &work, &first);
    x->efficiency = f->t_s.mean / (p * x->native.mean);
    /* a T_s that is estimated from T_1 has the spread of T_1 */
    x->efficiency_half = x == f->points && from == t1
                             ? 0 : x->efficiency * ratio_half(f, from, &x->native);
    x->serial = x->p > 1 ? (1 / speedup - 1 / p) / (1 - 1 / p) : NAN;
    x->serial_half = ratio_half(f, one, &x->native) / speedup / (1 - 1 / p);
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
    set_parts(f, x);
    set_ratios(f, x);
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
    f->bound_taken = best->profile.taken;
    f->bound_own_part = best->profile.own_part;
    f->bound_estimated = f->bound_taken > 0 || f->bound_own_part > 0;
    f->few_steals = f->bound_burdened > f->bound_span ? fmin(best->profile.few_steals, 100) : 0;
    for (unsigned i = 0; i < f->count; i++) {
        f->points[i].lower = factored_lower(f, f->points[i].p);
        f->points[i].upper = factored_upper(f, f->points[i].p);
        f->points[i].upper_divided = factored_upper_divided(f, f->points[i].p);
        f->points[i].upper_typical = factored_upper_typical(f, f->points[i].p);
    }
}

/* By how much the work of G grew between one worker and the point AT, as far as the number of
 * samples shows. A function without samples may have had three. */
static struct grown growth_of(const struct bench_function *g, unsigned at)
{
    double n = fmax(g->samples[at], 1), n1 = fmax(g->samples[0], 1), w = g->work[at] / sqrt(n),
           w1 = g->samples[0] > 0 ? g->work[0] / sqrt(n1) : 1.5 * g->work[at] / n;
    return (struct grown){ g, g->work[at] - g->work[0], 2 * sqrt(w * w + w1 * w1) };
}

/* The functions whose work certainly grew, by a tenth or more. */
void figures_grown(struct factored *f)
{
    const struct bench *b = f->bench;
    unsigned at = f->judged;
    for (size_t i = 0; i < b->function_count; i++) {
        struct grown g = growth_of(&b->functions[i], at);
        unsigned k = f->grown_count;
        if (g.function->samples[at] + g.function->samples[0] < MIN_SAMPLES || g.more <= g.half ||
            g.more <= 0.1 * g.function->work[0])
            continue;
        for (; k && f->grown[k - 1].more < g.more; k--)
            if (k < BENCH_GROWN)
                f->grown[k] = f->grown[k - 1];
        if (k < BENCH_GROWN)
            f->grown[k] = g;
        f->grown_count += f->grown_count < BENCH_GROWN;
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
