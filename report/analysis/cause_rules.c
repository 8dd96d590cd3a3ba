/* cause_rules.c - see cause_cells.h. */
#include <string.h>
#include "analysis/cause_cells.h"

/* Of its work: so much on the critical path, and a site's parts come one after the other. */
#define IN_TURN 0.97
/* To start a thread and to end it takes a good part of this. */
#define THREAD_NS 100e3

bool cause_is_idle(enum cause c)
{
    return c == CAUSE_SERIAL || c == CAUSE_IMBALANCE || c == CAUSE_FEW_TASKS ||
           c == CAUSE_SPAWNING || c == CAUSE_NESTED;
}

struct place place_of(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    for (; i && i != LPF_NONE; i = p->nodes[i].parent) {
        if (p->nodes[i].kind != LPF_NODE_FRAME && p->nodes[i].kind != LPF_NODE_LEAF)
            continue;
        const struct code *c = path_code_of(t, &p->nodes[i]);
        for (uint32_t k = c->count; k-- > 0;)
            if (path_is_program(c, &c->frame[k]))
                return (struct place){ c->frame[k].function, c->frame[k].file, c->frame[k].line };
    }
    return (struct place){ 0 };
}

struct place place_of_site(const struct row *r)
{
    return (struct place){ r->plain, r->file, r->line };
}

bool place_is(const struct place *a, const struct place *b)
{
    return a->function == b->function ||
           (a->function && b->function && !strcmp(a->function, b->function) &&
            (!a->file || !b->file || !strcmp(a->file, b->file)));
}

bool cause_site_is_region(const struct row *r)
{
    return r && !strncmp(r->construct, "parallel", 8) && !r->recursive;
}

bool cause_site_is_thread(const struct row *r)
{
    return !strcmp(r->construct, "pthread_create");
}

/* How many parts R has at a time. */
static double at_a_time(const struct row *r)
{
    double parts = r->parts ? r->parts : r->tasks;
    return cause_site_is_region(r) && r->invocations ? parts / r->invocations : parts;
}

enum cause cause_of_runtime(const struct cells *of, const struct row *r)
{
    bool openmp = !strcmp(r->runtime, "openmp");
    double parts = openmp ? r->handed.chunks : r->tasks;
    return cause_site_is_region(r) && parts < AMPLE * (double)r->invocations * of->slots
               ? CAUSE_SHORT_REGIONS
               : CAUSE_SMALL_TASKS;
}

/* Is node I of the profile in the body of a serial filter? */
static bool in_filter(struct paths *t, uint32_t i)
{
    const struct profile *p = t->summary->profile;
    for (; i < p->node_count &&
           (p->nodes[i].kind == LPF_NODE_FRAME || p->nodes[i].kind == LPF_NODE_LEAF);
         i = p->nodes[i].parent)
        if (path_code_of(t, &p->nodes[i])->filter)
            return true;
    return false;
}

enum cause cause_of_idleness(const struct cells *of, uint32_t i, const struct row *site)
{
    if (in_filter(of->t, i))
        return CAUSE_ORDERED;
    if (!site || site->root)
        return CAUSE_SERIAL;
    if (summary_is_of_one(site))
        return CAUSE_NESTED;
    if (cause_site_is_thread(site) && profile_ns(of->m->profile, row_mean(site)) < THREAD_NS)
        return CAUSE_SMALL_TASKS;
    if (at_a_time(site) <= 1 || site->on_local.span > IN_TURN * site->local.work)
        return CAUSE_SERIAL;
    if (!strcmp(site->runtime, "openmp") && cause_site_is_region(site))
        return CAUSE_IMBALANCE;
    /* a recursion has few parts at its start, and where it joins them */
    bool few = at_a_time(site) < AMPLE * of->slots || site->recursive;
    return few && !cause_site_is_thread(site) ? CAUSE_FEW_TASKS : CAUSE_IMBALANCE;
}

enum cause cause_of_service(enum service service, enum lpf_wait_kind kind)
{
    static const enum cause of[] = {
        [SERVICE_NONE] = CAUSES,          [SERVICE_MEMORY] = CAUSE_MEMORY,
        [SERVICE_THREAD] = CAUSES,        [SERVICE_SLEEP] = CAUSE_SLEEP,
        [SERVICE_WAIT] = CAUSE_WAIT,      [SERVICE_LOCK] = CAUSE_CONTENTION,
        [SERVICE_SPIN] = CAUSE_CONTENTION, [SERVICE_TURN] = CAUSE_ORDERED,
    };
    if (service == SERVICE_TURN || kind == LPF_WAIT_CPU)
        return of[service];
    switch (kind) {
    case LPF_WAIT_SLEEP:
        return CAUSE_SLEEP;
    case LPF_WAIT_IO:
    case LPF_WAIT_POLL:
    case LPF_WAIT_CHILD:
        return CAUSE_IO;
    case LPF_WAIT_MEMORY:
    case LPF_WAIT_FAULT:
        return CAUSE_MEMORY;
    default:
        return service == SERVICE_LOCK ? CAUSE_CONTENTION : CAUSE_WAIT;
    }
}
