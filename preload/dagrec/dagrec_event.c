/* dagrec_event.c - events: the arcs of the dag that are not spawns and joins. See dagrec.h.
 *
 * An event is a number. dagrec_put makes one for a position of a strand, dagrec_get makes a strand
 * wait for one, and dagrec_both makes one of two. Puts and gets are operations of kind WAIT. One
 * WAIT holds an event that is put, or up to two that are got, or both.
 */
#include "dagrec/dagrec_private.h"
#include "base/forbid.h"

/* The number of a new event. 0: the numbers are used up, which is counted. */
static uint32_t event_new(void)
{
    /* An event's number must not come twice, or there would be an arc from an unrelated strand.
     * LEFT is more than all threads together take at once. A scope's number may come twice: a task
     * hardly ever has two open scopes of one number. */
    enum { LEFT = 1 << 28 };
    static __thread struct dag_numbers mine __attribute__((tls_model("initial-exec")));
    if (mine.next == mine.end &&
        __atomic_load_n(&dag_shared.events, __ATOMIC_RELAXED) > UINT32_MAX - LEFT) {
        dagrec_note(DAGREC_LOST);
        return 0;
    }
    return dag_number_next(&mine, &dag_shared.events);
}

/* T's last operation if it is a WAIT at T's present position, else NULL. T's node NODE is
 * locked. */
static struct dag_node *last_wait(const struct task *t, const struct dag_node *node)
{
    return node->last && node->last->kind == LPF_DAG_WAIT && t->own == node->mark ? node->last : 0;
}

uint32_t dagrec_put(struct thread *th, const struct task *t)
{
    struct dag_node *node = t->node, *n;
    uint32_t event = 0;
    if (!node || dag_tied_grain_now() == UINT64_MAX)
        return 0;
    struct own own = dag_own_start(th);
    lock_take(&node->lock);
    if ((n = last_wait(t, node))) {
        if (!n->event)
            n->event = event_new();
        event = n->event;
    } else if ((n = dag_node_new(th, LPF_DAG_WAIT))) {
        n->before = dag_since_mark(t, node);
        event = n->event = event_new();
        dag_append(th, node, n);
    }
    lock_release(&node->lock);
    dag_own_stop(th, own);
    return event;
}

uint32_t dagrec_both(struct thread *th, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    struct own own = dag_own_start(th);
    bool room = dag_tied_grain_now() != UINT64_MAX;
    struct dag_node *t = room ? dag_node_new(th, LPF_DAG_TASK) : 0;
    struct dag_node *n = t ? dag_node_new(th, LPF_DAG_WAIT) : 0;
    uint32_t event = b;
    if (n) {                    /* T is a task without cost, which no task joins */
        event = n->event = event_new();
        n->after[0] = a;
        n->after[1] = b;
        t->parent = &dag_top;
        t->first = t->last = n;
        t->count = 1;
        t->tied = t->timed = true;
        t->done = 1;
        lock_take(&dag_top.lock);
        dag_append(th, &dag_top, t);
        lock_release(&dag_top.lock);
    } else {
        dagrec_note(DAGREC_LOST);
        if (t)
            dag_node_free(th, t);
    }
    dag_own_stop(th, own);
    return event;
}

/* T goes on after EVENT. S: the length of T's path if EVENT has made it longer; else 0. */
static void get(struct thread *th, struct task *t, uint32_t event, uint64_t S,
                enum dagrec_hidden why)
{
    struct dag_node *node = t->node, *n;
    if (!event && S)
        dag_wait_until(th, t, S, why);
    if (!event || !node)
        return;
    struct own own = dag_own_start(th);
    lock_take(&node->lock);
    n = last_wait(t, node);
    if (n && !n->event && n->after[0] && (!n->after[1] || n->after[0] == event)) {
        n->after[n->after[0] != event] = event;
        n->not_before = dag_larger(n->not_before, S);
    } else if ((n = dag_node_new(th, LPF_DAG_WAIT))) {
        n->before = dag_since_mark(t, node);
        n->not_before = S;
        n->after[0] = event;
        dag_append(th, node, n);
    }
    lock_release(&node->lock);
    dag_own_stop(th, own);
}

void dagrec_get(struct thread *th, struct task *t, uint32_t event, bool later,
                enum dagrec_hidden why)
{
    get(th, t, event, later ? t->S : 0, why);
}

void dagrec_join_kept(struct thread *th, struct task *t, struct dag_node *child, uint32_t event,
                      uint64_t S)
{
    struct dag_node *node = t->node;
    if (!node || !child || node->last != child || child->kind != LPF_DAG_TASK) {
        get(th, t, event, S, DAGREC_DEPEND);
        return;
    }
    struct scope alone = { .dag_id = 0 };
    child->scope = dag_scope_id(&alone);
    dagrec_join(th, t, &alone);
}
