/* bound_words.h - what the parallelism allows, as sentences. */
#ifndef REPORT_WORDS_BOUND_WORDS_H
#define REPORT_WORDS_BOUND_WORDS_H

#include "analysis/limits.h"

/* Each result is one line. The caller frees it, unless its comment states otherwise. */
/* What the parallelism allows, whatever this run cost. GROWTH: with the question, where parallelism
 * is just enough, whether the work grew with the workers. *SHORTEN: a shorter critical path would
 * help. */
char *bound_sentence(const struct limits *l, const struct summary *m, bool growth, bool *shorten);
/* How much of the work ran in teams of one thread, and where: part of bound_sentence. NULL: little
 * of it. */
char *bound_of_one(const struct summary *m);
/* Did one worker execute what is parallel, where there was more than one processor? The sentence
 * says so, whatever else it says. */
bool bound_is_alone(const struct summary *m);
/* The time that no bound contains; NULL: there is none. Nobody frees it. */
const char *bound_lacks(const struct limits *l, const struct summary *m);
/* Both, and the advice. */
char *bound_parallelism(const struct limits *l, const struct summary *m);
/* For how many workers loops were cut, and what their iterations allow. It ends without a full
 * stop. NULL: no loop divides further. */
char *bound_loops(const struct summary *m);
/* What would cut them finer: a sentence without a full stop. */
const char *bound_finer(const struct summary *m);

/* Of loops that divide further: one chunk was so long that perhaps they do not, or not as far.
 * NULL: none was. */
char *bound_long_chunk(const struct summary *m);

#endif
