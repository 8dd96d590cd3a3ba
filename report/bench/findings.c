/* findings.c - what limits the trials: the findings of their profiles (analysis/causes.h), in the
 * form that docs/JSON.md describes: prof reads them from a saved bench, too. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/causes.h"
#include "base/format.h"
#include "bench/bench.h"
#include "json/json.h"
#include "layout/options.h"
#include "layout/paragraphs.h"

enum {
    FINDINGS_LOADED = 100,      /* more are not read */
    FINDINGS_SHOWN = 3,
};

const struct trial *bench_nearest_to_mean(const struct bench *b, unsigned p)
{
    const struct trial *nearest = 0;
    double sum = 0, n = 0;
    for (size_t i = 0; i < b->trial_count; i++)
        if (b->trials[i].kind == TRIAL_PROFILED && b->trials[i].p == p) {
            sum += b->trials[i].wall;
            n++;
        }
    for (size_t i = 0; i < b->trial_count; i++) {
        const struct trial *t = &b->trials[i];
        if (t->kind == TRIAL_PROFILED && t->p == p && t->has_profile &&
            (!nearest || fabs(t->wall - sum / n) < fabs(nearest->wall - sum / n)))
            nearest = t;
    }
    return nearest;
}

void findings_take(struct bench_findings *f, const struct summary *m, const struct paths *paths)
{
    json_t *j = paths && paths->causes->known ? json_findings(m, paths) : json_null();
    findings_load(f, j);
    json_decref(j);
}

static char *text_of(const json_t *j, const char *key)
{
    const char *s = json_string_value(json_object_get(j, key));
    return format_clean(s ? s : "");
}

static double number_of(const json_t *j, const char *key)
{
    double v = json_number_value(json_object_get(j, key));
    return v >= 0 && v < 1e300 ? v : 0;
}

void findings_load(struct bench_findings *f, const json_t *j)
{
    size_t n = json_array_size(j) < FINDINGS_LOADED ? json_array_size(j) : FINDINGS_LOADED;
    *f = (struct bench_findings){ .known = json_is_array(j), .count = n };
    f->all = format_memory(calloc(n + 1, sizeof *f->all));
    for (size_t i = 0; i < n; i++) {
        const json_t *from = json_array_get(j, i), *place = json_object_get(from, "place");
        f->all[i] = (struct bench_finding){
            .id = text_of(from, "id"),
            .function = text_of(place, "function"),
            .file = text_of(place, "file"),
            .text = text_of(from, "text"),
            .remedy = text_of(from, "remedy"),
            .line = fmin(floor(number_of(place, "line")), 1e9),
            .gain = number_of(from, "gain_ns"),
            .low = number_of(from, "gain_low_ns"),
            .high = number_of(from, "gain_high_ns"),
            .share = number_of(from, "share"),
            .worker = number_of(from, "worker_ns"),
        };
    }
}

json_t *findings_json(const struct bench_findings *f)
{
    json_t *all = f && f->known ? json_array() : json_null();
    for (size_t i = 0; f && f->known && i < f->count; i++) {
        const struct bench_finding *x = &f->all[i];
        json_t *j = json_object(), *place = json_object();
        json_object_set_new(place, "function", json_text(*x->function ? x->function : NULL));
        json_object_set_new(place, "file", json_text(*x->file ? x->file : NULL));
        json_object_set_new(place, "line", x->line > 0 ? json_integer(x->line) : json_null());
        json_object_set_new(j, "id", json_text(x->id));
        json_object_set_new(j, "gain_ns", json_real(x->gain));
        json_object_set_new(j, "gain_low_ns", json_real(x->low));
        json_object_set_new(j, "gain_high_ns", json_real(x->high));
        json_object_set_new(j, "share", json_real(x->share));
        json_object_set_new(j, "worker_ns", json_real(x->worker));
        json_object_set_new(j, "place", place);
        json_object_set_new(j, "text", json_text(x->text));
        json_object_set_new(j, "remedy", json_text(x->remedy));
        json_array_append_new(all, j);
    }
    return all;
}

void findings_free(struct bench_findings *f)
{
    for (size_t i = 0; i < f->count; i++) {
        struct bench_finding *x = &f->all[i];
        char *const texts[] = { x->id, x->function, x->file, x->text, x->remedy };
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            free(texts[k]);
    }
    free(f->all);
    *f = (struct bench_findings){ 0 };
}

void findings_text(const struct bench_findings *f, const struct options *o, FILE *out)
{
    if (!f->known) {
        page_paragraph(out, o, "",
                       "What limits it is not known: the profile has no clock of time, or no "
                       "samples.");
        return;
    }
    for (size_t i = 0; i < f->count && i < FINDINGS_SHOWN; i++) {
        const struct bench_finding *x = &f->all[i];
        double percent = x->gain > 0 ? 100 * x->share / x->gain : 0;
        page_paragraph(out, o, "", "%zu. %.0f %% (%.0f to %.0f) of the elapsed time: %s %s", i + 1,
                       100 * x->share, percent * x->low, percent * x->high, x->text, x->remedy);
    }
    if (!f->count)
        page_paragraph(out, o, "", "No cause costs %.0f %% of the elapsed time or more.",
                       100 * CAUSE_WORTH);
    else if (f->count > FINDINGS_SHOWN)
        page_paragraph(out, o, "", "... %zu more (--json)", f->count - FINDINGS_SHOWN);
}
