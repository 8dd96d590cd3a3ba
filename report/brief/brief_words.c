/* brief_words.c - the answer of the brief report: what limits the program, the largest gain first,
 * and what its parallelism allows. */
#define _GNU_SOURCE
#include <math.h>
#include "base/format.h"
#include "brief/brief_page.h"
#include "text/sections.h"

void brief_answer(const struct text_page *g)
{
    const struct summary *m = g->m;
    /* strands that took far longer than comparable ones may not do so in another run */
    double most = fmax(m->parallelism, m->typical_parallelism);
    char a[FORMAT_SIZE];
    text_findings(g, BRIEF_FINDINGS);
    /* an estimate bounds nothing */
    if (most > 0 && !paths_own_share_all(m, g->paths).estimate)
        paragraph(g, "",
                  "Bound: with tasks as in this run, at most %s times as fast as one worker "
                  "(work / span).", format_ratio(most, a));
}
