/* path_tree.c - the logical tree: it maps each node of the profile's own tree to a logical one. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "analysis/paths.h"
#include "analysis/paths_private.h"
#include "base/format.h"
#include "libprof_format.h"
#include "symbols/names.h"

/* ---- places ---- */

size_t places_hash(uint64_t number, const char *function, const char *file)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t h = (number + (uintptr_t)function) * odd;
    h = ((h ^ h >> 29) + (uintptr_t)file) * odd;
    return h ^ h >> 32;
}

void places_grow(struct places *p, size_t count, size_t (*hash)(const void *all, size_t i),
                 const void *all)
{
    if (count < p->size / 2)
        return;
    free(p->slots);
    p->size = p->size ? p->size * 2 : 64;
    p->slots = format_memory(calloc(p->size, sizeof *p->slots));
    for (size_t i = 0; i < count; i++) {
        size_t at = hash(all, i) & (p->size - 1);
        while (p->slots[at])
            at = (at + 1) & (p->size - 1);
        p->slots[at] = i + 1;
    }
}

/* ---- the logical tree ---- */

static size_t hash_node(const void *nodes, size_t i)
{
    const struct path_node *n = (const struct path_node *)nodes + i;
    return places_hash((uint64_t)n->apart << 32 | n->parent, n->function, n->file);
}

uint32_t path_child(struct paths *t, uint32_t parent, const char *function, const char *file,
                    int apart)
{
    struct places *p = &t->private->children;
    places_grow(p, t->node_count, hash_node, t->nodes);
    size_t at = places_hash((uint64_t)apart << 32 | parent, function, file) & (p->size - 1);
    for (; p->slots[at]; at = (at + 1) & (p->size - 1)) {
        const struct path_node *n = &t->nodes[p->slots[at] - 1];
        if (n->parent == parent && n->function == function && n->file == file && n->apart == apart)
            return p->slots[at] - 1;
    }
    if (t->node_count == t->private->node_capacity) {
        t->private->node_capacity = t->private->node_capacity ? t->private->node_capacity * 2 : 16;
        t->nodes = format_memory(realloc(t->nodes, t->private->node_capacity * sizeof *t->nodes));
    }
    t->nodes[t->node_count] = (struct path_node){ .parent = parent,
                                                  .function = function,
                                                  .file = file,
                                                  .apart = apart };
    p->slots[at] = t->node_count + 1;
    return t->node_count++;
}

#define RECURSION_LEVELS 512    /* the longest cycle of functions that is folded */

/* The node at or above AT with F's function, which then is a recursion. 0: there is none. */
static uint32_t ancestor_of(const struct paths *t, uint32_t at, const struct code_frame *f)
{
    for (unsigned level = 0; at && level < RECURSION_LEVELS; level++, at = t->nodes[at].parent)
        if (t->nodes[at].function == f->function && t->nodes[at].file == f->file &&
            t->nodes[at].apart == f->apart)
            return at;
    return 0;
}

/* Sets *TO to LINE, which may be 0: not known. */
static void declare(int *to, int line)
{
    if (line)
        *to = *to && *to != line ? -1 : line;
}

/* SITE's tasks, or those of NULL, execute a function of *OF first; *MANY: of several sites. */
static void spawned_at(const struct row **of, bool *many, const struct row *site)
{
    *many |= *of && *of != site;
    *of = *many ? 0 : site;
}

/* The row of the site whose tasks are below the innermost boundary around N. */
static const struct row *site_around(const struct paths *t, const struct lpf_node *n)
{
    const struct lpf_node *nodes = t->summary->profile->nodes;
    uint32_t at = n->parent;
    while (at && nodes[at].kind != LPF_NODE_TASK)
        at = nodes[at].parent;
    return t->private->site_of[at];
}

/* The number of C's frames down to the innermost one that is the program's own; 0: none is. A
 * nameless frame may be. */
static uint32_t frames_to_program(const struct code *c)
{
    uint32_t n = c->runtime_module || c->system || c->libprof ? 0 : c->count;
    while (n && (c->frame[n - 1].runtime || c->frame[n - 1].glue || c->frame[n - 1].library))
        n--;
    return n;
}

void path_find_leads(struct paths *t)
{
    const struct profile *p = t->summary->profile;
    unsigned char *leads = t->private->leads;
    for (size_t i = p->node_count; i-- > 1;) {
        const struct lpf_node *n = &p->nodes[i];
        if (n->kind != LPF_NODE_FRAME && n->kind != LPF_NODE_LEAF)
            continue;
        const struct code *c = path_code_of(t, n);
        leads[n->parent] |= leads[i] | (frames_to_program(c) ? LEADS_TO_PROGRAM : 0);
        for (uint32_t k = 0; k < c->count && c->system; k++)
            leads[n->parent] |= name_starts_program(c->frame[k].function) ? LEADS_TO_START : 0;
    }
}

/* Is frame I of C, at node N, on the way from the start of its task to the program's own code? What
 * calls libc's start is the program's entry point, which has no name in a stripped file. The
 * libraries' functions between a thread's start and the program's code, as those of std::async, are
 * part of the function that started the thread. */
static bool leads_to_program(const struct paths *t, const struct code *c, uint32_t i, size_t n)
{
    const struct code_frame *f = &c->frame[i];
    unsigned leads = t->private->leads[n];
    if (leads & LEADS_TO_START)
        return true;
    return t->private->program && !t->private->within[n] && !f->element &&
           (f->library || c->system) && (leads & LEADS_TO_PROGRAM || i < frames_to_program(c));
}

uint32_t path_descend(struct paths *t, const struct lpf_node *n, uint32_t parent, uint64_t weight)
{
    if (n->kind == LPF_NODE_TASK || n->kind == LPF_NODE_ROOT)
        return parent;
    if (n->kind == LPF_NODE_CUT)
        return path_child(t, parent, path_intern(t, "[unknown]"), 0, 0);
    const struct code *c = path_code_of(t, n);
    /* the C library's code that starts a thread, without symbols */
    bool start = c->system && c->nameless &&
                 t->summary->profile->nodes[n->parent].kind == LPF_NODE_TASK;
    size_t index = n - t->summary->profile->nodes;
    bool *within = &t->private->within[index];
    *within = t->private->within[n->parent];
    int line = t->private->line_in[n->parent];
    for (uint32_t i = 0; i < c->count; i++) {
        const struct code_frame *f = &c->frame[i];
        if (!t->private->physical && (f->runtime || f->glue || f->folded || start ||
                                      leads_to_program(t, c, i, index)))
            continue;
        /* what the system's code calls in itself is part of what the program called */
        if (t->private->program && *within &&
            (f->library || (c->system && module_is_system(t->nodes[parent].module))))
            continue;
        bool first = !*within;
        *within = true;
        uint32_t again = t->private->folded ? ancestor_of(t, parent, f) : 0;
        parent = again ? again : path_child(t, parent, f->function, f->file, f->apart);
        struct path_node *to = &t->nodes[parent];
        if (!to->module)
            to->module = c->module;
        to->foreign |= f->runtime;
        declare(&to->declared, f->declared);
        if (!again)
        line = f->line;
        if (first && !t->private->physical)
            spawned_at(&to->site, &to->sites, site_around(t, n));
        if (!to->line || weight > to->line_weight) {
            to->line = f->line;
            to->line_weight = weight;
        }
    }
    t->private->line_in[index] = line;
    return parent;
}
