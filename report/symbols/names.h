/* names.h - names of functions: demangled, shortened for people, and whether they are your own code
 * or a library's.
 */
#ifndef REPORT_SYMBOLS_NAMES_H
#define REPORT_SYMBOLS_NAMES_H

#include <stdbool.h>

/* NAME demangled, or a copy of it. The caller frees the results of all three. */
char *name_demangle(const char *name);
/* FUNCTION (demangled) without return type and parameters; lambdas as f::{lambda#1}. */
char *name_plain(const char *function);
/* The same without template arguments, if it is longer than WIDTH; clean for a terminal; cut to
 * WIDTH columns. */
char *name_fit(const char *function, int width);

/* Is it code that you did not write: the headers of a task runtime or of the standard library? The
 * function's namespace decides, or the place of its source (FILE may be NULL). */
bool name_is_library(const char *function, const char *file);
/* Is FILE below a directory of the system's headers, the compiler's, the C++ library's or a task
 * runtime's? */
bool name_is_header(const char *file);

#endif
