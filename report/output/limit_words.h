/* limit_words.h - the findings of analysis/limits.h as sentences. */
#ifndef REPORT_OUTPUT_LIMIT_WORDS_H
#define REPORT_OUTPUT_LIMIT_WORDS_H

#include "analysis/limits.h"
#include "analysis/paths.h"

/* Each result is one line. The caller frees it. */
/* All findings by name and share, largest first, and the share of the program's own work. NULL: the
 * profile has no such ledger. */
char *limit_overview(const struct limits *l, const struct summary *m);
/* What the finding F is, its size, reason and place. T may be NULL. */
char *limit_sentence(const struct limits *l, const struct finding *f, const struct summary *m,
                     const struct paths *t);
/* What the parallelism allows, whatever this run cost. *SHORTEN: a shorter critical path would
 * help. */
char *limit_bound(const struct limits *l, const struct summary *m, bool *shorten);
/* The time that no bound contains; NULL: there is none. Nobody frees it. */
const char *limit_unbounded(const struct limits *l, const struct summary *m);
/* Both, and the advice. */
char *limit_parallelism(const struct limits *l, const struct summary *m);
/* For how many workers loops were cut, and what their iterations allow. It ends without a full
 * stop. NULL: no loop divides further. */
char *limit_loops(const struct summary *m);

/* Of loops that divide further: one chunk was so long that perhaps they do not, or not as far.
 * NULL: none was. */
char *limit_long_chunk(const struct summary *m);

/* " on 2 processors", if there were more workers than that; else "". The caller frees it. */
char *limit_processors(const struct profile *p);

/* Does limit_sentence name what to do about F? */
bool limit_advises(const struct finding *f);
/* What to do about F, a sentence that nobody frees. NULL: that depends on its functions. */
const char *limit_action(const struct limits *l, const struct finding *f, const struct summary *m);

/* How R's tasks become longer: by an earlier end of the recursion, if there is one. */
const char *limit_coarsen(const struct row *r);

#endif
