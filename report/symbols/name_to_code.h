/* name_to_code.h - from the name of some code, as you write it, to its addresses in ELF files. */
#ifndef REPORT_SYMBOLS_NAME_TO_CODE_H
#define REPORT_SYMBOLS_NAME_TO_CODE_H

#include <stdbool.h>
#include <stdio.h>

/* A name is FUNCTION, FUNCTION@FILE, FUNCTION@FILE:LINE, or @FILE:LINE. With @own at its end it is
 * the function's own code, without its callees. FUNCTION is as prof report shows it. It may be
 * qualified and have template arguments. Without these it means all functions of that name. Inlined
 * copies need debug information. FILE is the end of a path. LINE means the code of that line. But
 * of a name that several functions share, it means the whole one that is declared there.
 *
 * Finds the code of the COUNT names in PROGRAM and in the libraries that it is linked with, and
 * writes it to OUT in the form of PROF_WHATIF_CODE. FOUND[i] becomes the size in bytes of name i's
 * code. Returns 0, or -1 if PROGRAM cannot be read. Prints nothing. */
int code_write(const char *program, char *const *names, unsigned count, FILE *out,
               unsigned long *found);

/* Does NAME mean the whole of FUNCTION, whose code is in FILE? */
bool code_names(const char *name, const char *function, const char *file);

#endif
