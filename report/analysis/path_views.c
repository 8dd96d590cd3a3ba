/* path_views.c - flat views of the paths: functions, and source lines. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "base/format.h"
#include "profile/profile.h"

static size_t hash_row(const void *rows, size_t i)
{
    const struct cost_row *r = (const struct cost_row *)rows + i;
    return places_hash(r->line, r->function, r->file);
}

/* The index of the row of a line, or of a function if LINE is 0. Adds the row if it is new. */
static size_t row_of(struct places *p, struct cost_row **rows, size_t *count, size_t *capacity,
                     const char *function, const char *file, int line)
{
    places_grow(p, *count, hash_row, *rows);
    size_t at = places_hash(line, function, file) & (p->size - 1);
    for (; p->slots[at]; at = (at + 1) & (p->size - 1)) {
        const struct cost_row *r = *rows + (p->slots[at] - 1);
        if (r->line == line && r->function == function && r->file == file)
            return p->slots[at] - 1;
    }
    if (*count == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 64;
        *rows = format_memory(realloc(*rows, *capacity * sizeof **rows));
    }
    (*rows)[*count] = (struct cost_row){ .function = function, .file = file, .line = line };
    p->slots[at] = *count + 1;
    return (*count)++;
}

/* The walk of paths_make_functions reaches node AT, of the function R. */
static void enter_node(const struct paths *t, uint32_t at, struct cost_row *r)
{
    const struct path_node *node = &t->nodes[at];
    if (!r->module)
        r->module = node->module;
    if (node->declared)
        r->declared = r->declared && r->declared != node->declared ? -1 : node->declared;
    if (node->site || node->sites) {
        r->sites |= node->sites || (r->site && r->site != node->site);
        r->site = r->sites ? 0 : node->site;
    }
    path_add(&r->self, &node->self);
    if (!r->active++)
        path_add(&r->all, &node->all);
}

/* Is node AT part of the function of the program that called it? A reader of functions
 * (paths_new_program) cannot change what the system's code does, only that it is called. */
static bool is_callers(const struct paths *t, uint32_t at)
{
    const struct path_node *node = &t->nodes[at], *caller = &t->nodes[node->parent];
    return t->private->program && node->parent && module_is_system(node->module) &&
           !path_in_brackets(caller->function) && !caller->foreign;
}

/* Sums nodes into functions. In inclusive costs a node counts once for each function on its path.
 * The walk is depth-first, so `active` counts how often a function is on the current path. */
void paths_make_functions(struct paths *t)
{
    struct places table = { 0 };
    size_t capacity = 0, n = t->node_count;
    size_t *row = format_memory(calloc(n, sizeof *row));
    uint32_t *first = format_memory(calloc(n, sizeof *first)),
             *next = format_memory(calloc(n, sizeof *next));
    uint32_t *stack = format_memory(calloc(n + 1, sizeof *stack));
    for (size_t i = 1; i < n; i++)
        row[i] = is_callers(t, i) ? row[t->nodes[i].parent] :
                 row_of(&table, &t->functions, &t->function_count, &capacity, t->nodes[i].function,
                        t->nodes[i].file, 0);
    for (size_t i = n; i-- > 1;) {
        next[i] = first[t->nodes[i].parent];
        first[t->nodes[i].parent] = i;
    }
    if (t->nodes[0].self.work || t->nodes[0].self.span || t->nodes[0].self.idleness > 0) {
        size_t own = row_of(&table, &t->functions, &t->function_count, &capacity,
                            t->nodes[0].function, 0, 0);
        t->functions[own].self = t->nodes[0].self;
        t->functions[own].all = t->nodes[0].all;
    }
    size_t depth = 0;
    for (uint32_t at = n > 1 ? first[0] : 0; at;) {
        enter_node(t, at, &t->functions[row[at]]);
        if (first[at]) {
            stack[depth++] = at;
            at = first[at];
            continue;
        }
        for (;;) {
            t->functions[row[at]].active--;
            if (next[at]) {
                at = next[at];
                break;
            }
            if (!depth) {
                at = 0;
                break;
            }
            at = stack[--depth];
        }
    }
    free(table.slots);
    free(row);
    free(first);
    free(next);
    free(stack);
}

/* ---- lines ---- */

struct line_table {
    struct places lines, places;
    size_t capacity, place_capacity;
};

/* Is F a frame that is shown, and has it a line? */
static bool has_line(const struct paths *t, const struct code_frame *f)
{
    return f->file && (t->private->physical || !(f->runtime || f->glue || f->folded));
}

/* Is the line of F, a frame of C, one for a reader of functions (paths_new_program)? That of a
 * library's code, or of the system's, is its caller's. */
static bool has_own_line(const struct paths *t, const struct code *c, const struct code_frame *f)
{
    return has_line(t, f) && !(t->private->program && (f->library || c->system));
}

/* The index of the row of F's line; -1: F has no line that is shown. */
static ptrdiff_t line_row(struct paths *t, struct line_table *l, struct code_frame *f,
                          const char *module)
{
    if (!has_line(t, f))
        return -1;
    if (f->row)
        return f->row - 1;
    size_t row = row_of(&l->lines, &t->lines, &t->call_line_count, &l->capacity, f->function,
                        f->file, f->line);
    if (!t->lines[row].module) {
        t->lines[row].module = module;
        t->lines[row].place = row_of(&l->places, &t->places, &t->place_count, &l->place_capacity, 0,
                                     f->file, f->line);
    }
    f->row = row + 1;
    return row;
}

static bool is_frame(const struct lpf_node *n)
{
    return n->kind == LPF_NODE_LEAF || n->kind == LPF_NODE_FRAME;
}

/* By node: the nearest frame of its task, at or above it, that is shown and has a line of its own,
 * or else any line; 0: none. */
static uint32_t *nearest_lines(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    uint32_t *nearest = format_memory(calloc(p->node_count + 1, sizeof *nearest));
    for (size_t i = 1; i < p->node_count; i++) {
        if (!is_frame(&p->nodes[i]))
            continue;
        const struct code *c = path_code_of(t, &p->nodes[i]);
        bool own = false, any = false;
        for (uint32_t k = 0; k < c->count; k++) {
            own |= has_own_line(t, c, &c->frame[k]);
            any |= has_line(t, &c->frame[k]) && !(t->private->program && c->system);
        }
        uint32_t above = nearest[p->nodes[i].parent];
        nearest[i] = own || (any && !above) ? i : above;
    }
    return nearest;
}

/* The index of the row of the innermost line at node AT; -1: none. */
static ptrdiff_t line_at(struct paths *t, struct line_table *l, uint32_t at)
{
    struct code *c = at ? path_code_of(t, &t->summary->profile->nodes[at]) : 0;
    for (uint32_t k = c ? c->count : 0; k-- > 0;)
        if (has_own_line(t, c, &c->frame[k]))
            return line_row(t, l, &c->frame[k], c->module);
    for (uint32_t k = c ? c->count : 0; k-- > 0;) {
        ptrdiff_t row = line_row(t, l, &c->frame[k], c->module);
        if (row >= 0)
            return row;
    }
    return -1;
}

/* Enters or leaves node AT on a depth-first walk. In inclusive costs a line counts each path
 * through it once. */
static void pass_lines(struct paths *t, struct line_table *l, uint32_t at, bool enter)
{
    const struct lpf_node *n = &t->summary->profile->nodes[at];
    if (!is_frame(n))
        return;
    struct code *c = path_code_of(t, n);
    for (uint32_t k = 0; k < c->count; k++) {
        ptrdiff_t row = line_row(t, l, &c->frame[k], c->module);
        struct cost_row *place = row >= 0 ? &t->places[t->lines[row].place] : 0;
        if (place && !enter)
            place->active--;
        else if (place && !place->active++)
            path_add(&place->all, &t->private->below[at]);
    }
}

static void add_callees(struct paths *t, struct line_table *l)
{
    const struct profile *p = t->summary->profile;
    size_t n = p->node_count, depth = 0;
    uint32_t *first = format_memory(calloc(n + 1, sizeof *first)),
             *next = format_memory(calloc(n + 1, sizeof *next));
    uint32_t *stack = format_memory(calloc(n + 1, sizeof *stack));
    for (size_t i = n; i-- > 1;) {
        next[i] = first[p->nodes[i].parent];
        first[p->nodes[i].parent] = i;
    }
    for (uint32_t at = n ? first[0] : 0; at;) {
        pass_lines(t, l, at, true);
        if (first[at]) {
            stack[depth++] = at;
            at = first[at];
            continue;
        }
        for (;;) {
            pass_lines(t, l, at, false);
            uint32_t done = at;
            at = next[done] ? next[done] : depth ? stack[--depth] : 0;
            if (next[done] || !at)
                break;
        }
    }
    free(first);
    free(next);
    free(stack);
}

static void line_ns(struct paths *t, struct path_cost *c)
{
    const struct profile *p = t->summary->profile;
    c->work = profile_whole_ns(p, c->work);
    c->span = profile_whole_ns(p, c->span);
    c->overhead = profile_whole_ns(p, c->overhead);
    c->idleness = round(c->idleness * t->private->idle_factor);
}

/* Notes the line and the owner of each node that a sample with its time has hit. */
static void note_timed(struct paths *t, struct line_table *l, const uint32_t *nearest)
{
    const struct profile *p = t->summary->profile;
    for (size_t i = 0; i < t->call_line_count; i++)
        t->lines[i].made = i;
    if (!p->timed_sample_count)
        return;
    t->private->line_of = format_memory(calloc(p->node_count, sizeof *t->private->line_of));
    t->private->own_code = format_memory(calloc(p->node_count, sizeof *t->private->own_code));
    for (size_t i = 0; i < p->timed_sample_count; i++) {
        uint32_t node = p->timed_samples[i].node;
        t->private->line_of[node] = line_at(t, l, nearest[node]) + 1;
        t->private->own_code[node] = path_hits_libprof(t, node);
    }
}

/* The program's lines, by samples alone. A cost that no sample hit has no line. */
void paths_make_lines(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    struct line_table l = { 0 };
    struct rounding r = { 0 };
    uint32_t *nearest = nearest_lines(t);
    for (size_t i = 0; i < p->sample_count; i++) {
        const struct path_cost *c = &t->private->hit[p->samples[i].node];
        ptrdiff_t row = c->samples ? line_at(t, &l, nearest[p->samples[i].node]) : -1;
        path_add(row >= 0 ? &t->lines[row].self : &t->no_line, c);
    }
    t->line_count = t->call_line_count;
    add_callees(t, &l);
    note_timed(t, &l, nearest);
    for (size_t i = 0; i < t->call_line_count; i++) {
        struct cost_row *row = &t->lines[i];
        row->self.idleness *= t->private->idle_factor;
        path_round(p, &row->self, &r);
    }
    for (size_t i = 0; i < t->place_count; i++)
        line_ns(t, &t->places[i].all);
    t->no_line.idleness *= t->private->idle_factor;
    path_round(p, &t->no_line, &r);
    path_round(p, &t->unsampled, &r);
    free(nearest);
    free(l.lines.slots);
    free(l.places.slots);
    free(t->private->below);
}
