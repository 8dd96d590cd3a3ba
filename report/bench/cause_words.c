/* cause_words.c - what limits the program, in sentences: each cause with its share of the cores'
 * time. figures.c computes the figures; this file, idle_words.c and inflation_words.c choose which
 * sentences they justify. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/limits.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

/* The part of NS, the mean time of KIND's trials, in which a CPU worked: all of it if that was
 * nearly all. */
static double on_cpu(const struct factored *f, enum trial_kind kind, double ns)
{
    double part = factored_on_cpu(f, kind);
    return part < 1 - WORTH ? part * ns : ns;
}

static void report_overhead(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, t1 = on_cpu(f, TRIAL_NATIVE, x->one.mean);
    /* elapsed time has what others took, and sleep, which is no trial's overhead */
    double tasking = !f->t_elision.n        ? 0
                     : f->elision_estimated ? f->tasking_share * t1
                                            : t1 - on_cpu(f, TRIAL_ELISION, f->t_elision.mean);
    double lost = f->source == BASELINE_COMMAND ? t1 - on_cpu(f, TRIAL_BASELINE, f->t_s.mean)
                                                : tasking;
    double algorithm = lost - positive(tasking), base = on_cpu(f, TRIAL_BASELINE, f->t_s.mean);
    const char *of_cpu = t1 < (1 - WORTH) * x->one.mean ? " of CPU time" : "";
    /* a share of CPU time has no error by what others took of the elapsed time */
    double error = f->source == BASELINE_ESTIMATE
                       ? f->tasking_share *
                             positive(values_over(f, TRIAL_NATIVE, 1, value_cpu).half) / core
                       : (positive(x->one.half) + positive(f->t_s.half)) / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (lost / core < WORTH || lost / core < error)
        return;
    if (tasking / core >= WORTH && tasking >= 0.4 * lost)
        factored_say(f, MARK_CAUSE, "tasking", tasking / core,
                     "Tasking overhead takes %.0f %% of the cores (gap A): %s of the %s%s that one "
                     "worker needs go into making and running tasks%s. %s%s%sMake the tasks "
                     "larger: a larger grain or cutoff.",
                     100 * tasking / core, ns(tasking, a), ns(t1, b),
                     of_cpu,
                     f->elision_estimated ? " (estimated from the one-worker profile)" : "",
                     x->average_strand > 0 ? "The average strand is " : "",
                     x->average_strand > 0 ? ns(x->average_strand, c) : "",
                     x->average_strand > 0 ? " long. " : "");
    if (f->source == BASELINE_COMMAND && algorithm / core >= WORTH && algorithm > 0.25 * lost)
        factored_say(f, MARK_CAUSE, "algorithm", algorithm / core,
                     "The parallel algorithm does more work than the baseline: %.0f %% of the "
                     "cores (gap A) go into the difference between the baseline's %s and the %s%s "
                     "that the program needs without the runtime%s.",
                     100 * algorithm / core, ns(base, a), ns(base + algorithm, b), of_cpu,
                     f->t_elision.n ? (f->elision_estimated ? " (estimated)" : "")
                                    : " (no --elision: the runtime is part of it)");
}

/* The rows of X's ledger, largest first: "overhead of the runtime 62 %, idle time 20 %". The caller
 * frees it. */
static char *shares(const struct point *x)
{
    static const char *const names[LEDGER_ROWS] = { "overhead of the runtime", "libprof itself",
                                                    "idle time", "time off the CPU in tasks" };
    size_t size = 0;
    char *text = NULL;
    bool used[LEDGER_ROWS] = { 0 };
    FILE *out = format_memory(open_memstream(&text, &size));
    for (unsigned n = 0; n < LEDGER_ROWS; n++) {
        int best = -1;
        for (unsigned i = 0; i < LEDGER_ROWS; i++)
            if (!used[i] && x->ledger[i] >= WORTH && (best < 0 || x->ledger[i] > x->ledger[best]))
                best = i;
        if (best < 0)
            break;
        used[best] = true;
        fprintf(out, "%s%s %.0f %%", n ? ", " : "", names[best], 100 * x->ledger[best]);
    }
    fclose(out);
    return format_memory(text);
}

/* Explains by the ledger why the speedup is below the lower bound of the dag. */
static void report_below(struct factored *f, const struct point *x, const char *a, const char *b)
{
    char *list = shares(x), own[FORMAT_SIZE];
    bool small = x->ledger[LEDGER_RUNTIME] >= WORTH && x->task_own < LIMIT_SMALL_NS;
    char *grain = small ? format_text(" Tasks have %s of the program's own code each: make them "
                                      "larger.",
                                      format_short_ns(x->task_own, own))
                        : format_text("%s", "");
    if (*list)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is below the burdened lower bound, "
                     "%s, which counts steals, and neither what the runtime needs for each task "
                     "nor what others took. Of the workers' time in the profiled trials: %s.%s",
                     a, b, list, grain);
    else
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is below the burdened lower bound, "
                     "%s, of what a work-stealing scheduler reaches with this dag, and the "
                     "profiled trials' time went into the program's own code%s",
                     a, b,
                     words_work_grew(x) ? ": it is work that became slower. Memory, sharing, or "
                                          "other load do that."
                                        : ", which did not cost more than with one worker.");
    free(list);
    free(grain);
}

static void report_bounds(struct factored *f, const struct point *x)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    double slack = isnan(x->speedup_half) ? 0.05 * x->speedup : x->speedup_half;
    if (f->bounds < 0 || !(x->speedup > 0))
        return;
    format_ratio(x->speedup, a);
    format_ratio(x->lower, b);
    format_ratio(x->upper, c);
    format_ratio(slack, d);
    bool above = x->speedup - slack > x->upper;
    if (f->bound_estimate)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker is %s +- %s. The bounds of the profile, "
                     "%s to %s, are estimates, and bound nothing: %s.",
                     a, d, b, c, f->bound_estimate);
    else if (x->speedup + slack < x->lower)
        report_below(f, x, a, b);
    else if (above && f->loops_divide && !f->cut_by_program &&
             x->speedup - slack <= x->upper_divided)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above %s, the upper bound of "
                     "the loops as they were cut in the profile, and within what their iterations "
                     "allow, about %s (estimated): native trials %s them finer.",
                     a, c, format_ratio(x->upper_divided, d),
                     f->cut_by_either ? "may have cut" : "cut");
    else if (above && f->has_outliers && x->speedup - slack <= x->upper_typical)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above %s, the upper bound of "
                     "the span as measured, and within %s, that without strands that took far "
                     "longer than comparable strands.",
                     a, c, format_ratio(x->upper_typical, d));
    else if (above)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above the upper bound, %s: %s.",
                     a, c,
                     f->bound_exact ? "more cores have more cache, or one worker was disturbed"
                                    : "the profile's tasks are not the program's parallelism");
    else if ((x->speedup < x->lower && strcmp(a, b)) || (x->speedup > x->upper && strcmp(a, c)))
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is outside the bounds of the "
                     "profile, %s to %s, but by less than its error, +- %s: these trials do not "
                     "show on which side it is.",
                     a, b, c, d);
    else
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s +- %s, is within the bounds of the "
                     "profile, %s to %s.",
                     a, d, b, c);
}

/* States that strands waited for locks: no bound has that, and other causes have it only as far as
 * the native trials show more than their noise. */
static void report_locks(struct factored *f, const struct point *x)
{
    const struct bench *b = f->bench;
    const char *place = b->locked && *b->locked   ? b->locked
                        : b->waited && *b->waited ? b->waited
                                                  : "";
    char a[FORMAT_SIZE];
    if (x->locked > 0)
        factored_say(f, MARK_WORD, "locks", NAN,
                     "In the profiled trials with %u workers, strands waited for locks and other "
                     "threads for %.0f %% of the time in which samples found them (%s)%s%s. No "
                     "bound contains that: what a lock protects runs one at a time, whatever P is.",
                     x->p, 100 * x->locked, ns(x->locked_ns, a), *place ? ", longest in " : "",
                     place);
}

/* Names curves that flatten or fall: by the last slope as a share of the first (Acar, section
 * 2.5). */
static void report_curvature(struct factored *f, unsigned last)
{
    static const struct { enum curve curve; const char *flat, *down; } shapes[] = {
        { CURVE_MAXIMAL,
          "The maximal speedup flattens: the program makes more work for more workers.",
          "The maximal speedup falls at the end: the program makes more work for more workers than "
          "they can do." },
        { CURVE_IDLE,
          "The idle-time-specific speedup flattens: what more cores add is idle. The program lacks "
          "parallelism for them.",
          NULL },
        { CURVE_INFLATION,
          "The inflation-specific speedup flattens: what more cores add becomes work inflation, as "
          "where memory bandwidth is used up.",
          "The inflation-specific speedup falls at the end: more cores make it slower, as "
          "contended atomics, locks and false sharing do." },
    };
    if (last < 2 || last >= f->count)
        return;
    for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct point *x = &f->points[last], *y = x - 1;
        enum curve c = shapes[i].curve;
        double slope = (x->curve[c] - y->curve[c]) / (x->p - y->p) / f->points[0].curve[c];
        if (slope < 0 && shapes[i].down)
            factored_say(f, MARK_WORD, "", NAN, "%s", shapes[i].down);
        else if (slope < 0.25)
            factored_say(f, MARK_WORD, "", NAN, "%s", shapes[i].flat);
    }
}

static int compare_words(const void *a, const void *b)
{
    const struct words *x = a, *y = b;
    return x->rank < y->rank ? 1 : x->rank > y->rank ? -1 : strcmp(x->text, y->text);
}

/* The part of T_s in which no CPU worked, by the CPU time of the trials that it comes from. */
static double off_cpu_share(const struct factored *f)
{
    static const enum trial_kind from[] = { TRIAL_BASELINE, TRIAL_ELISION, TRIAL_NATIVE,
                                            TRIAL_NATIVE };
    if (f->bench->virtual)
        return 0;
    double cores = values_over(f, from[f->source], 1, value_cores).mean;
    /* of the CPU time of these trials, the estimate has what is not the runtime's */
    return f->source == BASELINE_ESTIMATE && f->t_s.mean > 0
               ? positive(1 - (1 - f->tasking_share) * factored_on_cpu(f, TRIAL_NATIVE) *
                                  f->points[0].native.mean / f->t_s.mean)
               : positive(1 - cores);
}

/* Half the 95 % interval of X's speedup over T_s, by both means' intervals; 0: by the virtual
 * clock, which has no spread; NAN: not known. */
static double speedup_margin(const struct factored *f, const struct point *x)
{
    const struct stat_of *one = &f->points[0].native, *from = f->t_s.half < 0 ? one : &f->t_s;
    if (f->bench->virtual)
        return 0;
    if (from->half < 0 || x->native.half < 0)
        return NAN;
    double a = from->half / from->mean, b = x->native.half / x->native.mean;
    return x->curve[CURVE_ACTUAL] * sqrt(a * a + b * b);
}

/* " +- 0.12". The caller frees it. */
static char *margin_text(double margin)
{
    char b[FORMAT_SIZE];
    if (isnan(margin))
        return format_text(" (one trial each: how far that may be off is unknown)");
    return margin > 0 ? format_text(" +- %s", format_ratio(margin, b)) : format_text("%s", "");
}

/* The first sentence. A speedup above P leaves no share of the cores' time. */
static void say_efficiency(struct factored *f, const struct point *x)
{
    static const char *const over[] = { "the baseline", "the elision",
                                        "its own work without tasking (estimated)", "one worker" };
    double efficiency = f->t_s.mean / (x->p * x->native.mean), off = off_cpu_share(f);
    double margin = speedup_margin(f, x), speedup = x->curve[CURVE_ACTUAL];
    char a[FORMAT_SIZE], *about = margin_text(margin);
    const char *who = over[f->source];
    format_ratio(speedup, a);
    if (fabs(speedup - 1) <= margin)
        factored_say(f, MARK_WORD, "efficiency", efficiency,
                     "These trials do not show that it is faster or slower with %u workers than "
                     "%s: the speedup is %s%s.",
                     x->p, who, a, about);
    else if (efficiency > 1)
        factored_say(f, MARK_WORD, "efficiency", efficiency,
                     "With %u workers it is %s%s times as fast as %s, more than by their number.",
                     x->p, a, about, who);
    else if (off >= WORTH)
        factored_say(f, MARK_WORD, "efficiency", efficiency,
                     "With %u workers it is %s%s times as fast as %s, whose time is %.0f %% of the "
                     "cores' time. For %.0f %% of that time, no CPU worked: it slept, waited, or "
                     "had no CPU.",
                     x->p, a, about, who, 100 * efficiency, 100 * off);
    else
        factored_say(f, MARK_WORD, "efficiency", efficiency,
                     "With %u workers it is %s%s times as fast as %s: %.0f %% of the cores' time "
                     "is its work.",
                     x->p, a, about, who, 100 * efficiency);
    free(about);
}

/* Did the profiled trials at P find a program without tasks? */
static bool has_no_tasks(const struct factored *f, unsigned p)
{
    for (size_t i = 0; i < f->bench->trial_count; i++)
        if (f->bench->trials[i].p == p && f->bench->trials[i].no_tasks)
            return true;
    return false;
}

void causes_say(struct factored *f)
{
    if (f->judged < 0) {
        factored_say(f, MARK_WORD, "", NAN,
                     "Nothing to compare: there is no number of workers above 1 that the %u core%s "
                     "can run at once and whose trials succeeded.",
                     f->cores, f->cores == 1 ? "" : "s");
        return;
    }
    const struct point *x = &f->points[f->judged], *before = &f->points[f->judged - 1];
    double core = x->p * x->native.mean, efficiency = f->t_s.mean / core;
    say_efficiency(f, x);
    size_t first = f->word_count;
    report_overhead(f, x);
    if (x->idle.n)
        words_of_idle(f, x);
    if (x->idle.n)
        words_of_inflation(f, x, before);
    else if (has_no_tasks(f, x->p))
        factored_say(f, MARK_WORD, "", NAN,
                     "The program has no tasks, as far as libprof sees: more workers change "
                     "nothing in it. prof doctor shows which runtimes it can see.");
    else
        factored_say(f, MARK_WORD, "", NAN,
                     "There are no profiles with tasks at %u workers: idle time and work inflation "
                     "cannot be separated. prof doctor may show why.",
                     x->p);
    qsort(f->words + first, f->word_count - first, sizeof *f->words, compare_words);
    bool any = false;
    for (size_t i = first; i < f->word_count; i++)
        any |= f->words[i].mark == MARK_CAUSE;
    double noise = sqrt(pow(positive(x->native.half) / x->native.mean, 2) +
                        pow(positive(f->t_s.half) / f->t_s.mean, 2));
    bool scales = efficiency >= 0.85 && efficiency * noise < 0.15;
    if (!any && !has_no_tasks(f, x->p) && (scales || !x->idle.n || !isnan(x->w)))
        factored_say(
            f, MARK_CAUSE, scales ? "scales" : "none", efficiency,
            scales && off_cpu_share(f) >= WORTH
                ? "It scales to %u, but its threads do not use their CPUs. More threads than cores "
                  "may help; of the cores' time no other cause takes more than %.0f %%."
            : scales
                ? "It scales to %u: no cause takes more than %.0f %%."
                : "Nothing at %u workers that takes more than %.0f %% stands out from the noise.",
            x->p, 100 * WORTH);
    report_locks(f, x);
    report_bounds(f, x);
    report_curvature(f, f->judged);
}
