/* brief_page.h - what the parts of the brief report share. Each prints its lines, or none. */
#ifndef REPORT_BRIEF_BRIEF_PAGE_H
#define REPORT_BRIEF_BRIEF_PAGE_H

#include "layout/text_page.h"

/* A function or a spawn site with less than this share of all metrics does not matter. */
#define BRIEF_WORTH 0.01
/* The report has no more lines than this, of OPTIONS_BRIEF columns; or of fewer columns, where
 * more lines break. What the lines above the tables leave is for the tables. Notes on what is
 * not certain may take more. */
enum { BRIEF_LINES = 20, BRIEF_NARROW = 24 };
/* Rows of each table, and findings, at most. */
enum { BRIEF_ROWS = 5, BRIEF_FINDINGS = 3 };

/* brief.c: work, span, parallelism and counts. WHEN stands behind the names of the first three: "",
 * or " so far" while the program runs. SHARES: also those of the worker time. */
void brief_figures(const struct text_page *g, const char *when, bool shares);

/* brief_words.c: what limits the program, and what its parallelism allows. */
void brief_answer(const struct text_page *g);

/* brief_tables.c: functions and spawn sites, on at most MOST lines. A table without room for a row
 * is left out. */
void brief_tables(const struct text_page *g, int most);
/* Without tasks: where the samples were, on one line. */
void brief_samples(const struct text_page *g);
/* R's name in words, with its place. The caller frees it. */
char *brief_function_at(const struct cost_row *r);

/* brief_notes.c: what is not certain, a line each. */
void brief_notes(const struct text_page *g);

#endif
