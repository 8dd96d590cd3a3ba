/* text_page.h - what the sections of the text report share. Each section is a function of a
 * page. */
#ifndef REPORT_OUTPUT_TEXT_PAGE_H
#define REPORT_OUTPUT_TEXT_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "output/options.h"
#include "output/page.h"
#include "output/table.h"
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

/* Cells of a table. */
void text_add_count(struct table *t, uint64_t v);
void text_add_cost(const struct text_page *g, struct table *t, uint64_t cost);
void text_add_ratio(struct table *t, double work, double span);     /* a parallelism */
/* Function, place, construct: the last columns of every table of sites. */
void text_add_place(const struct text_page *g, struct table *t, const struct row *r);

/* text_header.c */
void text_state(const struct text_page *g);
void text_merged(const struct text_page *g);
void text_header(const struct text_page *g);

/* text_limits.c */
void text_summary(const struct text_page *g);
/* The child processes, if the program made some. */
void text_children(const struct text_page *g);
/* How long a program without tasks was off the CPU, if that is much. */
void text_off_cpu(const struct text_page *g);

/* text_profile.c */
/* What hides a part of the span, as a list; "": nothing that has a name. The caller frees it. */
char *text_hidden(const struct text_page *g);
void text_bounds(const struct text_page *g);
void text_short_strands(const struct text_page *g);
void text_profile(const struct text_page *g);
void text_notes(const struct text_page *g);

/* text_speedup.c */
void text_speedup(const struct text_page *g);

/* text_ledger.c */
void text_ledger(const struct text_page *g);

/* text_timeline.c */
void text_timeline(const struct text_page *g);

/* text_sites.c. WORK_AT, SPAN_AT: offsets of a struct measure in struct row. */
void text_sites(const struct text_page *g);
void text_measure(const struct text_page *g, const char *title, size_t work_at, size_t span_at);
void text_frames(const struct text_page *g);
void text_waits(const struct text_page *g);
void text_regions(const struct text_page *g);

/* text_paths.c: the profile has call paths. */
void text_samples(const struct text_page *g);
void text_functions(const struct text_page *g);
void text_lines(const struct text_page *g);
void text_paths(const struct text_page *g);
void text_callers(const struct text_page *g);

/* text_scenarios.c */
void text_scenarios(const struct text_page *g);

#endif
