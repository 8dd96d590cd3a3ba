/* text.c - `prof diff` as text. On one screen: sentences (words.c), and the functions that changed
 * most. In full: the program's totals before the sentences, then tables by function and by path. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "diff/diff.h"
#include "libprof_format.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"

/* Tables leave out rows whose changes are less than this share of every total. */
#define SMALL_CHANGE 0.005
/* Functions on one screen. */
enum { SCREEN_ROWS = 5 };

static const char parallelism_group[] = "parallelism";

/* ---- the page ---- */

/* Prints the lines that WRITE writes, as paragraphs. */
static void print_lines(const struct diff *d, const struct options *o,
                        void (*write)(const struct diff *, FILE *), FILE *out)
{
    char *text = diff_written(d, write), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        bool warning = !strncmp(line, "! ", 2);
        if (*line)
            page_paragraph(out, o, warning ? "!" : "", "%s", warning ? line + 2 : line);
    }
    free(text);
}

static void print_side(const struct diff *d, int s, const struct options *o, FILE *out)
{
    const struct diff_side *side = &d->side[s];
    char *command = format_clean(side->cmdline), *file = format_clean(format_base(side->files[0])),
         workers[64] = "";
    FILE *f = fmemopen(workers, sizeof workers, "w");
    if (f) {
        diff_count(f, "worker", side->workers_min, side->workers_max);
        fclose(f);
    }
    format_fit(command, o->width - 3);
    fprintf(out, o->color ? "%c: \033[1m%s\033[0m\n" : "%c: %s\n", "AB"[s], command);
    if (side->runs == 1)
        page_paragraph(out, o, "", "%s, %s, clock %s", file, workers, side->clock);
    else
        page_paragraph(out, o, "", "%u runs (%s, ...), %s, clock %s", side->runs, file, workers,
                       side->clock);
    free(command);
    free(file);
}

static void add(struct table *t, char *text)
{
    table_add(t, text);
    free(text);
}

static void print_totals(const struct diff *d, const struct options *o, FILE *out)
{
    static const struct table_column columns[] = {
        { "", 0, TABLE_WORDS, 0 },          { "A", 0, TABLE_NUMBER, 0 },
        { "+-", 0, TABLE_NUMBER, 3 },       { "B", 0, TABLE_NUMBER, 0 },
        { "+-", 0, TABLE_NUMBER, 3 },       { "change", 0, TABLE_NUMBER, 0 },
        { "relative", 0, TABLE_NUMBER, 1 }, { "95 %", 0, TABLE_NUMBER, 2 },
        { "", 0, TABLE_WORDS, 0 },
    };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    page_heading(out, o, "Program");
    for (unsigned i = 0; i < DIFF_TOTALS; i++) {
        const struct change *c = &d->totals[i];
        enum diff_unit unit = diff_kinds[i].unit;
        if (!diff_shows(d, i))
            continue;
        table_add(t, diff_kinds[i].title);
        for (int s = 0; s < 2; s++) {
            const struct moments *m = &d->side[s].totals[i];
            add(t, diff_amount(d, unit, m->mean));
            add(t, m->n > 1 && m->mean != 0
                       ? format_text("%.1f %%", 100 * moments_deviation(m) / fabs(m->mean))
                       : format_text("%s", ""));
        }
        add(t, diff_signed(d, unit, c->delta));
        add(t, unit == DIFF_PERCENT ? format_text("%s", "") : diff_relative(c));
        char *margin = isnan(c->margin) || c->margin == 0 ? format_text("%s", "")
                                                          : diff_amount(d, unit, c->margin);
        add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
        free(margin);
        table_add(t, diff_mark(c));
    }
    table_print(t, out, o->width);
    table_free(t);
    if (diff_loops_divide(d))
        page_paragraph(out, o, "",
                       "\"loops divided\" is estimated: an iteration costs the mean of its chunk.");
    if (d->side[0].runs > 1 || d->side[1].runs > 1)
        page_paragraph(out, o, "",
                       "Means of the runs; +-: deviation of one run. 95 %%: confidence interval of "
                       "the change (Welch). * is beyond the noise, ~ is not.");
    else if (d->virtual_clock)
        page_paragraph(out, o, "", "Work and span by the virtual clock are exact. * has changed.");
}

static bool is_small(const struct diff *d, const struct change *c)
{
    for (unsigned k = 0; k < DIFF_METRICS; k++) {
        double all = fmax(d->row_totals[k].a, d->row_totals[k].b);
        if (k != DIFF_OVERHEAD && all > 0 && fabs(c[k].delta) >= SMALL_CHANGE * all)
            return false;
    }
    double work = fmax(d->row_totals[DIFF_WORK].a, d->row_totals[DIFF_WORK].b);
    return !(fabs(c[DIFF_OVERHEAD].delta) > 0 &&
             fabs(c[DIFF_OVERHEAD].delta) >= SMALL_CHANGE * work);
}

/* The columns: the leading metric in full, the changes of the others, parallelism with callees. */
enum { LEADING = 6, COLUMNS = LEADING + DIFF_METRICS - 1 + 2 + 2 };

/* Does metric K have a column besides the leading one? */
static bool is_shown(const struct diff *d, const struct diff_wish *w, const struct diff_table *rows,
                     bool all, unsigned k)
{
    double total = fmax(d->row_totals[k].a, d->row_totals[k].b);
    if (k == DIFF_OVERHEAD)
        total = fmax(d->row_totals[DIFF_WORK].a, d->row_totals[DIFF_WORK].b);
    for (size_t i = 0; k != w->metric && i < rows->count; i++) {
        double delta = fabs((all ? rows->rows[i]->all : rows->rows[i]->self)[k].delta);
        if (delta > 0 && (!w->o->limit || delta >= SMALL_CHANGE * total))
            return true;
    }
    return false;
}

/* A table of costs, and the metrics whose changes it shows. */
struct costs {
    struct table *table;
    bool shown[DIFF_METRICS], all;
    char lead[64];
    struct table_column columns[COLUMNS];
};

static void cost_table(const struct diff *d, const struct diff_wish *w,
                       const struct diff_table *rows, bool all, struct costs *to)
{
    static const char change[] = "change";
    struct table_column *c = to->columns;
    char *lead = to->lead;
    unsigned n = 0;
    to->all = all;
    snprintf(lead, sizeof to->lead, "%s%s", diff_metrics[w->metric],
             all ? ", with callees" : ", self");
    c[n++] = (struct table_column){ "A", lead, TABLE_NUMBER, 1 };
    c[n++] = (struct table_column){ "B", lead, TABLE_NUMBER, 1 };
    c[n++] = (struct table_column){ "change", lead, TABLE_NUMBER, 0 };
    c[n++] = (struct table_column){ "relative", lead, TABLE_NUMBER, 2 };
    c[n++] = (struct table_column){ "95 %", lead, TABLE_NUMBER, 3 };
    c[n++] = (struct table_column){ "", lead, TABLE_WORDS, 0 };
    static const char *const titles[] = { "span", "work", "idle", "ovhd", "blkd", "tasks" };
    static const int ranks[] = { 4, 4, 5, 6, 7, 9 };
    for (unsigned k = 0; k < DIFF_METRICS; k++)
        if ((to->shown[k] = is_shown(d, w, rows, all, k)))
            c[n++] = (struct table_column){ titles[k], change, TABLE_NUMBER, ranks[k] };
    c[n++] = (struct table_column){ "A", parallelism_group, TABLE_NUMBER, 8 };
    c[n++] = (struct table_column){ "B", parallelism_group, TABLE_NUMBER, 8 };
    c[n++] = (struct table_column){ all ? "path" : "function", 0, all ? TABLE_TREE : TABLE_NAME,
                                    0 };
    c[n++] = (struct table_column){ all ? "file:line" : "file", 0, TABLE_TEXT, 5 };
    to->table = table_new(c, n);
}

static void add_costs(const struct diff *d, const struct costs *to, const struct diff_row *r,
                      const struct diff_wish *w)
{
    struct table *t = to->table;
    const struct change *costs = to->all ? r->all : r->self, *c = &costs[w->metric];
    enum diff_unit unit = diff_unit_of(w->metric);
    add(t, c->a ? diff_amount(d, unit, c->a) : format_text("%s", ""));
    add(t, c->b ? diff_amount(d, unit, c->b) : format_text("%s", ""));
    add(t, c->delta ? diff_signed(d, unit, c->delta) : format_text("%s", ""));
    add(t, diff_relative(c));
    char *margin = isnan(c->margin) || c->margin == 0 || (!c->a && !c->b)
                       ? format_text("%s", "")
                       : diff_amount(d, unit, c->margin);
    add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
    free(margin);
    table_add(t, diff_mark(c));
    for (unsigned k = 0; k < DIFF_METRICS; k++) {
        if (!to->shown[k])
            continue;
        char *text = costs[k].delta ? diff_signed(d, diff_unit_of(k), costs[k].delta)
                                    : format_text("%s", "");
        add(t, format_text("%s%s", text,
                           *text ? *diff_mark(&costs[k]) ? diff_mark(&costs[k]) : " " : ""));
        free(text);
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    table_add(t, format_ratio(summary_parallelism(r->all[DIFF_WORK].a, r->all[DIFF_SPAN].a), a));
    table_add(t, format_ratio(summary_parallelism(r->all[DIFF_WORK].b, r->all[DIFF_SPAN].b), b));
}

static void explain(const struct diff *d, const struct options *o, bool parallelism, FILE *out)
{
    bool runs = d->side[0].runs > 1 || d->side[1].runs > 1;
    page_paragraph(out, o, "",
                   "* is beyond %s; at most one in twenty of a column's is expected to be chance. "
                   "~ is not beyond it; without a mark it is not known.%s",
                   runs ? "the noise of runs and samples"
                        : "the error of sampling, not of what two runs differ by chance",
                   parallelism ? " parallelism: work per span with callees, at least 1." : "");
}

/* States how many rows the table of functions does not show: rows beyond the limit, rows with
 * changes only in columns that have no room, and small ones. */
static void print_left_out(const struct options *o, size_t more, size_t narrow, size_t small,
                           FILE *out)
{
    char *text = 0;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    const char *between = "";
    if (more)
        fprintf(f, "%zu more", more), between = ", ";
    if (narrow)
        fprintf(f, "%s%zu that changed only in columns for which the terminal is too narrow",
                between, narrow),
            between = ", ";
    if (small)
        fprintf(f, "%s%zu that changed by less than %.1f %% of every total", between, small,
                100 * SMALL_CHANGE);
    fclose(f);
    format_memory(text);
    if (*text)
        page_paragraph(out, o, "", "... %s%s", text,
                       !more && !small ? "" : o->full ? " (--all)" : " (--full, --all)");
    free(text);
}

/* Is R, by its metrics but the time off the CPU, a row of blanks: time off the CPU that no sample
 * gives to a function? Then a sentence has it. */
static bool is_blank(const struct diff_wish *w, const struct diff_row *r)
{
    return w->o->fold_waits && w->o->limit && w->metric != DIFF_BLOCKED &&
           !strcmp(r->key.function, "[blocked]");
}

/* States how the time off the CPU changed that no sample gives to a function. */
static void print_unsampled(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    for (size_t i = 0; i < d->functions.count; i++) {
        const struct diff_row *r = d->functions.rows[i];
        const struct change *c = &r->self[DIFF_BLOCKED];
        if (!is_blank(w, r) || is_small(d, r->self))
            continue;
        char *a = diff_amount(d, DIFF_NS, c->a), *b = diff_amount(d, DIFF_NS, c->b),
             *change = diff_signed(d, DIFF_NS, c->delta);
        page_paragraph(out, w->o, "",
                       "Off the CPU in strands, where no sample shows the function: %s in A, %s in "
                       "B, %s.", a, b, change);
        free(a);
        free(b);
        free(change);
    }
}

static void print_functions(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    struct costs to = { 0 };
    page_heading(out, w->o, "Functions");
    cost_table(d, w, &d->functions, false, &to);
    struct table *t = to.table;
    struct diff_row **rows = diff_sorted(&d->functions, w, false);
    size_t shown = 0, more = 0, small = 0;
    for (size_t i = 0; i < d->functions.count; i++) {
        if (is_blank(w, rows[i]))
            continue;
        if (w->o->limit && is_small(d, rows[i]->self)) {
            small++;
            continue;
        }
        if (w->o->limit && shown == w->o->limit) {
            more++;
            continue;
        }
        shown++;
        add_costs(d, &to, rows[i], w);
        table_add(t, rows[i]->key.function);
        table_add(t, rows[i]->file ? format_base(rows[i]->file) : rows[i]->key.module);
    }
    size_t narrow = 0;
    if (shown && w->o->limit)
        narrow = table_print_filled(t, out, w->o->width);
    else if (shown)
        table_print(t, out, w->o->width);
    else
        page_paragraph(out, w->o, "", "Nothing changed by %.1f %% of a total.", 100 * SMALL_CHANGE);
    bool parallelism = table_shows(t, parallelism_group);
    table_free(t);
    free(rows);
    print_left_out(w->o, more, narrow, small, out);
    print_unsampled(d, w, out);
    if (shown)
        explain(d, w->o, parallelism, out);
}

/* Prints all findings, with their gains. */
static void print_findings(const struct diff *d, const struct options *o, FILE *out)
{
    static const char a[] = "A", b[] = "B";
    static const struct table_column columns[] = {
        { "gain", a, TABLE_NUMBER, 1 },     { "%", a, TABLE_NUMBER, 2 },
        { "gain", b, TABLE_NUMBER, 1 },     { "%", b, TABLE_NUMBER, 2 },
        { "change", 0, TABLE_NUMBER, 0 },   { "95 %", 0, TABLE_NUMBER, 2 },
        { "", 0, TABLE_WORDS, 0 },          { "", 0, TABLE_WORDS, 0 },
        { "finding", 0, TABLE_WORDS, 0 },   { "place", 0, TABLE_REST, 0 },
    };
    if (!d->finding_count)
        return;
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    page_heading(out, o, "Findings");
    for (size_t i = 0; i < d->finding_count; i++) {
        const struct diff_finding *f = &d->findings[i];
        const struct change *c = &f->change;
        for (int s = 0; s < 2; s++) {
            double gain = s ? c->b : c->a;
            add(t, f->seen[s] ? diff_amount(d, DIFF_NS, gain) : format_text("%s", ""));
            add(t, f->seen[s]
                       ? format_text("%.0f", 100 * ratio(gain, d->side[s].elapsed.mean))
                       : format_text("%s", ""));
        }
        add(t, diff_signed(d, DIFF_NS, c->delta));
        char *margin = diff_amount(d, DIFF_NS, c->margin);
        add(t, format_text("+- %s", margin));
        free(margin);
        table_add(t, diff_mark(c));
        table_add(t, diff_finding_fate(f));
        table_add(t, cause_names[f->id]);
        add(t, diff_finding_place(f));
    }
    table_print(t, out, o->width);
    table_free(t);
    page_paragraph(out, o, "",
                   "gain: elapsed time that goes away without this cause; %%: of the elapsed time. "
                   "No gain: no run has the finding, and it is below %.0f %% of the elapsed time. "
                   "* is beyond the interval of the change, ~ is not.", 100 * CAUSE_WORTH);
}

/* Prints the places where strands waited. */
static void print_waits(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    static const char waited[] = "waited", times[] = "times";
    static const struct table_column columns[] = {
        { "A", waited, TABLE_NUMBER, 1 },      { "B", waited, TABLE_NUMBER, 1 },
        { "change", waited, TABLE_NUMBER, 0 }, { "relative", waited, TABLE_NUMBER, 2 },
        { "95 %", waited, TABLE_NUMBER, 3 },   { "", waited, TABLE_WORDS, 0 },
        { "A", times, TABLE_NUMBER, 4 },       { "B", times, TABLE_NUMBER, 4 },
        { "", times, TABLE_WORDS, 4 },         { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 2 },     { "to enter", 0, TABLE_TEXT, 0 },
    };
    if (!d->waits.count)
        return;
    struct diff_wish by_wait = { w->o, DIFF_IDLENESS, w->sort };
    struct diff_row **rows = diff_sorted(&d->waits, &by_wait, false);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    size_t n = w->o->limit && w->o->limit < d->waits.count ? w->o->limit : d->waits.count;
    page_heading(out, w->o, "Waits for others to leave");
    for (size_t i = 0; i < n; i++) {
        const struct diff_row *r = rows[i];
        const struct change *c = &r->self[DIFF_IDLENESS], *k = &r->self[DIFF_TASKS];
        add(t, c->a ? diff_amount(d, DIFF_NS, c->a) : format_text("%s", ""));
        add(t, c->b ? diff_amount(d, DIFF_NS, c->b) : format_text("%s", ""));
        add(t, c->delta ? diff_signed(d, DIFF_NS, c->delta) : format_text("%s", ""));
        add(t, diff_relative(c));
        char *margin = isnan(c->margin) || c->margin == 0 ? format_text("%s", "")
                                                          : diff_amount(d, DIFF_NS, c->margin);
        add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
        free(margin);
        table_add(t, diff_mark(c));
        add(t, k->a ? diff_amount(d, DIFF_COUNT, k->a) : format_text("%s", ""));
        add(t, k->b ? diff_amount(d, DIFF_COUNT, k->b) : format_text("%s", ""));
        table_add(t, diff_mark(k));
        table_add(t, r->key.function);
        add(t, r->file && r->line
                   ? format_text("%s:%d", format_base(r->file), r->line)
                   : format_text("%s", r->file ? format_base(r->file) : r->key.module));
        table_add(t, r->key.construct);
    }
    table_print(t, out, w->o->width);
    table_free(t);
    free(rows);
    if (n < d->waits.count)
        page_paragraph(out, w->o, "", "... %zu more (--all)", d->waits.count - n);
    page_paragraph(out, w->o, "",
                   "Of waits of 500 ns or more; a part of the idle worker time above.");
}

/* Prints the paths in depth-first order, children by their change. Paths with small changes are
 * left out, with all below them. */
static void print_paths(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    const struct diff_table *p = &d->paths;
    size_t n = p->count, used = 0, left_out = 0;
    struct diff_row **rows = diff_sorted(p, w, true);
    uint32_t *last = format_memory(malloc((n + 1) * sizeof *last)),
             *previous = format_memory(malloc((n + 1) * sizeof *previous));
    struct { uint32_t row, depth; } *stack = format_memory(calloc(n + 1, sizeof *stack));
    struct costs to = { 0 };
    memset(last, 0xff, (n + 1) * sizeof *last);
    /* lists of children, the last one first: the stack reverses them */
    for (size_t i = 0; i < n; i++)
        if (rows[i]->index) {
            previous[rows[i]->index] = last[rows[i]->key.parent];
            last[rows[i]->key.parent] = rows[i]->index;
        }
    page_heading(out, w->o, "Call paths, with all they called and spawned");
    cost_table(d, w, p, true, &to);
    struct table *t = to.table;
    stack[used++].row = 0;
    while (used) {
        uint32_t at = stack[--used].row, depth = stack[used].depth;
        const struct diff_row *r = p->rows[at];
        if (is_blank(w, r))
            continue;
        if (at && w->o->limit && is_small(d, r->all)) {
            left_out++;
            continue;
        }
        add_costs(d, &to, r, w);
        add(t, format_text("%*s%s", depth < 40 ? (int)depth : 40, "", r->key.function));
        add(t, r->file && r->line ? format_text("%s:%d", format_base(r->file), r->line)
                                  : format_text("%s", r->file ? format_base(r->file) : ""));
        for (uint32_t k = last[at]; k != LPF_NONE; k = previous[k], used++) {
            stack[used].row = k;
            stack[used].depth = depth + 1;
        }
    }
    table_print(t, out, w->o->width);
    table_free(t);
    if (left_out)
        page_paragraph(out, w->o, "",
                       "... %zu paths that changed by less than %.1f %% of every total (--all)",
                       left_out, 100 * SMALL_CHANGE);
    free(rows);
    free(last);
    free(previous);
    free(stack);
}

static void print_inflation(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    static const char work[] = "work, self";
    static const struct table_column columns[] = {
        { "1 worker", work, TABLE_NUMBER, 1 }, { "several", work, TABLE_NUMBER, 1 },
        { "more", work, TABLE_NUMBER, 0 },     { "95 %", work, TABLE_NUMBER, 2 },
        { "", work, TABLE_WORDS, 0 },          { "inflation", 0, TABLE_NUMBER, 0 },
        { "% of all", 0, TABLE_NUMBER, 1 },    { "without ovhd", 0, TABLE_NUMBER, 3 },
        { "path", 0, TABLE_WORDS, 0 },
    };
    struct diff_wish by_work = { w->o, DIFF_WORK, "change" };
    struct diff_row **rows = diff_sorted(&d->paths, &by_work, false);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    double all = d->row_totals[DIFF_WORK].delta, least = SMALL_CHANGE * d->row_totals[DIFF_WORK].a;
    size_t shown = 0, more = 0;
    page_heading(out, w->o, "Work inflation, by call path");
    for (size_t i = 0; i < d->paths.count; i++) {
        const struct change *c = &rows[i]->self[DIFF_WORK];
        if ((c->a == 0 && c->b == 0) || (w->o->limit && fabs(c->delta) < least))
            continue;
        if (w->o->limit && shown == w->o->limit) {
            more++;
            continue;
        }
        shown++;
        struct change user = diff_user_work(rows[i]);
        add(t, diff_amount(d, DIFF_COST, c->a));
        add(t, diff_amount(d, DIFF_COST, c->b));
        add(t, diff_signed(d, DIFF_COST, c->delta));
        char *margin = isnan(c->margin) ? format_text("%s", "")
                                        : diff_amount(d, DIFF_COST, c->margin);
        add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
        free(margin);
        table_add(t, diff_mark(c));
        add(t, c->a > 0 ? format_text("%.2fx", c->b / c->a) : format_text("%s", ""));
        add(t, all != 0 && !diff_is_noise(&d->row_totals[DIFF_WORK])
                   ? format_text("%.1f", 100 * c->delta / all)
                   : format_text("%s", ""));
        add(t, user.a > 0 ? format_text("%.2fx", user.b / user.a) : format_text("%s", ""));
        add(t, diff_path(&d->paths, rows[i]->index,
                         w->o->width > 130  ? w->o->width - 80
                         : w->o->width < 80 ? w->o->width - 30
                                            : 50));
    }
    if (shown)
        table_print(t, out, w->o->width);
    else
        page_paragraph(out, w->o, "", "No path's work changed by %.1f %% of the whole.",
                       100 * SMALL_CHANGE);
    table_free(t);
    free(rows);
    if (more)
        page_paragraph(out, w->o, "", "... %zu more (--all)", more);
    page_paragraph(out, w->o, "",
                   "inflation: work on several workers per work on one (Acar et al., section 2). "
                   "without ovhd: of the program's own code, without what the runtime does inside "
                   "strands.");
}

/* Prints what else --full has. */
static void print_next(const struct diff *d, const struct options *o, FILE *out)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    char *files = a->count == 1 && b->count == 1
                      ? format_text("%s %s", a->files[0], b->files[0])
                      : format_text("A... -- B..."),
         *clean = format_clean(files);
    page_paragraph(out, o, "",
                   "Next: prof diff --full %s (all figures and findings, call paths%s%s)", clean,
                   d->inflates ? ", work inflation" : "", d->waits.count ? ", waits" : "");
    free(files);
    free(clean);
}

void diff_text(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    struct options screen = *w->o;
    struct diff_wish few = { &screen, w->metric, w->sort };
    print_side(d, 0, w->o, out);
    print_side(d, 1, w->o, out);
    print_lines(d, w->o, diff_remarks, out);
    if (w->o->full)
        print_totals(d, w->o, out);
    page_heading(out, w->o, "What changed");
    print_lines(d, w->o, diff_words, out);
    if (!w->o->full) {
        screen.limit = SCREEN_ROWS;
        print_functions(d, &few, out);
        print_next(d, w->o, out);
        return;
    }
    print_findings(d, w->o, out);
    if (d->inflates)
        print_inflation(d, w, out);
    print_functions(d, w, out);
    print_waits(d, w, out);
    print_paths(d, w, out);
}
