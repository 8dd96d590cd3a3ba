/* proposals.c - what a profile alone shows of candidates: the most that each could bring. It is an
 * upper bound, because this run's critical path, made shorter, is still a path.
 */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/causes.h"
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "analysis/whatif_candidates.h"
#include "base/format.h"
#include "json/json.h"
#include "layout/options.h"
#include "layout/paragraphs.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/name_to_code.h"
#include "symbols/names.h"
#include "text/text.h"
#include "whatif/advice.h"
#include "words/cause_words.h"
#include "words/names_words.h"
#include "words/place_words.h"

#define PROPOSED 8              /* the most functions, and the most regions */
#define SHOWN 3                 /* the most findings */

/* Sets the words of the COUNT candidates C that have no name in the source: an OpenMP construct's
 * code, and a lambda. */
static void put_words(struct candidate *c, size_t count)
{
    static const char own[] = "@own";
    for (; count--; c++) {
        size_t bare = strcspn(c->name, "@"), length = strlen(c->name);
        char *function = format_text("%.*s", (int)bare, c->name);
        if (c->file && name_needs_words(function)) {
            char *words = place_function(function, c->file, c->line, c->site),
                 *fitted = name_in_words_fit(words, 80);
            bool part = length > bare && !strcmp(c->name + length - strlen(own), own);
            c->words = format_text("%s%s", fitted, part ? ", its own code" : "");
            free(words);
            free(fitted);
        }
        free(function);
    }
}

char *advice_described(const struct candidate *c)
{
    if (c->words)
        return format_text("%s", c->words);
    char *name = c->file ? name_fit(c->name, 60) : format_clean(c->name);
    format_fit(name, 60);
    const char *at = strchr(c->name, '@');
    bool placed = at && strcmp(at, "@own"); /* a name that others share */
    char *line = c->line ? format_text(":%d", c->line) : format_text("%s", "");
    char *text = c->file && !placed
                     ? format_text("%s (%s%s)", name, format_base(c->file), line)
                     : format_text("%s%s", name, c->region ? " (region)" : "");
    free(line);
    free(name);
    return text;
}

void advice_candidates(struct advice *a, const struct paths *t)
{
    whatif_candidates_free(a->candidates, a->count);
    if (a->name_count) {
        a->candidates = format_memory(calloc(a->name_count, sizeof *a->candidates));
        for (a->count = 0; a->count < a->name_count; a->count++)
            a->candidates[a->count].name = format_text("%s", a->names[a->count]);
        return;
    }
    a->candidates = whatif_candidates_new(t, PROPOSED, &a->count);
    put_words(a->candidates, a->count);
}

/* Moves from ALL to A's candidates those that NAME means; OWN: also the own code of a function that
 * spawns. Returns how many. */
static size_t take_named(struct advice *a, const char *name, struct candidate *all, size_t n,
                         bool own)
{
    size_t before = a->count;
    for (size_t i = 0; i < n; i++) {
        if (!all[i].name)
            continue;
        size_t bare = strcspn(all[i].name, "@"), length = strlen(all[i].name);
        bool is_own = length > bare && !strcmp(all[i].name + length - 4, "@own");
        char *function = format_text("%.*s", (int)bare, all[i].name);
        if (!strcmp(name, all[i].name) || (all[i].file && (own || !is_own) &&
                                           code_names(name, function, all[i].file))) {
            a->candidates[a->count++] = all[i];
            all[i] = (struct candidate){ 0 };
        }
        free(function);
    }
    return a->count - before;
}

void advice_print_findings(const struct advice *a, const struct paths *t)
{
    const struct causes *c = t->causes;
    for (size_t i = 0; i < c->count && i < SHOWN; i++) {
        const struct cause_finding *f = &c->found[i];
        char *gain = cause_gain(c, f), *text = cause_sentence(f, t->summary),
             *remedy = cause_remedy(f, t->summary);
        page_paragraph(stdout, &a->options, "", "%zu. %s of the elapsed time. %s %s", i + 1, gain,
                       text, remedy);
        free(gain);
        free(text);
        free(remedy);
    }
    char *others = cause_others(c, SHOWN);
    if (others)
        page_paragraph(stdout, &a->options, "", "%s", others);
    free(others);
}

void advice_print_loops(const struct advice *a, const struct summary *m)
{
    char b[FORMAT_SIZE];
    if (summary_loops_divide(m))
        page_paragraph(stdout, &a->options, "",
                       "The figures hold for loops as this run cut them. Cut into single "
                       "iterations, they allow a parallelism of about %s (estimated).",
                       format_about(m->divisible_parallelism, b));
}

/* Makes candidates of the names that the user gave, with their costs by the profile. False: the
 * profile has none of them. */
static bool find_named(struct advice *a, const struct paths *t)
{
    size_t n;
    struct candidate *all = whatif_candidates_new(t, SIZE_MAX, &n);
    a->candidates = format_memory(calloc(n + 1, sizeof *a->candidates));
    for (unsigned i = 0; i < a->name_count; i++) {
        const char *name = a->names[i];
        if (take_named(a, name, all, n, false) || take_named(a, name, all, n, true))
            continue;
        char *clean = format_clean(name);
        fprintf(stderr,
                "prof: --function %s: this profile does not show what that costs; prof whatif -f "
                "NAME -- PROGRAM tries it\n",
                clean);
        free(clean);
    }
    whatif_candidates_free(all, n);
    put_words(a->candidates, a->count);
    return a->count;
}

/* Parallelism that differs by less is the same: a plan takes no step that brings less. */
#define SAME 1.02
/* What is unknown of a candidate is little, if it is less than this part of what samples show. */
#define LITTLE 0.1

/* The parallelism if C is spread over a->factor workers, and if no other path becomes the critical
 * one: with as much of C on the critical path as may be, by the margin of the samples and in the
 * tasks in which none of them hit that path. ESTIMATE: with as much as the samples show. 0: it is
 * not known how much of C is on it. */
static double at_most(const struct advice *a, const struct summary *m, const struct candidate *c,
                      bool estimate)
{
    double off = 1 - 1 / a->factor, shown = ratio(m->work, m->span - c->span * off),
           with = ratio(m->work, m->span - fmin(m->span, c->span + c->unknown) * off),
           most = c->span + c->unknown + (isnan(c->margin) ? 0 : c->margin * m->span);
    if ((c->region && !c->samples) || (with > SAME * shown && c->unknown > LITTLE * c->span))
        return 0;
    return estimate ? shown : ratio(m->work, m->span - fmin(m->span, most) * off);
}

static void candidates_json(const struct advice *a, const struct paths *t)
{
    const struct summary *m = t->summary;
    json_t *list = json_array();
    char *estimate = advice_estimate(t);
    for (size_t i = 0; i < a->count; i++) {
        const struct candidate *c = &a->candidates[i];
        const struct cause_finding *f = c->finding;
        char *clean = format_clean(c->name);
        double most = at_most(a, m, c, estimate != NULL);
        bool margin = c->samples && isfinite(c->margin);
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:s?, s:o, s:f, s:o, s:f, s:I, s:o}", "name", clean,
                            "region", c->region, "finding", f ? cause_names[f->id] : NULL,
                            "gain_ns", f ? json_finite(f->gain) : json_null(), "span_ns", c->span,
                            "span_margin_ns",
                            margin ? json_real(c->margin * m->span) : json_null(), "work_ns",
                            c->work, "samples_on_span", (json_int_t)c->on_span,
                            "parallelism_at_most", most > 0 ? json_real(most) : json_null()));
        free(clean);
    }
    json_t *tried = scenarios_json(m);
    json_t *all = json_pack("{s:f, s:f, s:b, s:f, s:o, s:o, s:o}", "parallelism", m->parallelism,
                            "parallelism_divisible", m->divisible_parallelism, "estimated",
                            estimate != NULL, "factor", a->factor, "candidates", list, "findings",
                            json_findings(m, t), "whatif", tried ? tried : json_null());
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(all);
    free(estimate);
}

/* Prints the table of the candidates. ESTIMATE: no figure bounds anything. Returns the most of the
 * span, as a cost, that is of tasks of a candidate whose share the samples do not show. */
static double print_candidates(const struct advice *a, const struct paths *t, bool estimate)
{
    const struct summary *m = t->summary;
    const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },
        { "+-", 0, TABLE_NUMBER, 3 },
        { "% work", 0, TABLE_NUMBER, 1 },
        { "samples on span", 0, TABLE_NUMBER, 2 },
        { estimate ? "par. about" : "par. at most", 0, TABLE_NUMBER, 0 },
        { "% gain", 0, TABLE_NUMBER, 4 },
        { "finding", 0, TABLE_TEXT, 4 },
        { "candidate", 0, TABLE_REST, 0 },
    };
    char buffer[FORMAT_SIZE];
    struct table *to = table_new(columns, sizeof columns / sizeof columns[0]);
    double unknown = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct candidate *c = &a->candidates[i];
        if (c->region && !c->samples)
            continue;       /* the profile does not show how much of it is on the critical path */
        char *name = advice_described(c),
             *span = format_text("%.1f", 100 * ratio(c->span, m->span)),
             *margin = isfinite(c->margin) && c->samples ? format_text("%.1f", 100 * c->margin)
                                                         : format_text("%s", ""),
             *work = format_text("%.1f", 100 * ratio(c->work, m->work)),
             *gain = c->finding ? format_text("%.1f", 100 * ratio(c->finding->gain,
                                                                  t->causes->elapsed))
                                : format_text("%s", "");
        double most = at_most(a, m, c, estimate);
        if (most <= 0)
            unknown = fmax(unknown, c->unknown);
        table_add(to, span);
        table_add(to, margin);
        table_add(to, work);
        table_add(to, format_count(c->on_span, buffer));
        table_add(to, most > 0 ? format_ratio(most, buffer) : "?");
        table_add(to, gain);
        table_add(to, c->finding ? cause_names[c->finding->id] : "");
        table_add(to, name);
        free(name);
        free(span);
        free(margin);
        free(work);
        free(gain);
    }
    table_hide_empty(to);
    table_print(to, stdout, a->options.width);
    table_free(to);
    return unknown;
}

char *advice_estimate(const struct paths *t)
{
    struct own_share own = paths_own_share_all(t->summary, t);
    return certainty_estimate(&own);
}

const char *advice_is(const struct summary *m)
{
    enum certainty sure = certainty_span(m);
    return sure == CERTAIN_LOWER_BOUND ? "at most "
           : sure == CERTAIN_NOT       ? "not exact, measured as "
                                       : "";
}

const char *advice_span_is(const struct summary *m)
{
    return certainty_span(m) == CERTAIN_LOWER_BOUND ? " (a lower bound)" : "";
}

/* What the columns are. */
static void print_legend(const struct options *o, bool estimate)
{
    page_paragraph(stdout, o, "",
                   "+-: by how much %% span may be off by chance, because samples split it "
                   "(95 %%). %sWhen the critical path gets shorter, another may take its place. "
                   "No change of work shortens the time that threads wait. What it would be:",
                   estimate ? ""
                            : "At most: with as much of the critical path as that allows. ");
}

static void candidates_text(const struct advice *a, const struct paths *t)
{
    const struct summary *m = t->summary;
    const struct options *o = &a->options;
    char buffer[FORMAT_SIZE];
    if (m->profile->scenario_count) {
        printf("What if, as tried in this run:\n\n");
        text_whatif(m, o, stdout);
        putchar('\n');
    }
    advice_print_findings(a, t);
    advice_print_loops(a, m);
    char *estimate = advice_estimate(t);
    if (estimate)
        page_paragraph(stdout, o, "",
                       "Parallelism is about %s, an estimate: %s. So neither this nor the table "
                       "bounds a speedup. Larger tasks show more.",
                       format_ratio(m->parallelism, buffer), estimate);
    else
        printf("Parallelism is %s%s. ", advice_is(m), format_ratio(m->parallelism, buffer));
    printf("Code of the critical path, each spread over %.4g workers:\n\n", a->factor);
    double unknown = print_candidates(a, t, estimate);
    if (unknown > 0)
        page_paragraph(stdout, o, "",
                       "?: not known. Tasks in which the candidate runs have up to %.0f %% of the "
                       "critical path, and no sample that hit it: how much of this is the "
                       "candidate's is not in the profile.",
                       100 * ratio(unknown, m->span));
    for (size_t i = 0; i < a->count && a->name_count; i++)
        if (a->candidates[i].region && !a->candidates[i].samples)
            page_paragraph(
                stdout, o, "",
                "%s is a region: how much of it is on the critical path is not in the profile.",
                a->candidates[i].name);
    if (!m->profile->sample_count)
        page_paragraph(
            stdout, o, "",
            "None: no sample hit any code, and only samples show where in the code the critical "
            "path is.");
    char *lacking = names_lacking(m->symbols);
    if (lacking && !a->name_count)
        page_paragraph(stdout, o, "-",
                       "Names are missing for %s. Code without a name is not in the table.",
                       lacking);
    free(lacking);
    if (m->profile->sample_count)
        print_legend(o, estimate);
    free(estimate);
    page_paragraph(stdout, o, "",
                   m->profile->rank_count && m->profile->ranks->size > 1
                       ? "prof whatif runs no jobs. Make the code faster, and compare two profiles "
                         "of the job with prof diff."
                       : "prof whatif -- PROGRAM runs the program and tries.");
}

int advice_file(struct advice *a, const char *path)
{
    struct profile p;
    struct summary m;
    struct paths t;
    int status = 0;
    if (profile_open(&p, path))
        return 2;
    summary_new(&m, &p, false);
    paths_new(&t, &m, false, true, 0);
    if (!a->name_count)
        advice_candidates(a, &t);
    else if (!find_named(a, &t))
        status = 2;
    if (!status && a->json)
        candidates_json(a, &t);
    else if (!status)
        candidates_text(a, &t);
    paths_free(&t);
    summary_free(&m);
    profile_close(&p);
    return status;
}
