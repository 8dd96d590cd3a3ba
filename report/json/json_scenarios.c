/* json_scenarios.c - a profile's what-if scenarios as JSON; docs/JSON.md describes every key. */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/scenarios.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "json/json.h"
#include "profile/profile.h"

json_t *scenarios_json(const struct summary *m)
{
    const struct profile *p = m->profile;
    if (!p->scenario_count)
        return 0;
    size_t n;
    struct scenario *w = scenarios_read(m, &n);
    json_t *candidates = json_array(), *scenarios = json_array();
    for (size_t i = 0; i < p->candidate_count; i++) {
        const struct lpf_candidate *c = &p->candidates[i];
        char *clean = format_clean(profile_string(p, c->name));
        json_t *mixed = json_array();
        for (json_int_t k = 0; k < 16; k++)
            if (c->flags >> LPF_CANDIDATE_MIXED >> k & 1)
                json_array_append_new(mixed, json_integer(k));
        json_array_append_new(candidates,
                              json_pack("{s:s, s:b, s:I, s:I, s:I, s:o}", "name", clean, "code",
                                        !!(c->flags & LPF_CANDIDATE_CODE), "regions",
                                        (json_int_t)c->regions, "contexts", (json_int_t)c->contexts,
                                        "samples", (json_int_t)c->samples, "mixed_with", mixed));
        free(clean);
    }
    for (size_t i = 0; i < n; i++) {
        const struct lpf_scenario *s = &p->scenarios[i];
        json_t *terms = json_array();
        for (uint32_t k = 0; k < s->terms; k++) {
            const struct lpf_term *t = &p->terms[s->first_term + k];
            json_array_append_new(
                terms, json_pack("{s:I, s:o}", "candidate", (json_int_t)t->candidate, "factor",
                                 t->den ? json_real((double)t->num / t->den) : json_null()));
        }
        json_array_append_new(
            scenarios,
            json_pack("{s:s, s:o, s:b, s:b, s:f, s:I, s:I, s:f, s:f}", "name", w[i].name, "terms",
                      terms, "limit", w[i].limit, "estimated", w[i].estimated, "margin",
                      w[i].margin, "work_ns", (json_int_t)profile_whole_ns(p, s->work_cost),
                      "span_ns", (json_int_t)profile_whole_ns(p, s->span_cost),
                      "parallelism_made_parallel", w[i].parallel, "parallelism_made_faster",
                      w[i].faster));
    }
    scenarios_free(w, n);
    return json_pack("{s:o, s:o}", "candidates", candidates, "scenarios", scenarios);
}
