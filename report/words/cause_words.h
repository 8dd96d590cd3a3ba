/* cause_words.h - the findings of analysis/causes.h as sentences. The caller frees each result. */
#ifndef REPORT_WORDS_CAUSE_WORDS_H
#define REPORT_WORDS_CAUSE_WORDS_H

#include "analysis/causes.h"

/* What F is: the sentence of causes.def with its figures. */
char *cause_sentence(const struct cause_finding *f, const struct summary *m);
/* What to do about it. */
char *cause_remedy(const struct cause_finding *f, const struct summary *m);
/* "31 % (28 to 34)": F's gain as a share of the elapsed time of C. */
char *cause_gain(const struct causes *c, const struct cause_finding *f);
/* Where those are that SHOWN findings of C leave out; NULL: these are all. */
char *cause_others(const struct causes *c, size_t shown);
/* F's place: "merge (sort.cpp:12)"; "the program" if it has none. */
char *cause_place(const struct cause_finding *f);

#endif
