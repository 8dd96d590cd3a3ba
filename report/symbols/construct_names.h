/* construct_names.h - what the brief report calls a construct: an OpenMP region or task that a
 * compiler made a function of, and a lambda. They are named after the program's function and their
 * line. JSON, CSV and all other forms keep the names as they are (names.h).
 */
#ifndef REPORT_SYMBOLS_CONSTRUCT_NAMES_H
#define REPORT_SYMBOLS_CONSTRUCT_NAMES_H

#include <stdbool.h>

/* Is FUNCTION code of an OpenMP construct that gcc or clang made a function of? */
bool name_is_outlined(const char *function);
/* The same, of gcc alone: its names begin with the program's function. */
bool name_is_gcc_outlined(const char *function);
/* The same, of clang with debug information: its names do not have the program's function. */
bool name_lacks_origin(const char *function);

/* FUNCTION; of an outlined one the program's function that it was cut out of: main of
 * main::main._omp_fn.0. The caller frees it. */
char *name_origin(const char *function);

/* Is FUNCTION a name that no source has: an outlined function's, or a lambda's? */
bool name_needs_words(const char *function);
/* FUNCTION in words; of most functions, that is name_plain. FILE and LINE: where it is declared;
 * LINE <= 0: not known. CONSTRUCT: that of an outlined FUNCTION; NULL: not known. The caller frees
 * it.
 *   main::main._omp_fn.0     main, parallel region at rows.c:29
 *   main::.omp_outlined.     the same; prof put "main::" before the name that clang gave
 *   sort(int*)::{lambda#2}   sort, lambda at sort.cpp:7
 *   main::$_0::operator()    main, lambda at main.cpp:9; as clang calls it */
char *name_in_words(const char *function, const char *construct, const char *file, int line);

/* NAME, of name_in_words, perhaps with " (file:line)" behind it, cut to WIDTH columns and clean for
 * a terminal. What follows the function stays, if that has room. */
char *name_in_words_fit(const char *name, int width);

#endif
