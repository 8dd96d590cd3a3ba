/* bound_private.h - what the files that make sentences on bounds share: bound_words.c,
 * bound_reason.c and bound_loops.c. The caller frees each result. */
#ifndef REPORT_WORDS_BOUND_PRIVATE_H
#define REPORT_WORDS_BOUND_PRIVATE_H

#include "analysis/limits.h"

/* States what bounds the parallelism: the algorithm, or a number that somebody chose. A is the
 * parallelism of the typical span, as text: a measured span may include interrupts, and is no
 * bound. *SHORTEN becomes true if a shorter critical path would help. */
char *bound_reason(const struct summary *m, const char *a, bool *shorten);
/* The sentence on loops that were cut, most for this run's P workers, and divide further. */
char *bound_divisible(const struct limits *l, const struct summary *m, unsigned p, bool *shorten);

#endif
