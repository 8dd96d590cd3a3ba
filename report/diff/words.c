/* words.c - `prof diff` in sentences: remarks on the two sides, what changed, and the causes. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "diff/diff.h"
#include "libprof_format.h"
#include "symbols/names.h"

/* A cause has at least this share of the change. */
#define CAUSE 0.1

/* ---- numbers ---- */

char *diff_amount(const struct diff *d, enum diff_unit unit, double v)
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
    case DIFF_COUNT:
        return format_text("%s%s", v < 0 ? "-" : "",
                           format_count(size < 1.8e19 ? (uint64_t)(size + 0.5) : UINT64_MAX, b));
    case DIFF_NS: break;
    }
    return format_text("%s%s", v < 0 ? "-" : "", format_short_ns(size, b));
}

char *diff_signed(const struct diff *d, enum diff_unit unit, double v)
{
    char *text = diff_amount(d, unit, v), *with = format_text("%s%s", v > 0 ? "+" : "", text);
    free(text);
    return with;
}

char *diff_relative(const struct change *c)
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

bool diff_is_noise(const struct change *c)
{
    return !isnan(c->p) && !c->significant;
}

const char *diff_mark(const struct change *c)
{
    return isnan(c->p) || c->delta == 0 ? "" : c->significant ? "*" : "~";
}

enum diff_unit diff_unit_of(enum diff_metric k)
{
    return k == DIFF_TASKS                           ? DIFF_COUNT
           : k == DIFF_IDLENESS || k == DIFF_BLOCKED ? DIFF_NS
                                                     : DIFF_COST;
}

/* ---- remarks ---- */

void diff_count(FILE *out, const char *word, unsigned least, unsigned most)
{
    if (least == most)
        fprintf(out, "%u %s%s", least, word, least == 1 ? "" : "s");
    else
        fprintf(out, "%u to %u %ss", least, most, word);
}

/* Prints how workers and threads of the sides differ. */
static void remark_workers(const struct diff *d, FILE *out)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    if (a->workers_min != b->workers_min || a->workers_max != b->workers_max) {
        fputs("Different numbers of workers: A had ", out);
        diff_count(out, "slot", a->workers_min, a->workers_max);
        fputs(", B ", out);
        diff_count(out, "slot", b->workers_min, b->workers_max);
        fputs(".\n", out);
        if (a->cut_by_workers || b->cut_by_workers || a->cut_by_either || b->cut_by_either)
            fprintf(out,
                    "Loops were cut for these numbers of workers%s: span and parallelism differ by "
                    "the cut, too. \"Loops divided\" compares the loops themselves, by "
                    "estimates.\n",
                    a->cut_by_workers || b->cut_by_workers
                        ? ""
                        : ", unless the program sets their chunk or grain size");
    }
    if (d->inflates || a->threads_max < b->threads_min || b->threads_max < a->threads_min) {
        fputs("The work of A was done by ", out);
        diff_count(out, "thread", a->threads_min, a->threads_max);
        fputs(", that of B by ", out);
        diff_count(out, "thread", b->threads_min, b->threads_max);
        fputs(".\n", out);
    }
}

/* Prints what is wrong with a side's files. */
static void remark_files(const struct diff *d, FILE *out)
{
    for (int s = 0; s < 2; s++) {
        if (!d->side[s].complete)
            fprintf(out, "! %c has figures of a program that had not ended, or died of a signal.\n",
                    "AB"[s]);
        if (d->side[s].merged)
            fprintf(out,
                    "! %c has a merged file, which counts as one run; its figures are sums (prof "
                    "report names which).\n",
                    "AB"[s]);
        if (d->side[s].caveat)
            fprintf(out, "! The span of %c is %s.\n", "AB"[s], d->side[s].caveat);
        if (d->side[s].runs < d->side[s].count)
            fprintf(out, "! %u of %u files of %c could not be read.\n",
                    d->side[s].count - d->side[s].runs, d->side[s].count, "AB"[s]);
    }
}

void diff_remarks(const struct diff *d, FILE *out)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    if (strcmp(format_base(a->exe), format_base(b->exe)))
        fprintf(out,
                "! Different programs, %s and %s: what has the same names in both is compared.\n",
                format_base(a->exe), format_base(b->exe));
    else if (a->cmdline != b->cmdline)
        fputs("The command lines differ.\n", out);
    for (int s = 0; s < 2; s++)
        if (!d->side[s].same_command)
            fprintf(
                out,
                "! The files of %c are not of one command: they are taken for runs of the same.\n",
                "AB"[s]);
    if (a->clock != b->clock)
        fprintf(out, "! Different clocks, %s and %s: costs do not mean the same.\n", a->clock,
                b->clock);
    remark_workers(d, out);
    remark_files(d, out);
    if (a->runs == 1 && b->runs == 1 && !d->virtual_clock)
        fputs("One run a side: how far runs differ by chance is not known. Only the error of "
              "sampling is, for the parts of work and span. prof diff A... -- B... with several "
              "files a side knows more.\n",
              out);
    else if (a->runs == 1 || b->runs == 1)
        fprintf(out, "One run in %s: its noise is taken from the other side.\n",
                a->runs == 1 ? b->runs == 1 ? "each" : "A" : "B");
}

/* ---- words ---- */

/* Both values are above 0. */
static char *movement(const struct change *c)
{
    double r = c->b / c->a;
    if (r >= 1.5)
        return format_text("rose to %.1f times its value", r);
    if (r >= 1)
        return format_text("rose %.1f %%", 100 * (r - 1));
    /* a thousandth is not nothing */
    return format_text("fell %.1f %%", fmin(99.9, 100 * (1 - r)));
}

/* Prints " (+1.2 ms, +- 0.3 ms)." */
static void say_margin(const struct diff *d, enum diff_total i, FILE *out)
{
    const struct change *c = &d->totals[i];
    if (!isnan(c->p) && c->margin > 0) {
        char *delta = diff_signed(d, diff_kinds[i].unit, c->delta),
             *margin = diff_amount(d, diff_kinds[i].unit, c->margin);
        fprintf(out, " (%s, +- %s)", delta, margin);
        free(delta);
        free(margin);
    }
    fputc('.', out);
}

/* Prints what happened to total I. False: no change is worth a reason. */
static bool say_total(const struct diff *d, enum diff_total i, FILE *out)
{
    const struct change *c = &d->totals[i];
    const char *title = diff_kinds[i].title;
    if (c->a == 0 && c->b == 0)
        return false;
    char *a = diff_amount(d, diff_kinds[i].unit, c->a),
         *b = diff_amount(d, diff_kinds[i].unit, c->b);
    bool changed = false;
    if (c->a == c->b) {
        fprintf(out, "%s is the same: %s.", title, a);
    } else if (c->a <= 0 || c->b <= 0) {
        fprintf(out, "%s went from %s to %s.", title, a, b);
        changed = !diff_is_noise(c);
    } else if (diff_is_noise(c)) {
        fprintf(out, "%s did not change beyond the noise of the runs: %s, then %s", title, a, b);
        say_margin(d, i, out);
    } else if (isnan(c->p) && fabs(c->b / c->a - 1) < 0.01) {
        fprintf(out, "%s is about the same: %s, then %s.", title, a, b);
    } else {
        char *moved = movement(c);
        fprintf(out, "%s %s, from %s to %s", title, moved, a, b);
        say_margin(d, i, out);
        free(moved);
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

/* Sets LIST to at most CAPACITY functions, and returns their number. WHOLE: functions whose own
 * change of metric K is a good part of the total's change. Else: functions that certainly changed,
 * by a good part of the total. */
static size_t causes_of(const struct diff *d, enum diff_metric k, bool whole, struct cause *list,
                        size_t capacity)
{
    double all = whole ? d->row_totals[k].delta : fmax(d->row_totals[k].a, d->row_totals[k].b);
    struct cause *found = format_memory(calloc(d->functions.count + 1, sizeof *found));
    size_t n = 0;
    for (size_t i = 0; i < d->functions.count; i++) {
        const struct change *c = &d->functions.rows[i]->self[k];
        if (all != 0 && (whole ? c->delta / all >= CAUSE && !diff_is_noise(c)
                               : fabs(c->delta) / all >= CAUSE && c->significant))
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

/* What became of a function whose metric K changed; NULL: nothing to name. */
static const char *fate(const struct diff *d, const struct diff_row *r, enum diff_metric k)
{
    const struct change *c = &r->self[k];
    double a = ratio(c->a, d->row_totals[k].a), b = ratio(c->b, d->row_totals[k].b);
    bool in_a = r->all[DIFF_WORK].a > 0 || r->all[DIFF_SPAN].a > 0,
         in_b = r->all[DIFF_WORK].b > 0 || r->all[DIFF_SPAN].b > 0;
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

char *diff_path(const struct diff_table *p, uint32_t at, int room)
{
    char *text = name_fit(p->rows[at]->key.function, room);
    while ((at = p->rows[at]->key.parent) && at != LPF_NONE) {
        char *name = name_fit(p->rows[at]->key.function, 40),
             *longer = format_text("%s > %s", name, text);
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

/* The innermost path that has certainly most of the change of K below it; 0: none. */
static uint32_t path_of(const struct diff *d, enum diff_metric k)
{
    double all = d->row_totals[k].delta;
    uint32_t best = 0;
    for (uint32_t i = 1; i < d->paths.count; i++) {     /* parents come first */
        const struct change *c = &d->paths.rows[i]->all[k];
        if (d->paths.rows[i]->key.parent == best && !diff_is_noise(c) && all != 0 &&
            c->delta / all > 0.5)
            best = i;
    }
    return best;
}

static void say_path(const struct diff *d, enum diff_metric k, FILE *out)
{
    uint32_t at = path_of(d, k);
    fputs(" No function that samples can distinguish has a good part of that", out);
    if (at) {
        char *path = diff_path(&d->paths, at, 90);
        fprintf(out, "; %.0f %% of it is below %s",
                100 * d->paths.rows[at]->all[k].delta / d->row_totals[k].delta, path);
        free(path);
    }
    fputc('.', out);
}

/* Prints the functions behind a change of metric K. IT names what a function has more or less of;
 * NULL: the change happened while the function ran. WHOLE: the total has changed, and these are its
 * causes. */
static void say_causes(const struct diff *d, enum diff_metric k, bool whole, const char *it,
                       FILE *out)
{
    struct cause list[3];
    size_t n = causes_of(d, k, whole, list, 3);
    double all = d->row_totals[k].delta;
    if (!n && whole)
        say_path(d, k, out);
    if (n && !whole)
        fputs(" Within that,", out);
    for (size_t i = 0; i < n; i++) {
        const struct diff_row *r = list[i].row;
        char *name = name_fit(r->key.function, 60),
             *size = diff_amount(d, diff_unit_of(k), fabs(list[i].delta));
        const char *what = fate(d, r, k);
        const char *more = list[i].delta < 0 ? "less" : "more";
        if (it)
            fprintf(out, "%s %s has %s %s of %s", i ? ";" : "", name, size, more, it);
        else
            fprintf(out, "%s %s %s while %s ran", i ? ";" : "", size, more, name);
        if (whole)
            fprintf(out, ", %.0f %% of the change", 100 * list[i].delta / all);
        fprintf(out, "%s%s", what && it ? ", and " : "", what && it ? what : "");
        free(name);
        free(size);
    }
    if (n)
        fputc('.', out);
}

/* Prints the work inflation (Acar et al.): how much more the same work costs while others work,
 * too. */
static void say_inflation(const struct diff *d, FILE *out)
{
    const struct change *c = &d->row_totals[DIFF_WORK], *o = &d->row_totals[DIFF_OVERHEAD];
    if (c->a <= 0)
        return;
    char *size = diff_signed(d, DIFF_COST, c->delta),
         *margin = isnan(c->margin) || c->margin == 0 ? 0 : diff_amount(d, DIFF_COST, c->margin);
    if (diff_is_noise(c)) {
        fprintf(out,
                "No work inflation beyond the noise: work on several workers is %.3fx that on one "
                "(%s, +- %s).\n",
                c->b / c->a, size, margin ? margin : "0");
    } else if (c->delta <= 0) {
        fprintf(out, "No work inflation: work on several workers is %.3fx that on one (%s).\n",
                c->b / c->a, size);
    } else {
        fprintf(out,
                "Work inflation: the work costs %.2fx on several workers of what it costs on one "
                "(%s%s%s); %.0f %% of that is the runtime's inside strands.",
                c->b / c->a, size, margin ? ", +- " : "", margin ? margin : "",
                100 * o->delta / c->delta);
        struct cause list[4];
        size_t n = causes_of(d, DIFF_WORK, true, list, 4);
        if (n)
            fputs(" It is in", out);
        else
            say_path(d, DIFF_WORK, out);
        for (size_t i = 0; i < n; i++) {
            const struct change *f = &list[i].row->self[DIFF_WORK];
            char *name = name_fit(list[i].row->key.function, 60),
                 *more = diff_signed(d, DIFF_COST, f->delta);
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
    say_causes(d, DIFF_SPAN, say_total(d, DIFF_TINF, out), "it", out);
    fputc('\n', out);
    bool more = say_total(d, DIFF_T1, out);
    if (!d->inflates)
        say_causes(d, DIFF_WORK, more, "it", out);
    fputc('\n', out);
    say_total(d, DIFF_PARALLELISM, out);
    fputc('\n', out);
    if (diff_loops_divide(d)) {
        say_total(d, DIFF_DIVISIBLE, out);
        fputc('\n', out);
    }
    if (diff_has_outliers(d)) {
        say_total(d, DIFF_TYPICAL, out);
        fputc('\n', out);
    }
    if (d->totals[DIFF_IDLE].a > 0 || d->totals[DIFF_IDLE].b > 0) {
        if (say_total(d, DIFF_IDLE, out) && !isnan(d->row_totals[DIFF_IDLENESS].p))
            say_causes(d, DIFF_IDLENESS, true, 0, out);
        fputc('\n', out);
    }
    if (fabs(overhead->delta) > 0.02 * t1->a) {
        if (say_total(d, DIFF_OVERHEAD_IN, out))
            say_causes(d, DIFF_OVERHEAD, true, "it", out);
        fputc('\n', out);
    }
    if (d->totals[DIFF_TASKS_ALL].delta != 0 &&
        fabs(d->totals[DIFF_TASKS_ALL].delta) > 0.01 * d->totals[DIFF_TASKS_ALL].a) {
        if (say_total(d, DIFF_TASKS_ALL, out))
            say_causes(d, DIFF_TASKS, true, "them", out);
        fputc('\n', out);
    }
    if (d->inflates)
        say_inflation(d, out);
}
