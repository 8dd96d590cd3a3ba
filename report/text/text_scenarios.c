/* text_scenarios.c - the what-if scenarios of a profile as a table. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "analysis/ledger.h"
#include "analysis/scenarios.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "text/sections.h"
#include "words/place_words.h"

static void add_scenario(const struct text_page *g, struct table *t, const char *name, double span,
                         double parallel, double faster)
{
    char buffer[FORMAT_SIZE];
    char *change = format_text("%.1f", 100 * ratio(span - g->m->span, g->m->span));
    table_add(t, cost_short_text(g->p, span, buffer));
    table_add(t, change);
    table_add(t, format_ratio(parallel, buffer));
    table_add(t, format_ratio(faster, buffer));
    table_add(t, name);
    free(change);
}

enum { FEW_SAMPLES = 16 };      /* fewer are no more than a hint */

static void print_candidate(const struct text_page *g, const struct lpf_candidate *c)
{
    const char *name = profile_string(g->p, c->name);
    char n[FORMAT_SIZE];
    if (!c->regions && !c->contexts && !c->samples)
        paragraph(g, "!", "%s never ran: no region of that name was entered, and %s.", name,
                  c->flags & LPF_CANDIDATE_CODE
                      ? "neither a spawn below its code nor a sample in it was seen"
                      : "there is no code of that name");
    else if (!c->regions && !c->contexts && c->samples < FEW_SAMPLES)
        paragraph(g, "!",
                  "%s has only %s sample%s: what it would save is a guess. " MORE_SAMPLES,
                  name, format_count(c->samples, n), c->samples == 1 ? "" : "s");
}

/* Names the candidates whose figures are means. */
static void print_mixed(const struct text_page *g)
{
    uint32_t said = 0; /* pairs of two are one sentence */
    for (size_t i = 0; i < g->p->candidate_count && i < 16; i++) {
        char *names = said >> i & 1 ? NULL : scenarios_mixed(g->p, i);
        if (!names)
            continue;
        said |= g->p->candidates[i].flags >> LPF_CANDIDATE_MIXED;
        char *words = scenarios_mixed_words(names);
        paragraph(g, "!", "%s", words);
        free(words);
        free(names);
    }
}

/* Waits with a smaller share of the worker time are not named. */
#define WAITS_WORTH 0.05

/* The time that no scenario shortens. */
static void print_waits(const struct text_page *g)
{
    const struct row *longest;
    struct ledger l = ledger_of(g->m, g->paths);
    double waits = ratio(l.blocked + summary_exclusion(g->m, &longest), l.all);
    if (l.known && waits >= WAITS_WORTH)
        paragraph(g, "!",
                  "Scenarios do not shorten waits: strands waited or were off the CPU for %.0f %% "
                  "of %s.", 100 * waits, place_of_time(g->p));
}

/* What the scenarios rest on. */
static void print_basis(const struct text_page *g)
{
    uint64_t samples = 0;
    const struct lpf_candidate *fewest = NULL;
    for (size_t i = 0; i < g->p->candidate_count; i++) {
        const struct lpf_candidate *c = &g->p->candidates[i];
        samples += c->samples;
        if (c->samples && (!fewest || c->samples < fewest->samples))
            fewest = c;
        print_candidate(g, c);
    }
    char all[FORMAT_SIZE], few[FORMAT_SIZE];
    if (fewest)
        paragraph(g, "",
                  "Regions, and tasks spawned below a function, are exact; a function within a "
                  "strand counts by its samples, here %s. %s has the fewest, %s: by chance alone, "
                  "what it saves may be up to %.0f %% more or less. Parts of strands that are too "
                  "short for 16 samples count like others that begin and end with the same events.",
                  format_count(samples, all), profile_string(g->p, fewest->name),
                  format_count(fewest->samples, few), 100 * samples_margin(fewest->samples));
    else
        paragraph(g, "", "Exact: regions, and tasks spawned below a function, count in full.");
    if (g->p->rank_count && g->p->ranks->size > 1)
        paragraph(g, "!",
                  "Scenarios do not follow messages: where the critical path leads from rank to "
                  "rank, their spans may be too long or too short.");
    print_waits(g);
}

void text_scenarios(const struct text_page *g)
{
    static const char group[] = "parallelism if";
    static const struct table_column columns[] = {
        { "span", 0, TABLE_NUMBER, 0 },
        { "%", 0, TABLE_NUMBER, 1 },
        { "made parallel", group, TABLE_NUMBER, 0 },
        { "made faster", group, TABLE_NUMBER, 0 },
        { "what if", 0, TABLE_REST, 0 },
    };
    size_t n;
    struct scenario *w = scenarios_read(g->m, &n);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    add_scenario(g, t, "nothing is changed", g->m->span, g->m->parallelism, g->m->parallelism);
    for (int limits = 0; limits < 2; limits++)
        for (size_t i = 0; i < n; i++)
            if (w[i].limit == limits)
                add_scenario(g, t, w[i].name, w[i].span, w[i].parallel, w[i].faster);
    table_print(t, g->out, g->o->width);
    table_free(t);
    scenarios_free(w, n);
    print_mixed(g);
    print_basis(g);
}
