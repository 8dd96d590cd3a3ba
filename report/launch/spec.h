/* spec.h - what-if specifications, NAME=FACTOR[;NAME=...], as PROF_WHATIF and PROF_DELAY take
 * them. */
#ifndef REPORT_LAUNCH_SPEC_H
#define REPORT_LAUNCH_SPEC_H

#include <stdio.h>

/* Writes NAME as a specification has it: what would end it there is escaped. */
void spec_put_name(FILE *f, const char *name);

/* Writes the code of SPEC's names in PROGRAM into a temporary file for PROF_WHATIF_CODE. The caller
 * frees its name and removes it. NULL: there is none, and one line on stderr says why; so does one
 * for each name without code. */
char *spec_code(const char *spec, const char *program);

#endif
