/* text_timeline.c - what the threads did over the run: a strip of characters for each. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/timeline.h"
#include "base/format.h"
#include "base/terminal.h"
#include "text/sections.h"

enum { LABEL_MOST = 24, WIDEST = 300, LEVELS = 8 };

/* How the strips are divided. */
struct strip {
    const struct text_page *g;
    const struct timeline *t;
    bool utf8;
    int label;                  /* columns of the labels */
    size_t cells;               /* in a strip; each is REPEAT columns wide */
    unsigned bins, repeat;      /* bins of a cell */
};

/* What most of a cell's time was. The highest share of work has the highest block. */
static const struct { const char *mark, *words, *colour; } kinds[TIMELINE_KINDS] = {
    [TIMELINE_WORK] = { "", "", "\033[32m" },
    [TIMELINE_OVERHEAD] = { "o", "overhead in strands", "\033[33m" },
    [TIMELINE_OWN] = { "p", "libprof itself", "\033[36m" },
    [TIMELINE_BETWEEN] = { "s", "on the CPU between strands (searching, or the runtime)",
                           "\033[33m" },
    [TIMELINE_BLOCKED] = { "b", "blocked or preempted in a strand", "\033[35m" },
    [TIMELINE_ASLEEP] = { ".", "off the CPU between strands", "\033[31m" },
};

static void divide(struct strip *s)
{
    int width = s->g->o->width < WIDEST ? s->g->o->width : WIDEST, room = width - s->label - 5;
    unsigned bins = s->t->p->timeline->bins;
    if (room < 10)
        room = 10;
    s->bins = (bins + room - 1) / room;
    s->cells = (bins + s->bins - 1) / s->bins;
    s->repeat = room / s->cells;
}

/* The part of cell C's time that the run had, in ns. */
static double cell_ns(const struct strip *s, size_t c)
{
    double width = (double)s->t->p->timeline->bin_ns * s->bins,
           left = s->g->t->elapsed_ns - width * c;
    return left > 0 && left < width ? left : width;
}

/* PART of the highest block, above 0. */
static const char *level_mark(const struct strip *s, double part)
{
    static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" },
                      *const digits[] = { "1", "2", "3", "4", "5", "6", "7", "8" };
    int level = LEVELS * part + 0.5;
    level = level < 1 ? 1 : level > LEVELS ? LEVELS : level;
    return (s->utf8 ? blocks : digits)[level - 1];
}

/* NS: by kind, of ALL ns. *BLANKS: columns that are still to be skipped; a line ends without
 * any. */
static void print_cell(const struct strip *s, const double *ns, double all, int *last,
                       unsigned *blanks)
{
    int most = TIMELINE_WORK;
    for (int k = 1; k < TIMELINE_KINDS; k++)
        if (ns[k] > ns[most])
            most = k;
    if (ns[most] <= 0) {
        *blanks += s->repeat;
        return;
    }
    fprintf(s->g->out, "%*s", (int)*blanks, "");
    *blanks = 0;
    const char *mark = kinds[most].mark;
    if (most == TIMELINE_WORK)
        mark = level_mark(s, ns[most] / all);
    if (s->g->o->color && *last != most)
        fputs(kinds[most].colour, s->g->out);
    *last = most;
    for (unsigned i = 0; i < s->repeat; i++)
        fputs(mark, s->g->out);
}

static void print_row(const struct strip *s, const struct timeline_row *r)
{
    char *label = timeline_label(s->t, r);
    size_t at = 0;
    int last = -1;
    format_fit(label, s->label);
    unsigned blanks = s->label - format_width(label) + 2;
    fprintf(s->g->out, "  %s", label);
    for (size_t c = 0; c < s->cells; c++) {
        double ns[TIMELINE_KINDS] = { 0 };
        for (; at < r->count && r->bins[at].bin / s->bins == c; at++)
            for (unsigned k = 0; k < TIMELINE_KINDS; k++)
                ns[k] += timeline_count(&r->bins[at], k) *
                         (double)timeline_sample_ns(s->t->p, k);
        print_cell(s, ns, cell_ns(s, c), &last, &blanks);
    }
    fputs(s->g->o->color ? "\033[0m\n" : "\n", s->g->out);
    free(label);
}

/* ---- tasks that were ready ---- */

static const char *const ready_label = "tasks ready";

/* The counts of cell C. *AT: the first bin of P's that no cell before had; goes on to the next
 * cell's. */
static struct timeline_ready ready_cell(const struct strip *s, size_t c, size_t *at)
{
    const struct profile *p = s->t->p;
    struct timeline_ready n = { 0 };
    for (; *at < p->ready_bin_count && p->ready_bins[*at].bin / s->bins == c; ++*at)
        timeline_ready_add(&n, &p->ready_bins[*at]);
    return n;
}

/* The largest mean of a cell. */
static double ready_highest(const struct strip *s)
{
    double highest = 0;
    size_t at = 0;
    for (size_t c = 0; c < s->cells; c++) {
        struct timeline_ready n = ready_cell(s, c, &at);
        if (n.samples && timeline_ready_mean(&n) > highest)
            highest = timeline_ready_mean(&n);
    }
    return highest;
}

static void print_ready(const struct strip *s)
{
    unsigned blanks = s->label - strlen(ready_label) + 2;
    double highest = ready_highest(s);
    size_t at = 0;
    if (!s->t->p->ready_bin_count)
        return;
    fprintf(s->g->out, "  %s", ready_label);
    for (size_t c = 0; c < s->cells; c++) {
        struct timeline_ready n = ready_cell(s, c, &at);
        if (!n.samples) {
            blanks += s->repeat;
            continue;
        }
        fprintf(s->g->out, "%*s", (int)blanks, "");
        blanks = 0;
        double mean = timeline_ready_mean(&n);
        const char *mark = mean > 0 ? level_mark(s, mean / highest) : "0";
        for (unsigned i = 0; i < s->repeat; i++)
            fputs(mark, s->g->out);
    }
    fputs("\n", s->g->out);
}

/* States the scale, and what is not counted. */
static void print_ready_legend(const struct strip *s)
{
    const struct profile *p = s->t->p;
    char mean[FORMAT_SIZE], most[FORMAT_SIZE], counts[FORMAT_SIZE], unknown[FORMAT_SIZE];
    if (!p->ready_count)
        return;
    struct timeline_ready all = timeline_ready_all(p);
    double highest = ready_highest(s);
    format_count(p->ready->unknown, unknown);
    format_count(all.samples, counts);
    if (!p->ready_bin_count)
        paragraph(s->g, "",
                  "How many tasks were ready is not known: those of this run had to wait for "
                  "others when they were created, or libgomp's taskloops made them (%s in all).",
                  unknown);
    else if (!all.most)
        paragraph(s->g, "", "Tasks ready (spawned, and not begun): none at any of %s counts.",
                  counts);
    else
        paragraph(s->g, "",
                  "Tasks ready (spawned, and not begun; counted %s times): 0 none; %s on average "
                  "over the place, the highest is %s%s. At most %s were ready at one count.",
                  counts, s->utf8 ? "▁ to █" : "1 to 8", highest < 0.5 ? "less than " : "",
                  format_count(highest < 0.5 ? 1 : highest + 0.5, mean),
                  format_count(all.most, most));
    if (p->ready_bin_count && p->ready->unknown)
        paragraph(s->g, "",
                  "Not among them: tasks that had to wait for others when they were created, and "
                  "those of libgomp's taskloops (%s in all). Since when they could begin is not "
                  "known.",
                  unknown);
}

static void print_axis(const struct strip *s)
{
    char end[FORMAT_SIZE];
    format_short_ns(s->g->t->elapsed_ns, end);
    int width = s->cells * s->repeat;
    fprintf(s->g->out, "  %*s  0%*s\n", s->label, "", width > 1 ? width - 1 : 1, end);
}

/* Names the marks that were used. */
static void print_legend(const struct strip *s)
{
    const struct timeline *t = s->t;
    char cell[FORMAT_SIZE], on[FORMAT_SIZE], off[FORMAT_SIZE], period[FORMAT_SIZE];
    uint64_t on_cpu = 0, off_cpu = 0;
    char *marks = format_text("%s", "");
    for (unsigned k = 0; k < TIMELINE_KINDS; k++) {
        *(k < TIMELINE_BLOCKED ? &on_cpu : &off_cpu) += t->samples[k];
        if (k == TIMELINE_WORK || !t->samples[k])
            continue;
        char *more = format_text("%s; %s %s", marks, kinds[k].mark, kinds[k].words);
        free(marks);
        marks = more;
    }
    paragraph(s->g, "",
              "A place stands for %s, and shows what took most of that time: %s work, in eighths "
              "of the time%s; blank: not sampled, so not known.",
              format_short_ns((double)t->p->timeline->bin_ns * s->bins, cell),
              s->utf8 ? "▁ to █" : "1 to 8", marks);
    paragraph(s->g, "",
              "Sampled: %s times on the CPU, for %s each, and %s times off it, for 10 ms each.",
              format_count(on_cpu, on),
              format_short_ns(timeline_sample_ns(t->p, TIMELINE_WORK), period),
              format_count(off_cpu, off));
    if (t->p->timeline->unplaced)
        paragraph(s->g, "", "The first %u threads have a strip. Of others there are %s samples.",
                  LPF_TIMELINE_ROWS_MOST, format_count(t->p->timeline->unplaced, on));
    free(marks);
}

void text_timeline(const struct text_page *g)
{
    struct timeline t;
    if (!g->p->timeline_count)
        return;
    timeline_new(&t, g->p);
    struct strip s = { .g = g, .t = &t, .utf8 = terminal_is_utf8() };
    size_t rows = g->o->limit && g->o->limit < t.count ? g->o->limit : t.count;
    for (size_t i = 0; i < rows; i++) {
        char *label = timeline_label(&t, &t.rows[i]);
        int width = format_width(label);
        width = width < LABEL_MOST ? width : LABEL_MOST;
        s.label = width > s.label ? width : s.label;
        free(label);
    }
    if (g->p->ready_bin_count && s.label < (int)strlen(ready_label))
        s.label = strlen(ready_label);
    divide(&s);
    heading(g, "What the threads did (sampled)");
    for (size_t i = 0; i < rows; i++)
        print_row(&s, &t.rows[i]);
    print_ready(&s);
    print_axis(&s);
    if (rows < t.count)
        paragraph(g, "", "%zu more thread%s: --full --all shows all.", t.count - rows,
                  t.count - rows == 1 ? "" : "s");
    print_legend(&s);
    print_ready_legend(&s);
    timeline_free(&t);
}
