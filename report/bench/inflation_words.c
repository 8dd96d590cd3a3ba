/* inflation_words.c - sentences about the time that is neither T_1 nor idle: gap C. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

/* By how much the work of G may have grown between one worker and the point AT, at least, by the
 * number of samples. A function without samples may have had three. */
static double least_growth(const struct bench_function *g, unsigned at)
{
    double n = fmax(g->samples[at], 1), n1 = fmax(g->samples[0], 1), w = g->work[at] / sqrt(n),
           w1 = g->samples[0] > 0 ? g->work[0] / sqrt(n1) : 1.5 * g->work[at] / n;
    return g->work[at] - g->work[0] - 2 * sqrt(w * w + w1 * w1);
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
    double all = 0, named = 0;
    for (size_t i = 0; i < b->function_count; i++)
        all += positive(b->functions[i].work[at] - b->functions[i].work[0]);
    bool *used = format_memory(calloc(b->function_count + 1, 1));
    for (unsigned k = 0; k < 3 && named < 0.5 * all; k++) {
        const struct bench_function *best = 0;
        for (size_t i = 0; i < b->function_count; i++) {
            const struct bench_function *g = &b->functions[i];
            if (!used[i] && g->samples[at] + g->samples[0] >= MIN_SAMPLES &&
                (!best || g->work[at] - g->work[0] > best->work[at] - best->work[0]))
                best = g;
        }
        if (!best || best->work[at] - best->work[0] <= 0.1 * best->work[0] ||
            least_growth(best, at) <= 0)
            break;
        used[best - b->functions] = true;
        named += best->work[at] - best->work[0];
        fprintf(out, "%s%s (%s with one worker, %s with %u)", k ? ", " : "", best->function,
                ns(best->work[0], one), ns(best->work[at], more), b->p[at]);
    }
    fclose(out);
    free(used);
    return format_memory(text);
}

static void report_growth(struct factored *f)
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

/* Do the workers wait for memory, or for each other's cache lines? Copies of the program share the
 * memory alone. The sentence begins with START. */
static void report_memory_or_sharing(struct factored *f, const struct point *x,
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

/* Adds the first cause that explains most of the inflation, of work that grew. The sentence begins
 * with START. */
static void report_cause_of_growth(struct factored *f, const struct point *x,
                                 const struct point *before, const char *start)
{
    double share = x->f / (x->p * x->native.mean), t1 = x->one.mean;
    double machine = t1 * positive(f->machine_slowdown - 1);
    if (machine >= 0.6 * x->f)
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
        report_memory_or_sharing(f, x, before, start);
}

/* Adds the first cause that explains most of the inflation. The sentence begins with START. */
static void report_cause_of_inflation(struct factored *f, const struct point *x,
                                    const struct point *before, const char *start)
{
    char b[FORMAT_SIZE];
    double share = x->f / (x->p * x->native.mean);
    double taken = factored_taken(f, x, TRIAL_NATIVE);
    bool grew = words_work_grew(x);
    if (taken >= 0.5 * x->f)
        factored_say(
            f, MARK_CAUSE, "load", share,
            "%sOther processes, or the hypervisor, had the CPUs for %s (estimated) of each trial, "
            "while it could have run: that may be most of it, and nothing is known of the "
            "program's own until it runs on a quiet machine.",
            start, ns(taken, b));
    else if ((grew ? x->blocked : x->off_cpu) >= 0.5 * x->f)
        factored_say(f, MARK_CAUSE, "blocked", share,
                     "%sIn the profiled trials with %u workers, tasks were off the CPU for %s: "
                     "they wait for each other's locks, for I/O, or were preempted. Where locks "
                     "are why, hold them for a shorter time, or fewer of them; keep what is shared "
                     "in each worker until the end.",
                     start, x->p, ns(x->off_cpu, b));
    else if (grew)
        report_cause_of_growth(f, x, before, start);
    else
        factored_say(f, MARK_CAUSE, "unknown", share,
                     "%sWhat took the time, the trials do not show.", start);
}

bool words_work_grew(const struct point *x)
{
    return !(x->work_all - x->work_one < 0.5 * x->f);
}

/* The beginning of the sentence about the inflation. BEYOND: beside work that grew with P. The
 * caller frees it. */
static char *lead(const struct point *x, bool beyond)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    double share = x->f / (x->p * x->native.mean);
    if (words_work_grew(x))
        return format_text("Work inflation takes %.0f %% of the cores (gap C): its work costs %s "
                           "more with %u workers than the %s that one needs, if it is the same "
                           "work. ",
                           100 * share, ns(x->f, a), x->p, ns(x->one.mean, b));
    if (beyond)
        return format_text("Another %.0f %% of the cores' time (gap C; %s) is neither work of the "
                           "profiles nor idle. ",
                           100 * share, ns(x->f, a));
    if (x->work_all - x->work_one >= WORTH * x->p * x->native.mean)
        return format_text("%.0f %% of the cores' time (gap C; %s) is neither what one worker "
                           "needs nor idle, and most of it is not work that grew: the profiles "
                           "have %s of work with one worker and %s with %u. ",
                           100 * share, ns(x->f, a), ns(x->work_one, b), ns(x->work_all, c), x->p);
    return format_text("%.0f %% of the cores' time (gap C; %s) is neither what one worker needs "
                       "nor idle, and is not work that grew: the profiles have %s of work with one "
                       "worker and %s with %u. ",
                       100 * share, ns(x->f, a), ns(x->work_one, b), ns(x->work_all, c), x->p);
}

/* {P} is in the arguments, T_1 is that of P = 1, and the exact work of the profiles grew with P:
 * the program may do more for more workers. Where copies ran, they show the cause. Returns the
 * part of X's inflation that is such work; 0: too small a part. */
static double report_work_by_p(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, growth = fmin(x->work_all - x->work_one, x->f);
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!f->bench->placeholder || !isnan(f->copies) || !(growth >= WORTH * core))
        return 0;
    factored_say(f, MARK_CAUSE, "work_by_p", growth / core,
                 "Work that grew takes %.0f %% of the cores: the profiles have %s of work with one "
                 "worker and %s with %u, and {P} is in the arguments. If the program does more for "
                 "more workers, that is no work inflation, and its speedup over one worker "
                 "compares different work: with --work-by-p, each P is compared with one worker "
                 "that does the same.",
                 100 * growth / core, ns(x->work_one, a), ns(x->work_all, b), x->p);
    return growth;
}

/* Inflation is the rest of the time. The profiles, the loop on all cores and copies of the program
 * show what it consists of. */
void words_of_inflation(struct factored *f, const struct point *x, const struct point *before)
{
    double core = x->p * x->native.mean, share = x->f / core;
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
    double by_p = report_work_by_p(f, x);
    struct point rest = *x;
    rest.f -= by_p;
    rest.work_one += by_p;      /* what is left is beside that growth */
    if (rest.f < WORTH * core || rest.f < x->f_error)
        return;
    char *start = lead(&rest, by_p > 0);
    report_cause_of_inflation(f, &rest, before, start);
    free(start);
    if (words_work_grew(x) && x->work_all > x->work_one)
        report_growth(f);
}
