/* place_words.h - a place of the program in a sentence. The caller frees each result. */
#ifndef REPORT_OUTPUT_PLACE_WORDS_H
#define REPORT_OUTPUT_PLACE_WORDS_H

#include "analysis/paths.h"
#include "analysis/summary.h"
#include "profile/profile.h"

/* "NAME (file.cpp:12)", or "NAME" if the place is not known. */
char *place_of_row(const struct row *r);
/* "tasks of task_group at fib (fib.cpp:12)" */
char *place_of_tasks(const struct row *r);
/* "sleep_ms (w.h:15)", or as much of it as is known. */
char *place_of_node(const struct path_node *n);

/* What the shares of findings are shares of, as in "82 % of the worker time": where there are more
 * threads than worker slots, all threads' time. */
const char *place_of_time(const struct profile *p);

#endif
