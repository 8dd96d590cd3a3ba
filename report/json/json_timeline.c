/* json_timeline.c - what the threads did over the run, in the stable form; see json.c. */
#include <jansson.h>
#include <stdlib.h>
#include "analysis/timeline.h"
#include "json/json.h"

/* Arrays of the bins that have samples, in step with each other: a row may have few. */
static json_t *row(const struct timeline *t, const struct timeline_row *r)
{
    json_t *j = json_object(), *bins = json_array();
    char *label = timeline_label(t, r);
    json_object_set_new(j, "tid", json_number(r->row->tid));
    json_object_set_new(j, "name", json_text(profile_string(t->p, r->row->name)));
    json_object_set_new(j, "kind", json_thread_kind(r->row->kind));
    json_object_set_new(j, "label", json_text(label));
    for (size_t i = 0; i < r->count; i++)
        json_array_append_new(bins, json_number(r->bins[i].bin));
    json_object_set_new(j, "bin", bins);
    for (unsigned k = 0; k < TIMELINE_KINDS; k++) {
        json_t *counts = json_array();
        for (size_t i = 0; i < r->count; i++)
            json_array_append_new(counts, json_number(timeline_count(&r->bins[i], k)));
        json_object_set_new(j, timeline_names[k], counts);
    }
    free(label);
    return j;
}

/* Arrays of the bins in which the ready tasks were counted. */
static json_t *ready(const struct profile *p)
{
    json_t *j = json_object(), *bin = json_array(), *samples = json_array(), *mean = json_array(),
           *most = json_array();
    for (size_t i = 0; i < p->ready_bin_count; i++) {
        const struct lpf_ready_bin *b = &p->ready_bins[i];
        json_array_append_new(bin, json_number(b->bin));
        json_array_append_new(samples, json_number(b->samples));
        json_array_append_new(mean, json_real((double)b->sum / b->samples));
        json_array_append_new(most, json_number(b->most));
    }
    json_object_set_new(j, "unknown_tasks", json_number(p->ready->unknown));
    json_object_set_new(j, "bin", bin);
    json_object_set_new(j, "samples", samples);
    json_object_set_new(j, "mean", mean);
    json_object_set_new(j, "most", most);
    return j;
}

json_t *json_timeline(const struct profile *p)
{
    struct timeline t;
    json_t *j = json_object(), *rows = json_array();
    timeline_new(&t, p);
    json_object_set_new(j, "start_ns", json_integer(0));
    json_object_set_new(j, "bin_ns", json_number(p->timeline->bin_ns));
    json_object_set_new(j, "bins", json_number(p->timeline->bins));
    json_object_set_new(j, "on_cpu_sample_ns", json_number(timeline_sample_ns(p, TIMELINE_WORK)));
    json_object_set_new(j, "off_cpu_sample_ns",
                        json_number(timeline_sample_ns(p, TIMELINE_BLOCKED)));
    json_object_set_new(j, "unplaced_samples", json_number(p->timeline->unplaced));
    for (size_t i = 0; i < t.count; i++)
        json_array_append_new(rows, row(&t, &t.rows[i]));
    json_object_set_new(j, "rows", rows);
    if (p->ready_count)
        json_object_set_new(j, "ready", ready(p));
    timeline_free(&t);
    return j;
}
