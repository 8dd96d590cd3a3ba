/* diff_text.c - `prof diff` for people: the program's lines first, then words, then tables by function and by path. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "diff.h"
#include "format.h"
#include "names.h"
#include "page.h"
#include "table.h"

/* What is less of every total is left out of tables. */
#define SMALL_CHANGE 0.005
/* A cause has this part of the whole change. */
#define CAUSE 0.1

/* ---- numbers ---- */

static char *amount(const struct diff *d, enum diff_unit unit, double v)
{
    char b[FORMAT_SIZE];
    double size = fabs(v);
    switch (unit) {
    case DIFF_RATIO: return format_text("%s%s", v < 0 ? "-" : "", format_ratio(size, b));
    case DIFF_PERCENT: return format_text("%.1f %%", v);
    case DIFF_COST:
        if (d->counts_time)
            break;
        /* fallthrough */
    case DIFF_COUNT: return format_text("%s%s", v < 0 ? "-" : "", format_count(size < 1.8e19 ? (uint64_t)(size + 0.5) : UINT64_MAX, b));
    case DIFF_NS: break;
    }
    return format_text("%s%s", v < 0 ? "-" : "", format_short_ns(size, b));
}

static char *signed_amount(const struct diff *d, enum diff_unit unit, double v)
{
    char *text = amount(d, unit, v), *with = format_text("%s%s", v > 0 ? "+" : "", text);
    free(text);
    return with;
}

/* "-57 %", "4.1x", "new". */
static char *relative(const struct change *c)
{
    if (c->a == c->b)
        return format_text("%s", "");
    if (c->a <= 0)
        return format_text("new");
    if (c->b <= 0)
        return format_text("gone");
    if (c->b / c->a >= 2)
        return format_text(c->b / c->a < 99.5 ? "%.1fx" : "%.0fx", c->b / c->a);
    return format_text("%+.1f %%", 100 * (c->b / c->a - 1));
}

/* Is C known to be chance, or not known to be? */
static bool is_noise(const struct change *c)
{
    return !isnan(c->p) && !c->significant;
}

static const char *mark(const struct change *c)
{
    return isnan(c->p) || c->delta == 0 ? "" : c->significant ? "*" : "~";
}

static enum diff_unit unit_of(enum diff_metric k)
{
    return k == DIFF_TASKS ? DIFF_COUNT : k == DIFF_IDLENESS || k == DIFF_BLOCKED ? DIFF_NS : DIFF_COST;
}

/* ---- remarks ---- */

static void print_number(FILE *out, const char *word, unsigned least, unsigned most)
{
    if (least == most)
        fprintf(out, "%u %s%s", least, word, least == 1 ? "" : "s");
    else
        fprintf(out, "%u to %u %ss", least, most, word);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void diff_remarks(const struct diff *d, FILE *out)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    if (strcmp(base_of(a->exe), base_of(b->exe)))
        fprintf(out, "! Different programs, %s and %s: what has the same names in both is compared.\n", base_of(a->exe), base_of(b->exe));
    else if (a->cmdline != b->cmdline)
        fputs("The command lines differ.\n", out);
    for (int s = 0; s < 2; s++)
        if (!d->side[s].same_command)
            fprintf(out, "! The files of %c are not of one command: they are taken for runs of the same.\n", "AB"[s]);
    if (a->clock != b->clock)
        fprintf(out, "! Different clocks, %s and %s: costs do not mean the same.\n", a->clock, b->clock);
    if (a->workers_min != b->workers_min || a->workers_max != b->workers_max) {
        fputs("Different numbers of workers: A had ", out);
        print_number(out, "slot", a->workers_min, a->workers_max);
        fputs(", B ", out);
        print_number(out, "slot", b->workers_min, b->workers_max);
        fputs(".\n", out);
    }
    if (d->inflates || a->threads_max < b->threads_min || b->threads_max < a->threads_min) {
        fputs("The work of A was done by ", out);
        print_number(out, "thread", a->threads_min, a->threads_max);
        fputs(", that of B by ", out);
        print_number(out, "thread", b->threads_min, b->threads_max);
        fputs(".\n", out);
    }
    for (int s = 0; s < 2; s++) {
        if (!d->side[s].complete)
            fprintf(out, "! %c has figures of a program that had not ended, or crashed.\n", "AB"[s]);
        if (d->side[s].merged)
            fprintf(out, "! %c has a merged file, which counts as one run; its figures are sums (prof report says of what).\n", "AB"[s]);
        if (!d->side[s].exact)
            fprintf(out, "! The span of %c is a LOWER BOUND.\n", "AB"[s]);
        if (d->side[s].runs < d->side[s].count)
            fprintf(out, "! %u of %u files of %c could not be read.\n", d->side[s].count - d->side[s].runs, d->side[s].count, "AB"[s]);
    }
    if (a->runs == 1 && b->runs == 1 && !d->virtual_clock)
        fputs("One run a side: how far runs differ by chance is not known. Only the error of sampling is, for the parts of work and span. "
              "prof diff A... -- B... with several files a side knows more.\n", out);
    else if (a->runs == 1 || b->runs == 1)
        fprintf(out, "One run in %s: its noise is taken from the other side.\n", a->runs == 1 ? b->runs == 1 ? "each" : "A" : "B");
}

/* ---- words ---- */

static char *factor(const struct change *c)
{
    double r = c->b / c->a;
    if (r >= 1.5 || r <= 1 / 1.5)
        return format_text("%.1fx", r > 1 ? r : 1 / r);
    return format_text("%.1f %%", 100 * fabs(r - 1));
}

/* " (+1.2 ms, +- 0.3 ms)." */
static void say_margin(const struct diff *d, enum diff_total i, FILE *out)
{
    const struct change *c = &d->totals[i];
    if (!isnan(c->p) && c->margin > 0) {
        char *delta = signed_amount(d, diff_kinds[i].unit, c->delta), *margin = amount(d, diff_kinds[i].unit, c->margin);
        fprintf(out, " (%s, +- %s)", delta, margin);
        free(delta);
        free(margin);
    }
    fputc('.', out);
}

/* What happened to one total; false: nothing worth a reason. */
static bool say_total(const struct diff *d, enum diff_total i, FILE *out)
{
    const struct change *c = &d->totals[i];
    const char *title = diff_kinds[i].title;
    if (c->a == 0 && c->b == 0)
        return false;
    char *a = amount(d, diff_kinds[i].unit, c->a), *b = amount(d, diff_kinds[i].unit, c->b);
    bool changed = false;
    if (c->a == c->b) {
        fprintf(out, "%s is the same: %s.", title, a);
    } else if (c->a <= 0 || c->b <= 0) {
        fprintf(out, "%s went from %s to %s.", title, a, b);
        changed = !is_noise(c);
    } else if (is_noise(c)) {
        fprintf(out, "%s did not change beyond the noise of the runs: %s, then %s", title, a, b);
        say_margin(d, i, out);
    } else if (isnan(c->p) && fabs(c->b / c->a - 1) < 0.01) {
        fprintf(out, "%s is about the same: %s, then %s.", title, a, b);
    } else {
        char *times = factor(c);
        fprintf(out, "%s %s %s, from %s to %s", title, c->b < c->a ? "fell" : "rose", times, a, b);
        say_margin(d, i, out);
        free(times);
        changed = true;
    }
    free(a);
    free(b);
    return changed;
}

struct cause {
    const struct diff_row *row;
    double delta;
};

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    double u = fabs(x->delta), v = fabs(y->delta);
    return u < v ? 1 : u > v ? -1 : strcmp(x->row->key.function, y->row->key.function);
}

/* Functions whose own change of metric K goes with, and is a good part of, the whole; at most CAPACITY. */
static size_t causes_of(const struct diff *d, enum diff_metric k, struct cause *list, size_t capacity)
{
    double all = d->row_totals[k].delta;
    struct cause *found = format_memory(calloc(d->functions.count + 1, sizeof *found));
    size_t n = 0;
    for (size_t i = 0; i < d->functions.count; i++) {
        const struct change *c = &d->functions.rows[i]->self[k];
        if (all != 0 && c->delta / all >= CAUSE && !is_noise(c))
            found[n++] = (struct cause){ d->functions.rows[i], c->delta };
    }
    if (n)
        qsort(found, n, sizeof *found, compare_causes);
    if (n > capacity)
        n = capacity;
    memcpy(list, found, n * sizeof *list);
    free(found);
    return n;
}

/* What became of a function, in whose metric the change is. */
static const char *fate(const struct diff *d, const struct diff_row *r, enum diff_metric k)
{
    const struct change *c = &r->self[k];
    double a = ratio(c->a, d->row_totals[k].a), b = ratio(c->b, d->row_totals[k].b);
    bool in_a = r->all[DIFF_WORK].a > 0 || r->all[DIFF_SPAN].a > 0, in_b = r->all[DIFF_WORK].b > 0 || r->all[DIFF_SPAN].b > 0;
    if (!in_b)
        return "is not in B";
    if (!in_a)
        return "is new in B";
    if (k == DIFF_SPAN && a >= 0.05 && b < 0.1 * a)
        return "left the critical path";
    if (k == DIFF_SPAN && b >= 0.05 && a < 0.1 * b)
        return "came onto the critical path";
    return 0;
}

/* "f > g > h", its innermost functions when there is no room for all. */
static char *path_text(const struct diff_table *p, uint32_t at, int room)
{
    char *text = name_fit(p->rows[at]->key.function, room);
    while ((at = p->rows[at]->key.parent) && at != LPF_NONE) {
        char *name = name_fit(p->rows[at]->key.function, 40), *longer = format_text("%s > %s", name, text);
        free(name);
        if (format_width(longer) > room - 6) {
            free(longer);
            longer = format_text(".. > %s", text);
            free(text);
            return longer;
        }
        free(text);
        text = longer;
    }
    return text;
}

/* The innermost path below which most of the change of K is for sure; 0: none. */
static uint32_t path_of(const struct diff *d, enum diff_metric k)
{
    double all = d->row_totals[k].delta;
    uint32_t best = 0;
    for (uint32_t i = 1; i < d->paths.count; i++) {     /* parents come first */
        const struct change *c = &d->paths.rows[i]->all[k];
        if (d->paths.rows[i]->key.parent == best && !is_noise(c) && all != 0 && c->delta / all > 0.5)
            best = i;
    }
    return best;
}

static void say_path(const struct diff *d, enum diff_metric k, FILE *out)
{
    uint32_t at = path_of(d, k);
    fputs(" No function that samples can tell apart has a good part of that", out);
    if (at) {
        char *path = path_text(&d->paths, at, 90);
        fprintf(out, "; %.0f %% of it is below %s", 100 * d->paths.rows[at]->all[k].delta / d->row_totals[k].delta, path);
        free(path);
    }
    fputc('.', out);
}

/* IT: what functions have more or less of; NULL: what happened while they ran. */
static void say_causes(const struct diff *d, enum diff_metric k, const char *it, FILE *out)
{
    struct cause list[3];
    size_t n = causes_of(d, k, list, 3);
    double all = d->row_totals[k].delta;
    if (!n)
        say_path(d, k, out);
    for (size_t i = 0; i < n; i++) {
        const struct diff_row *r = list[i].row;
        char *name = name_fit(r->key.function, 60), *size = amount(d, unit_of(k), fabs(list[i].delta));
        const char *what = fate(d, r, k);
        const char *more = list[i].delta < 0 ? "less" : "more";
        if (it)
            fprintf(out, "%s %s has %s %s of %s", i ? ";" : "", name, size, more, it);
        else
            fprintf(out, "%s %s %s while %s ran", i ? ";" : "", size, more, name);
        fprintf(out, ", %.0f %% of the change%s%s", 100 * list[i].delta / all, what && it ? ", and " : "", what && it ? what : "");
        free(name);
        free(size);
    }
    if (n)
        fputc('.', out);
}

/* Acar et al.: what the same work costs more because others work at the same time. */
static void say_inflation(const struct diff *d, FILE *out)
{
    const struct change *c = &d->row_totals[DIFF_WORK], *o = &d->row_totals[DIFF_OVERHEAD];
    if (c->a <= 0)
        return;
    char *size = signed_amount(d, DIFF_COST, c->delta), *margin = isnan(c->margin) || c->margin == 0 ? 0 : amount(d, DIFF_COST, c->margin);
    if (is_noise(c)) {
        fprintf(out, "No work inflation beyond the noise: work on several workers is %.3fx that on one (%s, +- %s).\n", c->b / c->a, size, margin);
    } else if (c->delta <= 0) {
        fprintf(out, "No work inflation: work on several workers is %.3fx that on one (%s).\n", c->b / c->a, size);
    } else {
        fprintf(out, "Work inflation: the work costs %.2fx on several workers of what it costs on one (%s%s%s); %.0f %% of that is the runtime's "
                "inside strands.", c->b / c->a, size, margin ? ", +- " : "", margin ? margin : "", 100 * o->delta / c->delta);
        struct cause list[4];
        size_t n = causes_of(d, DIFF_WORK, list, 4);
        if (n)
            fputs(" It has its address in", out);
        else
            say_path(d, DIFF_WORK, out);
        for (size_t i = 0; i < n; i++) {
            const struct change *f = &list[i].row->self[DIFF_WORK];
            char *name = name_fit(list[i].row->key.function, 60), *more = signed_amount(d, DIFF_COST, f->delta);
            fprintf(out, "%s %s (%s", i ? i + 1 == n ? " and" : "," : "", name, more);
            if (f->a > 0)
                fprintf(out, ", %.2fx", f->b / f->a);
            fprintf(out, ", %.0f %% of it)", 100 * f->delta / c->delta);
            free(name);
            free(more);
        }
        fputs(n ? ".\n" : "\n", out);
    }
    free(size);
    free(margin);
}

void diff_words(const struct diff *d, FILE *out)
{
    const struct change *t1 = &d->totals[DIFF_T1], *overhead = &d->totals[DIFF_OVERHEAD_IN];
    if (d->counts_time) {
        if (say_total(d, DIFF_ELAPSED, out) || d->totals[DIFF_ELAPSED].a > 0)
            fputc('\n', out);
    }
    if (say_total(d, DIFF_TINF, out))
        say_causes(d, DIFF_SPAN, "it", out);
    fputc('\n', out);
    if (say_total(d, DIFF_T1, out) && !d->inflates)
        say_causes(d, DIFF_WORK, "it", out);
    fputc('\n', out);
    say_total(d, DIFF_PARALLELISM, out);
    fputc('\n', out);
    if (d->totals[DIFF_IDLE].a > 0 || d->totals[DIFF_IDLE].b > 0) {
        if (say_total(d, DIFF_IDLE, out) && !isnan(d->row_totals[DIFF_IDLENESS].p))
            say_causes(d, DIFF_IDLENESS, 0, out);
        fputc('\n', out);
    }
    if (fabs(overhead->delta) > 0.02 * t1->a) {
        if (say_total(d, DIFF_OVERHEAD_IN, out))
            say_causes(d, DIFF_OVERHEAD, "it", out);
        fputc('\n', out);
    }
    if (d->totals[DIFF_TASKS_ALL].delta != 0 && fabs(d->totals[DIFF_TASKS_ALL].delta) > 0.01 * d->totals[DIFF_TASKS_ALL].a) {
        if (say_total(d, DIFF_TASKS_ALL, out))
            say_causes(d, DIFF_TASKS, "them", out);
        fputc('\n', out);
    }
    if (d->inflates)
        say_inflation(d, out);
}

/* ---- the page ---- */

/* Lines that WRITE says, as paragraphs. */
static void print_lines(const struct diff *d, const struct options *o, void (*write)(const struct diff *, FILE *), FILE *out)
{
    char *text = 0, *rest;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    write(d, f);
    fclose(f);
    rest = format_memory(text);
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
    char *command = format_clean(side->cmdline), *file = format_clean(base_of(side->files[0])), workers[64] = "";
    FILE *f = fmemopen(workers, sizeof workers, "w");
    if (f) {
        print_number(f, "worker", side->workers_min, side->workers_max);
        fclose(f);
    }
    format_fit(command, o->width - 3);
    fprintf(out, o->color ? "%c: \033[1m%s\033[0m\n" : "%c: %s\n", "AB"[s], command);
    if (side->runs == 1)
        page_paragraph(out, o, "", "%s, %s, clock %s", file, workers, side->clock);
    else
        page_paragraph(out, o, "", "%u runs (%s, ...), %s, clock %s", side->runs, file, workers, side->clock);
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
        { "", 0, TABLE_WORDS, 0 }, { "A", 0, TABLE_NUMBER, 0 }, { "+-", 0, TABLE_NUMBER, 3 }, { "B", 0, TABLE_NUMBER, 0 }, { "+-", 0, TABLE_NUMBER, 3 },
        { "change", 0, TABLE_NUMBER, 0 }, { "relative", 0, TABLE_NUMBER, 0 }, { "95 %", 0, TABLE_NUMBER, 1 }, { "", 0, TABLE_WORDS, 0 },
    };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    page_heading(out, o, "Program");
    for (unsigned i = 0; i < DIFF_TOTALS; i++) {
        const struct change *c = &d->totals[i];
        enum diff_unit unit = diff_kinds[i].unit;
        if ((c->a == 0 && c->b == 0) || (!d->counts_time && (unit == DIFF_NS || unit == DIFF_PERCENT)))
            continue;
        table_add(t, diff_kinds[i].title);
        for (int s = 0; s < 2; s++) {
            const struct moments *m = &d->side[s].totals[i];
            add(t, amount(d, unit, m->mean));
            add(t, m->n > 1 && m->mean != 0 ? format_text("%.1f %%", 100 * moments_deviation(m) / fabs(m->mean)) : format_text("%s", ""));
        }
        add(t, signed_amount(d, unit, c->delta));
        add(t, unit == DIFF_PERCENT ? format_text("%s", "") : relative(c));
        char *margin = isnan(c->margin) || c->margin == 0 ? format_text("%s", "") : amount(d, unit, c->margin);
        add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
        free(margin);
        table_add(t, mark(c));
    }
    table_print(t, out, o->width);
    table_free(t);
    if (d->side[0].runs > 1 || d->side[1].runs > 1)
        page_paragraph(out, o, "", "Means of the runs; +-: deviation of one run. 95 %%: confidence interval of the change (Welch). "
                       "* is beyond the noise, ~ is not.");
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
    return !(fabs(c[DIFF_OVERHEAD].delta) > 0 && fabs(c[DIFF_OVERHEAD].delta) >= SMALL_CHANGE * work);
}

/* Columns: the leading metric in full, the others' changes, parallelism of all below. */
enum { LEADING = 6, COLUMNS = LEADING + DIFF_METRICS - 1 + 2 + 2 };

/* Does metric K have a column besides the leading one? */
static bool is_shown(const struct diff *d, const struct diff_wish *w, const struct diff_table *rows, bool all, unsigned k)
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

/* A table, and which metrics' changes it has. */
struct costs {
    struct table *table;
    bool shown[DIFF_METRICS], all;
    char lead[64];
    struct table_column columns[COLUMNS];
};

static void cost_table(const struct diff *d, const struct diff_wish *w, const struct diff_table *rows, bool all, struct costs *to)
{
    static const char change[] = "change", par[] = "parallelism";
    struct table_column *c = to->columns;
    char *lead = to->lead;
    unsigned n = 0;
    to->all = all;
    snprintf(lead, sizeof to->lead, "%s%s", diff_metrics[w->metric], all ? ", with callees" : ", self");
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
    c[n++] = (struct table_column){ "A", par, TABLE_NUMBER, 8 };
    c[n++] = (struct table_column){ "B", par, TABLE_NUMBER, 8 };
    c[n++] = (struct table_column){ all ? "path" : "function", 0, all ? TABLE_TREE : TABLE_NAME, 0 };
    c[n++] = (struct table_column){ all ? "file:line" : "file", 0, TABLE_TEXT, 5 };
    to->table = table_new(c, n);
}

static void add_costs(const struct diff *d, const struct costs *to, const struct diff_row *r, const struct diff_wish *w)
{
    struct table *t = to->table;
    const struct change *costs = to->all ? r->all : r->self, *c = &costs[w->metric];
    enum diff_unit unit = unit_of(w->metric);
    add(t, c->a ? amount(d, unit, c->a) : format_text("%s", ""));
    add(t, c->b ? amount(d, unit, c->b) : format_text("%s", ""));
    add(t, c->delta ? signed_amount(d, unit, c->delta) : format_text("%s", ""));
    add(t, relative(c));
    char *margin = isnan(c->margin) || c->margin == 0 || (!c->a && !c->b) ? format_text("%s", "") : amount(d, unit, c->margin);
    add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
    free(margin);
    table_add(t, mark(c));
    for (unsigned k = 0; k < DIFF_METRICS; k++) {
        if (!to->shown[k])
            continue;
        char *text = costs[k].delta ? signed_amount(d, unit_of(k), costs[k].delta) : format_text("%s", "");
        add(t, format_text("%s%s", text, *text ? *mark(&costs[k]) ? mark(&costs[k]) : " " : ""));
        free(text);
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    table_add(t, format_ratio(ratio(r->all[DIFF_WORK].a, r->all[DIFF_SPAN].a), a));
    table_add(t, format_ratio(ratio(r->all[DIFF_WORK].b, r->all[DIFF_SPAN].b), b));
}

struct order {
    const struct diff_wish *w;
    bool all;
};

static int compare_rows(const void *a, const void *b, void *order)
{
    const struct order *o = order;
    return diff_compare(*(struct diff_row *const *)a, *(struct diff_row *const *)b, o->w, o->all);
}

static struct diff_row **sorted(const struct diff_table *t, const struct diff_wish *w, bool all)
{
    struct diff_row **rows = format_memory(calloc(t->count + 1, sizeof *rows));
    memcpy(rows, t->rows, t->count * sizeof *rows);
    if (t->count)
        qsort_r(rows, t->count, sizeof *rows, compare_rows, &(struct order){ w, all });
    return rows;
}

static void explain(const struct diff *d, const struct options *o, FILE *out)
{
    bool runs = d->side[0].runs > 1 || d->side[1].runs > 1;
    page_paragraph(out, o, "", "* is beyond %s; at most one in twenty of a column's is expected to be chance. ~ is not beyond it; without a mark it is "
                   "not known. parallelism: work per span with callees.", runs ? "the noise of runs and samples" : "the error of sampling");
}

static void print_functions(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    struct costs to;
    page_heading(out, w->o, "Functions");
    cost_table(d, w, &d->functions, false, &to);
    struct table *t = to.table;
    struct diff_row **rows = sorted(&d->functions, w, false);
    size_t shown = 0, more = 0, small = 0;
    for (size_t i = 0; i < d->functions.count; i++) {
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
        table_add(t, rows[i]->file ? base_of(rows[i]->file) : rows[i]->key.module);
    }
    if (shown)
        table_print(t, out, w->o->width);
    else
        page_paragraph(out, w->o, "", "Nothing changed by %.1f %% of a total.", 100 * SMALL_CHANGE);
    table_free(t);
    free(rows);
    if (more || small)
        page_paragraph(out, w->o, "", "... %zu more, %zu that changed by less than %.1f %% of every total (--all)", more, small, 100 * SMALL_CHANGE);
    if (shown)
        explain(d, w->o, out);
}

/* The paths in depth-first order, children by their change; what has not changed below it is left out. */
static void print_paths(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    const struct diff_table *p = &d->paths;
    size_t n = p->count, used = 0, left_out = 0;
    struct diff_row **rows = sorted(p, w, true);
    uint32_t *last = format_memory(malloc((n + 1) * sizeof *last)), *previous = format_memory(malloc((n + 1) * sizeof *previous));
    struct { uint32_t row, depth; } *stack = format_memory(calloc(n + 1, sizeof *stack));
    struct costs to;
    memset(last, 0xff, (n + 1) * sizeof *last);
    for (size_t i = 0; i < n; i++)      /* lists of children, the last first: a stack turns them round */
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
        if (at && w->o->limit && is_small(d, r->all)) {
            left_out++;
            continue;
        }
        add_costs(d, &to, r, w);
        add(t, format_text("%*s%s", depth < 40 ? (int)depth : 40, "", r->key.function));
        add(t, r->file ? r->line ? format_text("%s:%d", base_of(r->file), r->line) : format_text("%s", base_of(r->file)) : format_text("%s", ""));
        for (uint32_t k = last[at]; k != LPF_NONE; k = previous[k], used++) {
            stack[used].row = k;
            stack[used].depth = depth + 1;
        }
    }
    table_print(t, out, w->o->width);
    table_free(t);
    if (left_out)
        page_paragraph(out, w->o, "", "... %zu paths that changed by less than %.1f %% of every total (--all)", left_out, 100 * SMALL_CHANGE);
    free(rows);
    free(last);
    free(previous);
    free(stack);
}

static void print_inflation(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    static const char work[] = "work, self";
    static const struct table_column columns[] = {
        { "1 worker", work, TABLE_NUMBER, 1 }, { "several", work, TABLE_NUMBER, 1 }, { "more", work, TABLE_NUMBER, 0 }, { "95 %", work, TABLE_NUMBER, 2 },
        { "", work, TABLE_WORDS, 0 }, { "inflation", 0, TABLE_NUMBER, 0 }, { "% of all", 0, TABLE_NUMBER, 1 }, { "without ovhd", 0, TABLE_NUMBER, 3 },
        { "path", 0, TABLE_WORDS, 0 },
    };
    struct diff_wish by_work = { w->o, DIFF_WORK, "change" };
    struct diff_row **rows = sorted(&d->paths, &by_work, false);
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
        add(t, amount(d, DIFF_COST, c->a));
        add(t, amount(d, DIFF_COST, c->b));
        add(t, signed_amount(d, DIFF_COST, c->delta));
        char *margin = isnan(c->margin) ? format_text("%s", "") : amount(d, DIFF_COST, c->margin);
        add(t, *margin ? format_text("+- %s", margin) : format_text("%s", ""));
        free(margin);
        table_add(t, mark(c));
        add(t, c->a > 0 ? format_text("%.2fx", c->b / c->a) : format_text("%s", ""));
        add(t, all != 0 && !is_noise(&d->row_totals[DIFF_WORK]) ? format_text("%.1f", 100 * c->delta / all) : format_text("%s", ""));
        add(t, user.a > 0 ? format_text("%.2fx", user.b / user.a) : format_text("%s", ""));
        add(t, path_text(&d->paths, rows[i]->index, w->o->width > 130 ? w->o->width - 80 : 50));
    }
    if (shown)
        table_print(t, out, w->o->width);
    else
        page_paragraph(out, w->o, "", "No path's work changed by %.1f %% of the whole.", 100 * SMALL_CHANGE);
    table_free(t);
    free(rows);
    if (more)
        page_paragraph(out, w->o, "", "... %zu more (--all)", more);
    page_paragraph(out, w->o, "", "inflation: work on several workers per work on one (Acar et al., section 2). without ovhd: of the program's own code, without what "
                   "the runtime does inside strands.");
}

void diff_text(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    print_side(d, 0, w->o, out);
    print_side(d, 1, w->o, out);
    print_lines(d, w->o, diff_remarks, out);
    print_totals(d, w->o, out);
    page_heading(out, w->o, "What changed");
    print_lines(d, w->o, diff_words, out);
    if (d->inflates)
        print_inflation(d, w, out);
    print_functions(d, w, out);
    print_paths(d, w, out);
}
