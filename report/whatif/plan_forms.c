/* plan_forms.c - a plan, and the slow-down experiment, as text and as JSON. */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "analysis/scenarios.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "base/format.h"
#include "json/json.h"
#include "layout/cost.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "whatif/advice.h"
#include "whatif/validate.h"

static char *step_name(const struct advice *a, const struct step *s)
{
    char *one = advice_described(&a->candidates[s->added[0]]),
         *two = s->count > 1 ? advice_described(&a->candidates[s->added[1]]) : 0;
    char *text = format_text("%s%s%s", one, two ? " and " : "", two ? two : "");
    free(one);
    free(two);
    return text;
}

static void print_no_step(const struct advice *a, const struct plan *p, bool estimate)
{
    if (p->parallelism >= a->target)
        page_paragraph(stdout, &a->options, "", "The target is reached%s.",
                       estimate ? ", as far as the estimates hold" : "");
    else if (p->nothing)
        page_paragraph(stdout, &a->options, "",
                       "None of the candidates shortens the span by 2 %%, alone or in pairs.");
}

static void print_steps(const struct advice *a, const struct plan *p, const struct profile *of)
{
    char x[FORMAT_SIZE], y[FORMAT_SIZE], z[FORMAT_SIZE];
    static const struct table_column columns[] = {
        { "", 0, TABLE_NUMBER, 0 },
        { "span", 0, TABLE_NUMBER, 0 },
        { "made parallel", "parallelism, when", TABLE_NUMBER, 0 },
        { "made faster", "parallelism, when", TABLE_NUMBER, 0 },
        { "do", 0, TABLE_REST, 0 },
    };
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (unsigned i = 0; i < p->count; i++) {
        char *number = format_text("%u.", i + 1), *name = step_name(a, &p->steps[i]),
             *text = format_text("%.4gx %s", a->factor, name);
        table_add(t, number);
        table_add(t, cost_short_text(of, p->steps[i].span, x));
        table_add(t, format_ratio(p->steps[i].parallel, y));
        table_add(t, format_ratio(p->steps[i].faster, z));
        table_add(t, text);
        free(text);
        free(name);
        free(number);
    }
    table_print(t, stdout, a->options.width);
    table_free(t);
}

/* "71 % (+- 12)": C's share of the critical path, with the margin of its samples. */
static void put_share(char *text, size_t size, const struct candidate *c, const struct plan *p)
{
    int n = snprintf(text, size, "%.0f %%", 100 * ratio(c->span, p->span));
    if (c->margin >= 0.005)     /* not NAN */
        snprintf(text + n, size - n, " (+- %.0f)", 100 * c->margin);
}

/* A sentence on C, the only candidate of P's first step. NULL: nothing is known of it. */
static char *candidate_words(const struct candidate *c, const struct plan *p)
{
    char share[64];
    if (!c->on_span)
        return NULL;
    put_share(share, sizeof share, c, p);
    return format_text(" It is %s of the critical path.", share);
}

/* Why the step S is a pair. */
static char *pair_words(const struct advice *a, const struct step *s)
{
    char *one = advice_described(&a->candidates[s->added[0]]),
         *two = advice_described(&a->candidates[s->added[1]]);
    char *text = format_text(" Both together shorten the critical path by %.0f %%. %s alone: "
                             "%.0f %%; %s alone: %.0f %%. Where one of them is changed, a path "
                             "through the other is nearly as long.",
                             100 * s->saved, one, 100 * s->alone[0], two, 100 * s->alone[1]);
    free(one);
    free(two);
    return text;
}

static void print_first_step(const struct advice *a, const struct plan *p)
{
    const struct step *s = &p->steps[0];
    char *first = step_name(a, s),
         *words = s->count == 1 ? candidate_words(&a->candidates[s->added[0]], p)
                                : pair_words(a, s);
    char *margin = s->margin > 0
                       ? format_text(" What it saves is an estimate from samples: by chance "
                                     "alone, it may be up to %.0f %% more or less.",
                                     100 * s->margin)
                       : NULL;
    page_paragraph(stdout, &a->options, "",
                   "Do %s first.%s%s Each line assumes that the changes above it are made, too. No "
                   "change of work shortens the time that threads wait.",
                   first, words ? words : "", margin ? margin : "");
    free(margin);
    free(first);
    free(words);
    if (p->mixed) {
        words = scenarios_mixed_words(p->mixed);
        page_paragraph(stdout, &a->options, "!", "%s", words);
        free(words);
    }
}

static void print_whether_enough(const struct advice *a, const struct plan *p)
{
    const struct options *o = &a->options;
    const struct step *last = &p->steps[p->count - 1];
    if (last->parallel >= a->target)
        page_paragraph(stdout, o, "", "With %s parallelism reaches the target.",
                       p->count > 1 ? "all of them" : "it");
    else if (p->nothing)
        page_paragraph(stdout, o, "",
                       "The target is not reached: beyond these, no candidate shortens the span by "
                       "2 %%, alone or in pairs.");
    else
        page_paragraph(stdout, o, "", "The target is not reached after %u round%s.", p->count,
                       p->count > 1 ? "s" : "");
}

void plan_print(const struct advice *a, const struct plan *p, const struct paths *t)
{
    const struct summary *m = t->summary;
    char x[FORMAT_SIZE], y[FORMAT_SIZE], z[FORMAT_SIZE], *estimate = advice_estimate(t);
    page_paragraph(stdout, &a->options, "",
                   "Parallelism is %s%s: work %s, span %s%s. The target is %.4g.",
                   estimate ? "about " : advice_is(m), format_ratio(p->parallelism, x),
                   cost_text(m->profile, p->work, y), cost_text(m->profile, p->span, z),
                   advice_span_is(m), a->target);
    if (estimate)
        page_paragraph(stdout, &a->options, "!",
                       "Work, span and all that follows from them are estimates: %s. They bound no "
                       "speedup. Larger tasks show more.",
                       estimate);
    advice_print_findings(a, t);
    advice_print_loops(a, m);
    if (p->count) {
        putchar('\n');
        print_steps(a, p, m->profile);
        putchar('\n');
        print_first_step(a, p);
        print_whether_enough(a, p);
    } else {
        print_no_step(a, p, estimate);
    }
    free(estimate);
}

void plan_print_validation(const struct advice *a, const struct profile *p,
                           const struct validation *v, int n)
{
    static const char span[] = "span", elapsed[] = "elapsed";
    static const struct table_column columns[] = {
        { "before", span, TABLE_NUMBER, 0 },       { "predicted", span, TABLE_NUMBER, 0 },
        { "measured", span, TABLE_NUMBER, 0 },     { "error %", span, TABLE_NUMBER, 0 },
        { "work error %", 0, TABLE_NUMBER, 2 },    { "before", elapsed, TABLE_NUMBER, 4 },
        { "predicted", elapsed, TABLE_NUMBER, 3 }, { "measured", elapsed, TABLE_NUMBER, 3 },
        { "candidate", 0, TABLE_REST, 0 },
    };
    char b[FORMAT_SIZE], c[FORMAT_SIZE];
    printf("\nSlow-down experiment: %.4gx the cost, as a scenario predicted and as it was. Medians "
           "of %u pairs.\n\n",
           a->slower, a->pairs);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    unsigned outside = 0;
    bool busy = false;
    for (int i = 0; i < n; i++) {
        char *name = advice_described(v[i].candidate);
        char *span_error = format_text("%.1f",
                                       100 * (ratio(v[i].span_predicted, v[i].span_measured) - 1));
        char *work_error = format_text("%.1f",
                                       100 * (ratio(v[i].work_predicted, v[i].work_measured) - 1));
        table_add(t, cost_short_text(p, v[i].span_before, b));
        table_add(t, cost_short_text(p, v[i].span_predicted, b));
        table_add(t, cost_short_text(p, v[i].span_measured, b));
        table_add(t, span_error);
        table_add(t, work_error);
        table_add(t, format_short_ns(v[i].elapsed_before, b));
        char *range = v[i].elapsed_most > 0
                          ? format_text("%s..%s", format_short_ns(v[i].elapsed_least, b),
                                        format_short_ns(v[i].elapsed_most, c))
                          : format_text("-");
        table_add(t, range);
        table_add(t, format_short_ns(v[i].elapsed_measured, b));
        table_add(t, name);
        outside += v[i].elapsed_most > 0 && v[i].elapsed_measured > 1.05 * v[i].elapsed_most;
        busy |= v[i].elapsed_most > 0 && v[i].elapsed_before > 1.05 * v[i].elapsed_usual;
        free(range);
        free(span_error);
        free(work_error);
        free(name);
    }
    table_print(t, stdout, a->options.width);
    table_free(t);
    page_paragraph(
        stdout, &a->options, "",
        "Elapsed: from max(T1/P, span) to T1/P + span, between which every greedy schedule ends.");
    if (busy)
        page_paragraph(stdout, &a->options, "",
                       "It took longer than that before anything was changed.");
    else if (outside)
        page_paragraph(stdout, &a->options, "", "%u took longer.", outside);
}

json_t *plan_validation_json(const struct validation *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        char *clean = format_clean(v[i].candidate->name);
        json_array_append_new(
            list,
            json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "name", clean,
                      "span_before_ns", v[i].span_before, "span_predicted_ns", v[i].span_predicted,
                      "span_measured_ns", v[i].span_measured, "work_before_ns", v[i].work_before,
                      "work_predicted_ns", v[i].work_predicted, "work_measured_ns",
                      v[i].work_measured, "elapsed_before_ns", v[i].elapsed_before,
                      "elapsed_least_ns", v[i].elapsed_least, "elapsed_most_ns", v[i].elapsed_most,
                      "elapsed_measured_ns", v[i].elapsed_measured));
        free(clean);
    }
    return list;
}

json_t *plan_json(const struct advice *a, const struct plan *p, const struct paths *t)
{
    const struct summary *m = t->summary;
    json_t *steps = json_array();
    for (unsigned i = 0; i < p->count; i++) {
        const struct step *s = &p->steps[i];
        json_t *names = json_array();
        for (unsigned k = 0; k < s->count; k++) {
            char *clean = format_clean(a->candidates[s->added[k]].name);
            json_array_append_new(names, json_string(clean));
            free(clean);
        }
        json_array_append_new(steps, json_pack("{s:o, s:f, s:f, s:f, s:f, s:f, s:[f, f]}",
                                               "added", names, "span_ns", s->span,
                                               "parallelism_made_parallel", s->parallel,
                                               "parallelism_made_faster", s->faster,
                                               "margin", s->margin, "saved", s->saved, "alone",
                                               s->alone[0], s->alone[1]));
    }
    char *estimate = advice_estimate(t);
    bool estimated = estimate != NULL;
    free(estimate);
    return json_pack("{s:f, s:f, s:f, s:f, s:b, s:f, s:f, s:b, s:b, s:o, s:o}", "work_ns", p->work,
                     "span_ns", p->span, "parallelism", p->parallelism, "parallelism_divisible",
                     m->divisible_parallelism, "estimated", estimated, "target", a->target,
                     "factor", a->factor, "reached",
                     (p->count ? p->steps[p->count - 1].parallel : p->parallelism) >= a->target,
                     "interrupted", p->interrupted, "steps", steps, "findings",
                     json_findings(m, t));
}
