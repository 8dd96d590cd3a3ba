/* format.h - how a number or a name becomes characters. Everything that came out of a file goes
 * through format_clean before a terminal sees it.
 */
#ifndef REPORT_BASE_FORMAT_H
#define REPORT_BASE_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#define FORMAT_SIZE 40          /* bytes of every BUFFER below */

/* Each fills BUFFER and returns it. */
const char *format_count(uint64_t v, char *buffer);             /* 1,234,567 */
const char *format_ns(double ns, char *buffer);                 /* 1.234 s, 56.789 ms */
const char *format_short_ns(double ns, char *buffer);           /* 1.23 s: for tables */
/* "-" when there is none (v <= 0) */
const char *format_ratio(double v, char *buffer);
/* The same of an estimate: no more digits than it is worth. */
const char *format_about(double v, char *buffer);

/* TEXT with control characters, bidirectional overrides and what is not UTF-8 as \xNN. The caller
 * frees it. */
char *format_clean(const char *text);
/* Columns of a clean text: its characters. */
int format_width(const char *text);
/* Shortens a clean text in place to at most WIDTH columns: the middle goes, the ends tell most. */
void format_fit(char *text, int width);

/* The last part of PATH. */
const char *format_base(const char *path);

/* TEXT in single quotes, in which gnuplot expands nothing and a quote is written twice. */
void format_gnuplot(const char *text, FILE *out);

/* printf into a fresh string. */
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* NULL ends prof with one line: there is nothing sensible to do without memory. */
void *format_memory(void *p);

#endif
