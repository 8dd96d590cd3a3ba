/* json_findings.c - what limits the program, in the stable form; see analysis/causes.h. */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/causes.h"
#include "json/json.h"
#include "symbols/construct_names.h"
#include "words/cause_words.h"

static json_t *json_of_place(const struct cause_finding *f)
{
    const struct place *at = &f->place;
    json_t *j = json_object();
    char *name = at->function ? name_origin(f->around) : 0;
    json_object_set_new(j, "function", name ? json_text(name) : json_null());
    json_object_set_new(j, "file", at->file ? json_text(at->file) : json_null());
    json_object_set_new(j, "line", at->line ? json_integer(at->line) : json_null());
    free(name);
    return j;
}

static json_t *awaited(const struct cause_finding *f)
{
    if (!(f->awaited_ns > 0))
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "rank", json_number(f->awaited_rank));
    json_object_set_new(j, "ns", json_finite(f->awaited_ns));
    json_object_set_new(j, "waits_ns", json_finite(f->waits_ns));
    return j;
}

json_t *json_gain(const struct causes *c, const struct cause_finding *f)
{
    return json_pack("{s:o,s:o,s:o,s:o}", "gain_ns", json_finite(f->gain), "gain_low_ns",
                     json_finite(f->low), "gain_high_ns", json_finite(f->high), "share",
                     json_fraction(f->gain, c->elapsed));
}

json_t *json_findings(const struct summary *m, const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 0; t && i < t->causes->count; i++) {
        const struct cause_finding *f = &t->causes->found[i];
        json_t *j = json_object(), *gain = json_gain(t->causes, f);
        json_object_set_new(j, "id", json_text(cause_names[f->id]));
        json_object_update(j, gain);
        json_decref(gain);
        json_object_set_new(j, "worker_ns", json_finite(f->ns));
        json_object_set_new(j, "place", json_of_place(f));
        json_object_set_new(j, "awaited", awaited(f));
        char *text = cause_sentence(f, m), *remedy = cause_remedy(f, m);
        json_object_set_new(j, "text", json_text(text));
        json_object_set_new(j, "remedy", json_text(remedy));
        free(text);
        free(remedy);
        json_array_append_new(all, j);
    }
    return all;
}
