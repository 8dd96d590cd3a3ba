/* text_speedup.c - the speedup estimate: bounds by number of processors, and what they assume. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "output/text_page.h"
#include "output/wait_words.h"
#include "profile/profile.h"

void text_speedup(const struct text_page *g)
{
    unsigned p[16], n = summary_processors(g->m, p, 16);
    if (!g->t->span_cost)
        return;
    heading(g, "2) Speedup estimate");
    bool divides = summary_loops_divide(g->m), typical = summary_has_outliers(g->m);
    fprintf(g->out, "  processors     lower - upper%s%s\n", divides ? "   loops divided" : "",
            typical ? "     no outliers" : "");
    for (unsigned i = 0; i < n; i++) {
        fprintf(g->out, "  %10u  %8.2f - ", p[i], summary_lower(g->m, p[i]));
        fprintf(g->out, divides || typical ? "%-8.2f" : "%.2f", summary_upper(g->m, p[i]));
        if (divides)
            fprintf(g->out, "%12.2f", summary_upper_divided(g->m, p[i]));
        if (typical)
            fprintf(g->out, "%16.2f", summary_upper_typical(g->m, p[i]));
        fputc('\n', g->out);
    }
    if (typical)
        paragraph(g, "",
                  "\"no outliers\" is the upper bound, estimated, if no strand had taken far "
                  "longer than comparable strands. If the machine made them longer, the program "
                  "may exceed \"upper\".");
    if (divides && summary_cut_by_program(g->m))
        paragraph(g, "",
                  "lower and upper hold for the loops as the program cut them, whatever the number "
                  "of workers. A smaller grain or chunk size cuts them finer. \"loops divided\" "
                  "estimates the upper bound if each iteration were a chunk: it costs the mean of "
                  "the iterations of its chunk.");
    else if (divides && summary_cut_by_either(g->m))
        paragraph(g, "",
                  "lower and upper hold for the loops as they were cut on %u worker%s. More "
                  "workers, or a smaller chunk or grain size if the program sets one, cut them "
                  "finer. \"loops divided\" estimates the upper bound if each iteration were a "
                  "chunk: it costs the mean of the iterations of its chunk.",
                  g->t->workers, g->t->workers == 1 ? "" : "s");
    else if (divides)
        paragraph(g, "",
                  "lower and upper hold for the loops as they were cut for %u worker%s. A runtime "
                  "cuts them finer for more workers. \"loops divided\" estimates the upper bound "
                  "if each iteration were a chunk: it costs the mean of the iterations of its "
                  "chunk.",
                  g->t->workers, g->t->workers == 1 ? "" : "s");
    struct limits l;
    limits_new(&l, g->m, g->paths);
    char *waits = wait_bounds(&l, g->m);
    if (waits)
        paragraph(g, "!", "%s", waits);
    free(waits);
    char time[FORMAT_SIZE], waited[80] = "";
    if (g->t->blocked_ns > 0.01 * profile_ns(g->p, g->t->work_cost))
        snprintf(waited, sizeof waited, " (%s off the CPU in this run)",
                 format_ns(g->t->blocked_ns, time));
    paragraph(
        g, "",
        "lower: T1 / (T1/P + 2 x %.2f x burdened span), what a work-stealing scheduler reaches "
        "if no strand waits (estimated); upper: min(P, parallelism), what no scheduler can exceed "
        "with tasks like these%s. Waiting for locks and the like is not in the span%s: where tasks "
        "exclude each other, expect less.",
        SPAN_COEFFICIENT,
        g->m->standstill.much ? ", of the time on the CPU alone" : "", waited);
}
