/* text_page.c - see text_page.h. */
#define _GNU_SOURCE
#include "layout/text_page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/cost.h"
#include "layout/table.h"
#include "profile/profile.h"
#include "symbols/names.h"

void text_line(const struct text_page *g, const char *name, const char *value)
{
    enum { NAME = 24, BEFORE = 2 + NAME + 1 };
    const char *rest = strstr(value, " (");
    if (rest && BEFORE + rest - value > g->o->width && strstr(value, " of "))
        rest = strstr(value, " of ");
    int below = rest ? g->o->width - format_width(rest + 1) : 0;
    if (rest && BEFORE + format_width(value) > g->o->width)
        fprintf(g->out, "  %-*s %.*s\n%*s%s\n", NAME, name, (int)(rest - value), value,
                below < BEFORE ? below : BEFORE, "", rest + 1);
    else
        fprintf(g->out, "  %-*s %s\n", NAME, name, value);
}

/* The file's directory is left out; the JSON and the CSV have it. */
char *text_place(const struct row *r)
{
    const char *base = r->file ? strrchr(r->file, '/') : 0;
    if (r->file && r->line)
        return format_text("%s:%d", base ? base + 1 : r->file, r->line);
    if (r->file) /* code that the compiler made has no line */
        return format_text("%s", base ? base + 1 : r->file);
    return format_text("%s", r->code && strcmp(r->code, r->function) ? r->code : "");
}

char *text_function(const struct row *r)
{
    if (r->origin)
        return format_text("%s::%s", r->origin, r->function);
    if (r->file || r->root || !r->offset || (r->code && strcmp(r->code, r->function)))
        return format_text("%s", r->function);
    char *plain = name_plain(r->function);
    char *text = format_text("%s+0x%llx", plain, (unsigned long long)r->offset);
    free(plain);
    return text;
}

char *text_processors(const struct profile *p)
{
    unsigned n = profile_processors(p);
    return n && p->totals.workers > n ? format_text(" on %u processor%s", n, n == 1 ? "" : "s")
                                      : format_text("%s", "");
}

void text_add_count(struct table *t, uint64_t v)
{
    char b[FORMAT_SIZE];
    table_add(t, format_count(v, b));
}

void text_add_cost(const struct text_page *g, struct table *t, uint64_t cost)
{
    char b[FORMAT_SIZE];
    table_add(t, cost_short_text(g->p, profile_ns(g->p, cost), b));
}

void text_add_ratio(struct table *t, double a, double b)
{
    char text[FORMAT_SIZE];
    table_add(t, format_ratio(summary_parallelism(a, b), text));
}

const char text_took_others[] =
    "work and parallelism are an upper bound: tasks there joined tasks that they did not spawn, as "
    "threads that join other threads' threads do, and the work may contain such a task several "
    "times.";

const char *text_mark(const struct text_page *g, const struct row *r)
{
    static const char *const marks[CERTAINTIES] = {
        [CERTAIN_EXECUTED] = " +", [CERTAIN_LOWER_BOUND] = " *", [CERTAIN_NOT] = " ?"
    };
    const char *mark = r->wait ? 0 : marks[certainty_of_row(g->m, r)];
    return mark ? mark : "";
}

void text_add_place(const struct text_page *g, struct table *t, const struct row *r)
{
    char *function = text_function(r), *place = text_place(r);
    bool own = g->paths && !r->wait && paths_own_share(g->paths, r).estimate;
    char *construct = format_text("%s%s%s%s", r->construct, own ? " ~" : "",
                                  r->took_others ? " <" : "", text_mark(g, r));
    table_add(t, function);
    table_add(t, place);
    table_add(t, construct);
    free(function);
    free(place);
    free(construct);
}
