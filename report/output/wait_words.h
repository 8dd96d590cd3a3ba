/* wait_words.h - sentences on time in which strands were off the CPU: what they waited for, where,
 * and what the figures mean then. */
#ifndef REPORT_OUTPUT_WAIT_WORDS_H
#define REPORT_OUTPUT_WAIT_WORDS_H

#include "analysis/limits.h"
#include "analysis/paths.h"

/* The caller frees each result. T may be NULL. */
/* The finding F of limits: strands off the CPU. */
char *wait_sentence(const struct finding *f, const struct summary *m, const struct paths *t);
/* What bounds mean where strands waited much; NULL: they did not. */
char *wait_bounds(const struct limits *l, const struct summary *m);
/* How long the program was off the CPU outside every task, and where. */
char *wait_outside(const struct summary *m, const struct paths *t);
/* The same of a program without tasks; NULL: it was hardly off the CPU. */
char *wait_serial(const struct summary *m, const struct paths *t);

#endif
