/* text_ledger.c - where the time of the worker slots went, against the kernel's count. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include "analysis/figures.h"
#include "analysis/ledger.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "text/sections.h"

/* The ledger's rows are differences of the threads' own clocks, so they add up by construction. The
 * kernel's count is independent of them. It includes what ran before and after them. */
static void print_check(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE], e[FORMAT_SIZE];
    double on_cpu = g->m->work + t->dispatch_ns + t->search_ns + t->own_ns,
           before = profile_cpu_before_ns(g->p), outside = profile_cpu_outside_ns(g->p),
           rest = t->cpu_ns - before - outside;
    const char *start = "Check: work, overhead, searching and libprof are on the CPU";
    format_ns(on_cpu, a);
    format_ns(t->cpu_ns, b);
    if (before + outside <= 0 || rest <= 0) {
        paragraph(g, "",
                  "%s, %s together. The kernel counted %s for the process since its exec, from "
                  "which the rows differ by %+.1f %%. No row has the time before libprof recorded, "
                  "and this profile does not show that time.",
                  start, a, b, 100 * (on_cpu / t->cpu_ns - 1));
        return;
    }
    paragraph(
        g, "",
        "%s, %s together. The kernel counted %s for the process. %s of that was before libprof "
        "started (exec, the loader), %s was libprof's start and its writing of the profile: "
        "neither is in a row. %s is left, from which the rows differ by %+.1f %%.",
        start, a, b, format_ns(before, c), format_ns(outside, d), format_ns(rest, e),
        100 * (on_cpu / rest - 1));
    if (on_cpu < 0.99 * rest)
        paragraph(g, "",
                  "%s is in no row: what threads need to start and to end (in the kernel, the C "
                  "library and libprof), and threads that ran no strands.",
                  format_ns(rest - on_cpu, a));
    else if (on_cpu > 1.01 * rest)
        paragraph(
            g, "",
            "The rows have %s too much: the clock took time off the CPU for time on it.",
            format_ns(on_cpu - rest, a));
}

/* How surely the row of the program's own code is known, in TEXT. */
static const char *of_own_code(const struct text_page *g, char text[80])
{
    char error[FORMAT_SIZE];
    struct figure_value figures[FIGURES];
    double margin = 0;
    if (g->paths && g->paths->total.samples) {
        figures_of(g->m, g->paths, figures);
        margin = Z95 * figures[FIGURE_INSIDE].deviation;
    }
    bool estimate = paths_own_share_all(g->m, g->paths).estimate;
    const char *total = estimate ? "estimated" : "total exact";
    if (!g->paths || !g->p->sample_count)
        snprintf(text, 80, "%s", estimate ? total : "exact");
    else if (!g->paths->total.samples)
        snprintf(text, 80, "%s, with the overhead in it", total);
    else if (margin > 0.05 * ledger_of(g->m, g->paths).work)
        snprintf(text, 80, "%s, less sampled overhead (+- %s)", total,
                 format_short_ns(margin, error));
    else
        snprintf(text, 80, "%s, less sampled overhead", total);
    return text;
}

/* Prints the ledger: P x elapsed, split into what the threads did and slots without a thread. If
 * there were more threads than slots, it splits the threads' time instead (struct ledger). */
void text_ledger(const struct text_page *g)
{
    const struct lpf_totals *t = g->t;
    if (!t->ns_num || !strcmp(profile_string(g->p, t->clock), "virtual") || !t->elapsed_ns)
        return;
    static const struct table_column columns[] = {
        { "% time", 0, TABLE_NUMBER, 0 },
        { "time", 0, TABLE_NUMBER, 0 },
        { "what", 0, TABLE_WORDS, 0 },
        { "known", 0, TABLE_WORDS, 1 },
    };
    const struct ledger l = ledger_of(g->m, g->paths);
    double slots = (double)t->elapsed_ns * t->workers, all = l.all;
    bool crowd = l.crowd;
    char own[80];
    struct { double ns; const char *what, *how; } rows[] = {
        { l.work, "work: the program's own code", of_own_code(g, own) },
        { l.inside, "overhead: the runtime inside strands", "sampled" },
        { l.between, "overhead: the runtime between strands", "the rest there" },
        { l.search, "idle: searching for work",
          t->samples_outside ? "less sampled libprof" : "exact" },
        { l.sleep - l.ready, "idle: asleep", l.ready > 0 ? "the rest off the CPU" : "exact" },
        { l.ready, "idle: ready, others had the processors", "estimated" },
        { l.mpi_waits, "in MPI: waiting for other ranks", "exact" },
        { l.mpi_transfer, summary_mpi(g->m).unknown > 0
                              ? "in MPI: transfers, own work, polls, waits of files"
                              : "in MPI: transfers, and the library's own work", "exact" },
        { l.blocked, "blocked or preempted inside strands", "exact" },
        { l.own, "libprof itself", "in strands the rest, between them estimated" },
        { l.absent, "worker slots without a thread", "exact" },
    };
    enum { ROWS = sizeof rows / sizeof rows[0], READY = 5, MPI = 6 };
    heading(g, crowd ? "Where the time went (all threads' time)"
                     : "Where the time went (worker slots x elapsed)");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < ROWS; i++) {
        char percent[FORMAT_SIZE], time[FORMAT_SIZE];
        if (i + 1 == ROWS && crowd)
            break;
        if ((i == READY && l.ready <= 0) || ((i == MPI || i == MPI + 1) && !g->p->rank_count))
            continue;
        snprintf(percent, sizeof percent, "%.1f", 100 * rows[i].ns / all);
        table_add(table, percent);
        table_add(table, format_short_ns(rows[i].ns, time));
        table_add(table, rows[i].what);
        table_add(table, rows[i].how);
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    paragraph(g, "", "%% time, here and in the other tables: of %s.", format_ns(all, own));
    if (crowd) {
        char time[FORMAT_SIZE];
        paragraph(
            g, "",
            "There were more threads than worker slots: %.3g times the %s of %u slot%s x elapsed.",
            all / slots, format_ns(slots, time), t->workers, t->workers == 1 ? "" : "s");
    }
    if (t->cpu_ns && !strcmp(profile_string(g->p, t->clock), "tsc"))
        print_check(g);
    if (t->blocked_ns > 0.01 * all && strcmp(g->o->metric, "blocked"))
        paragraph(g, "", "--metric blocked --paths shows where strands were off the CPU.");
}
