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

/* If threads that had no processor explain this part of a change, the program may not have changed.
 */
#define BY_DELAY 0.5

/* By how much longer B's workers could have run between strands, but had no processor, if all
 * profiles show that and it is no noise. */
static double more_ready(const struct diff *d)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    return a->ready.n < a->runs || b->ready.n < b->runs || diff_is_noise(&d->ready)
               ? 0 : d->ready.delta;
}

/* Is MORE a good part of C's change? */
static bool explains(double more, const struct change *c, double times)
{
    return more * c->delta > 0 && fabs(more) >= BY_DELAY * fabs(c->delta) * times;
}

/* After a sentence on the elapsed time: is it that other threads and programs took the processors
 * for longer, or less long? */
static void say_delay(const struct diff *d, FILE *out)
{
    const struct diff_side *a = &d->side[0], *b = &d->side[1];
    double ready = more_ready(d), inside = b->delay.mean - a->delay.mean;
    unsigned workers = a->workers_max > b->workers_max ? a->workers_max : b->workers_max;
    if (a->delay.n < a->runs || b->delay.n < b->runs ||
        !explains(inside + ready, &d->totals[DIFF_ELAPSED], workers ? workers : 1))
        return;
    char *one = diff_amount(d, DIFF_NS, a->delay.mean + (ready != 0 ? a->ready.mean : 0)),
         *other = diff_amount(d, DIFF_NS, b->delay.mean + (ready != 0 ? b->ready.mean : 0));
    fprintf(out,
            " This may not be the program: its threads were ready to run, but other threads and "
            "programs had the processors, for %s in A and %s in B.%s",
            one, other,
            explains(inside, &d->totals[DIFF_BLOCKED_ALL], 1)
                ? " So may be most of the change of the time blocked inside strands." : "");
    free(one);
    free(other);
}

/* After a sentence on the idle time: how much of its change is that workers had no processor. True:
 * that is most of it, so no function is to blame. */
static bool say_ready(const struct diff *d, FILE *out)
{
    const struct change *idle = &d->totals[DIFF_IDLE];
    double more = more_ready(d);
    if (more * idle->delta <= 0 || fabs(more) < CAUSE * fabs(idle->delta))
        return false;
    char *size = diff_amount(d, DIFF_NS, fabs(more)), *a = diff_amount(d, DIFF_NS, d->ready.a),
         *b = diff_amount(d, DIFF_NS, d->ready.b);
    fprintf(out,
            " This may%s not be the program: workers could have run, but other threads and "
            "programs had the processors, for %s in A and %s in B, %s %s.",
            explains(more, idle, 1) ? "" : " in part", a, b, size, more < 0 ? "less" : "more");
    free(size);
    free(a);
    free(b);
    return explains(more, idle, 1);
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

/* The change of the program's total that the rows' metric K is a part of. Of idle time, samples may
 * split a part alone, so the sum of the rows may change by more or less. */
static const struct change *total_of(const struct diff *d, enum diff_metric k)
{
    return k == DIFF_IDLENESS && !diff_has_mpi(d) ? &d->totals[DIFF_IDLE] : &d->row_totals[k];
}

/* Sets LIST to at most CAPACITY functions, and returns their number. WHOLE: functions whose own
 * change of metric K is a good part of the total's change. Else: functions that certainly changed,
 * by a good part of the total. */
static size_t causes_of(const struct diff *d, enum diff_metric k, bool whole, struct cause *list,
                        size_t capacity)
{
    const struct change *total = total_of(d, k);
    double all = whole ? total->delta : fmax(total->a, total->b);
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
        return c->b > 0 ? "nearly left the critical path" : "left the critical path";
    if (k == DIFF_SPAN && b >= 0.05 && a < 0.1 * b)
        return c->a > 0 ? "was hardly on the critical path before"
                        : "came onto the critical path";
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
    double all = total_of(d, k)->delta;
    uint32_t best = 0;
    for (uint32_t i = 1; i < d->paths.count; i++) {     /* parents come first */
        const struct change *c = &d->paths.rows[i]->all[k];
        if (d->paths.rows[i]->key.parent == best && !diff_is_noise(c) && all != 0 &&
            c->delta / all > 0.5)
            best = i;
    }
    return best;
}

/* A smaller part of a change than this is not worth words. */
#define UNSPLIT 0.02
/* A change whose margin is more than this part of it has no share: the share would be anything. */
#define SHARED 0.5

/* The share of PART in ALL's change, in percent, as the end of a clause. "": it is none, as where
 * other parts changed the other way, or where ALL's change itself is not known that well. */
static const char *share_of(double part, const struct change *all, const char *format,
                            char text[FORMAT_SIZE])
{
    double share = all->delta != 0 ? part / all->delta : 0;
    bool known = isnan(all->margin) || all->margin <= SHARED * fabs(all->delta);
    *text = 0;
    if (known && share > 0 && share < 1 + UNSPLIT)
        snprintf(text, FORMAT_SIZE, format, fmin(100, 100 * share));
    return text;
}

static void say_path(const struct diff *d, enum diff_metric k, FILE *out)
{
    uint32_t at = path_of(d, k);
    fputs(" No function that samples can distinguish has a good part of that", out);
    if (at) {
        char *path = diff_path(&d->paths, at, 90), share[FORMAT_SIZE];
        share_of(d->paths.rows[at]->all[k].delta, total_of(d, k), "%.0f %% of it", share);
        fprintf(out, "; %s is below %s", *share ? share : "most of it", path);
        free(path);
    }
    fputc('.', out);
}

/* Prints which idle time of SIDE no sample splits, if it is worth it. Returns it. */
static double say_unsplit(const struct diff *d, enum diff_metric k, int side, FILE *out)
{
    const struct change *all = total_of(d, k), *rows = &d->row_totals[k];
    double ns = fmax(0, side ? all->b - rows->b : all->a - rows->a);
    if (ns > UNSPLIT * fabs(all->delta)) {
        char *size = diff_amount(d, diff_unit_of(k), ns);
        fprintf(out, "; samples do not show what ran during %s of %c's", size, "AB"[side]);
        free(size);
    }
    return ns;
}

/* After the causes, which have THEIRS of metric K's change: what no sample splits, and what others
 * have, if that goes the other way. So the reader sees why causes have more than the whole. */
static void say_rest(const struct diff *d, enum diff_metric k, double theirs, FILE *out)
{
    const struct change *all = total_of(d, k);
    theirs -= say_unsplit(d, k, 0, out);
    theirs += say_unsplit(d, k, 1, out);
    double rest = all->delta - theirs;
    if (fabs(theirs) < (1 + UNSPLIT) * fabs(all->delta))
        return;
    char *size = diff_amount(d, diff_unit_of(k), fabs(rest));
    fprintf(out, "; the rest has %s %s", size, rest < 0 ? "less" : "more");
    free(size);
}

/* Prints the functions behind a change of metric K. IT names what a function has more or less of;
 * NULL: the change happened while the function ran. WHOLE: the total has changed, and these are its
 * causes. */
static void say_causes(const struct diff *d, enum diff_metric k, bool whole, const char *it,
                       FILE *out)
{
    struct cause list[3];
    size_t n = causes_of(d, k, whole, list, 3);
    double theirs = 0;
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
        char share[FORMAT_SIZE];
        theirs += list[i].delta;
        if (it)
            fprintf(out, "%s %s has %s %s of %s", i ? ";" : "", name, size, more, it);
        else
            fprintf(out, "%s %s %s while %s ran", i ? ";" : "", size, more, name);
        if (whole)
            fputs(share_of(list[i].delta, total_of(d, k), ", %.0f %% of the change", share), out);
        fprintf(out, "%s%s", what && it ? ", and " : "", what && it ? what : "");
        free(name);
        free(size);
    }
    if (n && whole)
        say_rest(d, k, theirs, out);
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
            char share[FORMAT_SIZE];
            char *name = name_fit(list[i].row->key.function, 60),
                 *more = diff_signed(d, DIFF_COST, f->delta);
            fprintf(out, "%s %s (%s", i ? i + 1 == n ? " and" : "," : "", name, more);
            if (f->a > 0)
                fprintf(out, ", %.2fx", f->b / f->a);
            fprintf(out, "%s)", share_of(f->delta, c, ", %.0f %% of it", share));
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
        bool moved = say_total(d, DIFF_ELAPSED, out);
        if (moved)
            say_delay(d, out);
        if (moved || d->totals[DIFF_ELAPSED].a > 0)
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
        if (say_total(d, DIFF_IDLE, out) && !say_ready(d, out) &&
            !isnan(d->row_totals[DIFF_IDLENESS].p) && !diff_has_mpi(d))
            say_causes(d, DIFF_IDLENESS, true, 0, out);
        fputc('\n', out);
    }
    if (diff_has_mpi(d)) {
        say_total(d, DIFF_MPI, out);
        fputs(" The idle time of functions contains it.\n", out);
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
