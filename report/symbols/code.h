/* code.h - from the name of some code, as you write it, to its addresses in ELF files. */
#ifndef REPORT_SYMBOLS_CODE_H
#define REPORT_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stdio.h>

/* A name is FUNCTION, FUNCTION@FILE, FUNCTION@FILE:LINE, @FILE:LINE, or FUNCTION@own: its own code,
 * without its callees. FUNCTION is as prof report shows it. It may be qualified, or have template
 * arguments, or neither: then it means all functions of that name. Debug information finds its
 * inlined copies. FILE is the end of a path.
 *
 * Finds the code of the COUNT names in PROGRAM and in the libraries that it is linked with, and
 * writes it to OUT in the form of PROF_WHATIF_CODE. FOUND[i] becomes the bytes of name i's code.
 * -1, after one line on stderr: PROGRAM cannot be read. */
int code_write(const char *program, char *const *names, unsigned count, FILE *out,
               unsigned long *found);

/* Does NAME mean all of FUNCTION, whose code is in FILE? */
bool code_names(const char *name, const char *function, const char *file);

#endif
