/* json_values.c - values of the stable form; see json.h. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include "analysis/summary.h"
#include "base/format.h"
#include "json/json.h"
#include "profile/profile.h"

json_t *json_number(uint64_t v)
{
    return json_integer(v > INT64_MAX ? INT64_MAX : (json_int_t)v);
}

json_t *json_finite(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

/* Costs are whole numbers of the unit. */
json_t *json_cost(const struct profile *p, uint64_t c)
{
    return json_number(profile_whole_ns(p, c));
}

json_t *json_fraction(double a, double b)
{
    return b > 0 ? json_finite(a / b) : json_null();
}

json_t *json_parallelism(double work, double span)
{
    return json_fraction(summary_parallelism(work, span), span > 0);
}

/* Names come from files: what is not UTF-8 must not lose the document; it stands as \\xNN. */
json_t *json_text(const char *s)
{
    if (!s)
        return json_null();
    json_t *j = json_string(s);
    if (j)
        return j;
    char *clean = format_clean(s);
    j = json_string(clean);
    free(clean);
    return j;
}

json_t *json_column(json_t *table, const char *key)
{
    json_t *c = json_array();
    json_object_set_new(table, key, c);
    return c;
}

json_t *json_place(const struct row *r)
{
    json_t *j = json_object();
    json_object_set_new(j, "function", json_text(r->function));
    json_object_set_new(j, "file", json_text(r->file));
    json_object_set_new(j, "line", r->file && r->line ? json_integer(r->line) : json_null());
    json_object_set_new(j, "code", json_text(r->code));
    json_object_set_new(j, "module", json_text(r->module));
    json_object_set_new(j, "construct", json_text(r->construct));
    json_object_set_new(j, "runtime", json_text(r->runtime));
    return j;
}

void json_put_addresses(json_t *j, const struct summary *m, const struct row *r)
{
    const struct lpf_site *sites = m->profile->sites;
    json_t *addresses = json_array(), *callers = json_array();
    for (uint32_t i = r->first; i != LPF_NONE; i = m->next_site[i])
        json_array_append_new(addresses, json_number(sites[i].address[0]));
    for (int i = 1; r->first != LPF_NONE && i < 4 && sites[r->first].address[i]; i++)
        json_array_append_new(callers, json_number(sites[r->first].address[i]));
    json_object_set_new(j, "addresses", addresses);
    json_object_set_new(j, "callers", callers);
}

void json_put_cut(json_t *to, const struct profile *p, const struct cut *c)
{
    bool unsaid = profile_chunks_unsaid(p);
    json_object_set_new(to, "by_runtime", unsaid ? json_null() : json_number(c->by_runtime));
    json_object_set_new(to, "by_program", unsaid ? json_null() : json_number(c->by_program));
    json_object_set_new(to, "sized_by_program", unsaid ? json_null() : json_number(c->sized));
}
