/* paths.c - see paths.h. */
#define _GNU_SOURCE
#include "analysis/paths.h"
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "analysis/causes.h"
#include "analysis/paths_private.h"
#include "analysis/summary.h"
#include "base/format.h"

/* Finds the site of each task boundary. */
static void find_sites(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    const struct row **of_site = summary_rows_of_sites(t->summary), **of;
    bool *many = format_memory(calloc(p->node_count + 1, sizeof *many));
    for (size_t i = 0; i < p->context_count; i++) {
        const struct lpf_context *c = &p->contexts[i];
        if (c->node >= p->node_count || c->site >= p->site_count)
            continue;
        of = &t->private->site_of[c->node];
        many[c->node] |= *of && *of != of_site[c->site];
        *of = many[c->node] ? 0 : of_site[c->site];
    }
    free(of_site);
    free(many);
}

static void begin(struct paths *t, const struct summary *m, const char *const *patterns)
{
    memset(t, 0, sizeof *t);
    t->summary = m;
    t->private = format_memory(calloc(1, sizeof *t->private));
    t->private->patterns = patterns;
    t->private->within = format_memory(
        calloc(m->profile->node_count + 1, sizeof *t->private->within));
    t->private->leads = format_memory(
        calloc(m->profile->node_count + 1, sizeof *t->private->leads));
    t->private->line_in = format_memory(
        calloc(m->profile->node_count + 1, sizeof *t->private->line_in));
    t->private->site_of = format_memory(
        calloc(m->profile->node_count + 1, sizeof *t->private->site_of));
    find_sites(t);
    t->private->path_code_of = format_memory(
        calloc(m->profile->node_count + 1, sizeof *t->private->path_code_of));
}

static void finish(struct paths *t)
{
    paths_make_tree(t);
    paths_make_functions(t);
    paths_make_lines(t);
    t->causes = format_memory(calloc(1, sizeof *t->causes));
    causes_new(t->causes, t->summary, t);
    paths_sort(t, "span");
}

void paths_new(struct paths *t, const struct summary *m, bool physical, bool folded,
               const char *const *patterns)
{
    begin(t, m, patterns);
    t->private->physical = physical;
    t->private->folded = folded;
    finish(t);
}

void paths_new_program(struct paths *t, const struct summary *m, const char *const *patterns)
{
    begin(t, m, patterns);
    t->private->folded = t->private->program = true;
    finish(t);
}

void paths_free(struct paths *t)
{
    struct name *n, *n2;
    struct known *k, *k2;
    struct code *c, *c2;
    HASH_ITER(hh, t->private->names, n, n2) {
        HASH_DEL(t->private->names, n);
        free(n);
    }
    HASH_ITER(hh, t->private->known, k, k2) {
        HASH_DEL(t->private->known, k);
        free(k);
    }
    HASH_ITER(hh, t->private->codes, c, c2) {
        HASH_DEL(t->private->codes, c);
        free(c);
    }
    causes_free(t->causes);
    free(t->causes);
    free(t->private->children.slots);
    free(t->private->hit);
    free(t->private->path_code_of);
    free(t->private->within);
    free(t->private->leads);
    free(t->private->line_in);
    free(t->private->site_of);
    free(t->private->logical);
    free(t->private->line_of);
    free(t->private->own_code);
    free(t->private->grain);
    free(t->private->own);
    free(t->private);
    free(t->nodes);
    free(t->functions);
    free(t->lines);
    free(t->places);
    memset(t, 0, sizeof *t);
}

static int compare_rows(const void *a, const void *b, void *metric)
{
    const struct cost_row *x = a, *y = b;
    double u = path_metric(&x->self, metric), v = path_metric(&y->self, metric);
    if (u == v) {
        u = x->self.on_span + x->self.samples / 1e9;
        v = y->self.on_span + y->self.samples / 1e9;
    }
    if (u != v)
        return u < v ? 1 : -1;
    int c = strcmp(x->function, y->function);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

bool paths_sort(struct paths *t, const char *metric)
{
    bool known = false;
    for (unsigned i = 0; path_metrics[i]; i++)
        known |= !strcmp(metric, path_metrics[i]);
    if (!known)
        return false;
    if (t->function_count)
        qsort_r(t->functions, t->function_count, sizeof t->functions[0], compare_rows,
                (void *)metric);
    if (t->line_count)
        qsort_r(t->lines, t->line_count, sizeof t->lines[0], compare_rows, (void *)metric);
    return true;
}
