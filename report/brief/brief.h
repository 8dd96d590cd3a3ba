/* brief.h - the report on one screen: what limits the program, seven figures, the functions and
 * spawn sites that matter, what is not certain, and where to look next. */
#ifndef REPORT_BRIEF_BRIEF_H
#define REPORT_BRIEF_BRIEF_H

#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"
#include "layout/text_page.h"

/* T: NULL: the profile has no call paths. */
void brief_print(const struct summary *m, const struct paths *t, const struct options *o,
                 FILE *out);

#endif
