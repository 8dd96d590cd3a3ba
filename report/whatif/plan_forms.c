/* plan_forms.c - a plan, and the slow-down experiment, as text and as JSON. */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "analysis/limits.h"
#include "analysis/scenarios.h"
#include "analysis/stats.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "base/format.h"
#include "output/cost.h"
#include "output/options.h"
#include "output/page.h"
#include "output/table.h"
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

static void print_no_step(const struct advice *a, const struct plan *p, const struct summary *m)
{
    if (p->parallelism >= a->target)
        page_paragraph(stdout, &a->options, "",
                       advice_print_costs(a, m)
                           ? "The target is reached: more parallelism does not help. What costs "
                             "most is above."
                           : "It is reached: nothing needs to be done.");
    else if (p->nothing)
        page_paragraph(stdout, &a->options, "",
                       "None of the candidates shortens the span by 2 %%, alone or in pairs.");
}

static void print_steps(const struct advice *a, const struct plan *p, const struct summary *m)
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
        table_add(t, cost_short_text(m->profile, p->steps[i].span, x));
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

/* A task of at least this share of a candidate's span is that part of the path. */
#define ONE_TASK 0.9
/* Tasks of which the longest is less than so many times the mean are about equal. */
#define ALIKE 1.1

/* A sentence on C, the only candidate of P's first step. NULL: nothing is known of it. */
static char *candidate_words(const struct candidate *c, const struct plan *p)
{
    double share = 100 * ratio(c->span, p->span), off = 1 - ratio(c->span, c->work),
           samples = stats_equal(c->on_span, c->on_span_squares);
    if (!c->on_span)
        return NULL;
    /* one task is the path: the others are no reason to split them, if they are shorter */
    bool one_task = c->in_tasks && !c->longest_is_cut && c->longest >= ONE_TASK * c->span &&
                    c->longest > c->mean;
    if (one_task && c->longest < ALIKE * c->mean)
        return format_text(" It is %.0f %% of the critical path, most of that one of several tasks "
                           "about as long: split all of them, or make it faster.", share);
    if (one_task)
        return format_text(" It is %.0f %% of the critical path, most of that one task, %.1f times "
                           "as long as the mean: divide that one, or make it faster.", share,
                           ratio(c->longest, c->mean));
    if (c->in_team)
        return format_text(" It is %.0f %% of the critical path, in one thread's part of a "
                           "parallel region: split it (a loop: balance it), or make it faster.",
                           share);
    if (c->in_tasks)
        return format_text(" It is %.0f %% of the critical path, in tasks of which several run at "
                           "a time: split them further, or make it faster.", share);
    /* Span and work are shares of samples, so they differ by chance, too. */
    if (off > 1 - 1 / LIMIT_SERIAL && off > 2 / sqrt(samples))
        return format_text(" It is %.0f %% of the critical path. %.0f %% of its work is not on "
                           "that path.", share, 100 * off);
    return format_text(" It is serial, as far as %.0f sample%s on the critical path show%s, and "
                       "%.0f %% of the path.", samples, samples < 1.5 ? "" : "s",
                       samples < 1.5 ? "s" : "", share);
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
    char *first = step_name(a, &p->steps[0]), *words = NULL;
    words = p->steps[0].count == 1 ? candidate_words(&a->candidates[p->steps[0].added[0]], p)
                                   : pair_words(a, &p->steps[0]);
    char *margin = p->steps[0].margin > 0
                       ? format_text(" What it saves is an estimate from samples: by chance "
                                     "alone, it may be up to %.0f %% more or less.",
                                     100 * p->steps[0].margin)
                       : NULL;
    page_paragraph(stdout, &a->options, "",
                   "Do first: %s.%s%s Each line assumes that the changes above it are made, "
                   "too.",
                   first,
                   words ? words : "", margin ? margin : "");
    free(margin);
    free(first);
    free(words);
    if (p->mixed) {
        words = scenarios_mixed_words(p->mixed);
        page_paragraph(stdout, &a->options, "!", "%s", words);
        free(words);
    }
}

static void print_whether_enough(const struct advice *a, const struct plan *p,
                                 const struct summary *m)
{
    const struct options *o = &a->options;
    const struct step *last = &p->steps[p->count - 1];
    double waits = advice_waits(m);
    const char *all = p->count > 1 ? "all of them" : "it";
    if (last->parallel >= a->target && waits > 0)
        page_paragraph(stdout, o, "",
                       "With %s parallelism reaches the target. It leaves out that strands waited "
                       "for each other or were off the CPU, %.0f %% of the worker time: where they "
                       "exclude each other, the program gains less, or nothing.",
                       all, 100 * waits);
    else if (last->parallel >= a->target)
        page_paragraph(stdout, o, "", "With %s the target is reached.", all);
    else if (p->nothing)
        page_paragraph(stdout, o, "",
                       "The target is not reached: beyond these, no candidate shortens the span by "
                       "2 %%, alone or in pairs.");
    else
        page_paragraph(stdout, o, "", "The target is not reached after %u round%s.", p->count,
                       p->count > 1 ? "s" : "");
}

void plan_print(const struct advice *a, const struct plan *p, const struct summary *m)
{
    char x[FORMAT_SIZE], y[FORMAT_SIZE], z[FORMAT_SIZE];
    page_paragraph(stdout, &a->options, "",
                   "Parallelism is %s: work %s, span %s. The target is %.4g.",
                   format_ratio(p->parallelism, x), cost_text(m->profile, p->work, y),
                   cost_text(m->profile, p->span, z), a->target);
    advice_print_loops(a, m);
    if (!p->count) {
        print_no_step(a, p, m);
        return;
    }
    putchar('\n');
    print_steps(a, p, m);
    putchar('\n');
    print_first_step(a, p);
    print_whether_enough(a, p, m);
    advice_print_costs(a, m);
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
                       "It took longer than that before anything was changed: it waits for "
                       "something, or the machine was busy.");
    else if (outside)
        page_paragraph(stdout, &a->options, "",
                       "%u took longer: something has a part in it that is no work of the "
                       "program's, like locks or the runtime.",
                       outside);
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

json_t *plan_json(const struct advice *a, const struct plan *p, const struct summary *m)
{
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
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:b, s:b, s:o, s:o}", "work_ns", p->work,
                     "span_ns", p->span, "parallelism", p->parallelism, "parallelism_divisible",
                     m->divisible_parallelism, "target", a->target, "factor", a->factor, "reached",
                     (p->count ? p->steps[p->count - 1].parallel : p->parallelism) >= a->target,
                     "interrupted", p->interrupted, "steps", steps, "limits", advice_costs_json(m));
}
