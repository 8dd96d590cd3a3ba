/* place_words.h - a place of the program in a sentence. The caller frees each result. */
#ifndef REPORT_WORDS_PLACE_WORDS_H
#define REPORT_WORDS_PLACE_WORDS_H

#include "analysis/paths.h"
#include "analysis/summary.h"
#include "profile/profile.h"

/* "sleep_ms (w.h:15)", "main, lambda at poll.cpp:11", or as much of it as is known: a call at LINE
 * of N; 0 or less: several lines, or none that is known. */
char *place_of_call(const struct path_node *n, int line);

/* The name of a function in words (symbols/construct_names.h). An OpenMP construct begins at SITE,
 * where it spawns; any other function where it is DECLARED, in FILE. SITE may be NULL. */
char *place_function(const char *function, const char *file, int declared, const struct row *site);

/* Columns of a function's name on the page of prof view, by name_fit; and of one in words, by
 * name_in_words_fit, whose place stays. */
enum { PLACE_NAME_WIDTH = 40, PLACE_WORDS_WIDTH = 60 };

/* What the shares of findings are shares of, as in "82 % of the worker time": where there are more
 * threads than worker slots, all threads' time. */
const char *place_of_time(const struct profile *p);

#endif
