/* text.h - the report for people. T may be NULL: the profile has no call paths. */
#ifndef REPORT_OUTPUT_TEXT_H
#define REPORT_OUTPUT_TEXT_H

#include <stdio.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "output/options.h"

void text_print(const struct model *m, const struct paths *t, const struct options *o, FILE *out);
/* The scenarios of M's profile as a table, with what there is to say about them. */
void text_whatif(const struct model *m, const struct options *o, FILE *out);
/* What limits the program. A warning stands behind "! ". */
void text_limits(const struct model *m, const struct paths *t, const struct options *o,
                 FILE *out);
/* How sure the split of the program's costs is. */
void text_certainty(const struct model *m, const struct paths *t, const struct options *o,
                    FILE *out);

#endif
