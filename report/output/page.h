/* page.h - headings and paragraphs of text for people, as wide as O says. */
#ifndef REPORT_OUTPUT_PAGE_H
#define REPORT_OUTPUT_PAGE_H

#include <stdio.h>

struct options;

void page_heading(FILE *out, const struct options *o, const char *text);
/* One paragraph, cleaned, broken between words; MARK ("" or "!") stands in its margin. */
void page_paragraph(FILE *out, const struct options *o, const char *mark, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
