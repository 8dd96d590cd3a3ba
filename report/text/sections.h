/* sections.h - the sections of the full report, each a function of a page, by the file that it is
 * in. */
#ifndef REPORT_TEXT_SECTIONS_H
#define REPORT_TEXT_SECTIONS_H

#include <stddef.h>
#include "layout/text_page.h"

/* text_header.c */
void text_state(const struct text_page *g);
void text_header(const struct text_page *g);

/* text_findings.c */
void text_summary(const struct text_page *g);
/* The MOST findings with the largest gains, a paragraph each. */
void text_findings(const struct text_page *g, size_t most);
/* The child processes, if the program made some. */
void text_children(const struct text_page *g);

/* text_totals.c */
/* What hides a part of the span, as a list; "": nothing that has a name. The caller frees it. */
char *text_hidden(const struct text_page *g);
/* How long strands slept or waited, if that is much: work and span lack it. */
void text_waited(const struct text_page *g);
void text_totals(const struct text_page *g);
void text_notes(const struct text_page *g);

/* text_speedup.c */
void text_speedup(const struct text_page *g);

/* text_ledger.c */
void text_ledger(const struct text_page *g);

/* text_timeline.c */
void text_timeline(const struct text_page *g);

/* text_mpi.c */
void text_ranks(const struct text_page *g);
/* N of the profile's RANKS, a line each. LIKE: the number of the rank that each is like, for a
 * column of it; or NULL. */
void text_rank_table(const struct text_page *g, const struct lpf_rank *const *ranks,
                     const uint32_t *like, size_t n);
void text_mpi(const struct text_page *g);

/* text_sites.c. WORK_AT, SPAN_AT: offsets of a struct measure in struct row. */
void text_sites(const struct text_page *g);
void text_measure(const struct text_page *g, const char *title, size_t work_at, size_t span_at);
void text_frames(const struct text_page *g);
void text_waits(const struct text_page *g);
void text_regions(const struct text_page *g);

/* What follows is of a profile with call paths. text_samples.c */
void text_samples(const struct text_page *g);
/* text_functions.c */
void text_functions(const struct text_page *g);
void text_lines(const struct text_page *g);
/* text_paths.c */
void text_paths(const struct text_page *g);
void text_callers(const struct text_page *g);

/* text_scenarios.c */
void text_scenarios(const struct text_page *g);

#endif
