/* tree.c - see export.h. Order of the file: values, functions and files, paths. */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "base/format.h"
#include "export/export.h"
#include "profile/profile.h"

const char *const export_metrics[EXPORT_METRICS] = { "work",     "span",           "overhead",
                                                     "idleness", "blocked",        "own",
                                                     "samples",  "samples_on_span" };

/* ---- values ---- */

static uint64_t at_most_int64(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : v;
}

static uint64_t saturated(uint64_t a, uint64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/* Nodes hold whole ns that add up. The sums stop at the largest int64_t, the type of pprof's
 * values, as in JSON. */
static void make_values(struct export_tree *e)
{
    struct path_cost sum = { 0 };
    for (size_t i = 0; i < e->node_count; i++) {
        const struct path_cost *c = &e->paths->nodes[i].self;
        sum.work = saturated(sum.work, c->work);
        sum.span = saturated(sum.span, c->span);
        sum.overhead = saturated(sum.overhead, c->overhead);
        sum.idleness += c->idleness;
        sum.blocked = saturated(sum.blocked, c->blocked);
        sum.own = saturated(sum.own, c->own);
        sum.samples = saturated(sum.samples, c->samples);
        sum.on_span = saturated(sum.on_span, c->on_span);
        const uint64_t so_far[EXPORT_METRICS] = {
            [EXPORT_WORK] = sum.work,
            [EXPORT_SPAN] = sum.span,
            [EXPORT_OVERHEAD] = sum.overhead,
            [EXPORT_IDLENESS] = path_idleness(&sum),
            [EXPORT_BLOCKED] = sum.blocked,
            [EXPORT_OWN] = sum.own,
            [EXPORT_SAMPLES] = sum.samples,
            [EXPORT_ON_SPAN] = sum.on_span,
        };
        for (unsigned k = 0; k < EXPORT_METRICS; k++) {
            e->self[i][k] = at_most_int64(so_far[k]) - e->total[k];
            e->total[k] = at_most_int64(so_far[k]);
        }
    }
}

bool export_is_time(const struct export_tree *e, enum export_metric metric)
{
    return metric < EXPORT_IDLENESS ? e->profile->totals.ns_num != 0 : metric < EXPORT_SAMPLES;
}

/* ---- functions and files ---- */

struct number {
    /* in struct paths, equal texts have equal pointers */
    struct { const char *function, *file; } key;
    uint32_t value;
    UT_hash_handle hh;
};

/* The number of KEY. A new key gets the number *COUNT, which grows by one. */
static uint32_t number_of(struct number **table, const char *function, const char *file,
                          uint32_t *count)
{
    struct number *n, like;
    memset(&like, 0, sizeof like);
    like.key.function = function;
    like.key.file = file;
    HASH_FIND(hh, *table, &like.key, sizeof like.key, n);
    if (!n) {
        n = format_memory(malloc(sizeof *n));
        *n = like;
        n->value = (*count)++;
        HASH_ADD(hh, *table, key, sizeof n->key, n);
    }
    return n->value;
}

static void free_numbers(struct number *table)
{
    struct number *n, *next;
    HASH_ITER(hh, table, n, next) {
        HASH_DEL(table, n);
        free(n);
    }
}

static char *clean_name(const char *name)
{
    return format_clean(name && *name ? name : "[unknown]");
}

static void make_functions(struct export_tree *e)
{
    struct number *functions = 0, *files = 0;
    const struct path_node *nodes = e->paths->nodes;
    uint32_t file_count = 0;
    /* by function */
    uint64_t *weight = format_memory(calloc(e->node_count + 1, sizeof *weight));
    e->functions = format_memory(calloc(e->node_count + 1, sizeof *e->functions));
    e->files = format_memory(calloc(e->node_count + 1, sizeof *e->files));
    number_of(&files, 0, 0, &file_count);
    e->files[0] = format_clean("");
    for (size_t i = 0; i < e->node_count; i++) {
        const struct path_node *n = &nodes[i];
        uint32_t f = number_of(&functions, n->function, n->file, &e->function_count);
        struct export_function *to = &e->functions[f];
        if (!to->name) {
            to->name = clean_name(n->function);
            to->file = number_of(&files, 0, n->file, &file_count);
            if (!e->files[to->file])
                e->files[to->file] = clean_name(n->file);
        }
        if (!to->line || n->line_weight > weight[f]) {
            to->line = n->line > 0 ? n->line : 0;
            weight[f] = n->line_weight;
        }
        e->places[i] = (struct export_place){ f, n->line > 0 ? n->line : 0 };
    }
    e->files = format_memory(realloc(e->files, file_count * sizeof *e->files));
    e->file_count = file_count;
    e->functions[e->function_count].name = format_clean("[...]");
    e->places[e->node_count].function = e->function_count++;
    free(weight);
    free_numbers(functions);
    free_numbers(files);
}

/* ---- paths ---- */

static void make_depths(struct export_tree *e)
{
    for (size_t i = 1; i < e->node_count; i++) {
        uint32_t parent = e->paths->nodes[i].parent;
        e->depth[i] = e->depth[parent] + 1;
        e->outer[i] = e->depth[i] <= EXPORT_PATH_ENDS ? i : e->outer[parent];
    }
}

size_t export_path(const struct export_tree *e, uint32_t at, uint32_t *path)
{
    const struct path_node *nodes = e->paths->nodes;
    bool cut = e->depth[at] > 2 * EXPORT_PATH_ENDS;
    size_t n = 0;
    do
        path[n++] = at;
    while ((at = nodes[at].parent) && !(cut && n == EXPORT_PATH_ENDS));
    if (cut) {
        path[n++] = e->node_count;
        for (at = e->outer[path[0]]; at; at = nodes[at].parent)
            path[n++] = at;
    }
    return n;
}

void export_tree_new(struct export_tree *e, const struct paths *t, const char *metric)
{
    *e = (struct export_tree){ .paths = t, .profile = t->summary->profile, .metric = EXPORT_SPAN,
                               .node_count = t->node_count };
    for (unsigned k = 0; k < EXPORT_METRICS; k++)
        if (!strcmp(metric, export_metrics[k]))
            e->metric = k;
    e->program = clean_name(profile_string(e->profile, e->profile->totals.exe));
    e->self = format_memory(calloc(e->node_count, sizeof *e->self));
    e->places = format_memory(calloc(e->node_count + 1, sizeof *e->places));
    e->depth = format_memory(calloc(e->node_count, sizeof *e->depth));
    e->outer = format_memory(calloc(e->node_count, sizeof *e->outer));
    make_values(e);
    make_functions(e);
    make_depths(e);
}

void export_tree_free(struct export_tree *e)
{
    for (uint32_t i = 0; i < e->function_count; i++)
        free(e->functions[i].name);
    for (uint32_t i = 0; i < e->file_count; i++)
        free(e->files[i]);
    free(e->program);
    free(e->self);
    free(e->places);
    free(e->functions);
    free(e->files);
    free(e->depth);
    free(e->outer);
}
