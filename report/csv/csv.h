/* csv.h - the report as CSV: one line for each site, call path, region or program. */
#ifndef REPORT_CSV_CSV_H
#define REPORT_CSV_CSV_H

#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"

/* T is NULL if the profile has no call paths. HEADER: prints the line of column names first. */
void csv_print(const struct summary *m, const struct paths *t, const struct options *o, bool header,
               FILE *out);
/* Prints S as a field, cleaned and in quotes. NULL prints as "". */
void csv_quoted(FILE *out, const char *s);

#endif
