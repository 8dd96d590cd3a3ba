/* idle_words.c - sentences about the idle time: gap B. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "bench/factored_private.h"

/* Who cut the loops, in B. */
static const char *loops_cut(const struct factored *f, char b[FORMAT_SIZE])
{
    if (f->cut_by_program)
        return "it cut its loops";
    snprintf(b, FORMAT_SIZE, "its loops were cut %s %u workers", f->cut_by_either ? "on" : "for",
             f->points[f->bounds].p);
    return b;
}

/* The part of the idle time that the cut of loops explains, if it is worth a sentence. */
static void report_cut(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, of_cut = x->for_span - x->for_divided,
           share = of_cut / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE], divided[FORMAT_SIZE];
    char cut[FORMAT_SIZE];
    if (f->loops_divide && share >= WORTH)
        factored_say(f, MARK_CAUSE, "chunks", share,
                     "Up to %.0f %% of the cores' time is idle by the cut of loops (gap B; %s of "
                     "%s). The program's parallelism is %s as %s, less than ten times %u; their "
                     "iterations allow about %s (estimated%s). %s",
                     100 * share, ns(of_cut, a), ns(core, b),
                     format_ratio(ratio(f->bound_work, f->bound_span), par), loops_cut(f, cut),
                     x->p, format_about(ratio(f->bound_work, f->bound_divisible), divided),
                     f->points[f->bounds].locked > 0 ? ", if none waits for another" : "",
                     f->long_chunk ? f->long_chunk
                                   : "Smaller chunks, by the grain size, the schedule or the "
                                     "partitioner, balance the load better.");
}

/* The part of the idle time that the rest of the dag explains, if it is worth a sentence. Of loops
 * that divide, what is most of the path as they were cut need not be most of the rest. */
static void report_parallelism(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, share = x->for_divided / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE];
    report_cut(f, x);
    if (share < WORTH)
        return;
    ns(x->for_divided, a);
    ns(core, b);
    if (f->loops_divide)
        factored_say(f, MARK_CAUSE, "parallelism", share,
                     "Lack of parallelism: up to %.0f %% of the cores' time is idle for it (gap B; "
                     "%s of %s), even if the loops divide as far as their iterations allow: the "
                     "parallelism is then about %s (estimated). Shorten the critical path outside "
                     "of them: prof report and prof view of its profile show it.",
                     100 * share, a, b,
                     format_about(ratio(f->bound_work, f->bound_divisible), par));
    else
        factored_say(f, MARK_CAUSE, "parallelism", share,
                     "Lack of parallelism: up to %.0f %% of the cores' time is idle for it (gap B; "
                     "%s of %s). The program's parallelism is %s%s, less than ten times %u.%s%s%s "
                     "Shorten the critical path: prof report and prof view of its profile show it.",
                     100 * share, a, b, format_ratio(ratio(f->bound_work, f->bound_span), par),
                     f->bound_exact ? "" : " (not exact)", x->p,
                     *f->bench->critical ? " Most of the critical path is in " : "",
                     f->bench->critical, *f->bench->critical ? "." : "");
}

/* A sentence on the time TAKEN in which others had the CPUs, with what it is the reason for; "": it
 * is a small part of CORE. The caller frees it. */
static char *others_had(double taken, double core, const char *consequence)
{
    char text[FORMAT_SIZE];
    if (taken < WORTH * core)
        return format_text("%s", "");
    return format_text(" Others had the CPUs for %s (estimated) of each profiled trial, while it "
                       "could have run%s.", ns(taken, text), consequence);
}

/* The idle time that the dag does not explain. TAKEN: the time in which others had the CPUs. */
static void report_rest(struct factored *f, const struct point *x, double taken)
{
    double core = x->p * x->native.mean, rest = x->idle.mean - x->waits - x->for_span;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    if (rest < WORTH * core)
        return;
    char *others = others_had(taken, core, "");
    factored_say(
        f, MARK_CAUSE, "idle", rest / core,
        "%.0f %% of the cores' time is idle for something else (gap B; %s of %s): the dag "
        "explains at most %s%s%s.%s %s tasks that are made by one thread, "
        "waits for threads to start, and other programs do that.",
        100 * rest / core, ns(rest, a), ns(core, b), x->by_threads ? "" : "(P - 1) x span, ",
        ns(x->for_span, c),
        f->bound_exact ? "" : " (not exact)", others,
        x->waits > 0 ? "Other waits," : "Waits,");
    free(others);
}

/* The part of the idle time in which strands kept each other out. */
static void report_waits(struct factored *f, const struct point *x, double taken)
{
    double core = x->p * x->native.mean, share = x->waits / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *place = f->bench->waited ? f->bench->waited : "";
    if (share < WORTH)
        return;
    char *others = others_had(taken, core, ": that makes waits longer");
    factored_say(f, MARK_CAUSE, "waits", share,
                 "%.0f %% of the cores' time is idle because strands kept each other out (gap B; "
                 "%s of %s, measured): they waited to enter critical sections or take locks%s%s. "
                 "Hold them for a shorter time, or enter them less often.%s",
                 100 * share, ns(x->waits, a), ns(core, b), *place ? ", longest in " : "", place,
                 others);
    free(others);
}

/* Idle time beside waits that may be none, or other processes' load. True: a
 * sentence was printed. */
static bool report_uncertain(struct factored *f, const struct point *x, double taken)
{
    double core = x->p * x->native.mean, rest = x->idle.mean - x->waits, share = rest / core;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE];
    ns(rest, a);
    ns(core, b);
    if (x->idle.mean < positive(x->idle.half)) {
        factored_say(f, MARK_WORD, "", NAN,
                     "%s is %.0f %% of the cores' time (gap B; %s of %s), but differs so much "
                     "between the trials that it may be none: more trials (-n), or a quieter "
                     "machine, will show it.",
                     x->waits > 0 ? "Other idle time" : "Idle time", 100 * share, a, b);
        return true;
    }
    if (rest - taken >= WORTH * core)
        return false;
    factored_say(f, MARK_CAUSE, "load", share,
                 "%.0f %% of the cores' time seems idle%s (gap B; %s of %s), but other processes, "
                 "or the hypervisor, had the CPUs for %s (estimated) of each profiled trial, while "
                 "it could have run: that may be all of it.",
                 100 * share, x->waits > 0 ? " for something else" : "", a, b, ns(taken, c));
    return true;
}

static void report_ample(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, rest = x->idle.mean - x->waits;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE];
    char *split = x->waits > 0 ? format_text("%s", "")
                               : format_text(": %.0f %% searching, %.0f %% asleep, %.0f %% without "
                                             "a thread",
                                             100 * x->search / x->idle.mean,
                                             100 * x->sleep / x->idle.mean,
                                             100 * x->absent / x->idle.mean);
    factored_say(f, MARK_CAUSE, "idle", rest / core,
                 "%.0f %% of the cores' time is idle%s (gap B; %s of %s%s), and the program's "
                 "parallelism, %s, is ample: the dag does not explain it. Tasks that are made by "
                 "one thread, waits for threads to start, waits that libprof does not see, and "
                 "runs that are too short do that.",
                 100 * rest / core, x->waits > 0 ? " for something else" : "", ns(rest, a),
                 ns(core, b), split,
                 format_ratio(ratio(f->bound_work, f->bound_span), par));
    free(split);
}

/* Idle time, where the profiles do not show whether the program has the parallelism. */
static void report_estimated(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean, rest = x->idle.mean - x->waits;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    factored_say(f, MARK_CAUSE, "idle", rest / core,
                 "%.0f %% of the cores' time is idle%s (gap B; %s of %s). Whether for lack of "
                 "parallelism, the profiles do not show: their work and span are estimates.",
                 100 * rest / core, x->waits > 0 ? " for something else" : "", ns(rest, a),
                 ns(core, b));
}

static void report_unknown(struct factored *f, const struct point *x)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], par[FORMAT_SIZE];
    factored_say(f, MARK_WORD, "", NAN,
                 "Idle time and work inflation with %u workers are not known: the profiled trials "
                 "were idle for %s, and the native ones have %s in all. More trials (-n), or a "
                 "quieter machine, may show them.%s%s%s%s",
                 x->p, ns(x->idle.mean, a), ns(x->p * x->native.mean, b),
                 f->bounds >= 0 ? " The dag explains at most " : "",
                 f->bounds >= 0 ? ns(x->for_span, par) : "",
                 f->bounds < 0    ? ""
                 : f->bound_estimate
                     ? " of idle time, an estimate"
                 : f->bound_exact ? " of idle time"
                                  : " of idle time, which is not exact",
                 f->bounds >= 0 ? "." : "");
}

void words_of_idle(struct factored *f, const struct point *x)
{
    double core = x->p * x->native.mean;
    if (!(x->idle.mean / core >= WORTH))
        return;
    double taken = factored_taken(f, x, TRIAL_PROFILED);
    if (isnan(x->w)) {
        report_unknown(f, x);
        return;
    }
    report_waits(f, x, taken);
    if (x->idle.mean - x->waits < WORTH * core || report_uncertain(f, x, taken))
        return;
    if (f->bound_estimate) {
        report_estimated(f, x);
    } else if (f->bounds >= 0 && ratio(f->bound_work, f->bound_span) < 10 * x->p) {
        report_parallelism(f, x);
        report_rest(f, x, taken);
    } else {
        report_ample(f, x);
    }
}
