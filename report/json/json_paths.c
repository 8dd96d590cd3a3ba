/* json_paths.c - call paths, functions and lines in the stable form, and how surely their costs are
 * known; see json.c. */
#include <jansson.h>
#include <math.h>
#include "analysis/certainty.h"
#include "analysis/paths.h"
#include "analysis/stats.h"
#include "json/json.h"

json_t *json_path_cost(const struct path_cost *c)
{
    json_t *j = json_object();
    json_object_set_new(j, "work_ns", json_number(c->work));
    json_object_set_new(j, "span_ns", json_number(c->span));
    json_object_set_new(j, "overhead_ns", json_number(c->overhead));
    json_object_set_new(j, "idleness_ns", json_number(path_idleness(c)));
    json_object_set_new(j, "blocked_ns", json_number(c->blocked));
    json_object_set_new(j, "own_ns", json_number(c->own));
    json_object_set_new(j, "samples", json_number(c->samples));
    json_object_set_new(j, "samples_on_span", json_number(c->on_span));
    json_object_set_new(j, "tasks", json_number(c->tasks));
    return j;
}

static void put_margin(json_t *to, const char *key, double share, double of)
{
    json_object_set_new(to, key, json_finite(share * of));
}

/* C of the path, function or line of that name: how surely its work and span are known; where
 * samples split them, with half of the 95 % interval. */
static json_t *json_cost_of(const struct paths *t, const char *function, const struct path_cost *c,
                            bool whole_program)
{
    json_t *j = json_path_cost(c);
    const struct path_cost *all = &t->total;
    bool sampled = !whole_program && certainty_is_sampled(function, c);
    enum certainty span = certainty_span(t->summary);
    json_object_set_new(j, "certainty",
                        json_text(certainty_names[sampled ? CERTAIN_SAMPLED : span]));
    if (!sampled)
        return j;
    put_margin(j, "span_margin_ns", c->on_span ? path_margin(c, all) : NAN, all->span);
    put_margin(j, "work_margin_ns",
               c->samples ? stats_share(c->samples, c->squares, all->samples, all->squares) : NAN,
               all->work);
    return j;
}

static void put_place(json_t *j, const char *function, const char *file, int line)
{
    json_object_set_new(j, "function", json_text(function));
    json_object_set_new(j, "file", file ? json_text(file) : json_null());
    json_object_set_new(j, "line", line ? json_integer(line) : json_null());
}

json_t *json_path_rows(const struct paths *t, const struct cost_row *rows, size_t count,
                       bool whole)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *j = json_object();
        put_place(j, rows[i].function, rows[i].file, rows[i].line);
        json_object_set_new(j, "self", json_cost_of(t, rows[i].function, &rows[i].self, false));
        if (whole) {
            json_object_set_new(j, "all", json_cost_of(t, rows[i].function, &rows[i].all, false));
            json_object_set_new(j, "parallelism",
                                json_parallelism(rows[i].all.work, rows[i].all.span));
            json_object_set_new(j, "verdict", json_text(rows[i].verdict));
        }
        json_array_append_new(all, j);
    }
    return all;
}

json_t *json_path_nodes(const struct paths *t)
{
    json_t *all = json_array();
    for (size_t i = 0; i < t->node_count; i++) {
        const struct path_node *n = &t->nodes[i];
        json_t *j = json_object();
        json_object_set_new(j, "node", json_integer(i));
        json_object_set_new(j, "parent", i ? json_integer(n->parent) : json_null());
        put_place(j, n->function, n->file, n->line);
        json_object_set_new(j, "self", json_cost_of(t, n->function, &n->self, false));
        json_object_set_new(j, "all", json_cost_of(t, n->function, &n->all, !i));
        json_array_append_new(all, j);
    }
    return all;
}
