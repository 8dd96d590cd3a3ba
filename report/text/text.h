/* text.h - the report as text. T is NULL if the profile has no call paths. */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"

void text_print(const struct summary *m, const struct paths *t, const struct options *o, FILE *out);
/* The scenarios of M's profile as a table, with remarks. */
void text_whatif(const struct summary *m, const struct options *o, FILE *out);
/* Of an MPI job: all ranks, or one of them, as O states. False after a line on stderr: M's profile
 * has no such rank. */
bool text_job(const struct summary *m, const struct paths *t, const struct options *o, FILE *out);
/* How certain the split of the program's costs is. */
void text_certainty(const struct summary *m, const struct paths *t, const struct options *o,
                    FILE *out);

#endif
