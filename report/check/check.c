/* check.c - reads the runs of both sides, one at a time, and remarks what a reader of the verdicts
 * should know of them. See check.h. */
#define _GNU_SOURCE
#include "check/check.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/summaries.h"
#include "base/format.h"
#include "base/progress.h"
#include "profile/profile.h"

const char *const check_verdicts[] = { "met", "not met", "unknown" };

/* ---- one run ---- */

static void add_value(struct check_known *k, const struct figure_value *v, const char *file)
{
    if (isnan(v->value) && !k->absent)
        k->absent = format_text("%s: %s", format_base(file), v->why);
    if (isnan(v->value))
        return;
    moments_add(&k->runs, v->value);
    unsigned n = k->runs.n;
    k->least += (v->least - k->least) / n;
    k->most = isinf(v->most) || isinf(k->most) ? INFINITY : k->most + (v->most - k->most) / n;
    if (n == 1)
        k->sampling = NAN;
    if (!isnan(v->deviation)) {
        double before = isnan(k->sampling) ? 0 : k->sampling;
        k->sampling = before + (v->deviation * v->deviation - before) / n;
    }
    if (v->certainty > k->certainty)
        k->certainty = v->certainty;
}

/* Is figure K about the critical path? */
static bool is_of_path(enum figure k)
{
    return k == FIGURE_SPAN || k == FIGURE_BURDENED_SPAN || k == FIGURE_DIVISIBLE_SPAN ||
           k == FIGURE_TYPICAL_SPAN ||
           (figure_kinds[k].unit == FIGURE_RATIO && k != FIGURE_POP_PARALLEL &&
            k != FIGURE_POP_BALANCE && k != FIGURE_POP_COMMUNICATION);
}

/* What functions have of figure K, one of path_metrics. NULL: nothing that has a place. */
static const char *metric_of(enum figure k)
{
    switch (k) {
    case FIGURE_IDLE:
    case FIGURE_SEARCH:
    case FIGURE_SLEEP:
    case FIGURE_WAITS: return "idleness";
    case FIGURE_OVERHEAD:
    case FIGURE_INSIDE:
    case FIGURE_BETWEEN: return "overhead";
    case FIGURE_BLOCKED: return "blocked";
    default: return is_of_path(k) ? "span" : NULL;
    }
}

/* The function with most of METRIC. NULL: none has a place in the source. */
static const struct cost_row *most_of(const struct paths *t, const char *metric)
{
    const struct cost_row *best = 0;
    double most = 0;
    for (size_t i = 0; metric && i < t->function_count; i++) {
        const struct cost_row *r = &t->functions[i];
        double cost = path_metric(&r->self, metric);
        if (r->file && r->declared > 0 && cost > most) {
            best = r;
            most = cost;
        }
    }
    return best;
}

static void add_place(struct check_test *t, const char *file, int line)
{
    if (!t->file && file && line > 0) {
        t->file = format_text("%s", file);
        t->line = line;
    }
}

static void add_run(struct check_test *t, int side, const char *file, const struct summary *m,
                    const struct paths *paths, const struct figure_value *figures)
{
    const struct cost_row *first = most_of(paths, metric_of(t->figure));
    struct figure_value v = figures[t->figure];
    bool share = !t->regression && t->unit == CHECK_PERCENT;
    if (t->function)
        v = figure_of_function(t->figure, t->function, share, m, paths, &first);
    else if (share)
        v = figure_share(&v, m);
    add_value(&t->side[side], &v, file);
    if (side == CHECK_RUNS && first)
        add_place(t, first->file, first->line > 0 ? first->line : first->declared);
}

static void add_side(struct check_side *s, const struct profile *p, const char *file)
{
    const struct lpf_totals *k = &p->totals;
    const char *exe = profile_string(p, k->exe), *cmdline = profile_string(p, k->cmdline);
    if (!*cmdline)
        cmdline = exe;
    if (!s->exe) {
        s->exe = format_text("%s", exe);
        s->cmdline = format_text("%s", cmdline);
        s->clock = format_text("%s", profile_string(p, k->clock));
        s->unit = format_text("%s", profile_unit(p));
        s->workers = k->workers;
        s->same_command = s->same_workers = true;
    }
    s->same_command &= !strcmp(cmdline, s->cmdline);
    s->same_workers &= s->workers == k->workers;
    s->merged |= p->input_count > 1;
    s->cut |= figures_cut(p);
    if (!s->failed && k->end == LPF_END_EXIT && k->exit_status)
        s->failed = format_text("%s: the program exited with status %u", format_base(file),
                                k->exit_status);
}

static bool add_file(struct check *c, int side, const char *file, const struct options *o,
                     struct summaries *names)
{
    struct summary m;
    struct paths t;
    struct figure_value figures[FIGURES];
    if (!summaries_open(names, file, false, &m))
        return false;
    paths_new(&t, &m, o->physical, true, o->overhead);
    figures_of(&m, &t, figures);
    add_side(&c->side[side], m.profile, file);
    for (size_t i = 0; i < c->count; i++)
        if (side == CHECK_RUNS || c->tests[i].regression)
            add_run(&c->tests[i], side, file, &m, &t, figures);
    paths_free(&t);
    summaries_close(names, &m);
    return true;
}

/* ---- remarks ---- */

__attribute__((format(printf, 2, 3)))
static void remark(struct check *c, const char *format, ...)
{
    char *text;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    format_memory(n < 0 ? NULL : text);
    c->remarks = format_memory(realloc(c->remarks, (c->remark_count + 1) * sizeof *c->remarks));
    c->remarks[c->remark_count++] = text;
}

static const char *const side_names[CHECK_SIDES] = { "the baseline", "the runs" };

static void remark_sides(struct check *c)
{
    const struct check_side *a = &c->side[CHECK_BASELINE], *b = &c->side[CHECK_RUNS];
    if (!a->exe)
        return;
    if (strcmp(format_base(a->exe), format_base(b->exe)))
        remark(c, "! The baseline is of another program, %s.", format_base(a->exe));
    else if (strcmp(a->cmdline, b->cmdline))
        remark(c, "! The baseline has another command line: %s", a->cmdline);
    if (strcmp(a->clock, b->clock))
        remark(c, "! Different clocks, %s and %s: costs do not mean the same.", a->clock, b->clock);
    if (a->workers != b->workers && a->same_workers && b->same_workers)
        remark(c, "! Different numbers of workers: %u in the baseline, %u in the runs.", a->workers,
               b->workers);
}

static void remark_noise(struct check *c)
{
    unsigned a = c->side[CHECK_BASELINE].count, b = c->side[CHECK_RUNS].count;
    bool regressions = false, requirements = false;
    for (size_t i = 0; i < c->count; i++)
        if (!c->tests[i].noise_known)
            *(c->tests[i].regression ? &regressions : &requirements) = true;
    if (regressions)
        remark(c, "One run a side: how far runs differ by chance is not known. Regressions are "
                  "judged by --max-regression alone; several files a side show the noise.");
    else if (requirements)
        remark(c, "One run: how far runs differ by chance is not known; several files show it.");
    if (a && (a == 1) != (b == 1))
        remark(c, "One run in %s: its noise is taken from the other side.",
               side_names[a == 1 ? CHECK_BASELINE : CHECK_RUNS]);
}

static void remarks(struct check *c)
{
    remark_sides(c);
    for (int s = 0; s < CHECK_SIDES; s++) {
        const struct check_side *side = &c->side[s];
        if (!side->exe)
            continue;
        if (!side->same_command)
            remark(c, "! The files of %s are not of one command: they are taken for runs of the "
                      "same.", side_names[s]);
        if (!side->same_workers)
            remark(c, "! The files of %s have different numbers of workers.", side_names[s]);
        if (side->cut)
            remark(c, "! A file of %s is of a program that had not ended, or died of a signal: its "
                      "figures are those so far.", side_names[s]);
        if (side->failed)
            remark(c, "! %s.", side->failed);
        if (side->merged)
            remark(c, "! A file of %s is a merged one, which counts as one run; its work, "
                      "times and counts are sums (prof report names which).", side_names[s]);
    }
    remark_noise(c);
}

/* ---- all runs ---- */

static bool complain(const char *what, const char *why)
{
    char *clean = format_clean(what);
    fprintf(stderr, "prof: %s: %s\n", clean, why);
    free(clean);
    return false;
}

/* Are the units of requirements on costs those of the clock? */
static bool check_units(const struct check *c)
{
    const char *unit = c->side[CHECK_RUNS].unit;
    bool time = !strcmp(unit, "ns");
    for (size_t i = 0; i < c->count; i++) {
        const struct check_test *t = &c->tests[i];
        if (t->regression || figure_kinds[t->figure].unit != FIGURE_COST ||
            t->unit == CHECK_PERCENT || (t->unit == CHECK_NS) == time)
            continue;
        char *clean = format_clean(unit), *why =
            time ? format_text("%s is a time, such as 20ms", figure_kinds[t->figure].name)
                 : format_text("the clock counts %s, so %s is a number without a unit", clean,
                               figure_kinds[t->figure].name);
        complain(t->asked, why);
        free(clean);
        free(why);
        return false;
    }
    return true;
}

static bool check_sides(const struct check *c)
{
    const struct check_side *a = &c->side[CHECK_BASELINE], *b = &c->side[CHECK_RUNS];
    if (!a->exe || !strcmp(a->unit, b->unit))
        return true;
    char *x = format_clean(a->unit), *y = format_clean(b->unit);
    fprintf(stderr, "prof: the baseline counts %s and the runs %s: their costs cannot be "
                    "compared\n", x, y);
    free(x);
    free(y);
    return false;
}

static void free_test(struct check_test *t)
{
    free(t->function);
    free(t->asked);
    free(t->found);
    free(t->why);
    free(t->file);
    for (int s = 0; s < CHECK_SIDES; s++)
        free(t->side[s].absent);
}

/* A clock that does not count time is chosen because elapsed time is noisy, or shows nothing. */
static void drop_elapsed(struct check *c)
{
    const struct check_side *s = &c->side[CHECK_RUNS];
    size_t kept = 0;
    bool time = !strcmp(s->unit, "ns") && strcmp(s->clock, "virtual");
    for (size_t i = 0; i < c->count; i++) {
        struct check_test *t = &c->tests[i];
        if (!time && t->by_default && t->figure == FIGURE_ELAPSED)
            free_test(t);
        else
            c->tests[kept++] = *t;
    }
    c->count = kept;
}

/* Does figure K have no noise under the virtual clock? */
static bool is_of_dag(enum figure k)
{
    return k == FIGURE_WORK || k == FIGURE_SPAN || k == FIGURE_PARALLELISM;
}

static bool add_files(struct check *c, const struct options *o)
{
    struct summaries names = { 0 };
    bool ok = true;
    for (int s = 0; s < CHECK_SIDES; s++)
        for (unsigned i = 0; ok && i < c->side[s].count; i++)
            ok = add_file(c, s, c->side[s].files[i], o, &names);
    summaries_free(&names);
    progress_done();
    return ok;
}

bool check_run(struct check *c, const struct options *o)
{
    if (!add_files(c, o))
        return false;
    const struct check_side *a = &c->side[CHECK_BASELINE], *b = &c->side[CHECK_RUNS];
    if (!check_units(c) || !check_sides(c))
        return false;
    drop_elapsed(c);
    bool virtual = !strcmp(b->clock, "virtual") && (!a->exe || !strcmp(a->clock, b->clock));
    for (size_t i = 0; i < c->count; i++) {
        struct check_test *t = &c->tests[i];
        check_judge(t, virtual && is_of_dag(t->figure) && !t->function, a->cut || b->cut, b->unit);
    }
    remarks(c);
    return true;
}

void check_free(struct check *c)
{
    for (size_t i = 0; i < c->count; i++)
        free_test(&c->tests[i]);
    free(c->tests);
    for (size_t i = 0; i < c->remark_count; i++)
        free(c->remarks[i]);
    free(c->remarks);
    for (int s = 0; s < CHECK_SIDES; s++) {
        free(c->side[s].exe);
        free(c->side[s].cmdline);
        free(c->side[s].clock);
        free(c->side[s].unit);
        free(c->side[s].failed);
    }
}

size_t check_count(const struct check *c, enum check_verdict v)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        n += c->tests[i].verdict == v;
    return n;
}

enum check_verdict check_all(const struct check *c)
{
    return check_count(c, CHECK_NOT_MET)   ? CHECK_NOT_MET
           : check_count(c, CHECK_UNKNOWN) ? CHECK_UNKNOWN
                                           : CHECK_MET;
}

char *check_sum(const struct check *c)
{
    size_t failed = check_count(c, CHECK_NOT_MET), unknown = check_count(c, CHECK_UNKNOWN);
    char *first = format_text("%zu of %zu met", c->count - failed - unknown, c->count),
         *sum = first;
    if (failed) {
        sum = format_text("%s, %zu not met", first, failed);
        free(first);
        first = sum;
    }
    if (unknown) {
        sum = format_text("%s, %zu unknown", first, unknown);
        free(first);
    }
    return sum;
}
