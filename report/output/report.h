/* report.h - profiles in, one report out: what `prof report` and `prof run` show. */
#ifndef REPORT_OUTPUT_REPORT_H
#define REPORT_OUTPUT_REPORT_H

#include <stdio.h>
#include "output/options.h"

/* Reports FILES as O says to OUT. 0, or 2 when one could not be read or OUT not be written. */
int report_files(char *const *files, int count, const struct options *o, FILE *out);

#endif
