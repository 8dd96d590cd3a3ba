/* dag.c - see dag.h. */
#include "analysis/dag.h"
#include <fcntl.h>
#include <stdlib.h>
#include "analysis/schedule_private.h"
#include "base/format.h"
#include "profile/profile.h"

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

/* T_inf: the time at which everything has ended when nobody ever waits for a worker, by the times
 * of waits. */
static uint64_t longest(const struct profile *p, const bool *ready)
{
    size_t depth = 0, room = 64;
    struct walk *stack = format_memory(calloc(room, sizeof *stack));
    const struct lpf_dag_op *ops = p->dag_ops;
    uint64_t ended = 0;         /* when the task that was left last had ended, with all below */
    stack[0] = (struct walk){ .at = ops[0].first, .until = ops[0].first + ops[0].count };
    for (;;) {
        struct walk *w = &stack[depth];
        if (w->at == w->until) {
            const struct lpf_dag_op *o = &ops[w->op];
            w->now += o->after_cost;
            ended = larger(w->now, w->last);
            free(w->opens.o);
            if (!depth--)
                break;
            w = &stack[depth];
            if (o->scope)
                open_make(&w->opens, o->scope)->end = larger(open_make(&w->opens, o->scope)->end,
                                                             ended);
            w->last = larger(w->last, ended);
            continue;
        }
        const struct lpf_dag_op *o = &ops[w->at++];
        uint64_t start = w->now, end = 0;
        struct open *x;
        w->now += o->before_cost;
        switch (o->kind) {
        case LPF_DAG_TASK:
            if (o->count) {
                if (++depth == room) {
                    stack = format_memory(realloc(stack, 2 * room * sizeof *stack));
                    room *= 2;
                    w = &stack[depth - 1];
                }
                stack[depth] = (struct walk){ .op = o - ops,
                                              .at = o->first,
                                              .until = o->first + o->count,
                                              .now = ready && ready[o - ops] ? 0 : w->now };
                continue;
            }
            end = larger(w->now + o->span_cost, o->not_before_cost);
            break;
        case LPF_DAG_BUNDLE: end = larger(start + o->span_cost, o->not_before_cost); break;
        case LPF_DAG_JOIN:
            if ((x = open_find(&w->opens, o->scope))) {
                w->now = larger(w->now, x->end);
                open_close(&w->opens, x);
            }
            continue;
        case LPF_DAG_BLOCK: w->now = larger(w->now + o->span_cost, o->not_before_cost); continue;
        default: w->now = larger(w->now, o->not_before_cost); continue;
        }
        w->last = larger(w->last, end);
        if (o->scope) {
            x = open_make(&w->opens, o->scope);
            x->end = larger(x->end, end);
        }
    }
    free(stack);
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
