/* path_origin.c - see path_origin.h. */
#define _GNU_SOURCE
#include "analysis/path_origin.h"
#include <stdlib.h>
#include <string.h>
#include "analysis/paths_private.h"
#include "base/format.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/names.h"
#include "symbols/symbols.h"

/* Of a function with more origins, the rest is not looked at. */
#define ORIGINS 256

/* Do tasks execute N's function first? */
static bool begins_task(const struct path_node *n)
{
    return n->site || n->sites;
}

/* Code of the C++ library, which is in the program only as a header's. */
static bool is_library(const char *function)
{
    return !strncmp(function, "std::", 5) || !strncmp(function, "__gthread_", 10) ||
           !strncmp(function, "__gnu_cxx::", 11);
}

/* *LINE: of its call, which may lead here through a library. */
static const struct path_node *caller_of(const struct paths *t, uint32_t at, int *line)
{
    const struct path_node *callee = &t->nodes[at], *n = callee;
    do {
        if (begins_task(n))
            return NULL;
        *line = n->called;
        at = n->parent;
        n = &t->nodes[at];
    } while (at && (!n->file || n->foreign || module_is_system(n->module) ||
                    is_library(n->function)));
    /* a compiler's function of an OpenMP construct is not in the source: its site is */
    return !at || n->declared <= 0 || name_is_outlined(n->function) ||
                   n->function == callee->function
               ? NULL
               : n;
}

static const struct row *site_of(const struct paths *t, uint32_t at)
{
    while (at && !begins_task(&t->nodes[at]))
        at = t->nodes[at].parent;
    return t->nodes[at].site;
}

static bool same(const struct path_node *a, const struct path_node *b)
{
    return a == b || (a && b && a->function == b->function && a->file == b->file);
}

/* What R's nodes of one caller and site, or of one site, have of its cost. */
struct part {
    const struct path_node *caller;
    const struct row *site;
    int line;
    double cost;
    struct path_cost sum;
};

/* Adds the cost of node N, called at LINE of CALLER in a task of SITE, to its part of LIST, which
 * has *COUNT. */
static void add_part(struct part *list, size_t *count, const struct part *here,
                     const struct path_node *n)
{
    size_t k = 0;
    while (k < *count && !(same(list[k].caller, here->caller) && list[k].site == here->site))
        k++;
    if (k == ORIGINS)
        return;
    if (k == *count)
        list[(*count)++] = *here;
    else
        list[k].cost += here->cost;
    if (list[k].line != here->line)
        list[k].line = 0;
    path_add(&list[k].sum, &n->self);
}

/* Sets O to the largest of LIST's COUNT parts of R. True: samples show that it is the largest. */
static bool largest(const struct paths *t, const struct path_row *r, const char *metric,
                    const struct part *list, size_t count, struct path_origin *o)
{
    const struct part *best = 0;
    double all = 0;
    for (size_t k = 0; k < count; k++) {
        all += list[k].cost;
        if (!best || list[k].cost > best->cost)
            best = &list[k];
    }
    *o = (struct path_origin){ 0 };
    if (!best || !(all > 0))
        return false;
    o->caller = best->caller;
    o->line = best->line;
    o->site = best->site;
    o->share = best->cost / all;
    o->margin = count > 1 ? path_part_margin(&best->sum, &r->self, &t->total, metric) : 0;
    for (size_t k = 0; k < count; k++)
        if (&list[k] != best &&
            o->share - o->margin <=
                list[k].cost / all +
                    path_part_margin(&list[k].sum, &r->self, &t->total, metric))
            return false;
    return true;
}

bool path_origin_is_below(const struct paths *t, const struct path_row *r,
                          const struct path_node *caller)
{
    const struct profile *p = t->summary->profile;
    for (size_t i = 1; i < p->node_count; i++) {
        const struct lpf_node *n = &p->nodes[i], *up = &p->nodes[n->parent];
        const struct code *c = t->private->path_code_of[i],
                          *from = t->private->path_code_of[n->parent];
        if (!c || !from || c->system || up->kind != LPF_NODE_FRAME ||
            c->frame[0].function != r->function ||
            from->frame[from->count - 1].function != caller->function)
            continue;
        const char *called = symbols_called(t->summary->symbols, up->address);
        char *plain = called ? name_plain(called) : 0;
        bool other = plain && strcmp(plain, c->frame[0].function) != 0;
        free(plain);
        if (other)
            return true;
    }
    return false;
}

struct path_origin path_origin(const struct paths *t, const struct path_row *r,
                               const char *metric)
{
    struct part *list = format_memory(calloc(2 * ORIGINS, sizeof *list)), *sites = list + ORIGINS;
    size_t n = 0, of_sites = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        const struct path_node *node = &t->nodes[i];
        double cost = path_metric(&node->self, metric);
        if (node->function != r->function || node->file != r->file || !(cost > 0))
            continue;
        int line = 0;
        struct part here = { .caller = caller_of(t, i, &line), .site = site_of(t, i),
                             .cost = cost };
        here.line = line > 0 ? line : 0;
        add_part(list, &n, &here, node);
        add_part(sites, &of_sites, &(struct part){ .site = here.site, .cost = cost }, node);
    }
    struct path_origin best, site;
    bool known = largest(t, r, metric, list, n, &best);
    best.likely = best.site;
    if (!known) {
        bool clear = largest(t, r, metric, sites, of_sites, &site);
        site.likely = best.likely;
        site.site = clear ? site.site : 0;
        best = site;
    }
    free(list);
    return best;
}
