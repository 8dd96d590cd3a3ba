/* names.h - names of functions: demangles and shortens them, and distinguishes the program's code
 * from a library's. construct_names.h has those of OpenMP's constructs and of lambdas in the brief
 * report.
 */
#ifndef REPORT_SYMBOLS_NAMES_H
#define REPORT_SYMBOLS_NAMES_H

#include <stdbool.h>

/* The caller frees the results of the next four functions. */
/* NAME demangled, or a copy if it is not mangled, without the prefix of glibc's inner aliases. */
char *name_demangle(const char *name);
/* FUNCTION, a demangled name, without return type and parameters; lambdas as f::{lambda#1}. */
char *name_plain(const char *function);
/* The same, with <..> for template arguments; <T> may stay. */
char *name_bare(const char *function);
/* The same as name_plain, cut to WIDTH columns and clean for a terminal. A name that is too long
 * loses its template arguments first, then its namespaces, then its middle. */
char *name_fit(const char *function, int width);

/* Is NAME, of name_plain, one that several pieces of code may share: a lambda's, as those of one
 * function may, or clang's for a region of OpenMP, as those of two files may? */
bool name_is_shared(const char *name);

/* Is FUNCTION code of the standard library or of a task runtime's headers? Its namespace decides,
 * or its source FILE, which may be NULL. */
bool name_is_library(const char *function, const char *file);
/* Is FUNCTION the C library's code that starts the program or a thread? */
bool name_is_start(const char *function);
/* Is it the code that starts the program? */
bool name_starts_program(const char *function);
/* Is FILE of C++'s or Rust's own library? */
bool name_is_languages(const char *file);
/* Is FILE below a directory of the system's headers, the compiler's, the C++ library's or a task
 * runtime's? */
bool name_is_header(const char *file);

#endif
