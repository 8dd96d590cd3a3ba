/* text_sites.c - tables of places: spawn sites as Cilkprof measures them, waits, and the program's
 * own regions. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "symbols/names.h"
#include "symbols/symbols.h"
#include "text/sections.h"

static size_t shown_rows(const struct text_page *g)
{
    return g->o->limit && g->o->limit < g->m->row_count ? g->o->limit : g->m->row_count;
}

/* If libprof has many of R's samples, prints the limits between which R's work lies. */
static void report_own(const struct text_page *g, const struct row *r)
{
    struct own_share s = paths_own_share(g->paths, r);
    char most[FORMAT_SIZE], least[FORMAT_SIZE];
    if (s.taken > 0) {
        char *place = text_function(r);
        paragraph(g, "",
                  "~ libprof took up to %s off the strands of %s%s%s, of which %s is left: work "
                  "and span there are estimates",
                  format_short_ns(s.taken, most), place, *r->construct ? ", " : "", r->construct,
                  cost_short_text(g->p, profile_ns(g->p, r->local.work), least));
        free(place);
        return;
    }
    if (!s.large)
        return;
    cost_short_text(g->p, profile_ns(g->p, r->local.work), most);
    cost_short_text(g->p, profile_ns(g->p, paths_work_at_least(&s, r->local.work)), least);
    char *function = text_function(r);
    paragraph(g, "",
              "~ %.0f %% of the samples in strands of %s%s%s are libprof's: the local work is at "
              "most %s, from which libprof was taken off as far as it is known, and at least %s",
              100 * ratio(s.own, s.samples), function, *r->construct ? ", " : "", r->construct,
              most, least);
    free(function);
}

static void finish_sites(const struct text_page *g, struct table *t)
{
    bool with[CERTAINTIES] = { 0 };
    table_print(t, g->out, g->o->width);
    table_free(t);
    size_t n = shown_rows(g);
    bool taken = false, took = false;
    for (size_t i = 0; i < n; i++) {
        with[certainty_of_row(g->m, &g->m->rows[i])] = true;
        taken |= summary_taken_most(g->m, &g->m->rows[i]) > 0;
        took |= g->m->rows[i].took_others;
    }
    if (n < g->m->row_count)
        paragraph(g, "", "... %zu more (--all)", g->m->row_count - n);
    paragraph(g, "", "%s%s",
              taken || took ? "Counts are exact. So are work and spans of rows without a mark"
                            : "Work and counts are exact. So are the spans of rows without a mark",
              certainty_span(g->m) == CERTAIN_EXECUTED
                  ? ". What is on the critical path is that of this run, as executed"
                  : ".");
    if (with[CERTAIN_LOWER_BOUND])
        paragraph(g, "", "* the span is only a lower bound: of this construct, or what it spawned");
    if (with[CERTAIN_NOT])
        paragraph(g, "", "? the span is not exact: it may be shorter or longer");
    if (took)
        paragraph(g, "", "< %s", text_took_others);
    for (size_t i = 0; g->paths && i < n; i++)
        report_own(g, &g->m->rows[i]);
    if (with[CERTAIN_EXECUTED])
        paragraph(g, "",
                  "+ as executed: the construct, or what it spawned, has loops that were cut and "
                  "shared as in this run, or messages or items in this run's order. What one "
                  "thread of a region does alone is one strand: its share of a static loop, or a "
                  "chunk of a dynamic loop. So a loop's own parallelism may be higher");
}

/* Adds the number of tasks that have the work, their mean, the longest as a multiple of the mean,
 * and the number of threads that executed some. */
static void add_spread(const struct text_page *g, struct table *t, const struct row *r)
{
    char text[FORMAT_SIZE] = "";
    text_add_count(t, r->parts);
    if (!r->tasks) {
        for (unsigned i = 0; i < 3; i++)
            table_add(t, "");
        return;
    }
    text_add_cost(g, t, row_mean(r));
    if (r->threads)
        snprintf(text, sizeof text, "%.1fx", ratio(r->longest, row_mean(r)));
    table_add(t, text);
    table_add(t, r->threads ? format_count(r->threads, text) : "");
}

void text_sites(const struct text_page *g)
{
    static const char span[] = "on span", work[] = "on work", tasks[] = "its tasks";
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },
        { "local span", span, TABLE_NUMBER, 1 },
        { "local work", span, TABLE_NUMBER, 9 },
        { "count", span, TABLE_NUMBER, 8 },
        { "work", span, TABLE_NUMBER, 11 },
        { "span", span, TABLE_NUMBER, 12 },
        { "par.", span, TABLE_NUMBER, 10 },
        { "work", work, TABLE_NUMBER, 2 },
        { "span", work, TABLE_NUMBER, 6 },
        { "par.", work, TABLE_NUMBER, 3 },
        { "executions", work, TABLE_NUMBER, 4 },
        { "tasks", tasks, TABLE_NUMBER, 13 },
        { "mean", tasks, TABLE_NUMBER, 14 },
        { "longest", tasks, TABLE_NUMBER, 15 },
        { "threads", tasks, TABLE_NUMBER, 16 },
        { "steals", tasks, TABLE_NUMBER, 7 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, "3) Spawn sites");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f", 100 * r->share);
        table_add(t, share);
        text_add_cost(g, t, r->on_local.span);
        text_add_cost(g, t, r->on_local.work);
        text_add_count(t, r->on_local.count);
        text_add_cost(g, t, r->on_top.work);
        text_add_cost(g, t, r->on_top.span);
        text_add_ratio(t, r->on_top.work, r->on_top.span);
        text_add_cost(g, t, r->top.work);
        text_add_cost(g, t, r->top.span);
        text_add_ratio(t, r->top.work, r->top.span);
        text_add_count(t, r->invocations);
        add_spread(g, t, r);
        text_add_count(t, r->steals);
        text_add_place(g, t, r);
    }
    finish_sites(g, t);
    paragraph(
        g, "",
        "An invocation is one execution of the site. on span: only invocations on the critical "
        "path. work, span, par.: of the site's outermost invocations, with all tasks that they "
        "waited for, and without tasks that nobody waited for there. local: without what they "
        "spawned. %% span: local span as a share of the critical path. mean, longest: of its "
        "tasks, without what they spawned; threads: at least so many executed some.");
}

/* Cilkprof's figures 2, 7 and 10: one kind of measurement, of the work and of the span. */
void text_measure(const struct text_page *g, const char *title, size_t work_at, size_t span_at)
{
    static const char work[] = "on work", span[] = "on span";
    static const struct table_column columns[] = {
        { "count", work, TABLE_NUMBER, 6 },
        { "T1", work, TABLE_NUMBER, 0 },
        { "Tinf", work, TABLE_NUMBER, 4 },
        { "T1/Tinf", work, TABLE_NUMBER, 1 },
        { "count", span, TABLE_NUMBER, 7 },
        { "T1", span, TABLE_NUMBER, 2 },
        { "Tinf", span, TABLE_NUMBER, 3 },
        { "T1/Tinf", span, TABLE_NUMBER, 5 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 5 },
    };
    heading(g, title);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        const struct measure *kinds[] = { (const void *)((const char *)r + work_at),
                                          (const void *)((const char *)r + span_at) };
        for (int k = 0; k < 2; k++) {
            text_add_count(t, kinds[k]->count);
            text_add_cost(g, t, kinds[k]->work);
            text_add_cost(g, t, kinds[k]->span);
            text_add_ratio(t, kinds[k]->work, kinds[k]->span);
        }
        text_add_place(g, t, r);
    }
    finish_sites(g, t);
}

/* Prints the inlined frames of each site. The frame that the tables show is marked. */
void text_frames(const struct text_page *g)
{
    heading(g, "Frames of each site, innermost first");
    for (size_t i = 0; i < shown_rows(g); i++) {
        const struct row *r = &g->m->rows[i];
        bool marked = false;
        for (uint32_t site = r->first; site != LPF_NONE; site = g->m->next_site[site]) {
            char *place = text_place(r), *function = name_fit(r->function, g->o->width / 2);
            paragraph(g, "", "%s %s %s:", function, place, r->construct);
            free(place);
            free(function);
            marked = false;
            for (int a = 0; a < 4 && g->p->sites[site].address[a]; a++) {
                struct frame f[INLINED_MOST];
                uint64_t address = g->p->sites[site].address[a];
                size_t n = symbols_lookup(g->m->symbols, address - 1, f, INLINED_MOST);
                for (size_t k = 0; k < n; k++) {
                    bool mark = !marked && !f[k].nameless && !symbols_library(&f[k]);
                    marked |= mark;
                    char *name = name_fit(f[k].function, g->o->width - 24);
                    char *file = format_clean(f[k].file ? f[k].file : "");
                    fprintf(g->out, "  %c %#14llx %s\n", mark ? '>' : ' ',
                            (unsigned long long)address, name);
                    format_fit(file, g->o->width - 32);
                    if (*file)
                        fprintf(g->out, "%23s%s:%d\n", "", file, f[k].line);
                    free(name);
                    free(file);
                }
            }
        }
    }
}

/* ---- waits ---- */

void text_waits(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "% time", 0, TABLE_NUMBER, 0 },  { "waited", 0, TABLE_NUMBER, 0 },
        { "times", 0, TABLE_NUMBER, 2 },   { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 }, { "to enter", 0, TABLE_TEXT, 1 },
    };
    size_t n = g->o->limit && g->o->limit < g->m->wait_count ? g->o->limit : g->m->wait_count;
    if (!g->m->wait_count)
        return;
    heading(g, "Waits for others to leave");
    struct table *table = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &g->m->waits[i];
        char share[FORMAT_SIZE];
        snprintf(share, sizeof share, "%.1f",
                 100 * ratio(profile_ns(g->p, r->top.work), profile_slots_ns(g->p)));
        table_add(table, share);
        text_add_cost(g, table, r->top.work);
        text_add_count(table, r->top.count);
        text_add_place(g, table, r);
    }
    table_print(table, g->out, g->o->width);
    table_free(table);
    if (n < g->m->wait_count)
        paragraph(g, "", "... %zu more (--all)", g->m->wait_count - n);
    paragraph(g, "",
              "The times are exact. Waits of less than 500 ns are left out. These waits are a part "
              "of the idle time above (searching or asleep). The table of functions charges this "
              "time as idleness to the code that ran inside meanwhile.");
}

/* ---- regions ---- */

void text_regions(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "count", 0, TABLE_NUMBER, 2 },
        { "work", 0, TABLE_NUMBER, 0 },
        { "span", 0, TABLE_NUMBER, 1 },
        { "parallelism", 0, TABLE_NUMBER, 0 },
        { "burdened span", 0, TABLE_NUMBER, 4 },
        { "burdened par.", 0, TABLE_NUMBER, 3 },
        { "longest", 0, TABLE_NUMBER, 5 },
        { "region", 0, TABLE_TEXT, 0 },
    };
    if (!g->p->region_count)
        return;
    heading(g, "4) Regions");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < g->p->region_count; i++) {
        const struct lpf_region *r = &g->p->regions[i];
        uint64_t burdened = profile_burdened(g->p, r->burdened_len_cost, r->burdened_edges);
        if (burdened < r->span_cost)
            burdened = r->span_cost;
        text_add_count(t, r->count);
        text_add_cost(g, t, r->work_cost);
        text_add_cost(g, t, r->span_cost);
        text_add_ratio(t, r->work_cost, r->span_cost);
        text_add_cost(g, t, burdened);
        text_add_ratio(t, r->work_cost, burdened);
        text_add_cost(g, t, r->max_span_cost);
        table_add(t, profile_string(g->p, r->name));
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (g->p->rank_count > 1)
        paragraph(g, "",
                  "Work and span are sums over the ranks, so parallelism is that within them.");
}
