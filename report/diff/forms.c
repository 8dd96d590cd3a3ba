/* forms.c - `prof diff --json` and `--csv`; docs/DIFF.md describes every key. */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/stats.h"
#include "base/format.h"
#include "csv/csv.h"
#include "diff/diff.h"
#include "json/json.h"
#include "symbols/construct_names.h"

static json_t *json_change(const struct change *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "a", json_finite(c->a));
    json_object_set_new(j, "b", json_finite(c->b));
    json_object_set_new(j, "change", json_finite(c->delta));
    json_object_set_new(j, "relative", c->a > 0 ? json_finite(c->b / c->a - 1) : json_null());
    json_object_set_new(j, "margin", json_finite(c->margin));
    json_object_set_new(j, "p", json_finite(c->p));
    json_object_set_new(j, "significant", isnan(c->p) ? json_null() : json_boolean(c->significant));
    return j;
}

static json_t *json_side(const struct diff_side *s)
{
    json_t *j = json_object(), *files = json_array();
    for (unsigned i = 0; i < s->count; i++)
        json_array_append_new(files, json_text(s->files[i]));
    json_object_set_new(j, "files", files);
    json_object_set_new(j, "runs", json_integer(s->runs));
    json_object_set_new(j, "exe", json_text(s->exe));
    json_object_set_new(j, "cmdline", json_text(s->cmdline));
    json_object_set_new(j, "clock", json_text(s->clock));
    json_object_set_new(j, "workers", json_integer(s->workers_max));
    json_object_set_new(j, "working_threads", json_integer(s->threads_max));
    json_object_set_new(j, "exact", json_boolean(s->exact));
    json_object_set_new(j, "complete", json_boolean(s->complete));
    return j;
}

static json_t *json_totals(const struct diff *d)
{
    json_t *all = json_object();
    for (unsigned i = 0; i < DIFF_TOTALS; i++) {
        json_t *j = json_change(&d->totals[i]);
        for (int s = 0; s < 2; s++) {
            json_t *values = json_array();
            for (unsigned k = 0; k < d->side[s].runs; k++)
                json_array_append_new(values, json_finite(d->side[s].values[i][k]));
            json_object_set_new(j, s ? "b_runs" : "a_runs", values);
        }
        json_object_set_new(all, diff_kinds[i].key, j);
    }
    return all;
}

static const char *key_of(unsigned metric)
{
    static const char *const keys[DIFF_METRICS] = { "span_ns",     "work_ns",    "idleness_ns",
                                                    "overhead_ns", "blocked_ns", "tasks" };
    return keys[metric];
}

static json_t *json_row(const struct diff *d, const struct diff_row *r, bool path)
{
    json_t *j = json_object(), *self = json_object(), *all = json_object(), *par = json_object();
    if (path) {
        json_object_set_new(j, "node", json_integer(r->index));
        json_object_set_new(j, "parent", r->index ? json_integer(r->key.parent) : json_null());
    }
    json_object_set_new(j, "function", json_text(r->key.function));
    json_object_set_new(j, "module", json_text(r->key.module));
    json_object_set_new(j, "file", json_text(r->file));
    json_object_set_new(j, "line", r->file && r->line ? json_integer(r->line) : json_null());
    for (unsigned k = 0; k < DIFF_METRICS; k++) {
        json_object_set_new(self, key_of(k), json_change(&r->self[k]));
        json_object_set_new(all, key_of(k), json_change(&r->all[k]));
    }
    json_object_set_new(j, "self", self);
    json_object_set_new(j, "all", all);
    json_object_set_new(par, "a", json_parallelism(r->all[DIFF_WORK].a, r->all[DIFF_SPAN].a));
    json_object_set_new(par, "b", json_parallelism(r->all[DIFF_WORK].b, r->all[DIFF_SPAN].b));
    json_object_set_new(j, "parallelism", par);
    if (d->inflates)
        json_object_set_new(j, "inflation",
                            json_fraction(r->self[DIFF_WORK].b, r->self[DIFF_WORK].a));
    return j;
}

static json_t *json_place_of(const struct place *at)
{
    json_t *j = json_object();
    char *function = at->function ? name_origin(at->function) : NULL;
    json_object_set_new(j, "function", json_text(function));
    json_object_set_new(j, "file", json_text(at->file));
    json_object_set_new(j, "line", at->file && at->line ? json_integer(at->line) : json_null());
    free(function);
    return j;
}

static json_t *json_findings_of(const struct diff *d)
{
    json_t *all = json_array();
    for (size_t i = 0; i < d->finding_count; i++) {
        const struct diff_finding *f = &d->findings[i];
        json_t *j = json_object(), *change = json_change(&f->change);
        json_object_set_new(j, "id", json_text(cause_names[f->id]));
        json_object_set_new(j, "place", json_place_of(&f->place));
        json_object_set_new(j, "fate", json_text(diff_finding_fate(f)));
        json_object_update(j, change);
        json_decref(change);
        json_object_set_new(j, "a_share", json_fraction(f->change.a, d->side[0].elapsed.mean));
        json_object_set_new(j, "b_share", json_fraction(f->change.b, d->side[1].elapsed.mean));
        json_array_append_new(all, j);
    }
    return all;
}

/* The rows of T in W's order; but PATHS keep theirs, in which parents come first. */
static struct diff_row **ordered(const struct diff_table *t, const struct diff_wish *w, bool paths)
{
    if (!paths)
        return diff_sorted(t, w, false);
    struct diff_row **rows = format_memory(calloc(t->count + 1, sizeof *rows));
    memcpy(rows, t->rows, t->count * sizeof *rows);
    return rows;
}

/* ---- a document that is written member by member: its rows need too much memory at once ---- */

struct indented {
    FILE *out;
    int by;
};

static int write_indented(const char *text, size_t size, void *to)
{
    const struct indented *i = to;
    for (const char *end = text + size, *line; text < end; text = line) {
        const char *newline = memchr(text, '\n', end - text);
        line = newline ? newline + 1 : end;
        fwrite(text, 1, line - text, i->out);
        if (newline)
            fprintf(i->out, "%*s", i->by, "");
    }
    return 0;
}

/* Writes J, whose lines but the first begin BY columns further right, and frees it. */
static void write_value(json_t *j, int by, FILE *out)
{
    json_dump_callback(j, write_indented, &(struct indented){ out, by },
                       JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    json_decref(j);
}

static void write_member(const char *key, json_t *j, FILE *out)
{
    fprintf(out, ",\n  \"%s\": ", key);
    write_value(j, 2, out);
}

static void write_rows(const struct diff *d, const struct diff_table *t, const struct diff_wish *w,
                       bool paths, FILE *out)
{
    struct diff_row **rows = ordered(t, w, paths);
    fprintf(out, ",\n  \"%s\": [", paths ? "paths" : "functions");
    for (size_t i = 0; i < t->count; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        write_value(json_row(d, rows[i], paths), 4, out);
    }
    fputs(t->count ? "\n  ]" : "]", out);
    free(rows);
}

static json_t *json_waits(const struct diff *d, const struct diff_wish *w)
{
    struct diff_wish by_wait = { w->o, DIFF_IDLENESS, w->sort };
    struct diff_row **rows = diff_sorted(&d->waits, &by_wait, false);
    json_t *all = json_array();
    for (size_t i = 0; i < d->waits.count; i++) {
        const struct diff_row *r = rows[i];
        json_t *j = json_object();
        json_object_set_new(j, "function", json_text(r->key.function));
        json_object_set_new(j, "module", json_text(r->key.module));
        json_object_set_new(j, "file", json_text(r->file));
        json_object_set_new(j, "line", r->file && r->line ? json_integer(r->line) : json_null());
        json_object_set_new(j, "construct", json_text(r->key.construct));
        json_object_set_new(j, "waited_ns", json_change(&r->self[DIFF_IDLENESS]));
        json_object_set_new(j, "count", json_change(&r->self[DIFF_TASKS]));
        json_array_append_new(all, j);
    }
    free(rows);
    return all;
}

char *diff_written(const struct diff *d, void (*write)(const struct diff *, FILE *))
{
    char *text = 0;
    size_t size;
    FILE *f = format_memory(open_memstream(&text, &size));
    write(d, f);
    fclose(f);
    return format_memory(text);
}

struct json_t *diff_lines(const struct diff *d, void (*write)(const struct diff *, FILE *))
{
    json_t *all = json_array();
    char *text = diff_written(d, write), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            json_array_append_new(all, json_text(line));
    free(text);
    return all;
}

void diff_json(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    fputs("{\n  \"format_version\": 1", out);
    write_member("unit", json_text(d->side[0].unit), out);
    write_member("a", json_side(&d->side[0]), out);
    write_member("b", json_side(&d->side[1]), out);
    write_member("remarks", diff_lines(d, diff_remarks), out);
    write_member("words", diff_lines(d, diff_words), out);
    write_member("work_inflation",
                 d->inflates
                     ? json_fraction(d->row_totals[DIFF_WORK].b, d->row_totals[DIFF_WORK].a)
                     : json_null(),
                 out);
    write_member("program", json_totals(d), out);
    write_member("findings", diff_knows_findings(d) ? json_findings_of(d) : json_null(), out);
    write_rows(d, &d->functions, w, false, out);
    write_member("waits", json_waits(d, w), out);
    if (w->o->paths)
        write_rows(d, &d->paths, w, true, out);
    fputs("\n}\n", out);
}

/* ---- CSV ---- */

static void csv_change(FILE *out, const struct change *c)
{
    fprintf(out, ",%.15g,%.15g,%.15g", c->a, c->b, c->delta);
    if (isnan(c->p))
        fputs(",,,", out);
    else
        fprintf(out, ",%.15g,%.6g,%d", c->margin, c->p, c->significant);
}

static void csv_rows(const struct diff_table *t, const struct diff_wish *w, bool paths, FILE *out)
{
    struct diff_row **rows = ordered(t, w, paths);
    for (size_t i = 0; i < t->count; i++) {
        const struct diff_row *r = rows[i];
        fputs(paths ? "path" : "function", out);
        if (paths && r->index)
            fprintf(out, ",%u,%u,", r->index, r->key.parent);
        else
            fputs(paths ? ",0,," : ",,,", out);
        csv_quoted(out, r->key.function);
        fputc(',', out);
        csv_quoted(out, r->key.module);
        fputc(',', out);
        csv_quoted(out, r->file);
        if (r->file && r->line)
            fprintf(out, ",%d", r->line);
        else
            fputc(',', out);
        for (int all = 0; all < 2; all++)
            for (unsigned k = 0; k < DIFF_METRICS; k++)
                csv_change(out, all ? &r->all[k] : &r->self[k]);
        fputs("\r\n", out);
    }
    free(rows);
}

void diff_csv(const struct diff *d, const struct diff_wish *w, FILE *out)
{
    static const char *const parts[] = { "a", "b", "change", "margin", "p", "significant" };
    fputs("kind,node,parent,function,module,file,line", out);
    for (int all = 0; all < 2; all++)
        for (unsigned k = 0; k < DIFF_METRICS; k++)
            for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
                fprintf(out, ",%s%s_%s", all ? "all_" : "", key_of(k), parts[i]);
    fputs("\r\n", out);
    csv_rows(&d->functions, w, false, out);
    if (w->o->paths)
        csv_rows(&d->paths, w, true, out);
}
