/* path_cells.c - see path_cells.h. */
#define _GNU_SOURCE
#include "text/path_cells.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/table.h"
#include "layout/text_page.h"

void path_table_share(struct table *t, double part, double all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, all > 0 && part > 0 ? "%.1f" : "", 100 * ratio(part, all));
    table_add(t, text);
}

void path_table_margin(struct table *t, const struct path_cost *c, const struct path_cost *all)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, c->on_span ? "%.1f" : "", 100 * path_margin(c, all));
    table_add(t, text);
}

/* The title of a metric that has a column only with --metric; NULL: one of the usual four is asked
 * for. */
static const char *extra_metric(const struct text_page *g)
{
    return !strcmp(g->o->metric, "blocked") ? "% blkd" : !strcmp(g->o->metric, "own") ? "% own" : 0;
}

struct table *path_table_new(const struct text_page *g, const struct table_column *columns,
                                unsigned count, struct table_column *out)
{
    const char *extra = extra_metric(g);
    if (!extra)
        return table_new(columns, count);
    out[0] = (struct table_column){ extra, columns[0].group, TABLE_NUMBER, 0 };
    memcpy(out + 1, columns, count * sizeof *columns);
    return table_new(out, count + 1);
}

void path_table_costs(const struct text_page *g, struct table *t, const struct path_cost *c,
                           bool margin)
{
    const struct path_cost *all = &g->paths->total;
    if (extra_metric(g))
        path_table_share(t, path_metric(c, g->o->metric), path_metric(all, g->o->metric));
    path_table_share(t, c->span, all->span);
    if (margin)
        path_table_margin(t, c, all);
    if (g->o->effort) {
        double effort = all->work + all->idleness;
        path_table_share(t, c->work - c->overhead, effort);
        path_table_share(t, c->idleness, effort);
        path_table_share(t, c->overhead, effort);
        return;
    }
    path_table_share(t, c->work, all->work);
    path_table_share(t, c->idleness, all->idleness);
    path_table_share(t, c->overhead, all->work);
}

void path_table_source(struct table *t, const char *file, int line)
{
    const char *base = file ? strrchr(file, '/') : 0;
    char *place = !file  ? format_text("%s", "")
                  : line ? format_text("%s:%d", base ? base + 1 : file, line)
                         : format_text("%s", base ? base + 1 : file);
    table_add(t, place);
    free(place);
}

bool path_table_nothing(const struct text_page *g, const struct path_cost *c)
{
    return !c->span && !c->work && c->idleness <= 0 && !c->samples &&
           path_metric(c, g->o->metric) <= 0;
}
