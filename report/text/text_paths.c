/* text_paths.c - call paths as trees: from the program down, and functions with their callers. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "layout/table.h"
#include "text/path_cells.h"
#include "text/sections.h"

/* Trees leave out paths with less than this share of every metric. */
#define SMALL_PATH 0.005

static bool is_small(const struct text_page *g, const struct path_cost *c)
{
    const struct path_cost *all = &g->paths->total;
    return ratio(c->span, all->span) < SMALL_PATH && ratio(c->work, all->work) < SMALL_PATH &&
           ratio(c->idleness, all->idleness) < SMALL_PATH &&
           ratio(path_metric(c, g->o->metric), path_metric(all, g->o->metric)) < SMALL_PATH;
}

static const struct table_column tree_columns[] = {
    { "% span", 0, TABLE_NUMBER, 0 },  { "% work", 0, TABLE_NUMBER, 0 },
    { "% idle", 0, TABLE_NUMBER, 0 },  { "% ovhd", 0, TABLE_NUMBER, 2 },
    { "par.", 0, TABLE_NUMBER, 3 },    { "path", 0, TABLE_TREE, 0 },
    { "file:line", 0, TABLE_TEXT, 1 },
};

static void add_tree_row(const struct text_page *g, struct table *t, const struct path_cost *c,
                         unsigned depth, const char *function, const char *file, int line)
{
    path_table_costs(g, t, c, false);
    text_add_ratio(t, c->work, c->span);
    char *text = format_text("%*s%s", depth < 40 ? (int)depth : 40, "", function);
    table_add(t, text);
    free(text);
    path_table_source(t, file, line);
}

struct ordered {
    uint32_t node;
    double value;
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered *x = a, *y = b;
    return x->value < y->value   ? 1
           : x->value > y->value ? -1
                                 : (x->node > y->node) - (x->node < y->node);
}

/* Prints the tree in depth-first order, the largest child first. It does not recurse, because paths
 * may be deep. */
void text_paths(const struct text_page *g)
{
    const struct paths *p = g->paths;
    size_t n = p->node_count, used = 0, left_out = 0;
    uint32_t *first = format_memory(calloc(n + 1, sizeof *first)),
             *child = format_memory(calloc(n + 1, sizeof *child));
    struct ordered *order = format_memory(calloc(n + 1, sizeof *order));
    struct { uint32_t node, depth; } *stack = format_memory(calloc(n + 1, sizeof *stack));
    /* groups the children by parent, and sorts each group */
    for (size_t i = 1; i < n; i++)
        first[p->nodes[i].parent + 1]++;
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (size_t i = 1; i < n; i++) {
        uint32_t parent = p->nodes[i].parent;
        order[first[parent] + child[parent]++] = (struct ordered){ i, path_metric(&p->nodes[i].all,
                                                                                  g->o->metric) };
    }
    for (size_t i = 0; i < n; i++)
        if (child[i] > 1)
            qsort(&order[first[i]], child[i], sizeof *order, compare_ordered);
    heading(g, "Call paths, with all they called and spawned");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table_new(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0],
                                 room);
    stack[used++].node = 0;
    while (used) {
        uint32_t at = stack[--used].node, depth = stack[used].depth;
        const struct path_node *node = &p->nodes[at];
        if (at && g->o->limit && is_small(g, &node->all)) {
            left_out++;
            continue;
        }
        add_tree_row(g, t, &node->all, depth, node->function, node->file, node->line);
        for (uint32_t i = child[at]; i-- > 0; used++) {
            stack[used].node = order[first[at] + i].node;
            stack[used].depth = depth + 1;
        }
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    if (left_out)
        paragraph(g, "", "... %zu paths with less than %.1f %% of every metric (--all)", left_out,
                  100 * SMALL_PATH);
    free(first);
    free(child);
    free(order);
    free(stack);
}

/* The bottom-up view: each function with costs of its own, and the paths to it, merged by caller. A
 * climb starts at OWN, a node with costs of its own, and has come up to AT. Climbs are grouped by
 * FUNCTION and FILE, which are interned. */
struct climb {
    const char *function, *file;
    uint32_t own, at;
};

/* A group of COUNT climbs, the first of which is START. */
struct caller {
    const char *function;
    size_t start, count;
    struct path_cost cost;
};

static int compare_pointers(const void *a, const void *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_climbs(const void *a, const void *b)
{
    const struct climb *x = a, *y = b;
    int c = compare_pointers(x->function, y->function);
    if (!c)
        c = compare_pointers(x->file, y->file);
    return c ? c : (x->own > y->own) - (x->own < y->own);
}

struct caller_order {
    const struct climb *climbs;
    const char *metric;
};

/* Sorts by cost, then by name, then by the first node: pointers differ from run to run. */
static int compare_callers(const void *a, const void *b, void *order)
{
    const struct caller *x = a, *y = b;
    const struct caller_order *o = order;
    double u = path_metric(&x->cost, o->metric), v = path_metric(&y->cost, o->metric);
    int c = u < v ? 1 : u > v ? -1 : strcmp(x->function, y->function);
    uint32_t i = o->climbs[x->start].own, k = o->climbs[y->start].own;
    return c ? c : (i > k) - (i < k);
}

/* Moves the N CLIMBS up by one level, in place, and prints their largest callers. Recurses for
 * each. */
static void print_caller_levels(const struct text_page *g, struct table *t, struct climb *climbs,
                                size_t n, unsigned depth)
{
    enum { LEVELS = 12, SHOWN = 3 };
    const struct paths *p = g->paths;
    size_t count = 0, going = 0;
    for (size_t i = 0; i < n; i++)
        if (climbs[i].at) {
            uint32_t at = p->nodes[climbs[i].at].parent;
            climbs[going++] = (struct climb){ p->nodes[at].function, p->nodes[at].file,
                                              climbs[i].own, at };
        }
    qsort(climbs, going, sizeof *climbs, compare_climbs);
    struct caller *list = format_memory(calloc(going + 1, sizeof *list));
    for (size_t i = 0; i < going; i++) {
        if (!i || climbs[i].function != climbs[i - 1].function ||
            climbs[i].file != climbs[i - 1].file)
            list[count++] = (struct caller){ .function = climbs[i].function, .start = i };
        list[count - 1].count++;
        path_add(&list[count - 1].cost, &p->nodes[climbs[i].own].self);
    }
    qsort_r(list, count, sizeof *list, compare_callers,
            &(struct caller_order){ climbs, g->o->metric });
    for (size_t c = 0; c < count && c < SHOWN; c++) {
        struct climb *of = climbs + list[c].start;
        if (g->o->limit && is_small(g, &list[c].cost))
            continue;
        add_tree_row(g, t, &list[c].cost, depth, of->function, of->file, p->nodes[of->at].line);
        if (depth < LEVELS)
            print_caller_levels(g, t, of, list[c].count, depth + 1);
    }
    free(list);
}

void text_callers(const struct text_page *g)
{
    const struct paths *p = g->paths;
    struct climb *climbs = format_memory(calloc(p->node_count + 1, sizeof *climbs)),
                 *of = format_memory(calloc(p->node_count + 1, sizeof *of));
    size_t n = 0;
    for (size_t k = 1; k < p->node_count; k++)
        if (!path_table_nothing(g, &p->nodes[k].self))
            climbs[n++] = (struct climb){ p->nodes[k].function, p->nodes[k].file, k, k };
    qsort(climbs, n, sizeof *climbs, compare_climbs);
    heading(g, "Functions and their callers (self)");
    struct table_column room[sizeof tree_columns / sizeof tree_columns[0] + 1];
    struct table *t = path_table_new(g, tree_columns, sizeof tree_columns / sizeof tree_columns[0],
                                 room);
    size_t shown = 0;
    for (size_t i = 0; i < p->function_count && (!g->o->limit || shown < g->o->limit); i++) {
        const struct cost_row *r = &p->functions[i];
        if (path_table_nothing(g, &r->self) || (g->o->limit && is_small(g, &r->self)))
            continue;
        shown++;
        add_tree_row(g, t, &r->self, 0, r->function, r->file, 0);
        size_t low = 0, high = n, end;
        struct climb first = { r->function, r->file, 0, 0 };
        while (low < high)
            if (compare_climbs(&climbs[(low + high) / 2], &first) < 0)
                low = (low + high) / 2 + 1;
            else
                high = (low + high) / 2;
        for (end = low;
             end < n && climbs[end].function == r->function && climbs[end].file == r->file;)
            end++;
        memcpy(of, climbs + low, (end - low) * sizeof *of);
        print_caller_levels(g, t, of, end - low, 1);
    }
    table_print(t, g->out, g->o->width);
    table_free(t);
    free(climbs);
    free(of);
}
