/* limit_words.h - findings of analysis/limits.h as sentences. */
#ifndef REPORT_OUTPUT_LIMIT_WORDS_H
#define REPORT_OUTPUT_LIMIT_WORDS_H

#include "analysis/limits.h"
#include "analysis/paths.h"

/* Fresh strings; one line each.
 * limit_overview: all findings by name and share, largest first, and what the program itself had;
 * NULL: the profile has no such ledger.
 * limit_sentence: what F is, how much, why and where. T may be NULL.
 * limit_parallelism: what parallelism allows, whatever this run cost.
 * limit_loops: for how many workers loops were cut, and what their iterations allow; ends without a
 * full stop. NULL: no loop divides further. */
char *limit_overview(const struct limits *l, const struct model *m);
char *limit_sentence(const struct limits *l, const struct finding *f, const struct model *m,
                     const struct paths *t);
char *limit_parallelism(const struct limits *l, const struct model *m);
char *limit_loops(const struct model *m);

/* "NAME (file.cpp:12)", or without the place where it is not known. */
char *limit_place(const struct row *r);

#endif
