/* json.c - a listing as JSON; docs/JSON.md describes every key. */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "annotate/listing.h"
#include "json/json.h"
#include "profile/profile.h"
#include "symbols/source_text.h"

static json_t *json_lines(const struct listing *l, const struct listed_file *f, const char *text,
                          size_t size)
{
    json_t *all = json_array();
    const char *p = text, *end = text ? text + size : 0;
    int number = 1;
    for (size_t i = 0; i < f->count; i++) {
        const struct listed_line *at = &f->lines[i];
        json_t *j = json_object(), *functions = json_array();
        for (; p && p < end && number < at->number; number++) {
            const char *stop = memchr(p, '\n', end - p);
            p = stop ? stop + 1 : end;
        }
        const char *stop = p && p < end ? memchr(p, '\n', end - p) : 0;
        char *line = p && p < end && number == at->number ? source_line(p, (stop ? stop : end) - p)
                                                          : 0;
        json_object_set_new(j, "line", json_integer(at->number));
        for (unsigned k = 0; k < at->function_count && k < LISTING_NAMES; k++)
            json_array_append_new(functions, json_text(at->functions[k]));
        json_object_set_new(j, "functions", functions);
        json_object_set_new(j, "self", json_path_cost(&at->self));
        json_object_set_new(j, "all", json_path_cost(&at->all));
        json_object_set_new(j, "text", json_text(line));
        json_array_append_new(all, j);
        free(line);
    }
    return all;
}

/* Prints every line of the chosen files. The sums are those of the whole profile. */
void listing_json(const struct listing *l)
{
    json_t *j = json_object(), *files = json_array();
    for (size_t i = 0; i < l->count; i++) {
        const struct listed_file *f = &l->files[i];
        uint64_t changed = 0;
        size_t size = 0;
        const char *why = 0;
        if ((l->w->source || l->w->function) && !listing_is_chosen(l, f))
            continue;
        char *text = source_text(l->source, f->name, &size, &changed, &why);
        json_t *one = json_object();
        json_object_set_new(one, "file", json_text(f->name));
        json_object_set_new(one, "module", json_text(f->module));
        json_object_set_new(one, "problem", json_text(text ? listing_age(l, f, changed) : why));
        json_object_set_new(one, "self", json_path_cost(&f->self));
        json_object_set_new(one, "lines", json_lines(l, f, text, size));
        json_array_append_new(files, one);
        free(text);
    }
    json_object_set_new(j, "format_version", json_integer(1));
    json_object_set_new(j, "profile", json_text(l->m->profile->path));
    json_object_set_new(j, "unit", json_text(profile_unit(l->m->profile)));
    json_object_set_new(j, "total", json_path_cost(&l->t->total));
    json_object_set_new(j, "no_line", json_path_cost(&l->t->no_line));
    json_object_set_new(j, "unsampled", json_path_cost(&l->t->unsampled));
    json_object_set_new(j, "findings", json_findings(l->m, l->t));
    json_object_set_new(j, "files", files);
    json_dumpf(j, l->out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    fputc('\n', l->out);
    json_decref(j);
}
