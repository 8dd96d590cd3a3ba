/* code.h - from the name of some code, as a person writes it, to its addresses in ELF files. */
#ifndef REPORT_SYMBOLS_CODE_H
#define REPORT_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stdio.h>

/* A name is FUNCTION, FUNCTION@FILE, FUNCTION@FILE:LINE, @FILE:LINE, or FUNCTION@own: its own code,
 * without what it calls. FUNCTION is as prof report shows it: qualified or not, with template
 * arguments or without, for all that have it; copies that were inlined are found by their debug
 * information. FILE is the end of a path.
 *
 * Writes the code that the COUNT names mean in PROGRAM and the libraries it is linked with to OUT,
 * as PROF_WHATIF_CODE wants it; FOUND[i] becomes the bytes of name i's. -1: PROGRAM cannot be read,
 * one line said so. */
int code_write(const char *program, char *const *names, unsigned count, FILE *out,
               unsigned long *found);

/* Whether NAME means FUNCTION, all of it, whose code is in FILE. */
bool code_names(const char *name, const char *function, const char *file);

#endif
