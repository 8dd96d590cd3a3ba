/* text_speedup.c - the speedup estimate: bounds by number of processors, and what they assume. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "profile/profile.h"
#include "text/sections.h"

/* What the bounds and the column "loops divided" assume of loops that were cut into chunks. */
static void of_divided_loops(const struct text_page *g)
{
    char cut[64];
    snprintf(cut, sizeof cut, summary_cut_by_program(g->m)  ? "the program cut them"
                              : summary_cut_by_either(g->m) ? "they were cut on %u worker%s"
                                                            : "they were cut for %u worker%s",
             g->t->workers, g->t->workers == 1 ? "" : "s");
    paragraph(g, "",
              "lower and upper hold for the loops as %s. \"loops divided\" estimates the upper "
              "bound if each iteration were a chunk: it costs the mean of the iterations of its "
              "chunk.",
              cut);
}

/* The lower bound's burden, where it is not known. */
static void of_few_steals(const struct text_page *g)
{
    unsigned steals = certainty_few_steals(g->p);
    char a[FORMAT_SIZE];
    if (steals && g->m->burdened_span > g->m->span)
        paragraph(g, "!",
                  "lower rests on what a steal takes, %s by %u steal%s of this run: too few to "
                  "show it. On a busy machine a steal may take far longer than usual.",
                  cost_short_text(g->p, g->m->burden, a), steals, steals == 1 ? "" : "s");
}

static void print_bounds(const struct text_page *g, bool lower, bool divides, bool typical)
{
    unsigned p[16], n = summary_processors(g->m, p, 16);
    fprintf(g->out, "  processors     %s%s%s\n", lower ? "lower - upper" : "upper",
            divides ? "   loops divided" : "", typical ? "     no outliers" : "");
    for (unsigned i = 0; i < n; i++) {
        fprintf(g->out, "  %10u  ", p[i]);
        if (lower)
            fprintf(g->out, "%8.2f - ", summary_lower(g->m, p[i]));
        fprintf(g->out, !lower              ? "%8.2f"
                        : divides || typical ? "%-8.2f"
                                             : "%.2f", summary_upper(g->m, p[i]));
        if (divides)
            fprintf(g->out, lower ? "%12.2f" : "%16.2f", summary_upper_divided(g->m, p[i]));
        if (typical)
            fprintf(g->out, "%16.2f", summary_upper_typical(g->m, p[i]));
        fputc('\n', g->out);
    }
}

void text_speedup(const struct text_page *g)
{
    if (!g->t->span_cost)
        return;
    heading(g, "2) Speedup estimate");
    bool lower = summary_has_lower(g->m), divides = summary_loops_divide(g->m),
         typical = summary_has_outliers(g->m);
    print_bounds(g, lower, divides, typical);
    if (typical)
        paragraph(g, "",
                  "\"no outliers\" is the upper bound, estimated, if no strand had taken far "
                  "longer than comparable strands. If the machine made them longer, the program "
                  "may exceed \"upper\".");
    if (divides)
        of_divided_loops(g);
    struct own_share own = paths_own_share_all(g->m, g->paths);
    bool unsure = own.taken > 0 || own.large;
    if (unsure)
        paragraph(g, "!",
                  "These rest on work and span, which are estimates here: they bound no speedup. "
                  "Larger tasks show more.");
    if (lower)
        of_few_steals(g);
    text_waited(g);
    char time[FORMAT_SIZE], waited[80] = "";
    if (g->t->blocked_ns > 0.01 * profile_ns(g->p, g->t->work_cost))
        snprintf(waited, sizeof waited, " (%s off the CPU in this run)",
                 format_ns(g->t->blocked_ns, time));
    const char *upper = unsure ? "upper: min(P, parallelism), what no scheduler could exceed if "
                                 "they were exact,"
                               : "upper: min(P, parallelism), what no scheduler can exceed";
    if (!lower) {
        paragraph(g, "",
                  "%s with the work of each rank as in this run. There is no lower bound: no "
                  "scheduler moves work from rank to rank, and another number of ranks divides "
                  "the work anew. prof bench --mpi measures that.",
                  upper);
        return;
    }
    paragraph(
        g, "",
        "lower: T1 / (T1/P + 2 x %.2f x burdened span), what a work-stealing scheduler reaches "
        "if no strand waits (estimated); %s with tasks like these%s%s%s. Waiting for locks and the "
        "like is not in the span%s: where tasks exclude each other, expect less.",
        SPAN_COEFFICIENT, upper,
        summary_limited_by_threads(g->m) ? ", divided among the threads as in this run" : "",
        summary_in_run_order(g->m) ? ", and messages or items in this run's order" : "",
        g->m->standstill.much ? ", of the time on the CPU alone" : "", waited);
}
