/* path_origin.c - see path_origin.h. */
#define _GNU_SOURCE
#include "analysis/path_origin.h"
#include <stddef.h>
#include <string.h>
#include "analysis/paths_private.h"
#include "symbols/name_in_words.h"

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

/* The line of the call is not known: a node's line is that of the call with the most samples. So a
 * caller is its function, and where it is declared. */
static const struct path_node *caller_of(const struct paths *t, uint32_t at)
{
    const struct path_node *callee = &t->nodes[at], *n = callee;
    do {
        if (begins_task(n))
            return NULL;
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

struct path_origin path_origin(const struct paths *t, const struct path_row *r,
                               const char *metric)
{
    struct path_origin list[ORIGINS], best = { 0 };
    size_t n = 0;
    double all = 0;
    for (uint32_t i = 0; i < t->node_count; i++) {
        double cost = path_metric(&t->nodes[i].self, metric);
        if (t->nodes[i].function != r->function || t->nodes[i].file != r->file || !(cost > 0))
            continue;
        struct path_origin here = { caller_of(t, i), site_of(t, i), cost };
        size_t k = 0;
        while (k < n && !(same(list[k].caller, here.caller) && list[k].site == here.site))
            k++;
        if (k == ORIGINS)
            continue;
        if (k == n)
            list[n++] = (struct path_origin){ here.caller, here.site, 0 };
        list[k].share += cost;
        all += cost;
    }
    for (size_t k = 0; k < n; k++)
        if (list[k].share > best.share)
            best = list[k];
    best.share = all > 0 ? best.share / all : 0;
    return best;
}
