/* csv.h - the report as CSV: one line a site, or one line a program. */
#ifndef REPORT_OUTPUT_CSV_H
#define REPORT_OUTPUT_CSV_H

#include <stdio.h>
#include "analysis/model.h"
#include "analysis/paths.h"
#include "output/options.h"

/* T may be NULL: the profile has no call paths. HEADER: with the line of column names. */
void csv_print(const struct model *m, const struct paths *t, const struct options *o, bool header,
               FILE *out);
/* S (or "") as a field: cleaned, in quotes. */
void csv_quoted(FILE *out, const char *s);

#endif
