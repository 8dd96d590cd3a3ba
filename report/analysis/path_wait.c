/* path_wait.c - see path_wait.h. */
#define _GNU_SOURCE
#include "analysis/path_wait.h"
#include <stdlib.h>
#include "analysis/paths_private.h"
#include "analysis/stats.h"
#include "base/format.h"
#include "profile/profile.h"

/* The end of the stretch of frames that path_wait_of looks at. */
static bool is_of_program(const struct code *c, const struct code_frame *f)
{
    return !c->runtime_module && !c->system && !c->libprof && !f->runtime && !f->glue &&
           !f->folded && !format_starts(f->function, "std::") &&
           !format_starts(f->function, "__gthread_");
}

enum wait path_wait_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    enum wait found = WAIT_NONE;
    for (; p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF;
         i = p->nodes[i].parent) {
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;) {
            if (is_of_program(c, &c->frame[k]))
                return found;
            if (c->frame[k].wait > found)
                found = c->frame[k].wait;
        }
    }
    return found;
}

/* The sum of NS by logical node. *CALLER: see paths_spinning. */
static double sum_of(const struct paths *t, double (*ns)(const struct paths *t, uint32_t i),
                     const struct path_node **caller)
{
    double *of = format_memory(calloc(t->node_count + 1, sizeof *of)), all = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < t->private->marked; i++) {
        uint32_t at = i;
        double here = ns(t, i);
        if (here <= 0)
            continue;
        while (t->nodes[at].parent && module_is_system(t->nodes[at].module))
            at = t->nodes[at].parent;
        all += here;
        of[at] += here;
        if (of[at] > of[most] || !most)
            most = at;
    }
    free(of);
    *caller = most ? &t->nodes[most] : 0;
    return all;
}

static double spun(const struct paths *t, uint32_t i)
{
    return profile_ns(t->summary->profile, t->private->marks[i].spun);
}

static double locked(const struct paths *t, uint32_t i)
{
    return t->private->marks[i].locked;
}

double paths_spinning(const struct paths *t, const struct path_node **caller)
{
    return sum_of(t, spun, caller);
}

double paths_locked(const struct paths *t, const struct path_node **caller)
{
    return sum_of(t, locked, caller);
}
