/* text_functions.c - the tables of functions and of lines. */
#define _GNU_SOURCE
#include "analysis/paths.h"
#include "base/format.h"
#include "layout/table.h"
#include "text/path_cells.h"
#include "text/sections.h"

void text_functions(const struct text_page *g)
{
    static const char self[] = "self", all[] = "with callees";
    static const struct table_column columns[] = {
        { "% span", self, TABLE_NUMBER, 0 }, { "+-", self, TABLE_NUMBER, 1 },
        { "% work", self, TABLE_NUMBER, 0 }, { "% idle", self, TABLE_NUMBER, 0 },
        { "% ovhd", self, TABLE_NUMBER, 4 }, { "% span", all, TABLE_NUMBER, 2 },
        { "% work", all, TABLE_NUMBER, 3 },  { "% idle", all, TABLE_NUMBER, 6 },
        { "par.", all, TABLE_NUMBER, 7 },    { "function", 0, TABLE_NAME, 0 },
        { "file", 0, TABLE_TEXT, 5 },        { "verdict", 0, TABLE_WORDS, 1 },
    };
    heading(g, "Functions: span next to idleness");
    struct table_column room[sizeof columns / sizeof columns[0] + 1];
    struct table *t = path_table_new(g, columns, sizeof columns / sizeof columns[0], room);
    size_t shown = 0, more = 0;
    for (size_t i = 0; i < g->paths->function_count; i++) {
        const struct cost_row *r = &g->paths->functions[i];
        if (path_table_nothing(g, &r->self))
            continue;
        if (g->o->limit && shown == g->o->limit) {
            more++;
            continue;
        }
        shown++;
        path_table_costs(g, t, &r->self, true);
        path_table_share(t, r->all.span, g->paths->total.span);
        path_table_share(t, r->all.work, g->paths->total.work);
        path_table_share(t, r->all.idleness, g->paths->total.idleness);
        text_add_ratio(t, r->all.work, r->all.span);
        table_add(t, r->function);
        bool system = module_is_system(r->module) && !path_in_brackets(r->function);
        path_table_source(t, system ? format_base(r->module) : r->file, 0);
        table_add(t, r->verdict);
    }
    table_print(t, g->out, g->o->width);
    const char *quotient = table_shows(t, "par.") ? " par.: work per span." : "";
    table_free(t);
    if (more)
        paragraph(g, "", "... %zu more (--all)", more);
    text_samples(g);
    if (g->o->effort)
        paragraph(
            g, "",
            "%% work (without overhead), %% idle and %% ovhd are shares of the effort, their sum.");
    else
        paragraph(g, "",
                  "%% idle: share of the idle time during which another worker ran this "
                  "function.%s %% ovhd: work in the runtime, called from this function, as a "
                  "share of all work.%s",
                  g->paths->idle_alone > 0
                      ? " (program) also has the idle time in which no strand ran, by estimate."
                      : "",
                  quotient);
}

void text_lines(const struct text_page *g)
{
    static const struct table_column columns[] = {
        { "samples on span", 0, TABLE_NUMBER, 0 },
        { "samples", 0, TABLE_NUMBER, 0 },
        { "% of span samples", 0, TABLE_NUMBER, 1 },
        { "+-", 0, TABLE_NUMBER, 2 },
        { "function", 0, TABLE_NAME, 0 },
        { "file:line", 0, TABLE_TEXT, 0 },
    };
    heading(g, "Lines that samples hit");
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    size_t n = g->o->limit && g->o->limit < g->paths->line_count ? g->o->limit
                                                                 : g->paths->line_count;
    for (size_t i = 0; i < n; i++) {
        const struct cost_row *r = &g->paths->lines[i];
        text_add_count(t, r->self.on_span);
        text_add_count(t, r->self.samples);
        path_table_share(t, r->self.on_span, g->paths->total.on_span);
        path_table_margin(t, &r->self, &g->paths->total);
        table_add(t, r->function);
        path_table_source(t, r->file, r->line);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (n < g->paths->line_count)
        paragraph(g, "", "... %zu more (--all)", g->paths->line_count - n);
}
