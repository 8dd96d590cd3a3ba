/* words.c - `prof diff` in sentences: remarks on the two sides, the figures and the findings that
 * changed. */
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
                    "! %c has a merged file, which counts as one run; its work, times and counts "
                    "are sums (prof report names which).\n",
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

/* Prints what happened to total I, if it is known. */
static void say_total(const struct diff *d, enum diff_total i, FILE *out)
{
    const struct change *c = &d->totals[i];
    const char *title = diff_kinds[i].title;
    if (c->a == 0 && c->b == 0)
        return;
    char *a = diff_amount(d, diff_kinds[i].unit, c->a),
         *b = diff_amount(d, diff_kinds[i].unit, c->b);
    if (c->a == c->b) {
        fprintf(out, "%s is the same: %s.", title, a);
    } else if (c->a <= 0 || c->b <= 0) {
        fprintf(out, "%s went from %s to %s.", title, a, b);
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
    }
    fputs(i == DIFF_MPI ? " The idle time of functions contains it.\n" : "\n", out);
    free(a);
    free(b);
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

/* Prints the work inflation (Acar et al.): how much more the same work costs while others work,
 * too. */
static void say_inflation(const struct diff *d, FILE *out)
{
    const struct change *c = &d->row_totals[DIFF_WORK];
    if (c->a <= 0)
        return;
    char *size = diff_signed(d, DIFF_COST, c->delta),
         *margin = isnan(c->margin) ? format_text("%s", "") : diff_amount(d, DIFF_COST, c->margin);
    fprintf(out, "Work inflation: the work costs %.2fx on several workers of what it costs on one "
                 "(%s%s%s%s).\n",
            c->b / c->a, size, *margin ? ", +- " : "", margin,
            diff_is_noise(c) ? ", within the noise of the runs" : "");
    free(size);
    free(margin);
}

/* Prints what became of finding F, which changed beyond its interval. */
static void say_finding(const struct diff *d, const struct diff_finding *f, FILE *out)
{
    const struct change *c = &f->change;
    const double share[2] = { 100 * ratio(c->a, d->side[0].elapsed.mean),
                              100 * ratio(c->b, d->side[1].elapsed.mean) };
    char *place = diff_finding_place(f), *a = diff_amount(d, DIFF_NS, c->a),
         *b = diff_amount(d, DIFF_NS, c->b), *delta = diff_signed(d, DIFF_NS, c->delta),
         *margin = diff_amount(d, DIFF_NS, c->margin);
    fprintf(out, "Finding %s%s%s %s", cause_names[f->id], *place ? " at " : "", place,
            diff_finding_fate(f));
    if (!f->seen[0] || !f->seen[1])
        fprintf(out, ", with a gain of %s, %.0f %% of the elapsed time", f->seen[0] ? a : b,
                share[!f->seen[0]]);
    else
        fprintf(out, " from a gain of %s, %.0f %% of the elapsed time, to %s, %.0f %%", a, share[0],
                b, share[1]);
    fprintf(out, " (%s, +- %s).\n", delta, margin);
    free(place);
    free(a);
    free(b);
    free(delta);
    free(margin);
}

static void say_findings(const struct diff *d, FILE *out)
{
    size_t same = 0;
    if (!diff_knows_findings(d))
        return;
    for (size_t i = 0; i < d->finding_count; i++)
        if (d->findings[i].change.significant)
            say_finding(d, &d->findings[i], out);
        else
            same++;
    if (!d->finding_count)
        fprintf(out, "No finding on either side has a gain of %.0f %% of the elapsed time.\n",
                100 * CAUSE_WORTH);
    else if (same)
        fprintf(out, "%zu finding%s did not change beyond the intervals of %s.\n", same,
                same == 1 ? "" : "s", same == 1 ? "its gains" : "their gains");
}

void diff_words(const struct diff *d, FILE *out)
{
    static const enum diff_total always[] = { DIFF_ELAPSED, DIFF_TINF, DIFF_T1 },
                                 changed[] = { DIFF_PARALLELISM, DIFF_DIVISIBLE, DIFF_TYPICAL,
                                               DIFF_IDLE, DIFF_MPI, DIFF_OVERHEAD_IN,
                                               DIFF_OVERHEAD_BETWEEN, DIFF_BLOCKED_ALL, DIFF_OWN,
                                               DIFF_TASKS_ALL };
    for (unsigned i = 0; i < sizeof always / sizeof always[0]; i++)
        if (d->counts_time || diff_kinds[always[i]].unit != DIFF_NS)
            say_total(d, always[i], out);
    for (unsigned i = 0; i < sizeof changed / sizeof changed[0]; i++)
        if (d->totals[changed[i]].significant && diff_shows(d, changed[i]))
            say_total(d, changed[i], out);
    if (d->inflates)
        say_inflation(d, out);
    say_findings(d, out);
}
