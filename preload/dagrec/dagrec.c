/* dagrec.c - the dag's recorder: the setting, start and fork, and the hooks of the engine. See
 * dagrec.h and dagrec_private.h.
 *
 * A hook measures how long it takes, and takes that off the running strand. It makes a node and
 * appends it to its task's list, under that list's lock.
 */
#include "dagrec/dagrec_private.h"
#include <string.h>
#include "base/message.h"
#include "clock/clock.h"
#include "dag/block.h"
#include "dag/run.h"
#include "base/forbid.h"

#define GRAIN_NS 5000           /* a steal of less work than this costs more than it gains */

uint64_t dag_own_rest, dag_own_rest_cost;

/* ---- the setting, start and fork ---- */

/* Reads a decimal number at *P and moves *P past it. False: there is none, or it is too large. */
static bool number(const char **p, uint64_t *v)
{
    const char *c = *p;
    for (*v = 0; *c >= '0' && *c <= '9'; c++)
        if ((*v = *v * 10 + (*c - '0')) > 1ull << 50)
            return false;
    bool ok = c != *p;
    *p = c;
    return ok;
}

void dagrec_setup(const char *setting)
{
    const char *p = setting;
    uint64_t bytes, ns = clock_kind == CLOCK_VIRTUAL ? 0 : GRAIN_NS, num, den;
    if (!*p)
        return;
    bool ok = number(&p, &bytes);
    if (ok && (*p == 'k' || *p == 'm'))
        bytes <<= *p++ == 'k' ? 10 : 20;
    if (ok && *p == ',')
        ok = (p++, number(&p, &ns));
    if (!ok || *p) {
        message(MESSAGE_WARNING, "PROF_DAG=%s is not BYTES[k|m][,GRAIN]: the dag is not recorded",
                setting);
        return;
    }
    clock_unit(&num, &den);
    dag_limits.bytes = bytes;
    dag_limits.nodes = bytes / (sizeof(struct block) + sizeof(struct dag_node));
    dag_limits.first_grain = num ? (uint64_t)((__uint128_t)ns * den / num) : ns;
}

/* Sets dag_own_rest: the least time that an empty hook spends outside its two clock readings. */
static void own_calibrate(struct thread *th)
{
    enum { TRIES = 64, EACH = 16 };
    uint64_t t0 = th->t0, least = UINT64_MAX;
    dag_own_rest = dag_own_rest_cost = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t start = clock_ticks(), before = th->measured_tsc;
        struct task *cur = th->cur;
        th->cur = 0;
        for (unsigned k = 0; k < EACH; k++)
            dag_own_stop(th, dag_own_start(th));
        th->cur = cur;
        uint64_t all = clock_ticks() - start, measured = th->measured_tsc - before;
        if (all - measured < least)
            least = all - measured;
    }
    dag_own_rest = least / EACH;
    dag_own_rest_cost = clock_kind == CLOCK_TSC || clock_kind == CLOCK_WALL ? dag_own_rest : 0;
    th->measured_tsc = 0;
    th->t0 = t0;
}

/* Makes the node of T, a new task below PARENT. NULL: there is no memory. */
static struct dag_node *node_of(struct thread *th, struct dag_node *parent, struct task *t)
{
    struct dag_node *n = dag_node_new(th, LPF_DAG_TASK);
    if (!n)
        return 0;
    n->parent = parent;
    n->birth = t->S;
    n->task = t;
    n->children = !(t->flags & TASK_ROOT);
    n->pending = 1;
    n->limit = DAG_FIRST_LIMIT;
    n->grain = dag_pressure_now();
    t->node = n;
    return n;
}

/* Records that FROM has spawned T into SCOPE. FROM NULL: no strand spawned T. */
static void born(struct thread *th, struct task *from, struct task *t, struct scope *scope)
{
    struct dag_node *parent = from ? from->node : &dag_top;
    struct dag_node *n = parent ? node_of(th, parent, t) : 0;
    if (!n)
        return;                 /* the loss of this node or of its parent has been counted */
    lock_take(&parent->lock);
    if (scope) {
        /* If FROM neither owns the scope nor was spawned into it, the time of the join is
         * unknown. */
        n->scope = dag_scope_id(scope);
        if (scope->owner != from && parent->scope != n->scope)
            dagrec_note(DAGREC_SCOPE);
    }
    if (from)
        n->before = dag_since_mark(from, parent);
    __atomic_add_fetch(&parent->pending, 1, __ATOMIC_RELAXED);
    dag_append(th, parent, n);
    lock_release(&parent->lock);
}

bool dagrec_wanted(void)
{
    return dag_limits.bytes;
}

void dagrec_start(struct thread *th, struct task *root)
{
    if (!dag_limits.bytes)
        return;
    dag_nodes_reset();
    born(th, 0, root, 0);
    dagrec_on = root->node != 0;
    if (!dagrec_on)
        return;
    engine_extras = true;
    root->node->mark = root->own;
    own_calibrate(th);
}

void dagrec_forked(struct thread *th, struct task *root)
{
    if (!dagrec_on)
        return;
    dag_nodes_reset();
    for (struct thread *other = engine_threads; other; other = other->next)
        other->dag_nodes = other->measured_tsc = 0;
    if (root) {
        root->node = 0;
        if (root->own_scope)
            root->own_scope->dag_id = 0;
        born(th, 0, root, 0);
    }
}

/* ---- hooks ---- */

uint32_t dag_scope_id(struct scope *s)
{
    static __thread struct dag_numbers mine __attribute__((tls_model("initial-exec")));
    if (!s->dag_id)
        s->dag_id = dag_number_next(&mine, &dag_shared.scope_ids);
    return s->dag_id;
}

void dagrec_spawn(struct thread *th, struct task *from, struct task *t, struct scope *scope)
{
    struct own own = dag_own_start(th);
    born(th, from, t, scope);
    dag_own_stop(th, own);
}

/* The parent's node for a task of SCOPE that no strand spawns: the node of the scope's owner, or
 * dag_top. *OWNED: the scope has an owner. The owner may end on another thread: it gives the scope
 * up under the scope's lock, and only then its node. Here `pending` rises under the same lock, so
 * the node stays. */
static struct dag_node *parent_in(struct scope *scope, bool *owned)
{
    lock_take(&scope->lock);
    struct task *owner = scope->owner;
    struct dag_node *parent = owner ? owner->node : &dag_top;
    if (parent)
        __atomic_add_fetch(&parent->pending, 1, __ATOMIC_RELAXED);
    lock_release(&scope->lock);
    *owned = owner;
    return parent;
}

void dagrec_ready(struct thread *th, struct task *t, struct scope *scope)
{
    struct own own = dag_own_start(th);
    bool owned;
    struct dag_node *parent = parent_in(scope, &owned), *n = parent ? node_of(th, parent, t) : 0;
    if (n) {
        lock_take(&parent->lock);
        n->scope = dag_scope_id(scope);
        n->ready = owned;
        dag_append(th, parent, n);
        lock_release(&parent->lock);
    } else if (parent && !__atomic_sub_fetch(&parent->pending, 1, __ATOMIC_ACQ_REL)) {
        dag_finish(th, parent);
    }
    dag_own_stop(th, own);
}

void dagrec_join(struct thread *th, struct task *t, struct scope *s)
{
    struct dag_node *node = t->node, *n;
    if (s->rest)
        dagrec_note(DAGREC_LOOSE);
    if (!node || !s->dag_id)
        return;
    struct own own = dag_own_start(th);
    if ((n = dag_node_new(th, LPF_DAG_JOIN))) {
        lock_take(&node->lock);
        n->scope = s->dag_id;
        n->before = dag_since_mark(t, node);
        dag_append(th, node, n);
        if (node->unfinished > DAG_FIRST_LIMIT && node->unfinished >= node->count / 2)
            /* Most of the tasks are finished now. Their spawns have paid for this walk. */
            dag_contract(th, node, dag_grain_now(), DAG_DEPTH);
        lock_release(&node->lock);
    }
    s->dag_id = 0;
    dag_own_stop(th, own);
}

void dag_wait_until(struct thread *th, struct task *t, uint64_t S, enum dagrec_hidden why)
{
    struct dag_node *node = t->node, *n;
    dagrec_note(why);
    if (!node)
        return;
    struct own own = dag_own_start(th);
    if ((n = dag_node_new(th, LPF_DAG_WAIT))) {
        lock_take(&node->lock);
        n->before = dag_since_mark(t, node);
        n->not_before = S;
        dag_append(th, node, n);
        lock_release(&node->lock);
    }
    dag_own_stop(th, own);
}

void dagrec_wait(struct thread *th, struct task *t, enum dagrec_hidden why)
{
    dag_wait_until(th, t, t->S, why);
}

void dagrec_end(struct thread *th, struct task *t)
{
    struct dag_node *n = t->node;
    if (!n)
        return;
    struct own own = dag_own_start(th);
    lock_take(&n->lock);
    n->mark = t->own - n->mark;
    n->task = 0;
    if (t->flags & TASK_CANCELLED)
        n->children = 0;
    lock_release(&n->lock);
    t->node = 0;
    if (!__atomic_sub_fetch(&n->pending, 1, __ATOMIC_ACQ_REL))
        dag_finish(th, n);
    dag_own_stop(th, own);
}
