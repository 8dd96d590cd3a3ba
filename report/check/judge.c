/* judge.c - the verdict on a requirement, from what is known of its figure; and its words. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "check/check.h"

/* A change of exactly the limit is within it, whatever the division rounds. */
#define ROUNDING 1e-9

/* ---- amounts ---- */

/* V of T's figure. DIGITS 0: as reports have it. 1, 2: with more digits. */
static char *amount_with(const struct check_test *t, double v, const char *unit, int digits)
{
    char b[FORMAT_SIZE];
    enum figure_unit of = figure_kinds[t->figure].unit;
    bool counts = of == FIGURE_COUNT || (of == FIGURE_COST && strcmp(unit, "ns"));
    if (t->unit == CHECK_PERCENT && !t->regression)
        return format_text(digits == 0 ? "%.1f %%" : digits == 1 ? "%.4g %%" : "%.12g %%", v);
    if (counts && v == floor(v) && v < 1.8e19)
        return format_text("%s", format_count(v, b));
    if (of == FIGURE_RATIO || counts)
        return format_text(digits == 0 ? "%.2f" : digits == 1 ? "%.6g" : "%.15g", v);
    return digits < 2 ? format_text("%s", digits ? format_ns(v, b) : format_short_ns(v, b))
                      : format_text("%.15g ns", v);
}

static char *amount(const struct check_test *t, double v, const char *unit)
{
    return amount_with(t, v, unit, 0);
}

/* V with as many digits as distinguish it from OTHER, the value that is asked for. */
static char *distinct(const struct check_test *t, double v, double other, const char *unit)
{
    char *text = 0;
    for (int digits = 0; digits < 3; digits++) {
        free(text);
        text = amount_with(t, v, unit, digits);
        char *same = amount_with(t, other, unit, digits);
        bool differs = v == other || strcmp(text, same);
        free(same);
        if (differs)
            break;
    }
    return text;
}

/* ---- requirements ---- */

/* Does OP hold for all values from LEAST to MOST, for none, or for some? */
static enum check_verdict holds(enum check_operator op, double least, double most, double value)
{
    switch (op) {
    case CHECK_LESS:
        return most < value ? CHECK_MET : least >= value ? CHECK_NOT_MET : CHECK_UNKNOWN;
    case CHECK_AT_MOST:
        return most <= value ? CHECK_MET : least > value ? CHECK_NOT_MET : CHECK_UNKNOWN;
    case CHECK_MORE:
        return least > value ? CHECK_MET : most <= value ? CHECK_NOT_MET : CHECK_UNKNOWN;
    case CHECK_AT_LEAST:
        return least >= value ? CHECK_MET : most < value ? CHECK_NOT_MET : CHECK_UNKNOWN;
    case CHECK_EQUAL:
        return least == value && most == value  ? CHECK_MET
               : value < least || value > most ? CHECK_NOT_MET
                                               : CHECK_UNKNOWN;
    default:
        return least == value && most == value  ? CHECK_NOT_MET
               : value < least || value > most ? CHECK_MET
                                               : CHECK_UNKNOWN;
    }
}

/* Why it is open whether T is met, although the profile has the figure. */
static const char *open_reason(const struct check_test *t, const struct check_known *k, bool cut)
{
    bool without_noise = holds(t->op, k->least, k->most, t->value) != CHECK_UNKNOWN;
    if (without_noise)
        return k->runs.n > 1 ? "the value is within the noise of the runs: more runs narrow it"
                             : "the value is within the error of sampling: a longer run has more "
                               "samples";
    if (cut)
        return "the program had not ended, or died of a signal: this is what it was so far";
    switch (k->certainty) {
    case CERTAIN_LOWER_BOUND: return "it is a lower bound: the figure may be more";
    case CERTAIN_UPPER_BOUND: return "it is an upper bound: the figure may be less";
    case CERTAIN_NOT: return "it is not exact: the figure may be less or more";
    default: return "much of it may be profiler overhead: the figure may be less";
    }
}

static void judge_requirement(struct check_test *t, bool exact, bool cut, const char *unit)
{
    const struct check_known *k = &t->side[CHECK_RUNS];
    t->margin = stats_margin(&k->runs, exact ? 0 : k->sampling);
    double noise = isnan(t->margin) ? 0 : t->margin;
    t->noise_known = exact || k->runs.n > 1;
    t->verdict = holds(t->op, fmax(0, k->least - noise), k->most + noise, t->value);
    t->found = distinct(t, k->runs.mean, t->value, unit);
    if (noise > 0) {
        char *mean = t->found, *margin = amount(t, noise, unit);
        t->found = format_text("%s +- %s", mean, margin);
        free(mean);
        free(margin);
    }
    t->why = format_text("%s", t->verdict == CHECK_UNKNOWN ? open_reason(t, k, cut) : "");
}

/* ---- regressions ---- */

/* How much worse B is than A, in percent of A. */
static double worse(const struct check_test *t, double a, double b)
{
    double by = figure_kinds[t->figure].better > 0 ? a - b : b - a;
    return by <= 0 ? 0 : a > 0 ? 100 * by / a : INFINITY;
}

/* Is the change from A to B, of which at least one is a bound, surely a regression, or none? Two
 * bounds of one kind are compared as bounds: all that a profile of such a program has. */
static enum check_verdict of_bounds(const struct check_test *t, const struct check_known *a,
                                    const struct check_known *b)
{
    bool more = figure_kinds[t->figure].better > 0;
    double limit = t->allowed + ROUNDING, good_a = more ? a->most : a->least,
           bad_a = more ? a->least : a->most, good_b = more ? b->most : b->least,
           bad_b = more ? b->least : b->most;
    if (isfinite(bad_a) && isfinite(good_b) && worse(t, bad_a, good_b) > limit)
        return CHECK_NOT_MET;
    if (isfinite(good_a) && isfinite(bad_b) && worse(t, good_a, bad_b) <= limit)
        return CHECK_MET;
    return CHECK_UNKNOWN;
}

static char *change_found(const struct check_test *t, const char *unit)
{
    const struct change *c = &t->change;
    char *a = amount(t, c->a, unit), *b = distinct(t, c->b, c->a, unit), *by = 0, *found;
    if (c->a > 0 && !isnan(c->margin) && c->margin > 0)
        by = format_text(", %+.1f +- %.1f %%", 100 * c->delta / c->a, 100 * c->margin / c->a);
    else if (c->a > 0)
        by = format_text(", %+.1f %%", 100 * c->delta / c->a);
    found = format_text("%s -> %s%s", a, b, by ? by : "");
    free(a);
    free(b);
    free(by);
    return found;
}

static void judge_regression(struct check_test *t, bool exact, bool cut, const char *unit)
{
    const struct check_known *a = &t->side[CHECK_BASELINE], *b = &t->side[CHECK_RUNS];
    const char *why = "";
    t->change = stats_change(&a->runs, &b->runs, exact ? 0 : a->sampling, exact ? 0 : b->sampling);
    const struct change *c = &t->change;
    bool over = worse(t, c->a, c->b) > t->allowed + ROUNDING;
    t->margin = c->margin;
    t->noise_known = exact || a->runs.n > 1 || b->runs.n > 1;
    t->found = change_found(t, unit);
    if (a->certainty != b->certainty &&
        (a->certainty >= CERTAIN_LOWER_BOUND || b->certainty >= CERTAIN_LOWER_BOUND)) {
        t->verdict = of_bounds(t, a, b);
        if (t->verdict == CHECK_UNKNOWN)
            why = "one of the two is a bound or not exact: the change may be less or more";
    } else if (cut) {
        t->verdict = CHECK_UNKNOWN;
        why = "a program had not ended, or died of a signal: this is what it was so far";
    } else {
        t->verdict = over ? CHECK_NOT_MET : CHECK_MET;
    }
    if (t->verdict == CHECK_NOT_MET && !isnan(c->p) && !c->significant) {
        t->verdict = CHECK_MET;
        why = t->noise_known ? "the change is within the noise of the runs, so it is no regression"
                             : "the change is within the error of sampling";
    } else if (t->verdict == CHECK_MET && c->margin > c->a * t->allowed / 100) {
        why = t->noise_known
                  ? "a change as large as the limit would be within the noise of the runs"
                  : "a change as large as the limit would be within the error of sampling";
    }
    t->why = format_text("%s", why);
}

void check_judge(struct check_test *t, bool exact, bool cut, const char *unit)
{
    t->margin = NAN;
    t->noise_known = true;
    for (int s = 0; s < CHECK_SIDES; s++)
        if (t->side[s].absent) {
            t->verdict = CHECK_UNKNOWN;
            t->change = (struct change){ NAN, NAN, NAN, NAN, NAN, false };
            t->found = format_text("-");
            t->why = format_text("%s", t->side[s].absent);
            return;
        }
    if (t->regression)
        judge_regression(t, exact, cut, unit);
    else
        judge_requirement(t, exact, cut, unit);
}
