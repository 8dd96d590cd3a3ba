/* whatif_spec.h - what-if specifications, NAME=FACTOR[;NAME=...]: the values of PROF_WHATIF and
 * PROF_DELAY. */
#ifndef REPORT_LAUNCH_WHATIF_SPEC_H
#define REPORT_LAUNCH_WHATIF_SPEC_H

#include <stdio.h>

/* Writes NAME as in a specification: escapes the characters that would end it there. */
void whatif_spec_put_name(FILE *f, const char *name);

/* Writes the code of SPEC's names in PROGRAM into a temporary file for PROF_WHATIF_CODE. Returns
 * the file's name; the caller frees it and removes the file. A line on stderr reports each name
 * without code. If PROGRAM is no ELF file or there can be no file, a line reports that, and the
 * result is NULL. */
char *whatif_spec_code(const char *spec, const char *program);

#endif
