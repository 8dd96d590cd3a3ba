/* speedscope.c - speedscope's own JSON: one "sampled" profile for each metric, over shared frames.
 *
 * A frame is a function of a file, with one line for all paths. Otherwise speedscope would show a
 * function once for each of its lines. Stacks and their numbers are made once, and every metric
 * refers to them: a stack takes one pointer for each frame.
 */
#include <jansson.h>
#include <stdlib.h>
#include "base/format.h"
#include "export/export.h"

static json_t *frames(const struct export_tree *e)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < e->function_count; i++) {
        const struct export_function *f = &e->functions[i];
        json_t *j = json_object();
        json_object_set_new(j, "name", json_string(f->name));
        if (f->file)
            json_object_set_new(j, "file", json_string(e->files[f->file]));
        if (f->file && f->line)
            json_object_set_new(j, "line", json_integer(f->line));
        json_array_append_new(all, j);
    }
    return all;
}

/* Sets STACKS, by node: the frames of its path, outermost first. A node without a value gets
 * none. */
static void make_stacks(const struct export_tree *e, json_t **stacks)
{
    uint32_t path[EXPORT_PATH];
    json_t **index = format_memory(calloc(e->function_count, sizeof *index));
    for (uint32_t i = 0; i < e->function_count; i++)
        index[i] = json_integer(i);
    for (size_t i = 0; i < e->node_count; i++) {
        uint64_t any = 0;
        for (unsigned k = 0; k < EXPORT_METRICS; k++)
            any |= e->self[i][k];
        if (!any)
            continue;
        stacks[i] = json_array();
        for (size_t k = export_path(e, i, path); k-- > 0;)
            json_array_append(stacks[i], index[e->places[path[k]].function]);
    }
    for (uint32_t i = 0; i < e->function_count; i++)
        json_decref(index[i]);
    free(index);
}

static json_t *metric(const struct export_tree *e, enum export_metric k, json_t *const *stacks)
{
    json_t *j = json_object(), *samples = json_array(), *weights = json_array();
    for (size_t i = 0; i < e->node_count; i++)
        if (e->self[i][k]) {
            json_array_append(samples, stacks[i]);
            json_array_append_new(weights, json_integer(e->self[i][k]));
        }
    json_object_set_new(j, "type", json_string("sampled"));
    json_object_set_new(j, "name", json_string(export_metrics[k]));
    json_object_set_new(j, "unit", json_string(export_is_time(e, k) ? "nanoseconds" : "none"));
    json_object_set_new(j, "startValue", json_integer(0));
    json_object_set_new(j, "endValue", json_integer(e->total[k]));
    json_object_set_new(j, "samples", samples);
    json_object_set_new(j, "weights", weights);
    return j;
}

int export_speedscope(const struct export_tree *e, FILE *out)
{
    json_t **stacks = format_memory(calloc(e->node_count, sizeof *stacks));
    json_t *j = json_object(), *shared = json_object(), *profiles = json_array();
    make_stacks(e, stacks);
    for (unsigned k = 0; k < EXPORT_METRICS; k++)
        json_array_append_new(profiles, metric(e, k, stacks));
    for (size_t i = 0; i < e->node_count; i++)
        json_decref(stacks[i]);
    free(stacks);
    json_object_set_new(shared, "frames", frames(e));
    json_object_set_new(j, "$schema",
                        json_string("https://www.speedscope.app/file-format-schema.json"));
    json_object_set_new(j, "exporter", json_string("libprof"));
    json_object_set_new(j, "name", json_string(e->program));
    json_object_set_new(j, "activeProfileIndex", json_integer(e->metric));
    json_object_set_new(j, "shared", shared);
    json_object_set_new(j, "profiles", profiles);
    int r = json_dumpf(j, out, JSON_COMPACT);
    putc('\n', out);
    json_decref(j);
    return r;
}
