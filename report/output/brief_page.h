/* brief_page.h - what the parts of the brief report share. Each prints its lines, or none. */
#ifndef REPORT_OUTPUT_BRIEF_PAGE_H
#define REPORT_OUTPUT_BRIEF_PAGE_H

#include "output/text_page.h"

/* A function or a spawn site with less than this share of all metrics does not matter. */
#define BRIEF_WORTH 0.01
/* Rows of each table, at most. */
enum { BRIEF_ROWS = 5 };

/* brief.c: work, span, parallelism and counts. WHEN stands behind the names of the first three: "",
 * or " so far" while the program runs. SHARES: also those of the worker time. */
void brief_figures(const struct text_page *g, const char *when, bool shares);

/* brief_words.c: what limits the program, and what to change first. */
void brief_answer(const struct text_page *g);

/* brief_tables.c */
void brief_functions(const struct text_page *g);
void brief_sites(const struct text_page *g);
/* Without tasks: where the samples were, on one line. */
void brief_samples(const struct text_page *g);
/* R's name in words; "file.c:12", "file.c" or ""; and the two together. The caller frees them. */
char *brief_function(const struct path_row *r);
char *brief_function_place(const struct path_row *r);
char *brief_function_at(const struct path_row *r);

/* brief_notes.c: what is not certain, a line each. */
void brief_notes(const struct text_page *g);

#endif
