/* wait_words.h - sentences on time in which strands were off the CPU: what they waited for, where,
 * and what the figures mean then. */
#ifndef REPORT_WORDS_WAIT_WORDS_H
#define REPORT_WORDS_WAIT_WORDS_H

#include "analysis/limits.h"
#include "analysis/paths.h"

/* The caller frees each result. T may be NULL. */
/* The program's function below which strands were off the CPU longest, by off-CPU samples. *LINE:
 * of its call; 0: not known, -1: several. NULL: there are no such samples. Nobody frees it. */
const struct path_node *wait_place(const struct paths *t, int *line);
/* The finding F of limits: strands off the CPU. */
enum wait_parts {
    WAIT_ALL,
    WAIT_NOT_APART,             /* not that work and span lack this time: wait_bounds has it */
    WAIT_WHERE                  /* where alone, without the reasons */
};
char *wait_sentence(const struct finding *f, const struct summary *m, const struct paths *t,
                    enum wait_parts parts);
/* What bounds mean where strands waited much; NULL: they did not. */
char *wait_bounds(const struct limits *l, const struct summary *m);
/* Does it have that work and span lack this time? */
bool wait_in_bounds(const struct summary *m);
/* How long the program was off the CPU outside every task, and where. */
char *wait_outside(const struct summary *m, const struct paths *t);
/* The same of a program without tasks; NULL: it was hardly off the CPU. */
char *wait_serial(const struct summary *m, const struct paths *t);
/* The lock to change first, and how long threads waited for it. Which of the program's functions
 * run inside it, no profile shows, but where threads wait for it. NULL: that is not known, or it is
 * less than LEAST ns. */
char *wait_lock(const struct paths *t, double least);
/* What-if scenarios leave the findings on waits as they are; NULL: there is none. */
char *wait_scenarios(const struct limits *l, const struct summary *m);

#endif
