/* text_samples.c - what the shares of functions and call paths rest on. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "libprof_format.h"
#include "text/sections.h"

/* The squares of the samples' weights over the weights. A quiet machine has 1.2; the report warns
 * above this. */
#define MANY_LATE 1.5
/* If strands had no CPU for more than this share of the work, samples may be in step with the
 * kernel's tick. */
#define MUCH_DELAY 0.25

/* Timers of CPU time expire at the kernel's tick. A strand that loses its CPU in a system call goes
 * on after a tick, so the next tick may strike the same part of it again and again. No statistic of
 * the samples shows this, and the interval does not include it. */
static void text_in_step(const struct text_page *g)
{
    char a[FORMAT_SIZE];
    uint64_t delay = profile_all_run_delay_ns(g->p);
    bool timer = strstr(profile_string(g->p, g->t->sample_source), "CPU timer") != 0;
    if (!timer || delay < MUCH_DELAY * profile_ns(g->p, g->t->work_cost))
        return;
    paragraph(g, "",
              "Strands could have run for %s more, but others had the processors. Where parts of "
              "the program end in system calls, samples may then fall in step with the kernel's "
              "tick, and +- is too small: in trials it held for 38 to 57 %% of such shares, not "
              "for 95 %%. PROF_SAMPLE=task-clock:250 does not depend on the tick.",
              format_ns(delay, a));
}

/* States what the split of the idle time rests on. LATE: how many samples one stands for, on
 * average. */
static void idle_samples(const struct text_page *g, double late)
{
    uint64_t idle = llround(g->paths->idle_samples);
    char b[FORMAT_SIZE];
    if (!g->paths->idle_scaled || g->t->workers <= 1)
        return;
    if (idle)
        paragraph(g, "",
                  "The split of the idle time rests on %s%s %s: a share of 50 %% is +- %.1f "
                  "points.",
                  g->t->workers > 2 ? "at least " : "", format_count(idle, b),
                  g->paths->off_cpu_samples ? "of them and off-CPU samples" : "of them",
                  100 * stats_half(idle, idle * late));
    else
        paragraph(g, "",
                  "The split of the idle time rests on less than one sample: it may be anywhere.");
}

/* States what the split of the span rests on. */
static void split_of_span(const struct text_page *g, const struct path_cost *all)
{
    char a[FORMAT_SIZE];
    const struct row *heaviest = summary_heaviest(g->m);
    if (all->on_span)
        paragraph(g, "",
                  "The split of the span rests on the %s of them that hit the critical path: a "
                  "share of 50 %% is +- %.1f points.",
                  format_count(all->on_span, a),
                  100 * stats_half(all->on_span, all->on_span_squares));
    if (g->paths->in_blocks)
        paragraph(g, "",
                  "Samples do not follow the order of a loop's blocks from thread to thread: the "
                  "span there is split by spawn, in brackets.");
    else if (!all->on_span && heaviest && !heaviest->root && !heaviest->tasks)
        paragraph(g, "",
                  "Whether they hit the critical path is not known, because the task there had not "
                  "ended: the span is split by spawn, in brackets.");
    else if (!all->on_span)
        paragraph(g, "",
                  "None of them hit the critical path: the span is split by spawn, in brackets. "
                  MORE_SAMPLES);
}

/* States what the split of the blocked time rests on. */
static void off_cpu_samples(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char b[FORMAT_SIZE];
    if (g->paths->off_cpu_samples)
        paragraph(g, "",
                  "The split of blocked time rests on %s off-CPU samples, %g ms apart: a share of "
                  "50 %% is +- %.1f points.",
                  format_count(g->paths->off_cpu_samples, b), t->off_cpu_ns / 1e6,
                  100 * stats_half(g->paths->off_cpu_samples, g->paths->off_cpu_samples));
    else if (t->blocked_ns && profile_is_serial(g->p))
        paragraph(g, "",
                  "No off-CPU sample shows where strands were blocked: these samples begin with "
                  "the first task or thread.");
}

void text_samples(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!t->samples) {
        bool off = g->paths && g->paths->off_cpu_samples;
        paragraph(g, "", off ? "No sample found code on the CPU: work and span stand at the spawn, "
                               "in brackets."
                             : "There are no samples: costs stand at the spawn, in brackets.");
        if (off)
            off_cpu_samples(g);
        return;
    }
    const struct path_cost *all = &g->paths->total;
    if (!all->samples) {
        paragraph(g, "", "No sample hit the program: costs stand at the spawn, in brackets.");
        return;
    }
    paragraph(g, "",
              "%s exact. The split of work within tasks rests on %s sample%s: a share of "
              "50 %% is +- %.1f points, with 95 %% confidence.",
              summary_taken_most(g->m, NULL) > 0      ? "Counts of tasks are"
              : certainty_span(g->m) == CERTAIN_EXACT ? "Totals are"
                                                      : "The total of work is",
              format_count(all->samples, a), all->samples == 1 ? "" : "s",
              100 * stats_half(all->samples, all->squares));
    split_of_span(g, all);
    double late = ratio(all->squares, all->samples);
    double equal = stats_equal(all->samples, all->squares);
    if (late > MANY_LATE)
        paragraph(g, "",
                  "Many samples came late, as where other programs use the processors. A late one "
                  "stands for several, so all are only as precise as %s on time. With "
                  "PROF_SAMPLE=task-clock:250 none comes late, where perf events are allowed.",
                  format_count(equal < 1 ? 1 : llround(equal), b));
    text_in_step(g);
    idle_samples(g, late);
    if (!strcmp(g->o->metric, "blocked"))
        off_cpu_samples(g);
    if (t->samples_cut)
        paragraph(g, "", "%s samples have paths with unknown frames.",
                  format_count(t->samples_cut, a));
}

/* Has C nothing to show? */
