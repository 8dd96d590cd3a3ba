/* names.h - names of functions: demangled, shortened for people, and whether they are the person's
 * own code or a library's.
 */
#ifndef REPORT_SYMBOLS_NAMES_H
#define REPORT_SYMBOLS_NAMES_H

#include <stdbool.h>

/* NAME demangled, or a copy of it. The caller frees the results of all three. */
char *name_demangle(const char *name);
/* FUNCTION (demangled) without return type and parameters; lambdas as f::{lambda#1}. */
char *name_plain(const char *function);
/* The same; when longer than WIDTH without template arguments; clean for a terminal; and at most
 * WIDTH columns. */
char *name_fit(const char *function, int width);

/* Code that a person did not write: the headers of a task runtime or of the standard library, by
 * the function's namespace, or by where its source lies (FILE may be NULL). */
bool name_is_library(const char *function, const char *file);
/* Is FILE below a directory of the system's headers, the compiler's, the C++ library's or a task
 * runtime's? */
bool name_is_header(const char *file);

#endif
