/* cause_words.c - what limits the program, in sentences: each cause with its share of the cores'
 * time. figures.c computes the figures; this file chooses which sentences they justify. */
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

static const char *ns(double v, char *buffer)
{
    return v < 0 ? (buffer[0] = '-', format_short_ns(-v, buffer + 1), buffer)
                 : format_short_ns(v, buffer);
}

/* The functions whose work grew most, "sweep (1.2 s with one worker, 2.0 s with 4)": as many as
 * have half of the growth together, at most three. The caller frees it. */
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
        fprintf(out, "%s%s (%s with one worker, %s with %u)", k ? ", " : "", best->function,
                ns(best->work[0], one), ns(best->work[at], more), b->p[at]);
    }
    fclose(out);
    free(used);
    return format_memory(text);
}

static void tell_growth(struct factored *f)
{
    char *where = grown(f);
    if (*where) {
        factored_say(f, MARK_WORD, "", NAN,
                     "By samples in the profiled runs, the work grew most in %s.", where);
        struct words *w = &f->words[f->word_count - 1];
        w->rank = nextafter(w[-1].rank, 0);     /* right after the cause */
    }
    free(where);
}

static void tell_overhead(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, t1 = x->one.mean, lost = t1 - f->t_s.mean;
    double tasking = f->t_elision.n ? t1 - f->t_elision.mean : 0,
           algorithm = lost - positive(tasking);
    double error = (positive(x->one.half) + positive(f->t_s.half)) / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (lost / core < WORTH || lost / core < error)
        return;
    if (tasking / core >= WORTH && tasking >= 0.4 * lost)
        factored_say(f, MARK_CAUSE, "tasking", tasking / core,
                     "Tasking overhead takes %.0f %% of the cores (gap A): %s of the %s that one "
                     "worker needs go into making and running tasks%s. %s%s%sMake the tasks "
                     "larger: a larger grain or cutoff.",
                     100 * tasking / core, ns(tasking, a), ns(t1, b),
                     f->elision_estimated ? " (estimated from the one-worker profile)" : "",
                     x->average_strand > 0 ? "The average maximal strand is " : "",
                     x->average_strand > 0 ? ns(x->average_strand, c) : "",
                     x->average_strand > 0 ? " long. " : "");
    if (f->source == BASELINE_COMMAND && algorithm / core >= WORTH && algorithm > 0.25 * lost)
        factored_say(f, MARK_CAUSE, "algorithm", algorithm / core,
                     "The parallel algorithm does more work than the baseline: %.0f %% of the "
                     "cores (gap A) go into the difference between the baseline's %s and the %s "
                     "that the program needs without the runtime%s.",
                     100 * algorithm / core, ns(f->t_s.mean, a), ns(f->t_s.mean + algorithm, b),
                     f->t_elision.n ? (f->elision_estimated ? " (estimated)" : "")
                                    : " (no --elision: the runtime is part of it)");
}

/* An estimate of the time in which the workers of a trial of KIND could have run but had no CPU:
 * the first thread's delay for each worker, and stolen time. */
static double taken_from(const struct factored *f, const struct point *x, enum trial_kind kind)
{
    return values_over(f, kind, x->p, value_taken).mean;
}

/* Who cut the loops, in B. */
static const char *loops_cut(const struct factored *f, char b[FORMAT_SIZE])
{
    if (f->cut_by_program)
        return "it cut its loops";
    snprintf(b, FORMAT_SIZE, "its loops were cut %s %u workers", f->cut_by_either ? "on" : "for",
             f->points[f->bounds].p);
    return b;
}

/* The part of the idle time that the dag explains, if it is worth a sentence. */
static void tell_parallelism(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, share = x->for_span / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE], divided[FORMAT_SIZE];
    char cut[FORMAT_SIZE];
    if (share < WORTH)
        return;
    ns(x->for_span, a);
    ns(core, b);
    format_ratio(ratio(f->bound_work, f->bound_span), par);
    if (f->loops_divide)
        factored_say(f, MARK_CAUSE, "chunks", share,
                     "Up to %.0f %% of the cores' time is idle by the cut of loops (gap B; %s of "
                     "%s). The program's parallelism is %s as %s, less than ten times %u; their "
                     "iterations allow about %s (estimated). Smaller chunks, by the grain size, "
                     "the schedule or the partitioner, balance the load better.",
                     100 * share, a, b, par, loops_cut(f, cut), x->p,
                     format_about(ratio(f->bound_work, f->bound_divisible), divided));
    else
        factored_say(f, MARK_CAUSE, "parallelism", share,
                     "Lack of parallelism: up to %.0f %% of the cores' time is idle for it (gap B; "
                     "%s of %s). The program's parallelism is %s%s, less than ten times %u.%s%s%s "
                     "Shorten the critical path: prof report and prof view of its profile show it.",
                     100 * share, a, b, par, f->bound_exact ? "" : " (not exact)", x->p,
                     *f->bench->critical ? " Most of the critical path is in " : "",
                     f->bench->critical, *f->bench->critical ? "." : "");
}

/* The idle time that the dag does not explain. TAKEN: the time in which others had the CPUs. */
static void tell_rest(struct factored *f, const struct point *x, double taken)
{
    double core = x->p * x->native.mean, rest = x->idle.mean - x->for_span;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    if (rest < WORTH * core)
        return;
    char *others = taken >= WORTH * core
                       ? format_text(" Others had the CPUs for %s (estimated) of each profiled "
                                     "trial, while it could have run.",
                                     ns(taken, d))
                       : format_text("%s", "");
    factored_say(
        f, MARK_CAUSE, "idle", rest / core,
        "%.0f %% of the cores' time is idle for something else (gap B; %s of %s): the dag "
        "explains at most (P - 1) x span, %s%s.%s Waits, tasks that are made by one thread, "
        "waits for threads to start, and other programs do that.",
        100 * rest / core, ns(rest, a), ns(core, b), ns(x->for_span, c),
        f->bound_exact ? "" : " (not exact)", others);
    free(others);
}

static void tell_idle(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, share = x->idle.mean / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE];
    if (!(share >= WORTH))
        return;
    ns(x->idle.mean, a);
    ns(core, b);
    if (isnan(x->w)) {
        factored_say(f, MARK_WORD, "", NAN,
                     "Idle time and work inflation with %u workers are not known: the profiled "
                     "trials were idle for %s, and the native ones have %s in all. More trials "
                     "(-n), or a quieter machine, may show them.%s%s%s%s",
                     x->p, a, b, f->bounds >= 0 ? " The dag explains at most " : "",
                     f->bounds >= 0 ? ns(x->for_span, par) : "",
                     f->bounds < 0    ? ""
                     : f->bound_exact ? " of idle time, (P - 1) x span"
                                      : " of idle time, (P - 1) x span, which is not exact",
                     f->bounds >= 0 ? "." : "");
        return;
    }
    if (x->idle.mean < positive(x->idle.half)) {
        factored_say(f, MARK_WORD, "", NAN,
                     "Idle time is %.0f %% of the cores' time (gap B; %s of %s), but differs so "
                     "much between the trials that it may be none: more trials (-n), or a quieter "
                     "machine, will tell.",
                     100 * share, a, b);
        return;
    }
    format_ratio(ratio(f->bound_work, f->bound_span), par);
    double taken = taken_from(f, x, TRIAL_PROFILED);
    if (x->idle.mean - taken < WORTH * core) {
        factored_say(f, MARK_CAUSE, "load", share,
                     "%.0f %% of the cores' time seems idle (gap B; %s of %s), but other "
                     "processes, or the hypervisor, had the CPUs for %s (estimated) of each "
                     "profiled trial, while it could have run: that may be all of it.",
                     100 * share, a, b, ns(taken, par));
        return;
    }
    if (f->bounds >= 0 && ratio(f->bound_work, f->bound_span) < 10 * x->p) {
        tell_parallelism(f, x);
        tell_rest(f, x, taken);
    } else {
        factored_say(f, MARK_CAUSE, "idle", share,
                     "%.0f %% of the cores' time is idle (gap B; %s of %s: %.0f %% searching, %.0f "
                     "%% asleep, %.0f %% without a thread), and the program's parallelism, %s, is "
                     "ample: it is the scheduler, not the program, that has no work there. Tasks "
                     "that are made by one thread, waits for threads to start, and runs that are "
                     "too short do that.",
                     100 * share, a, b, 100 * x->search / x->idle.mean,
                     100 * x->sleep / x->idle.mean, 100 * x->absent / x->idle.mean, par);
    }
}

/* Do the workers wait for memory, or for each other's cache lines? Copies of the program share the
 * memory alone. The sentence begins with START. */
static void tell_memory_or_sharing(struct factored *f, const struct point *x,
                                   const struct point *before, const char *start)
{
    double share = x->f / (x->p * x->native.mean), t1 = x->one.mean;
    double slope = (x->curve[CURVE_INFLATION] - before->curve[CURVE_INFLATION]) /
                   (x->p - before->p) / before->curve[CURVE_MAXIMAL] * before->p;
    double memory = t1 > 0 ? f->copies - 1 : NAN, per_work = x->f / t1;
    if (!isnan(memory) && memory >= 0.4 * per_work)
        factored_say(f, MARK_CAUSE, "memory", share,
                     "%sIt is the memory system: %u independent copies of the one-worker program "
                     "at once take %.2f times as long as one alone, and they share nothing but "
                     "caches and memory bandwidth. Touch less memory, in order, or more often "
                     "while it is in a cache.",
                     start, x->p, f->copies);
    else if (!isnan(memory))
        factored_say(
            f, MARK_CAUSE, "sharing", share,
            "%s%s: %u independent copies of the one-worker program at once take %.2f times as long "
            "as one alone. What is left is what the workers share: cache lines that several write "
            "(false sharing), contended atomics, locks that spin.",
            start,
            memory < 0.1 ? "It is not memory bandwidth"
                         : "Memory bandwidth and caches are the smaller part of it",
            x->p, f->copies);
    else if (slope < 0)
        factored_say(f, MARK_CAUSE, "sharing", share,
                     "%sThe inflation-specific speedup falls from %.2f to %.2f as workers are "
                     "added, which is typical of false sharing, contended atomics and spinning "
                     "locks (--copies separates them from memory bandwidth).",
                     start, before->curve[CURVE_INFLATION], x->curve[CURVE_INFLATION]);
    else
        factored_say(f, MARK_CAUSE, "inflation", share,
                     "%sMemory bandwidth and caches, false sharing, contended atomics and spinning "
                     "locks do that. --copies separates memory from sharing: it runs %u "
                     "independent copies at once.",
                     start, x->p);
}

/* Adds the first cause that explains most of the inflation. The sentence begins with START. */
static void tell_cause_of_inflation(struct factored *f, const struct point *x,
                                    const struct point *before, const char *start)
{
    char b[FORMAT_SIZE];
    double share = x->f / (x->p * x->native.mean), t1 = x->one.mean;
    double machine = t1 * positive(f->machine_slowdown - 1);
    double taken = taken_from(f, x, TRIAL_NATIVE);
    if (taken >= 0.5 * x->f)
        factored_say(
            f, MARK_CAUSE, "load", share,
            "%sOther processes, or the hypervisor, had the CPUs for %s (estimated) of each trial, "
            "while it could have run: that may be most of it, and nothing is known of the "
            "program's own until it runs on a quiet machine.",
            start, ns(taken, b));
    else if (x->blocked >= 0.5 * x->f)
        factored_say(f, MARK_CAUSE, "blocked", share,
                     "%s%.0f %% of it are tasks off the CPU: they wait for each other's locks, for "
                     "I/O, or were preempted. Hold locks for a shorter time, or fewer of them; "
                     "keep what is shared in each worker until the end.",
                     start, 100 * x->blocked / x->f > 100 ? 100 : 100 * x->blocked / x->f);
    else if (machine >= 0.6 * x->f)
        factored_say(f, MARK_CAUSE, "machine", share,
                     "%sThe machine explains it: %u cores that are busy at once each run %.0f %% "
                     "slower than one alone, with registers only (clock frequency, threads that "
                     "share a core, or other load).",
                     start, x->p, 100 * (f->machine_slowdown - 1));
    else if (x->scheduling >= 0.5 * x->f)
        factored_say(f, MARK_CAUSE, "scheduling", share,
                     "%sMost of it is the runtime's (%.0f %%): stealing, and queues that workers "
                     "contend for. Make fewer, larger tasks.",
                     start, 100 * x->scheduling / x->f > 100 ? 100 : 100 * x->scheduling / x->f);
    else
        tell_memory_or_sharing(f, x, before, start);
}

/* Inflation is the rest of the time. The profiles, the loop on all cores and copies of the program
 * show what it consists of. */
static void tell_inflation(struct factored *f, const struct point *x, const struct point *before)
{
    double core = x->p * x->native.mean, share = x->f / core, t1 = x->one.mean;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (isnan(x->f))
        return;
    if (share < WORTH || x->f < x->f_error) {
        if (share >= WORTH)
            factored_say(f, MARK_WORD, "", NAN,
                         "Work inflation is %.0f %% of the cores' time, within its error of %.0f "
                         "points: it may be noise. More trials (-n), or a quieter machine, may "
                         "show it.",
                         100 * share, 100 * x->f_error / core);
        return;
    }
    ns(x->f, a);
    ns(t1, b);
    const char *lead = "Work inflation takes %.0f %% of the cores (gap C): the same work costs %s "
                       "more with %u workers than the %s that one needs. ";
    char *start = format_text(lead, 100 * share, a, x->p, b);
    tell_cause_of_inflation(f, x, before, start);
    free(start);
    tell_growth(f);
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
static void tell_below(struct factored *f, const struct point *x, const char *a, const char *b)
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
                     "profiled trials' time went into the program's own code: it is work that "
                     "became slower. Memory, sharing, or other load do that.",
                     a, b);
    free(list);
    free(grain);
}

static void tell_bounds(struct factored *f, const struct point *x)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    double slack = isnan(x->speedup_half) ? 0.05 * x->speedup : x->speedup_half;
    if (f->bounds < 0 || !(x->speedup > 0))
        return;
    format_ratio(x->speedup, a);
    format_ratio(x->lower, b);
    format_ratio(x->upper, c);
    format_ratio(slack, d);
    if (x->speedup + slack < x->lower)
        tell_below(f, x, a, b);
    else if (f->loops_divide && !f->cut_by_program && x->speedup > x->upper &&
             x->speedup - slack <= x->upper_divided)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above %s, the upper bound of "
                     "the loops as they were cut in the profile, and within what their iterations "
                     "allow, about %s (estimated): native trials %s them finer.",
                     a, c, format_ratio(x->upper_divided, d),
                     f->cut_by_either ? "may have cut" : "cut");
    else if (f->has_outliers && x->speedup > x->upper && x->speedup - slack <= x->upper_typical)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above %s, the upper bound of "
                     "the span as measured, and within %s, that without strands that took far "
                     "longer than their like.",
                     a, c, format_ratio(x->upper_typical, d));
    else if (x->speedup - slack > x->upper)
        factored_say(f, MARK_WORD, "", NAN,
                     "The measured speedup over one worker, %s, is above the upper bound, %s: %s.",
                     a, c,
                     f->bound_exact ? "more cores have more cache, or one worker was disturbed"
                                    : "the profile's tasks are not the program's parallelism");
    else if (x->speedup < x->lower || x->speedup > x->upper)
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

/* Names curves that flatten or fall: by the last slope as a share of the first (Acar, section
 * 2.5). */
static void tell_curvature(struct factored *f, unsigned last)
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
    char a[FORMAT_SIZE];
    static const char *const over[] = { "the baseline", "the elision",
                                        "its own work without tasking (estimated)", "one worker" };
    factored_say(
        f, MARK_WORD, "efficiency", efficiency,
        "With %u workers it is %s times as fast as %s: %.0f %% of the cores' time is its work.",
        x->p, format_ratio(x->curve[CURVE_ACTUAL], a), over[f->source], 100 * efficiency);
    size_t first = f->word_count;
    tell_overhead(f, x);
    if (x->idle.n)
        tell_idle(f, x);
    if (x->idle.n)
        tell_inflation(f, x, before);
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
    if (!any && (scales || !x->idle.n || !isnan(x->w)))
        factored_say(
            f, MARK_CAUSE, scales ? "scales" : "none", efficiency,
            scales
                ? "It scales to %u: no cause takes more than %.0f %%."
                : "Nothing at %u workers that takes more than %.0f %% stands out from the noise.",
            x->p, 100 * WORTH);
    tell_bounds(f, x);
    tell_curvature(f, f->judged);
}
