/* brief_tables.c - the functions and the spawn sites that matter. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/certainty.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "base/terminal.h"
#include "brief/brief_page.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "symbols/source_text.h"
#include "words/place_words.h"

/* ---- names ---- */

static char *name_of(const struct cost_row *r)
{
    return place_function(r->function, r->file, r->declared, r->site);
}

/* "file.c:12", "file.c", "libc.so.6" or "". */
static char *place_of_row(const struct cost_row *r)
{
    if (path_in_brackets(r->function))
        return format_text("%s", "");
    /* its file is no file of the program's, and without a place it would look like its function */
    if (module_is_system(r->module))
        return format_text("%s", format_base(r->module));
    if (!r->file)
        return format_text("%s", "");
    return r->declared > 0 ? format_text("%s:%d", format_base(r->file), r->declared)
                           : format_text("%s", format_base(r->file));
}

char *brief_function_at(const struct cost_row *r)
{
    char *name = name_of(r), *place = place_of_row(r);
    char *text = *place && !strstr(name, " at ") ? format_text("%s (%s)", name, place) : 0;
    free(place);
    if (!text)
        return name;
    free(name);
    return text;
}

/* ---- links and colours ---- */

/* Makes the last cell a link to LINE of FILE, if that can be found. */
static void link_last(const struct text_page *g, struct table *t, const char *file, int line)
{
    if (!g->o->links || !file)
        return;
    struct source *s = source_new(g->m->symbols, 0);
    size_t size;
    uint64_t changed;
    const char *why;
    char *found = 0, *text = source_find(s, file, &size, &changed, &found, &why);
    char *path = text ? realpath(found, 0) : 0;     /* NULL: it is in an archive */
    if (path) {
        char *before = terminal_link(path, line);
        table_dress(t, before, TERMINAL_LINK_END);
        free(before);
    }
    free(path);
    free(found);
    free(text);
    source_free(s);
}

/* Colours the verdict in the last cell. */
static void colour_last(const struct text_page *g, struct table *t, const char *verdict)
{
    if (g->o->color && *verdict)
        table_dress(t, "\033[33m", "\033[0m");
}

/* ---- functions ---- */

struct ranked {
    const void *row;
    double most, first;         /* the largest of its shares; the one that the table is sorted by */
};

static int by_most(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->most < y->most ? 1 : x->most > y->most ? -1 : 0;
}

static int by_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->first < y->first ? 1 : x->first > y->first ? -1 : by_most(a, b);
}

/* Sorts the COUNT rows: the MOST that matter most, in the order of the table. Returns how many
 * these are. */
static size_t choose(struct ranked *rows, size_t count, size_t most)
{
    qsort(rows, count, sizeof *rows, by_most);
    size_t n = count < most ? count : most;
    qsort(rows, n, sizeof *rows, by_first);
    return n;
}

static void add_percent(struct table *t, double share)
{
    char text[FORMAT_SIZE];
    snprintf(text, sizeof text, share > 0 ? "%.1f" : "", 100 * share);
    table_add(t, text);
}

static void add_function(const struct text_page *g, struct table *t, const struct cost_row *r)
{
    const struct path_cost *all = &g->paths->total;
    char margin[FORMAT_SIZE] = "", *name = brief_function_at(r);
    if (r->self.on_span)
        snprintf(margin, sizeof margin, "%.1f", 100 * path_margin(&r->self, all));
    add_percent(t, ratio(r->self.span, all->span));
    table_add(t, margin);
    add_percent(t, ratio(r->self.idleness, all->idleness));
    add_percent(t, ratio(r->self.work, all->work));
    table_add(t, name);
    link_last(g, t, r->file, r->declared);
    table_add(t, r->verdict);
    colour_last(g, t, r->verdict);
    free(name);
}

/* States what the split of the columns rests on. MARGIN: T has the margins. */
static void print_samples(const struct text_page *g, bool margin)
{
    const struct path_cost *all = &g->paths->total;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    const char *plural = all->samples == 1 ? "" : "s",
               *in_blocks = g->paths->in_blocks
                               ? " Samples do not follow the order of a loop's blocks: % span "
                                 "there is split by spawn, in brackets."
                               : "";
    format_count(all->samples, a);
    format_count(all->on_span, b);
    if (!all->samples)
        paragraph(g, "", "No sample hit the program: costs stand at the spawn, in brackets.");
    else if (!all->on_span && *in_blocks)
        paragraph(g, "", "%s sample%s.%s", a, plural, in_blocks);
    else if (!all->on_span)
        paragraph(g, "",
                  "%s sample%s, none on the critical path. %% span is split by spawn, in brackets.",
                  a, plural);
    else if (margin) {
        char *chosen = format_text("About %.0f %% of these are there because samples make "
                                   "strands longer. ", 100 * path_chosen(all));
        paragraph(g, "", "%s sample%s, %s on the critical path. %s+-: margin of %% span.%s", a,
                  plural, b, path_chosen(all) > 0 ? chosen : "", in_blocks);
        free(chosen);
    }
    else
        paragraph(g, "", "%s sample%s, %s on the critical path: 50 %% of it is +- %.0f.%s", a,
                  plural, b, 100 * stats_half(all->on_span, all->on_span_squares), in_blocks);
}

static void print_functions(const struct text_page *g, size_t most_rows)
{
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },     { "+-", 0, TABLE_NUMBER, 1 },
        { "% idle", 0, TABLE_NUMBER, 0 },     { "% work", 0, TABLE_NUMBER, 0 },
        { "function", 0, TABLE_IN_WORDS, 0 }, { "verdict", 0, TABLE_WORDS, 1 },
    };
    const struct paths *p = g->paths;
    size_t count = 0;
    if (!p || !p->function_count)
        return;
    struct ranked *rows = format_memory(calloc(p->function_count, sizeof *rows));
    for (size_t i = 0; i < p->function_count; i++) {
        const struct path_cost *c = &p->functions[i].self;
        double span = ratio(c->span, p->total.span), work = ratio(c->work, p->total.work),
               most = fmax(fmax(span, work), ratio(c->idleness, p->total.idleness));
        if (most >= BRIEF_WORTH)
            rows[count++] = (struct ranked){ &p->functions[i], most, span };
    }
    count = choose(rows, count, most_rows);
    struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++)
        add_function(g, t, rows[i].row);
    if (count) {
        fputc('\n', g->out);
        table_hide_empty(t);
        table_print(t, g->out, g->o->width);
        print_samples(g, table_shows(t, "+-"));
    }
    table_free(t);
    free(rows);
}

/* ---- spawn sites ---- */

/* Code whose work exceeds its span by less than this factor is serial: samples split both, each
 * with an error. */
#define SERIAL 1.05

/* The tasks are those of the mean, so that both together are the work: a region's executions, and
 * the calls of taskloops, are none in the source. */
static void add_site(const struct text_page *g, struct table *t, const struct row *r)
{
    char *raw = text_function(r), *name = name_in_words(raw, 0, 0, 0), *place = text_place(r),
         *construct = format_text("%s%s%s%s", r->construct,
                                  g->paths && paths_own_share(g->paths, r).estimate ? " ~" : "",
                                  r->took_others ? " <" : "", text_mark(g, r));
    char *comma = name_is_outlined(raw) ? strrchr(name, ',') : 0;
    if (comma) /* the columns beside it have its line and its construct */
        *comma = 0;
    add_percent(t, r->share);
    add_percent(t, ratio(r->local.work, g->t->work_cost));
    /* an invocation that spawns one task, and that task nothing, is serial: the site need not be */
    bool one_each = r->invocations > 1 && r->invocations == r->tasks &&
                    r->top.work <= SERIAL * r->top.span;
    if (r->root || one_each)
        table_add(t, "");
    else
        text_add_ratio(t, r->top.work, r->top.span);
    if (r->tasks && r->parts) {
        text_add_count(t, r->parts);
        if (summary_taken_most(g->m, r) > 0)
            table_add(t, "");
        else
            text_add_cost(g, t, row_mean(r));
        text_add_count(t, r->steals);
    } else {
        for (unsigned i = 0; i < 3; i++)
            table_add(t, "");
    }
    table_add(t, name);
    table_add(t, place);
    link_last(g, t, r->file, r->line);
    table_add(t, construct);
    free(raw);
    free(name);
    free(place);
    free(construct);
}

/* Explains the marks behind the constructs. */
static void print_marks(const struct text_page *g, const struct ranked *rows, size_t n)
{
    static const struct { enum certainty c; const char *words; } marks[] = {
        { CERTAIN_LOWER_BOUND, "* only a lower bound" },
        { CERTAIN_NOT, "? not exact" },
        { CERTAIN_EXECUTED, "+ as executed" },
    };
    static const char taken_words[] = "~ libprof took off as much as is left, or more: the work "
                                      "and span there are estimates.";
    bool with[CERTAINTIES] = { 0 }, own = false, took = false;
    const char *marked = "~ The work there contains some of libprof's.";
    char *text = format_text("%s", "");
    for (size_t i = 0; i < n; i++) {
        const struct row *r = rows[i].row;
        with[certainty_of_row(g->m, r)] = true;
        took |= r->took_others;
        if (!g->paths)
            continue;
        struct own_share share = paths_own_share(g->paths, r);
        own |= share.estimate;
        marked = share.taken > 0 ? taken_words : marked;
    }
    for (unsigned i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (with[marks[i].c]) {
            char *more = format_text("%s%s%s", text, *text ? ", " : "The span there is ",
                                     marks[i].words);
            free(text);
            text = more;
        }
    if (*text || own)
        paragraph(g, "", "%s%s%s", text, *text ? own ? ". " : "." : "",
                  own ? marked : "");
    if (took)
        paragraph(g, "", "< %s", text_took_others);
    free(text);
}

static void print_sites(const struct text_page *g, size_t most_rows)
{
    static const struct table_column columns[] = {
        { "% span", 0, TABLE_NUMBER, 0 },     { "% work", 0, TABLE_NUMBER, 0 },
        { "par.", 0, TABLE_NUMBER, 5 },       { "tasks", 0, TABLE_NUMBER, 1 },
        { "mean", 0, TABLE_NUMBER, 3 },       { "steals", 0, TABLE_NUMBER, 4 },
        { "spawned in", 0, TABLE_IN_WORDS, 0 }, { "file:line", 0, TABLE_TEXT, 0 },
        { "construct", 0, TABLE_TEXT, 2 },
    };
    const struct summary *m = g->m;
    size_t count = 0;
    bool any = false;
    struct ranked *rows = format_memory(calloc(m->row_count + 1, sizeof *rows));
    for (size_t i = 0; i < m->row_count; i++) {
        const struct row *r = &m->rows[i];
        double most = fmax(r->share, ratio(r->local.work, g->t->work_cost));
        if (most < BRIEF_WORTH)
            continue;
        any |= !r->root;
        rows[count++] = (struct ranked){ r, most, r->share };
    }
    count = choose(rows, count, most_rows);
    if (any && count) {
        struct table *t = table_new(columns, sizeof columns / sizeof columns[0]);
        for (size_t i = 0; i < count; i++)
            add_site(g, t, rows[i].row);
        fputc('\n', g->out);
        table_hide_empty(t);
        table_print(t, g->out, g->o->width);
        table_free(t);
        print_marks(g, rows, count);
    }
    free(rows);
}

/* ---- both ---- */

/* Both tables as text, with at most so many rows of each. *LINES: of the text. The caller frees
 * it. */
static char *tables(const struct text_page *g, size_t functions, size_t sites, int *lines)
{
    char *text = NULL;
    size_t size;
    struct text_page page = *g;
    page.out = format_memory(open_memstream(&text, &size));
    print_functions(&page, functions);
    print_sites(&page, sites);
    fclose(page.out);
    *lines = 0;
    for (const char *c = format_memory(text); *c; c++)
        *lines += *c == '\n';
    return text;
}

void brief_tables(const struct text_page *g, int most)
{
    size_t functions = BRIEF_ROWS, sites = BRIEF_ROWS;
    int lines;
    char *text = tables(g, functions, sites, &lines);
    while (lines > most && functions + sites) {
        free(text);
        if (sites >= functions)
            sites--;
        else
            functions--;
        text = tables(g, functions, sites, &lines);
    }
    fputs(text, g->out);
    free(text);
}

/* ---- without tasks ---- */

void brief_samples(const struct text_page *g)
{
    enum { SHOWN = 3 };
    const struct paths *p = g->paths;
    size_t count = 0, size = 0;
    char *text = NULL;
    if (!p || !p->total.samples)
        return;
    struct ranked *rows = format_memory(calloc(p->function_count + 1, sizeof *rows));
    for (size_t i = 0; i < p->function_count; i++) {
        double share = ratio(p->functions[i].self.samples, p->total.samples);
        if (share >= BRIEF_WORTH)
            rows[count++] = (struct ranked){ &p->functions[i], share, share };
    }
    count = choose(rows, count, BRIEF_ROWS);
    FILE *f = format_memory(open_memstream(&text, &size));
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const struct cost_row *r = rows[i].row;
        char *name = brief_function_at(r), *fitted = name_in_words_fit(name, 60);
        fprintf(f, "%s%.0f %% in %s", i ? ", " : "", 100 * rows[i].most, fitted);
        free(name);
        free(fitted);
    }
    fclose(f);
    format_memory(text);
    char hits[FORMAT_SIZE];
    if (*text)
        paragraph(g, "", "Where its %s sample%s hit: %s.", format_count(p->total.samples, hits),
                  p->total.samples == 1 ? "" : "s", text);
    free(text);
    free(rows);
}
