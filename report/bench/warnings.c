/* warnings.c - the words: the speedup, what disturbed the trials, and what they cannot show. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

/* A trial shorter than this is mostly start-up and clock ticks. */
#define SHORT_NS 20e6

static double runtimes_of(const struct trial *t) { return t->profile.runtimes; }

static char *list_of(const struct factored *f,
                     bool (*which)(const struct factored *, const struct point *))
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

static bool is_short(const struct factored *f, const struct point *x)
{
    return !f->bench->virtual && x->native.median < SHORT_NS;
}

static bool is_perturbed(const struct factored *f, const struct point *x)
{
    return x->perturbation > 1.25;
}

static bool has_more_cores(const struct factored *f, const struct point *x)
{
    struct stat_of c = values_over(f, TRIAL_NATIVE, x->p, value_cores);
    return c.n && c.median > 1.03 * x->p + 0.02;
}

static bool has_more_threads(const struct factored *f, const struct point *x)
{
    double runtimes = values_over(f, TRIAL_PROFILED, x->p, runtimes_of).max;
    return x->threads > 1 + (runtimes > 1 ? runtimes : 1) * (x->p - 1);
}

static double busy_threads_of(const struct trial *t) { return t->profile.busy_threads; }

/* The program's own threads may work outside of tasks, as main does beside those that it starts. */
static bool has_fewer_threads(const struct factored *f, const struct point *x)
{
    double busy = values_over(f, TRIAL_PROFILED, x->p, busy_threads_of).max;
    return x->threads > 0 && x->threads < x->p && !(busy >= x->p);
}

static bool has_failures(const struct factored *f, const struct point *x)
{
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i];
        if (t->p == x->p && (t->kind == TRIAL_NATIVE || t->kind == TRIAL_PROFILED) &&
            !factored_counts(f, t))
            return true;
    }
    return false;
}

/* The elision should print what the program with one worker prints. True: each always prints the
 * same, but the two differ. */
static bool elision_differs(const struct factored *f)
{
    const struct trial *program = 0, *elision = 0;
    for (size_t i = 0; i < f->bench->trial_count; i++) {
        const struct trial *t = &f->bench->trials[i],
                           **first = t->kind == TRIAL_ELISION ? &elision : &program;
        if ((t->kind != TRIAL_NATIVE && t->kind != TRIAL_ELISION) || t->p != 1 ||
            !factored_counts(f, t))
            continue;
        if (!*first)
            *first = t;
        if ((*first)->output != t->output)
            return false;
    }
    return program && elision && program->output != elision->output;
}

/* What may bring the number of workers to the program, beside what these trials used. */
static const char *remedy(const struct bench *b)
{
    bool affinity = !strcmp(b->control, "affinity");
    return affinity && b->placeholder ? "It may set its own number."
           : affinity                 ? "{P} in its arguments may."
           : b->placeholder           ? "--control affinity may."
                                      : "--control affinity, or {P} in its arguments, may.";
}

/* Adds a warning on the points for which WHICH is true. FORMAT has one %s, for the list of their
 * P; MORE ends the sentence. */
static void warn_of(struct factored *f,
                    bool (*which)(const struct factored *, const struct point *), const char *cause,
                    const char *format, const char *more)
{
    char *list = list_of(f, which), *text;
    if (*list) {
        int n = asprintf(&text, format, list);
        format_memory(n < 0 ? NULL : text);
        factored_say(f, MARK_WARNING, cause, "%s%s", text, more);
        free(text);
    }
    free(list);
}

/* Do native outputs differ? 2: within one P; 1: only between several; 0: no. */
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

/* Did the profiled trials at P find a program without tasks? */
static bool has_no_tasks(const struct factored *f, unsigned p)
{
    for (size_t i = 0; i < f->bench->trial_count; i++)
        if (f->bench->trials[i].p == p && f->bench->trials[i].no_tasks)
            return true;
    return false;
}

void words_of_speedup(struct factored *f)
{
    static const char *const over[] = { "the baseline", "the elision",
                                        "its own work without tasking (estimated)", "one worker" };
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (f->judged < 0) {
        factored_say(f, MARK_WORD, "",
                     "Nothing to compare: there is no number of workers above 1 that the %u core%s "
                     "can run at once and whose trials succeeded.",
                     f->cores, f->cores == 1 ? "" : "s");
        return;
    }
    const struct point *x = &f->points[f->judged];
    double speedup = x->curve[CURVE_ACTUAL], margin = x->p * x->efficiency_half;
    char *about = isnan(margin) ? format_text(" (one trial each: how far that may be off is "
                                              "unknown)")
                  : margin > 0  ? format_text(" +- %s", format_ratio(margin, b))
                                : format_text("%s", "");
    format_ratio(speedup, a);
    if (fabs(speedup - 1) <= margin)
        factored_say(f, MARK_WORD, "efficiency",
                     "These trials do not show that it is faster or slower with %u workers than "
                     "%s: the speedup is %s%s.",
                     x->p, over[f->source], a, about);
    else
        factored_say(f, MARK_WORD, "efficiency",
                     "With %u workers it is %s%s times as fast as %s: an efficiency of %.0f %%.",
                     x->p, a, about, over[f->source], 100 * x->efficiency);
    free(about);
    if (has_no_tasks(f, x->p))
        factored_say(f, MARK_WORD, "",
                     "The program has no tasks, as far as libprof sees. prof doctor shows which "
                     "runtimes it can see.");
    else if (!x->idle.n)
        factored_say(f, MARK_WORD, "",
                     "There are no profiles with tasks at %u workers: idle time and work inflation "
                     "cannot be separated. prof doctor may show why.",
                     x->p);
    else if (isnan(x->w))
        factored_say(f, MARK_WORD, "",
                     "Idle time and work inflation with %u workers are not known: the profiled "
                     "trials were idle for %s, and the native ones have %s in all.",
                     x->p, format_short_ns(x->idle.mean, a),
                     format_short_ns(x->p * x->native.mean, b));
}

void warnings_of_machine(struct factored *f)
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
        factored_say(f, MARK_WARNING, "load",
                     "Other processes used %.2f of the machine's %.0f CPUs while the trials ran: "
                     "they are disturbed.",
                     other / wall, m->cpus);
    if (wall > 0 && steal > 0.01 * wall)
        factored_say(f, MARK_WARNING, "steal",
                     "The hypervisor took %.2f of the machine's %.0f CPUs away while the trials "
                     "ran (steal time).",
                     steal / wall, m->cpus);
    if (m->throttled > 0)
        factored_say(f, MARK_WARNING, "throttled",
                     "The control group was throttled for %.3f s by its CPU quota of %.2f cores "
                     "during the trials.",
                     m->throttled / 1e9, m->quota);
    if (m->loops > 1 && high > 1.05 * low)
        factored_say(f, MARK_WARNING, "frequency",
                     "The same register-only loop took %.2f to %.2f ms between the trials.",
                     low / 1e6, high / 1e6);
    if (f->machine_slowdown > 1.05)
        factored_say(f, MARK_WARNING, "cores",
                     "%.0f cores that are busy at once each run %.2f times slower than one "
                     "alone%s.",
                     m->loop_p, f->machine_slowdown, m->smt ? " (some CPUs share a core)" : "");
    if (*m->governor && strcmp(m->governor, "performance"))
        factored_say(f, MARK_WARNING, "governor",
                     "The CPU frequency governor is %s: clock speeds depend on load (performance "
                     "keeps them).",
                     m->governor);
}

/* Warns of trials that failed, or that all ended with one exit status that is not 0. */
static void warn_of_failures(struct factored *f)
{
    const struct bench *b = f->bench;
    unsigned failed = 0, all = 0;
    const struct trial *example = 0;
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
        factored_say(
            f, MARK_WARNING, "failed",
            "%u of %u trials failed and are left out%s%s: the first (%s, P = %u) ended with %s %d.",
            failed, all, *list ? ", at P = " : "", list, trial_kinds[example->kind], example->p,
            example->signaled ? "signal" : "exit status", example->code);
        free(list);
    } else if (example) {
        factored_say(f, MARK_WARNING, "status",
                     "Every trial of %s ended with exit status %d: do they do their work?",
                     example->kind == TRIAL_BASELINE  ? "the baseline"
                     : example->kind == TRIAL_ELISION ? "the elision"
                                                      : "the program",
                     example->code);
    }
}

void warnings_of_trials(struct factored *f)
{
    const struct bench *b = f->bench;
    unsigned p = 0;
    if (b->interrupted)
        factored_say(f, MARK_WARNING, "interrupted",
                     "The trials were interrupted: some rounds are missing.");
    warn_of_failures(f);
    switch (outputs_differ(f, &p)) {
    case 1:
        factored_say(f, MARK_WARNING, "output",
                     "Its output with %u workers is another than with 1, the same in every trial: "
                     "does it do the same work?",
                     p);
        break;
    case 2:
        factored_say(f, MARK_WARNING, "output_varies",
                     "Its output differs between trials with the same number of workers (%u): "
                     "times in it, or results that depend on the schedule.",
                     p);
    }
    if (elision_differs(f))
        factored_say(
            f, MARK_WARNING, "output",
            "The elision's output is another than the program's: does it do the same work?");
    warn_of(f, is_over, "oversubscribed",
            "P = %s is more than the cores: workers share them, and the trials are not "
            "compared.", "");
    warn_of(f, has_more_cores, "control",
            "Native trials at P = %s used more CPU time than that many workers can: the number of "
            "workers does not reach the program. ",
            remedy(b));
    warn_of(f, has_more_threads, "control",
            "At P = %s more threads than that ran tasks: the number of workers does not reach the "
            "program. ",
            remedy(b));
    warn_of(f, has_fewer_threads, "workers",
            "At P = %s fewer threads than that ran tasks, or worked outside of them.", "");
    warn_of(f, is_short, "short",
            "Trials at P = %s take less than 20 ms: starting the process is a good part of it. "
            "Take a larger input.", "");
    warn_of(f, is_spread, "spread",
            "The trials at P = %s are spread by more than 10 %% of their median.", "");
    warn_of(f, is_skewed, "outliers",
            "Mean and median at P = %s are more than 5 %% apart: there are outliers, and the "
            "factored speedups, which are ratios of means, follow them.", "");
    warn_of(f, is_perturbed, "perturbed",
            "Profiled runs at P = %s take more than 1.25 times as long as native ones: idle time, "
            "and with it work inflation, is known only between the limits shown.", "");
    if (b->rounds == 1)
        factored_say(f, MARK_WARNING, "one_trial",
                     "One trial each: there is no spread to judge by (-t 5).");
}
