/* flow_task.c - a message makes a task of a flow graph ready. See flow.c. */
#include "flow_private.h"
#include "callsite/site.h"
#include "lifecycle/lifecycle.h"
#include "base/forbid.h"

/* The context of N's bodies. Its site is the body's function. */
static struct context *context_of(struct flow_node *n, const struct tbb_task *t)
{
    struct context *c = __atomic_load_n(&n->context, __ATOMIC_RELAXED);
    if (__builtin_expect(c != 0, 1))
        return c;
    struct context *parent = n->graph->context ? n->graph->context : context_root;
    uintptr_t address = (uintptr_t)t->vptr[VTABLE_EXECUTE];
    if (n->class_->body) {
        void *const *const *body = *(void *const *const *const *)((const char *)n->top +
                                                                  n->class_->body);
        address = (uintptr_t)(*body)[VTABLE_BODY_CALL];
    }
    struct task spawner = { .ctx = parent };
    c = site_context(&spawner, path_single(address + 1), &tbb_site_style, n->class_->name, 0);
    __atomic_store_n(&n->context, c, __ATOMIC_RELAXED);
    return c;
}

/* REC is the record of T, of class K. */
static inline void is_record(struct flow_node *n, struct tbb_graph_task *t,
                             const struct task_class *k, struct task *rec, bool spawned)
{
    /* a task with a priority goes to the graph's own queue, and passes no entry point */
    bool queued = t->priority && (k->flow == FLOW_TASK_BODY || k->flow == FLOW_TASK_INPUT);
    rec->agent_class = k;
    rec->agent_flow = n;
    tbb_task_see(&t->task, rec, spawned || queued);
    flow_here.prioritized += queued;
}

bool flow_ready(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                const struct mail *m, uint32_t flags, bool spawned)
{
    struct flow_graph *g = n->graph;
    const struct task_class *k = task_class_of(tbb_task_vptr(&t->task));
    struct scope *s = m->a.trail ? m->a.trail->scope : flow_scope_of(th, g);
    bool body = k->flow == FLOW_TASK_BODY || k->flow == FLOW_TASK_INPUT;
    struct context *ctx = body ? context_of(n, &t->task) : g->context;
    if (!body)
        flags |= TASK_CALL | TASK_INHERIT;
    bool guest = s && th->cur && flow_is_guest(th, s);
    if (__builtin_expect(guest, 0)) {
        lock_take(&g->joining);
        g->had_guests = true;
    }
    struct task *rec = s ? engine_spawn_after(th, s, ctx ? ctx : context_root, n->seq, flags,
                                              &m->a) : 0;
    if (__builtin_expect(guest, 0))
        lock_release(&g->joining);
    if (!rec)
        return false;
    engine_task_after(th, rec, &m->a, body);
    if (m->doubt)
        rec->flags |= IN_DOUBT;
    is_record(n, t, k, rec, spawned);
    lifecycle_first_event();
    return true;
}

struct task *flow_ready_along(struct thread *th, struct flow_node *n)
{
    struct context *ctx = __atomic_load_n(&n->context, __ATOMIC_RELAXED);
    struct scope *s = ctx && is_plain_here() ? flow_scope_known(th, n->graph) : 0;
    return s ? engine_spawn_along(th, s, ctx, n->seq, 0) : 0;
}

void flow_ready_is(struct flow_node *n, struct tbb_graph_task *t, struct task *rec, bool spawned)
{
    is_record(n, t, task_class_of(tbb_task_vptr(&t->task)), rec, spawned);
}
