/* report.h - makes one report of profiles: the output of `prof report` and `prof run`. */
#ifndef REPORT_OUTPUT_REPORT_H
#define REPORT_OUTPUT_REPORT_H

#include <stdio.h>
#include "output/options.h"

/* Prints the report of the COUNT FILES to OUT, in O's form. Returns 0, or 2 after a line on stderr
 * if a file could not be read or OUT could not be written. */
int report_files(char *const *files, int count, const struct options *o, FILE *out);

#endif
