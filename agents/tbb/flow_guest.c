/* flow_guest.c - guests of a flow graph: strands that put messages into the graph but are no task
 * of it, such as a thread that puts through an async_node's gateway. See flow.c.
 *
 * The strand that waits for the graph must be able to adopt the path of a message. So the path must
 * begin at a birth on the path of a scope's owner:
 *   sibling     the guest is a child of a scope's owner. Its birth is on that path
 *   sponsored   the guest is a child of an async_node's body. Its path consists of the path to the
 *               body's start, the body up to the guest's birth, and the guest's own path. What the
 *               body itself joined until then counts as the body's
 * Any other guest has a scope of its own. Then the span is exact, but the split charges the guest's
 * share to the last body.
 *
 * A body may end before the strands that it started. So its path is kept from its start on, for the
 * last SPONSORS bodies. Which body started a guest follows from the owner of the guest's scope, or
 * else from the thread and the time of the guest's spawn.
 *
 * The owner's join empties a scope, and nobody may spawn into the scope at that time. The scope's
 * own tasks cannot, because they have ended. Other strands can: a wait may have returned, and its
 * join not begun, when a strand puts a message whose path is of that scope. That strand is a guest
 * there, even if it is a task of the graph or the owner of another scope. So both the join and a
 * guest's spawn take graph.joining. And a scope stays until the graph is destroyed, because a
 * message that names it may come late. When its owner has ended, the scope waits for another owner.
 */
#include <string.h>
#include "flow_private.h"
#include "dag/bag.h"
#include "base/forbid.h"

enum { SPONSORS = 256 };

struct sponsor {
    const struct task *task;    /* if it has ended, only its address */
    const struct thread *thread;        /* the thread that it began on */
    uint64_t begun, ended;      /* tsc; ended is UINT64_MAX while the body runs */
    uint64_t epoch;             /* 0: the entry is empty */
    struct trail path;          /* the path to its start */
    uint64_t end;               /* its own part of the path goes from path.S to here */
};

/* The latest sponsors, in a ring. */
struct sponsors {
    uint64_t count;             /* ever */
    struct sponsor ring[SPONSORS];
};

void flow_sponsor_begin(struct thread *th, struct flow_graph *g, const struct task *t)
{
    if (t->flags & TASK_FOREIGN)
        return;
    lock_take(&g->lock);
    if (!g->sponsors && (g->sponsors = block_new(th, block_class(sizeof *g->sponsors))))
        memset(g->sponsors, 0, sizeof *g->sponsors);
    if (g->sponsors) {
        struct sponsor *b = &g->sponsors->ring[g->sponsors->count++ % SPONSORS];
        bag_free(th, b->path.bag);
        *b = (struct sponsor){ .task = t, .thread = th, .begun = th->clock.last,
                               .ended = UINT64_MAX, .epoch = g->epoch, .end = UINT64_MAX,
                               .path = { .S = t->S, .birth = t->birth, .late = t->late,
                                         .scope = t->scope, .ctx = t->ctx, .flags = t->flags,
                                         .bag = bag_copy(th, t->bag) } };
    }
    lock_release(&g->lock);
}

void flow_sponsor_end(struct thread *th, struct flow_graph *g, const struct task *t)
{
    lock_take(&g->lock);
    for (uint64_t i = 0; g->sponsors && i < SPONSORS; i++) {
        struct sponsor *b = &g->sponsors->ring[i];
        if (b->task != t || b->ended != UINT64_MAX)
            continue;
        b->ended = th->clock.last;
        b->end = t->S;
    }
    lock_release(&g->lock);
}

void flow_sponsors_free(struct thread *th, struct flow_graph *g)
{
    if (!g->sponsors)
        return;
    for (uint64_t i = 0; i < SPONSORS; i++)
        bag_free(th, g->sponsors->ring[i].path.bag);
    block_free(th, g->sponsors);
    g->sponsors = 0;
}

/* Did B start T? A body ends here before its scope loses its owner, so a parent may be a body that
 * has ended. Another task may have its record by now. */
static bool started(const struct sponsor *b, const struct task *t, const struct task *parent)
{
    if (b->path.S > t->birth || (parent && parent != b->task))
        return false;
    if (parent && b->ended == UINT64_MAX)
        return true;
    return (parent || b->thread == t->spawner) && b->begun <= t->spawn_tsc &&
           t->spawn_tsc <= b->ended && t->birth <= b->end;
}

/* The body that started T, a guest. NULL: not known. Under G's lock. */
static const struct sponsor *sponsor_of(const struct flow_graph *g, const struct task *t,
                                        const struct task *parent)
{
    const struct sponsors *all = g->sponsors;
    for (uint64_t i = all ? all->count : 0; i && all->count - i < SPONSORS; i--) {
        const struct sponsor *b = &all->ring[(i - 1) % SPONSORS];
        if (b->epoch == g->epoch && started(b, t, parent))
            return b;
    }
    return 0;
}

/* The task that spawned T. NULL: it has ended, or T is detached. */
static const struct task *parent_of(const struct task *t)
{
    return t->scope ? __atomic_load_n(&t->scope->owner, __ATOMIC_ACQUIRE) : 0;
}

struct scope *flow_guest_scope(struct thread *th, struct flow_graph *g)
{
    const struct task *t = th->cur, *parent = parent_of(t);
    struct scope *s;
    if (t->flags & (TASK_FOREIGN | TASK_ROOT))
        return 0;
    lock_take(&g->lock);
    for (s = g->scopes; s && (!parent || s->owner != parent); s = s->key_next)
        ;
    if (!s) {
        const struct sponsor *b = sponsor_of(g, t, parent);
        s = b ? b->path.scope : 0;
    }
    lock_release(&g->lock);
    return s;
}

void flow_guest_path(struct thread *th, struct flow_graph *g, struct trail *r)
{
    const struct task *t = th->cur, *parent = parent_of(t);
    if (parent && parent == r->scope->owner)
        return;
    lock_take(&g->lock);
    const struct sponsor *b = sponsor_of(g, t, parent);
    if (b && b->path.scope == r->scope)
        trail_prepend(th, r, &b->path, t->birth);
    lock_release(&g->lock);
}

void flow_guest_join(struct thread *th, struct flow_graph *g, struct scope *s)
{
    if (!scope_is_empty(s))
        engine_join_wait(th, s);
    lock_take(&g->joining);
    if (s->owner == th->cur && scope_done(s)) {
        if (g->had_guests)
            scope_borrow(th, s);
        engine_join(th, s);
    } else {                    /* a guest's messages may be under way: nobody waits for them */
        engine_join_ended(th, s);
    }
    lock_release(&g->joining);
}
