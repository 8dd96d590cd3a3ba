/* data.c - see data.h. */
#define _GNU_SOURCE
#include "view/data.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/causes.h"
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "bench/bench.h"
#include "brief/brief_page.h"
#include "diff/diff.h"
#include "json/json.h"
#include "layout/options.h"
#include "layout/text_page.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "symbols/source_text.h"
#include "text/sections.h"
#include "words/cause_words.h"
#include "words/place_words.h"

/* What PRINT prints of PAGE's profile, each paragraph on one line. MARK: the paragraphs with this
 * mark alone, without it. */
static void add_lines(json_t *to, const struct text_page *page, void (*print)(
                          const struct text_page *), const char *mark)
{
    struct options unbroken = *page->o;
    struct text_page g = *page;
    char *text = NULL;
    size_t size, length = strlen(mark);
    unbroken.width = 1 << 30;
    unbroken.color = false;
    g.o = &unbroken;
    g.out = format_memory(open_memstream(&text, &size));
    print(&g);
    fclose(g.out);
    char *rest = format_memory(text);
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*(line += strspn(line, " ")) && !strncmp(line, mark, length))
            json_array_append_new(to, json_text(line + length));
    free(text);
}

/* What is not certain of the figures: `warnings`, which the first card has, and `certainty`. */
static json_t *words(const struct summary *m, const struct paths *t, const struct options *o)
{
    const struct text_page page = { .m = m, .paths = t, .p = m->profile,
                                    .t = &m->profile->totals, .o = o };
    json_t *j = json_object(), *warnings = json_column(j, "warnings"),
           *certainty = json_column(j, "certainty");
    if (!m->profile->input_count)
        add_lines(warnings, &page, text_state, "! ");
    add_lines(warnings, &page, brief_notes, "! ");
    add_lines(certainty, &page, text_children, "");
    if (t)
        add_lines(certainty, &page, text_samples, "");
    return j;
}

/* ---- findings ---- */

/* The rows of T's functions that are at PLACE, in their order. */
static json_t *rows_at(const struct paths *t, const struct place *place)
{
    json_t *all = json_array();
    for (size_t i = 0; place->function && i < t->function_count; i++) {
        const struct cost_row *r = &t->functions[i];
        if (!strcmp(r->function, place->function) &&
            (!r->file || !place->file || !strcmp(r->file, place->file)))
            json_array_append_new(all, json_integer((json_int_t)i));
    }
    return all;
}

/* Adds to ALL, the JSON's findings, what the page needs besides: the gain and the place in words,
 * as the terminal has them, and where the page's tables have the place. */
static void add_places(json_t *all, const struct summary *m, const struct paths *t)
{
    for (size_t i = 0; i < json_array_size(all); i++) {
        const struct cause_finding *f = &t->causes->found[i];
        json_t *j = json_array_get(all, i);
        char *gain = cause_gain(t->causes, f), *place = cause_place(f);
        json_object_set_new(j, "gain", json_text(gain));
        json_object_set_new(j, "label", f->place.function ? json_text(place) : json_null());
        json_object_set_new(j, "functions", rows_at(t, &f->place));
        json_object_set_new(j, "site",
                            f->site && !f->site->root ? json_integer(f->site - m->rows)
                                                      : json_integer(-1));
        free(gain);
        free(place);
    }
}

/* Whether causes are known; the least share of the elapsed time that a finding has; and, for each
 * id, its sentence with {names} for what differs, and the cells that it consists of. */
static json_t *causes_json(const struct paths *t)
{
    static const struct { const char *id, *text, *cells; } ids[] = {
#define CAUSE(id, name, sentence, remedy, cells, place) { name, sentence, cells },
#include "analysis/causes.def"
#undef CAUSE
    };
    json_t *j = json_object();
    json_object_set_new(j, "known", json_boolean(t && t->causes->known));
    json_object_set_new(j, "worth", json_real(CAUSE_WORTH));
    json_t *all = json_column(j, "ids");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "id", ids[i].id, "text",
                                             ids[i].text, "cells", ids[i].cells));
    return j;
}

/* The first number of processors from FROM on for which BENCH has trials; TO if there is none.
 * BENCH may be NULL. */
static unsigned next_measured(const struct factored *bench, unsigned from, unsigned to)
{
    for (unsigned i = 0; bench && i < bench->count; i++)
        if (bench->points[i].p > from && bench->points[i].p < to)
            return bench->points[i].p;
    return to;
}

/* The bounds of `prof report` at enough numbers of processors for a curve, among them those of the
 * run and of BENCH. The bound of the divided dag is there if loops divide, that of the typical dag
 * if there are outliers. A job has no lower bound. */
static json_t *bounds(const struct summary *m, const struct factored *bench)
{
    unsigned workers = m->profile->totals.workers,
             last = workers > 32 && workers < 1 << 20 ? 4 * workers : 128;
    if (bench && bench->points[bench->count - 1].p > last)
        last = bench->points[bench->count - 1].p;
    json_t *j = json_object(), *p = json_array(), *upper = json_array(), *lower = NULL,
           *divided = NULL, *typical = NULL;
    json_object_set_new(j, "p", p);
    json_object_set_new(j, "upper", upper);
    if (summary_has_lower(m))
        json_object_set_new(j, "lower", lower = json_array());
    if (summary_loops_divide(m))
        json_object_set_new(j, "upper_divided", divided = json_array());
    if (summary_has_outliers(m))
        json_object_set_new(j, "upper_typical", typical = json_array());
    for (unsigned n = 1, next; m->span > 0 && n <= last; n = next) {
        json_array_append_new(p, json_integer(n));
        json_array_append_new(upper, json_real(summary_upper(m, n)));
        if (lower)
            json_array_append_new(lower, json_real(summary_lower(m, n)));
        if (divided)
            json_array_append_new(divided, json_real(summary_upper_divided(m, n)));
        if (typical)
            json_array_append_new(typical, json_real(summary_upper_typical(m, n)));
        next = n + (n < 8 ? 1 : n / 8);
        if (n < workers && next > workers)
            next = workers;
        next = next_measured(bench, n, next);
    }
    return j;
}

/* Asks for the lines with the most samples first, because the number of lines is limited. */
static json_t *sources(const struct summary *m, const struct paths *t)
{
    struct source *s = source_new(m->symbols, m->profile->totals.start_unix_ns);
    for (size_t i = 0; i < m->row_count; i++)
        source_want(s, m->rows[i].file, m->rows[i].line);
    for (size_t i = 0; i < m->wait_count; i++)
        source_want(s, m->waits[i].file, m->waits[i].line);
    for (size_t i = 0; t && i < t->line_count; i++)
        source_want(s, t->lines[i].file, t->lines[i].line);
    for (size_t i = 0; t && i < t->node_count; i++)
        source_want(s, t->nodes[i].file, t->nodes[i].line);
    json_t *j = source_json(s);
    source_free(s);
    return j;
}

/* Adds the self costs in the profile BEFORE. SELF: by node, those of the same path. GONE: at a
 * function's first node, its costs on paths that the new profile lacks. So a function's cost before
 * is the sum of both, whatever its callers are now. */
static void put_own(const struct diff *d, enum diff_metric metric, const struct diff_row **rows,
                    const struct diff_row **functions, size_t n, json_t *self, json_t *gone)
{
    double *left = format_memory(calloc(d->functions.count + 1, sizeof *left));
    bool *seen = format_memory(calloc(d->paths.count + 1, sizeof *seen));
    for (size_t i = 0; i < d->functions.count; i++)
        left[i] = d->functions.rows[i]->self[metric].a;
    for (size_t i = 0; i < n; i++) {
        /* two paths of the new profile may have been one path before */
        double own = seen[rows[i]->index] ? 0 : rows[i]->self[metric].a;
        seen[rows[i]->index] = true;
        left[functions[i]->index] -= own;
        /* most of 10^5 values are 0: an integer is shorter in the page */
        json_array_append_new(self, own > 0 ? json_real(own) : json_integer(0));
    }
    for (size_t i = 0; i < n; i++) {
        double *of = &left[functions[i]->index];
        json_array_append_new(gone, *of > 0.5 ? json_real(*of) : json_integer(0));
        *of = 0;
    }
    free(left);
    free(seen);
}

json_t *view_before(const char *file, const char *before, const struct paths *t,
                    const struct options *o)
{
    static const enum diff_metric metrics[] = { DIFF_SPAN, DIFF_WORK, DIFF_IDLENESS, DIFF_OVERHEAD,
                                                DIFF_BLOCKED };
    static const char *const keys[] = { "span_ns", "work_ns", "idleness_ns", "overhead_ns",
                                        "blocked_ns" };
    char **const files[2] = { (char *[]){ (char *)before }, (char *[]){ (char *)file } };
    struct diff d;
    json_t *j = 0;
    diff_new(&d, files, (unsigned[]){ 1, 1 }, o);
    if (d.comparable) {
        const struct diff_row **rows = format_memory(calloc(t->node_count + 1, sizeof *rows));
        const struct diff_row **functions = format_memory(
            calloc(t->node_count + 1, sizeof *functions));
        json_t *selves = json_object(), *gones = json_object();
        diff_map(&d, t, rows);
        diff_map_functions(&d, t, functions);
        j = json_object();
        json_object_set_new(j, "profile", json_text(before));
        json_object_set_new(j, "words", diff_lines(&d, diff_words));
        json_object_set_new(j, "remarks", diff_lines(&d, diff_remarks));
        for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            json_t *column = json_array();
            for (size_t i = 0; i < t->node_count; i++)
                json_array_append_new(column, json_real(rows[i]->all[metrics[k]].a));
            json_object_set_new(j, keys[k], column);
            json_t *self = json_array(), *gone = json_array();
            put_own(&d, metrics[k], rows, functions, t->node_count, self, gone);
            json_object_set_new(selves, keys[k], self);
            json_object_set_new(gones, keys[k], gone);
        }
        json_object_set_new(j, "self", selves);
        json_object_set_new(j, "gone", gones);
        free(functions);
        free(rows);
    }
    diff_free(&d);
    return j;
}

/* The nodes of T that are not the program's code, or have costs that no sample gives to a function:
 * their names are in brackets. */
static json_t *foreign_nodes(const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 1; t && i < t->node_count; i++)
        if (t->nodes[i].foreign || path_in_brackets(t->nodes[i].function))
            json_array_append_new(all, json_integer((json_int_t)i));
    return all;
}

/* The names that the rows' functions have in the call paths. */
static json_t *row_names(const struct row *rows, size_t n, const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        char *plain = rows[i].root && t ? format_text("%s", t->nodes[0].function)
                                        : name_plain(rows[i].function);
        char *clean = format_clean(plain);      /* used if PLAIN is not UTF-8 */
        json_t *name = json_string(plain);
        json_array_append_new(all, name ? name : json_string(clean));
        free(plain);
        free(clean);
    }
    return all;
}

/* What the rows' functions are called where people read them. A compiler's name of an OpenMP region
 * is in no source. */
static json_t *row_words(const struct row *rows, size_t n)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        char *function = name_is_outlined(rows[i].function) ? text_function(&rows[i]) : 0,
             *origin = name_origin(function ? function : rows[i].function),
             *fitted = name_fit(origin, PLACE_NAME_WIDTH);
        json_array_append_new(all, json_text(fitted));
        free(function);
        free(origin);
        free(fitted);
    }
    return all;
}

/* Gives each object of ROWS, which may be NULL, a label: its function's name, shortened. */
static void add_labels(json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "function"));
        char *fitted = name_fit(name ? name : "", PLACE_NAME_WIDTH);
        json_object_set_new(row, "label", json_text(fitted));
        free(fitted);
    }
}

json_t *view_data(const struct summary *m, const struct paths *t, const struct options *o,
                  bool source, const struct factored *bench)
{
    json_t *j = json_report(m, t, o);
    json_object_set_new(j, "site_names", row_names(m->rows, m->row_count, t));
    json_object_set_new(j, "wait_names", row_names(m->waits, m->wait_count, t));
    json_object_set_new(j, "site_words", row_words(m->rows, m->row_count));
    json_object_set_new(j, "wait_words", row_words(m->waits, m->wait_count));
    json_t *job = json_object_get(j, "job");
    add_labels(json_object_get(job, "calls"));
    add_labels(json_object_get(json_object_get(job, "samples"), "functions"));
    json_object_set_new(j, "words", words(m, t, o));
    json_object_set_new(j, "causes", causes_json(t));
    add_places(json_object_get(j, "findings"), m, t);
    json_object_set_new(j, "foreign_nodes", foreign_nodes(t));
    json_object_set_new(j, "bounds", bounds(m, bench));
    if (bench)
        json_object_set_new(j, "bench", factored_json(bench));
    json_object_set_new(j, "sources", source ? sources(m, t) : json_array());
    return j;
}
