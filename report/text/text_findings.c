/* text_findings.c - what limits the program: all findings of analysis/causes.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/causes.h"
#include "base/format.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "text/sections.h"
#include "words/cause_words.h"

/* Children have profiles of their own, unless they became programs that libprof is not in. */
void text_children(const struct text_page *g)
{
    uint64_t cpu, n = g->p->input_count ? 0 : profile_children(g->p, &cpu);
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    if (!n)
        return;
    char *used = cpu ? format_text(" They used %s of CPU time%s.", format_short_ns(cpu, b),
                                   cpu > g->t->cpu_ns ? ", more than the program itself" : "")
                     : format_text("%s", "");
    paragraph(g, "", "The program made %s child process%s, which no figure here contains.%s "
                     "Those that ran tasks have left profiles, which `prof merge` adds.",
              format_count(n, a), n == 1 ? "" : "es", used);
    free(used);
}

/* Off-CPU samples begin with the first task or thread. */
static void print_before_samples(const struct text_page *g)
{
    char a[FORMAT_SIZE];
    double ns = profile_waited_alone_ns(g->p);
    if (ns >= CAUSE_WORTH * g->t->elapsed_ns)
        paragraph(g, "",
                  "The main thread slept or waited for %s before the first task or thread; no "
                  "sample shows where.",
                  format_short_ns(ns, a));
}

void text_findings(const struct text_page *g, size_t most)
{
    const struct causes *c = g->paths ? g->paths->causes : NULL;
    if (!c || !c->known) {
        paragraph(g, "", "What limits it is not known: the profile has no %s.",
                  c ? "times" : "call paths");
        return;
    }
    print_before_samples(g);
    if (!c->count) {
        paragraph(g, "", "No cause costs %.0f %% of the elapsed time or more.", 100 * CAUSE_WORTH);
        return;
    }
    paragraph(g, "",
              "The elapsed time that goes away without each cause (and its 95 %% interval):");
    for (size_t i = 0; i < c->count && i < most; i++) {
        const struct cause_finding *f = &c->found[i];
        char *gain = cause_gain(c, f), *text = cause_sentence(f, g->m),
             *remedy = cause_remedy(f, g->m);
        paragraph(g, "", "%zu. %s. %s %s", i + 1, gain, text, remedy);
        free(gain);
        free(text);
        free(remedy);
    }
    char *others = cause_others(c, most);
    if (others)
        paragraph(g, "", "%s", others);
    free(others);
}

/* The evidence: what the sentences do not have. */
static void print_table(const struct text_page *g, const struct causes *c)
{
    static const char gain[] = "gain";
    static const struct table_column columns[] = {
        { "", 0, TABLE_NUMBER, 0 },          { "time", gain, TABLE_NUMBER, 0 },
        { "from", gain, TABLE_NUMBER, 2 },   { "to", gain, TABLE_NUMBER, 2 },
        { "% time", 0, TABLE_NUMBER, 1 },    { "worker time", 0, TABLE_NUMBER, 1 },
        { "cause", 0, TABLE_WORDS, 0 },      { "place", 0, TABLE_REST, 0 },
    };
    char text[FORMAT_SIZE];
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->count; i++) {
        const struct cause_finding *f = &c->found[i];
        char *place = f->place.function ? cause_place(f) : format_text("%s", "");
        snprintf(text, sizeof text, "%zu.", i + 1);
        table_add(t, text);
        table_add(t, format_short_ns(f->gain, text));
        table_add(t, format_short_ns(f->low, text));
        table_add(t, format_short_ns(f->high, text));
        snprintf(text, sizeof text, "%.1f", 100 * ratio(f->ns, profile_slots_ns(g->p)));
        table_add(t, text);
        table_add(t, format_short_ns(f->ns, text));
        table_add(t, cause_names[f->id]);
        table_add(t, place);
        free(place);
    }
    fputc('\n', g->out);
    table_print(t, g->out, g->o->width);
    table_free(t);
}

void text_summary(const struct text_page *g)
{
    const struct causes *c = g->paths ? g->paths->causes : NULL;
    text_children(g);
    if (!g->t->span_cost)
        paragraph(g, "", "No cost was measured: work and span are 0.");
    if (g->t->span_cost || !profile_is_serial(g->p))
        text_findings(g, SIZE_MAX);
    if (c && c->count)
        print_table(g, c);
    if (profile_is_serial(g->p))
        paragraph(g, "",
                  "No tasks were seen: %s. If the program has some, `prof doctor PROGRAM` shows "
                  "whether libprof can see its runtime.",
                  g->t->span_cost ? "what libprof saw is serial, so its parallelism is 1"
                                  : "no cost was measured");
}
