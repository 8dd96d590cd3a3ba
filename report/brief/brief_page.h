/* brief_page.h - what the parts of the brief report share. Each prints its lines, or none. */
#ifndef REPORT_BRIEF_BRIEF_PAGE_H
#define REPORT_BRIEF_BRIEF_PAGE_H

#include "layout/text_page.h"

/* A function or a spawn site with less than this share of all metrics does not matter; nor with
 * less than BRIEF_MORE where the lines above the tables are more than BRIEF_LINES. The report is to
 * fit one screen. */
#define BRIEF_WORTH 0.01
#define BRIEF_MORE 0.05
enum { BRIEF_LINES = 16 };
/* Rows of each table, at most. */
enum { BRIEF_ROWS = 5 };

/* brief.c: work, span, parallelism and counts. WHEN stands behind the names of the first three: "",
 * or " so far" while the program runs. SHARES: also those of the worker time. */
void brief_figures(const struct text_page *g, const char *when, bool shares);

/* brief_words.c: what limits the program, and what to change first. ACTIONS: the latter alone. */
void brief_answer(const struct text_page *g, bool actions);

/* brief_tables.c; WORTH: the least share of a metric that a row has */
void brief_functions(const struct text_page *g, double worth);
void brief_sites(const struct text_page *g, double worth);
/* Without tasks: where the samples were, on one line. */
void brief_samples(const struct text_page *g);
/* R's name in words; "file.c:12", "file.c", "libc.so.6" or ""; and the two together. The caller
 * frees them. */
char *brief_function(const struct path_row *r);
char *brief_function_place(const struct path_row *r);
char *brief_function_at(const struct path_row *r);

/* brief_notes.c: what is not certain, a line each. */
void brief_notes(const struct text_page *g);

#endif
