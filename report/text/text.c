/* text.c - the full report as text. Its parts, in their order:
 *   what limits the program: all findings
 *   the parallelism profile, the notes and the speedup estimate, as Cilkview has them
 *   where the time went; what the threads did; waits for others to leave
 *   functions; as options ask: lines, call paths, callers
 *   the spawn sites, as Cilkprof measures them; as an option asks: their frames
 *   the regions; the scenarios
 * Widths follow the terminal. Strings from a file are cleaned before they are printed.
 */
#define _GNU_SOURCE
#include "text/text.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"
#include "text/sections.h"

void text_print(const struct summary *m, const struct paths *t, const struct options *o, FILE *out)
{
    struct text_page g = { m, t, m->profile, &m->profile->totals, o, out };
    bool all = !strcmp(o->measure, "all");
    text_header(&g);
    heading(&g, "What limits it");
    text_summary(&g);
    text_totals(&g);
    text_notes(&g);
    text_speedup(&g);
    text_ledger(&g);
    text_timeline(&g);
    text_waits(&g);
    text_ranks(&g);
    text_mpi(&g);
    if (t) {
        text_functions(&g);
        if (o->lines)
            text_lines(&g);
        if (o->paths)
            text_paths(&g);
        if (o->callers)
            text_callers(&g);
    }
    if (all || !strcmp(o->measure, "default"))
        text_sites(&g);
    if (all || !strcmp(o->measure, "top"))
        text_measure(&g, "Top-call-site measurements", offsetof(struct row, top),
                     offsetof(struct row, on_top));
    if (all || !strcmp(o->measure, "topcaller"))
        text_measure(&g, "Top-caller measurements", offsetof(struct row, topcaller),
                      offsetof(struct row, on_topcaller));
    if (all || !strcmp(o->measure, "local"))
        text_measure(&g, "Local measurements", offsetof(struct row, local),
                     offsetof(struct row, on_local));
    if (o->frames)
        text_frames(&g);
    text_regions(&g);
    if (m->profile->scenario_count) {
        heading(&g, "5) What if");
        text_scenarios(&g);
    }
}

void text_whatif(const struct summary *m, const struct options *o, FILE *out)
{
    struct text_page g = { m, 0, m->profile, &m->profile->totals, o, out };
    text_scenarios(&g);
}

void text_certainty(const struct summary *m, const struct paths *t, const struct options *o,
                    FILE *out)
{
    struct text_page g = { m, t, m->profile, &m->profile->totals, o, out };
    text_samples(&g);
}
