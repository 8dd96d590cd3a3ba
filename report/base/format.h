/* format.h - numbers and names as text. A string that comes from a file passes through format_clean
 * before prof prints it.
 */
#ifndef REPORT_BASE_FORMAT_H
#define REPORT_BASE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_SIZE 40          /* the size in bytes of every BUFFER below */

/* Each function fills BUFFER and returns it. */
const char *format_count(uint64_t v, char *buffer);             /* 1,234,567 */
const char *format_ns(double ns, char *buffer);                 /* 1.234 s, 56.789 ms */
const char *format_short_ns(double ns, char *buffer);           /* 1.23 s: for tables */
const char *format_signal(unsigned number, char *buffer);         /* SIGTERM; "signal 63" */
/* "-" if there is no ratio (v <= 0). */
const char *format_ratio(double v, char *buffer);
/* The same for an estimate: from 99.5 on, a whole number. */
const char *format_about(double v, char *buffer);

/* A copy of TEXT in which \xNN replaces each byte of a control character, of a bidirectional
 * override, and of what is not UTF-8. The caller frees it. */
char *format_clean(const char *text);
/* The columns that a clean text takes: one for each character. */
int format_width(const char *text);
/* Shortens a clean text in place to at most WIDTH columns: ".." replaces its middle. A negative
 * WIDTH is no limit. */
void format_fit(char *text, int width);

/* PATH after its last slash; a pointer into PATH. */
const char *format_base(const char *path);

/* Does TEXT begin with PREFIX? */
static inline bool format_starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* Prints TEXT in single quotes: gnuplot expands nothing in them. A quote in TEXT is doubled. */
void format_gnuplot(const char *text, FILE *out);

/* Like printf, into a new string. The caller frees it. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns P. If P is NULL, ends prof with one line: prof cannot go on without memory. */
void *format_memory(void *p);

#endif
