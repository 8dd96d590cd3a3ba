/* json_idle.c - how long threads were idle at a time, in the stable form; see json.c. */
#include <jansson.h>
#include <math.h>
#include "analysis/idle_intervals.h"
#include "json/json.h"

static json_t *whole(double v)
{
    return json_number(v < 0x1p63 ? (uint64_t)v : UINT64_MAX);
}

static void put(json_t *j, const struct idle_of_site *x)
{
    json_t *from = json_array(), *count = json_array(), *ns = json_array();
    for (unsigned i = 0; i < IDLE_OCTAVES; i++) {
        if (!x->octave_count[i])
            continue;
        json_array_append_new(from, json_number(i ? 1ull << (LPF_IDLE_LEAST + i) : 0));
        json_array_append_new(count, whole(x->octave_count[i]));
        json_array_append_new(ns, whole(x->octave_ns[i]));
    }
    json_object_set_new(j, "count", whole(x->count));
    json_object_set_new(j, "ns", whole(x->ns));
    json_object_set_new(j, "lengths", json_pack("{s:o, s:o, s:o}", "from_ns", from, "count", count,
                                                "ns", ns));
}

static void put_phases(json_t *j, const struct idle_of_site *x)
{
    json_object_set_new(j, "wait_ns", whole(x->wait_ns));
    json_object_set_new(j, "starts", whole(x->starts));
    json_object_set_new(j, "start_ns", whole(x->start_ns));
    json_object_set_new(j, "ends", whole(x->ends));
    json_object_set_new(j, "end_ns", whole(x->end_ns));
}

static json_t *outside(const struct idle_of_site *x)
{
    json_t *j = json_object();
    put(j, x);
    return j;
}

struct json_t *json_idle_intervals(const struct summary *m)
{
    struct idle_intervals x = idle_intervals_of(m, INFINITY);
    json_t *j = x.known ? json_object() : json_null(), *sites = x.known ? json_array() : NULL;
    for (size_t i = 0; i < m->row_count && x.known; i++) {
        if (!x.rows[i].count && !x.rows[i].starts && !x.rows[i].ends)
            continue;
        json_t *site = json_place(&m->rows[i]);
        json_object_set_new(site, "outside_tasks", json_boolean(m->rows[i].root));
        put(site, &x.rows[i]);
        put_phases(site, &x.rows[i]);
        json_array_append_new(sites, site);
    }
    if (x.known) {
        put(j, &x.all);
        put_phases(j, &x.all);
        json_object_set_new(j, "before_first", outside(&x.start));
        json_object_set_new(j, "after_last", outside(&x.end));
        json_object_set_new(j, "sites", sites);
    }
    idle_intervals_free(&x);
    return j;
}
