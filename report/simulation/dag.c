/* dag.c - see dag.h. */
#include "simulation/dag.h"
#include <fcntl.h>
#include <stdlib.h>
#include "base/format.h"
#include "profile/profile.h"
#include "simulation/expand_private.h"

struct open *open_find(struct opens *all, uint32_t scope)
{
    for (size_t i = all->count; i-- > 0;)
        if (all->o[i].scope == scope)
            return &all->o[i];
    return 0;
}

struct open *open_make(struct opens *all, uint32_t scope)
{
    struct open *o = open_find(all, scope);
    if (o)
        return o;
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 16;
        all->o = format_memory(realloc(all->o, all->room * sizeof *all->o));
    }
    all->o[all->count] = (struct open){ .scope = scope, .slot = NONE };
    return &all->o[all->count++];
}

void open_close(struct opens *all, struct open *o)
{
    *o = all->o[--all->count];
}

/* A task's spans depend on those of what it spawns, which stand behind it, and on where it starts,
 * which what stands before it decides. So: starts and ends are found in one walk in depth first
 * order. */
struct walk {
    uint32_t op;                /* the task's entry */
    uint64_t at, until;         /* its next operation, and their end */
    uint64_t now, last;         /* its strand's time; the last end of anything below */
    struct opens opens;
};

/* By entry: tasks that no strand spawns; NULL: there are none. */
bool *dag_ready(const struct profile *p)
{
    bool *ready = 0;
    for (size_t i = 0; i < p->dag_arc_count; i++)
        if (!p->dag_arcs[i].from) {
            if (!ready)
                ready = format_memory(calloc(p->dag_op_count, sizeof *ready));
            ready[p->dag_arcs[i].to] = true;
        }
    return ready;
}

/* The walk: from the program's entry to the task that it is in. */
struct walks {
    struct walk *of;
    size_t count, room;
};

/* The walk goes down into the task of O, which starts at NOW. */
static void enter(struct walks *s, const struct lpf_dag_op *ops, const struct lpf_dag_op *o,
                  uint64_t now)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->of = format_memory(realloc(s->of, s->room * sizeof *s->of));
    }
    s->of[s->count++] = (struct walk){
        .op = o - ops, .at = o->first, .until = o->first + o->count, .now = now
    };
}

/* What W has spawned into SCOPE ends at END, with all below. */
static void spawned(struct walk *w, uint32_t scope, uint64_t end)
{
    w->last = larger(w->last, end);
    if (scope) {
        struct open *x = open_make(&w->opens, scope);
        x->end = larger(x->end, end);
    }
}

/* The walk goes up from the task that it is in. Returns when that has ended, with all below. */
static uint64_t leave(struct walks *s, const struct lpf_dag_op *ops)
{
    struct walk *w = &s->of[--s->count];
    const struct lpf_dag_op *o = &ops[w->op];
    uint64_t ended = larger(w->now + o->after_cost, w->last);
    free(w->opens.o);
    if (s->count)
        spawned(w - 1, o->scope, ended);
    return ended;
}

/* The strand of W goes on beyond O, which has no entries below it. */
static void pass(struct walk *w, const struct lpf_dag_op *o)
{
    uint64_t start = w->now;
    struct open *x;
    w->now += o->before_cost;
    switch (o->kind) {
    case LPF_DAG_TASK:
        spawned(w, o->scope, larger(w->now + o->span_cost, o->not_before_cost));
        break;
    case LPF_DAG_BUNDLE:
        spawned(w, o->scope, larger(start + o->span_cost, o->not_before_cost));
        break;
    case LPF_DAG_JOIN:
        if ((x = open_find(&w->opens, o->scope))) {
            w->now = larger(w->now, x->end);
            open_close(&w->opens, x);
        }
        break;
    case LPF_DAG_BLOCK: w->now = larger(w->now + o->span_cost, o->not_before_cost); break;
    default: w->now = larger(w->now, o->not_before_cost); break;
    }
}

/* T_inf: the time at which everything has ended when nobody ever waits for a worker, by the times
 * of waits. */
static uint64_t longest(const struct profile *p, const bool *ready)
{
    const struct lpf_dag_op *ops = p->dag_ops;
    struct walks s = { 0 };
    uint64_t ended = 0;
    enter(&s, ops, ops, 0);
    while (s.count) {
        struct walk *w = &s.of[s.count - 1];
        if (w->at == w->until) {
            ended = leave(&s, ops);
            continue;
        }
        const struct lpf_dag_op *o = &ops[w->at++];
        if (o->kind == LPF_DAG_TASK && o->count) {
            w->now += o->before_cost;
            enter(&s, ops, o, ready && ready[o - ops] ? 0 : w->now);
        } else {
            pass(w, o);
        }
    }
    free(s.of);
    return ended;
}

struct recorded recorded_of(const struct profile *p)
{
    bool *ready = dag_ready(p);
    struct recorded r = { .records = p->dag_op_count,
                          .arcs = p->dag_arc_count,
                          .span = longest(p, ready) };
    free(ready);
    for (size_t i = 0; i < p->dag_op_count; i++) {
        const struct lpf_dag_op *o = &p->dag_ops[i];
        r.work += o->before_cost + o->work_cost + (o->kind == LPF_DAG_TASK ? o->after_cost : 0);
        r.tasks += o->tasks;
    }
    return r;
}
