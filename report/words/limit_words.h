/* limit_words.h - the findings of analysis/limits.h as sentences. */
#ifndef REPORT_WORDS_LIMIT_WORDS_H
#define REPORT_WORDS_LIMIT_WORDS_H

#include "analysis/limits.h"
#include "analysis/paths.h"

/* Each result is one line. The caller frees it. */
/* All findings by name and share, largest first, and the share of the program's own work. NULL: the
 * profile has no such ledger. */
char *limit_overview(const struct limits *l, const struct summary *m);
/* What the finding F is, its size, reason and place. T may be NULL. */
char *limit_sentence(const struct limits *l, const struct finding *f, const struct summary *m,
                     const struct paths *t);
/* " on 2 processors", if there were more workers than that; else "". The caller frees it. */
char *limit_processors(const struct profile *p);

/* Does limit_sentence name what to do about F? */
bool limit_advises(const struct finding *f);
/* What to do about F, a sentence that nobody frees. NULL: that depends on its functions. */
const char *limit_action(const struct limits *l, const struct finding *f, const struct summary *m);

/* The program's own code in a mean task, "6.2 ns (+- 0.9 ns)", with what samples leave open, if
 * that is worth it; "at most 9.1 ns", if they show no more. The caller frees it. */
char *limit_own_code(const struct limits *l, const struct summary *m);
/* How much of NS, the runtime's time, may be libprof's, divided by PARTS: "20 ns or more of that
 * may be libprof's own". "": nothing that counts. The caller frees it. */
char *limit_libprofs(const struct limits *l, double ns, double parts);
/* Why work and span are estimates: libprof TOOK so many ns off the strands, as much as is left, or
 * has the share PART of their samples. NULL: neither, both are 0. The caller frees it. */
char *limit_estimate(double took, double part);
/* Of how many steals the burden of P's profile is the median, if these are too few to show what a
 * steal takes; 0: they are enough, or no steal was measured. */
unsigned limit_few_steals(const struct profile *p);
/* What a steal costs: "takes 3.00 us", with what that rests on, where it is no measured median. The
 * caller frees it. */
char *limit_steal(const struct summary *m);
/* How R's tasks become longer: by an earlier end of the recursion, if there is one. */
const char *limit_coarsen(const struct row *r);

#endif
