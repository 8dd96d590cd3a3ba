/* paragraphs.h - headings and paragraphs, as wide as O states. */
#ifndef REPORT_LAYOUT_PARAGRAPHS_H
#define REPORT_LAYOUT_PARAGRAPHS_H

#include <stdio.h>

struct options;

void page_heading(FILE *out, const struct options *o, const char *text);
/* Prints one paragraph, cleaned and broken between words. MARK is in its margin: "", "!", "-"
 * or, below what it is about, "^". */
void page_paragraph(FILE *out, const struct options *o, const char *mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
