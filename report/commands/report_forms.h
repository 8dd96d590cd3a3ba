/* report_forms.h - makes one report of profiles: the output of `prof report` and `prof run`. */
#ifndef REPORT_COMMANDS_REPORT_FORMS_H
#define REPORT_COMMANDS_REPORT_FORMS_H

#include <stdio.h>
#include "layout/options.h"

/* Prints the report of the COUNT FILES to OUT, in O's form. Returns 0, or 2 after a line on stderr
 * if a file could not be read or OUT could not be written. */
int report_files(char *const *files, int count, const struct options *o, FILE *out);

#endif
