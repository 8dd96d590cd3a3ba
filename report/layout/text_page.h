/* text_page.h - what the brief report and the sections of the full one share: the profile that they
 * print, and the cells and lines that both have. */
#ifndef REPORT_LAYOUT_TEXT_PAGE_H
#define REPORT_LAYOUT_TEXT_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"
#include "profile/profile.h"

/* What a reader can do about too few samples. A higher rate of the CPU timer gives none: it expires
 * at the kernel's tick. */
#define MORE_SAMPLES                                                                               \
    "A longer run gives more samples, and so does PROF_SAMPLE=task-clock:1000 where perf events "  \
    "are allowed."

/* What every section needs. */
struct text_page {
    const struct summary *m;
    const struct paths *paths;  /* or NULL */
    const struct profile *p;
    const struct lpf_totals *t;
    const struct options *o;
    FILE *out;
};

#define heading(g, text) page_heading((g)->out, (g)->o, text)
#define paragraph(g, ...) page_paragraph((g)->out, (g)->o, __VA_ARGS__)

/* Prints NAME and VALUE on one line. Without room, the part of VALUE from its bracket or " of " on
 * gets a line of its own. */
void text_line(const struct text_page *g, const char *name, const char *value);
/* R's place, "name.cpp:12" (without lines, MODULE+0xOFFSET); and R's function, with "+0x12" if no
 * more is known of the place. The caller frees them. */
char *text_place(const struct row *r);
char *text_function(const struct row *r);

/* " on 2 processors", if P had more workers than that; else "". The caller frees it. */
char *text_processors(const struct profile *p);

/* Cells of a table. */
void text_add_count(struct table *t, uint64_t v);
void text_add_cost(const struct text_page *g, struct table *t, uint64_t cost);
void text_add_ratio(struct table *t, double work, double span);     /* a parallelism */
/* Function, place, construct: the last columns of every table of sites. */
/* The mark after R's construct: how certain its span is. */
const char *text_mark(const struct text_page *g, const struct row *r);
/* What "<" after a construct says: row.took_others. */
extern const char text_took_others[];
void text_add_place(const struct text_page *g, struct table *t, const struct row *r);

#endif
