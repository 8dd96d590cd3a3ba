/* callgrind.c - Callgrind's profile format, for KCachegrind and callgrind_annotate.
 *
 * The format has functions and calls between them, but no paths. So a node of the tree becomes a
 * block of its function. The block has the node's own costs and, for each child, a call with the
 * child's inclusive cost. Readers add up the blocks of a function, and the calls between two
 * functions.
 *
 * Recursion: if a function were below itself, readers would add its inclusive cost once for each
 * level, and show several times the total. So calls are those of a folded tree, where a function
 * occurs once on a path: a call of a function that is on the path already leads back to it. The
 * number of a folded node is the index of its first node: `fold[i] <= i`, and the parent of a
 * folded node r is fold[parent of r] < r.
 *
 * libprof counts no calls. Each call has the count 1, so readers show the number of call paths.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/certainty.h"
#include "base/format.h"
#include "export/export.h"
#include "profile/profile.h"

/* the metrics that are costs: in enum export_metric they precede the samples */
enum { EVENTS = EXPORT_SAMPLES };
_Static_assert(EXPORT_WORK == 0 && EXPORT_SPAN == 1 && EXPORT_OVERHEAD == 2 &&
                   EXPORT_IDLENESS == 3 && EXPORT_BLOCKED == 4 && EXPORT_OWN == 5 && EVENTS == 6,
               "the order of the line `events:' below");

#define RECURSION_LEVELS 512 /* ancestors that are compared; a deeper recursion is not folded */

struct callgrind {
    const struct export_tree *tree;
    FILE *out;
    bool *function_named, *file_named;  /* has the name been written? Then its number is enough */
    uint32_t *fold;                     /* by node: its folded node */
    uint64_t (*all)[EVENTS];            /* by folded node: inclusive costs */
    uint32_t *first, *next;             /* by folded node: first child, next sibling; 0: none */
};

/* ---- the folded tree ---- */

struct child {
    struct { uint32_t parent, function; } key;
    uint32_t node;
    UT_hash_handle hh;
};

static uint32_t parent_of(const struct callgrind *c, uint32_t i)
{
    return c->fold[c->tree->paths->nodes[i].parent];
}

/* The folded node of node I. All nodes above I have theirs already. */
static uint32_t fold_node(struct callgrind *c, struct child **children, uint32_t i)
{
    struct child *k;
    uint32_t function = c->tree->places[i].function, parent = parent_of(c, i);
    for (uint32_t level = 0, at = parent; at && level < RECURSION_LEVELS;
         level++, at = parent_of(c, at))
        if (c->tree->places[at].function == function)
            return at;
    struct child like = { .key = { parent, function }, .node = i };
    HASH_FIND(hh, *children, &like.key, sizeof like.key, k);
    if (!k) {
        k = format_memory(malloc(sizeof *k));
        *k = like;
        HASH_ADD(hh, *children, key, sizeof k->key, k);
    }
    return k->node;
}

static void fold_tree(struct callgrind *c)
{
    struct child *children = 0, *k, *following;
    size_t n = c->tree->node_count;
    c->fold = format_memory(calloc(n, sizeof *c->fold));
    c->all = format_memory(calloc(n, sizeof *c->all));
    c->first = format_memory(calloc(n, sizeof *c->first));
    c->next = format_memory(calloc(n, sizeof *c->next));
    for (size_t i = 1; i < n; i++)
        c->fold[i] = fold_node(c, &children, i);
    for (size_t i = 0; i < n; i++)
        for (unsigned e = 0; e < EVENTS; e++)
            c->all[c->fold[i]][e] += c->tree->self[i][e];
    for (size_t i = n; i-- > 1;) {
        if (c->fold[i] != i)
            continue;
        uint32_t parent = parent_of(c, i);
        for (unsigned e = 0; e < EVENTS; e++)
            c->all[parent][e] += c->all[i][e];
        c->next[i] = c->first[parent];
        c->first[parent] = i;
    }
    HASH_ITER(hh, children, k, following) {
        HASH_DEL(children, k);
        free(k);
    }
}

/* ---- lines ---- */

/* Prints KEY=(NUMBER), with the name if NAMED does not have the number yet. */
static void print_name(struct callgrind *c, const char *key, uint32_t number, const char *name,
                       bool *named)
{
    fprintf(c->out, named[number] ? "%s=(%u)\n" : "%s=(%u) %s\n", key, number + 1, name);
    named[number] = true;
}

static void print_function(struct callgrind *c, const char *file_key, const char *function_key,
                           uint32_t function)
{
    const struct export_function *f = &c->tree->functions[function];
    print_name(c, file_key, f->file, f->file ? c->tree->files[f->file] : "???", c->file_named);
    print_name(c, function_key, function, f->name, c->function_named);
}

static void print_costs(struct callgrind *c, const uint64_t *cost)
{
    for (unsigned k = 0; k < EVENTS; k++)
        fprintf(c->out, " %" PRIu64, cost[k]);
    putc('\n', c->out);
}

static bool is_zero(const uint64_t *cost)
{
    for (unsigned k = 0; k < EVENTS; k++)
        if (cost[k])
            return false;
    return true;
}

/* Prints node I's own costs at its line; if I is a folded node, also the calls from it. */
static void print_block(struct callgrind *c, size_t i)
{
    const struct export_place *places = c->tree->places;
    if (is_zero(c->tree->self[i]) && (c->fold[i] != i || is_zero(c->all[i])))
        return;
    putc('\n', c->out);
    print_function(c, "fl", "fn", places[i].function);
    fprintf(c->out, "%d", places[i].line);
    print_costs(c, c->tree->self[i]);
    for (uint32_t child = c->first[i]; child; child = c->next[child]) {
        if (is_zero(c->all[child]))
            continue;
        print_function(c, "cfi", "cfn", places[child].function);
        fprintf(c->out, "calls=1 %d\n%d", places[child].line,
                places[c->tree->paths->nodes[child].parent].line);
        print_costs(c, c->all[child]);
    }
}

static void print_header(struct callgrind *c)
{
    const struct export_tree *e = c->tree;
    const struct profile *p = e->profile;
    char *command = format_clean(profile_string(p, p->totals.cmdline)),
         *unit = format_clean(profile_unit(p));
    fprintf(c->out, "# callgrind format\nversion: 1\ncreator: libprof\npid: %u\ncmd: %s\npart: 1\n",
            p->totals.pid, command);
    const char *caveat = certainty_caveat(e->paths->summary, false);
    if (caveat)
        fprintf(c->out, "desc: Note: the span is %s\n", caveat);
    fputs("positions: line\n", c->out);
    fprintf(c->out,
            "event: Work : Work (%s)\nevent: Span : On the critical path (%s)\nevent: Overhead : "
            "Overhead (%s)\n",
            unit, unit, unit);
    fputs("event: Idleness : Idleness of workers (ns)\nevent: Blocked : Off the CPU inside tasks "
          "(ns)\nevent: Own : libprof's own (ns)\n"
          "events: Work Span Overhead Idleness Blocked Own\nsummary:",
          c->out);
    print_costs(c, e->total);
    free(command);
    free(unit);
}

int export_callgrind(const struct export_tree *e, FILE *out)
{
    struct callgrind c = { .tree = e, .out = out };
    c.function_named = format_memory(calloc(e->function_count, sizeof *c.function_named));
    c.file_named = format_memory(calloc(e->file_count, sizeof *c.file_named));
    fold_tree(&c);
    print_header(&c);
    for (size_t i = 0; i < e->node_count; i++)
        print_block(&c, i);
    fputs("\ntotals:", out);
    print_costs(&c, e->total);
    free(c.function_named);
    free(c.file_named);
    free(c.fold);
    free(c.all);
    free(c.first);
    free(c.next);
    return 0;
}
