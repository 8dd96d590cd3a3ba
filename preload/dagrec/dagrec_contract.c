/* dagrec_contract.c - contraction: how the dag keeps to its budget. See dagrec.h for the algebra.
 *
 * A list is contracted in two passes. First, finished tasks of little work become bundles, and
 * neighbouring bundles of one scope become one. Then, each run of operations that joins all that
 * it spawns becomes one operation (BLOCK, dagrec.h). Contraction runs when a list reaches its
 * limit, when the grain has grown, when many of the list's tasks have finished, and when the list's
 * own task finishes.
 */
#include "dagrec/dagrec_private.h"
#include "base/forbid.h"

/* Takes the operation after BEFORE out of T's list. */
static void drop_after(struct thread *th, struct dag_node *t, struct dag_node *before)
{
    struct dag_node *n = before->next;
    before->next = n->next;
    if (!n->next)
        t->last = before;
    dag_node_free(th, n);
    t->count--;
}

/* N, a finished task without a list, becomes a bundle of one task. */
static void bundle_make(struct dag_node *n)
{
    n->kind = LPF_DAG_BUNDLE;
    n->children = 1;
    n->spans = n->span;
    n->longest_at = n->before;
    n->mark = n->work;
    n->span += n->before;
}

/* Adds B to A. B follows A and has the same scope. */
static void bundle_merge(struct dag_node *a, const struct dag_node *b)
{
    if (a->before + b->span > a->span) {
        a->span = a->before + b->span;
        a->longest_at = a->before + b->longest_at;
        a->mark = b->mark;
    }
    a->before += b->before;
    a->work += b->work;
    a->tasks += b->tasks;
    a->children += b->children;
    a->spans += b->spans;
    a->not_before = dag_larger(a->not_before, b->not_before);
}

/* Do all arcs of N's subtree lie within it, and has every wait in it an arc? */
static bool is_enclosed(const struct dag_node *n)
{
    return n->tied && !n->timed && !n->balance;
}

static bool is_small(const struct dag_node *n, uint64_t below, uint64_t tied)
{
    return n->work < (n->tied && !is_enclosed(n) ? tied : below);
}

/* Frees the list of N, a finished task. N keeps its work and span. */
static void contract_subtree(struct thread *th, struct dag_node *n)
{
    dag_list_free(th, n);
    if (is_enclosed(n) && n->not_before) {
        n->span = n->not_before - n->birth;
        n->not_before = 0;
    } else if (n->tied && !is_enclosed(n)) {
        dagrec_note(DAGREC_LOST);
    }
    n->tied = n->timed = n->ready = false;
}

/* Forgets the events of N, a WAIT, if they are old and there is no room for them. False: N keeps
 * its events, or has none. */
static bool forget(struct dag_node *n)
{
    uint32_t newest = n->event > n->after[0] ? n->event : n->after[0];
    uint32_t now = __atomic_load_n(&dag_shared.events, __ATOMIC_RELAXED);
    if (!dag_has_events(n) || !dag_tied_grain_now() || now - newest <= dag_limits.nodes / 8)
        return false;
    n->event = n->after[0] = n->after[1] = 0;
    dagrec_note(DAGREC_LOST);
    return true;
}

static void contract_tasks(struct thread *th, struct dag_node *t, uint64_t below, int depth)
{
    struct dag_node *before = 0, *next;
    uint64_t tied = dag_tied_grain_now(), pressure = dag_pressure_now();
    t->unfinished = 0;
    for (struct dag_node *n = t->first; n; n = next) {
        next = n->next;
        if (n->kind == LPF_DAG_WAIT && forget(n) && !n->not_before && before &&
            before->kind == LPF_DAG_BUNDLE) {
            before->before += n->before;
            drop_after(th, t, before);
            continue;
        }
        if (n->kind == LPF_DAG_TASK && dag_is_done(n)) {
            if (is_small(n, below, tied)) {
                contract_subtree(th, n);
                bundle_make(n);
            } else if (n->first && n->grain < pressure && depth) {
                dag_contract(th, n, below, depth - 1);
            }
        } else {
            t->unfinished += n->kind == LPF_DAG_TASK;
        }
        if (before && n->kind == LPF_DAG_BUNDLE && before->kind == LPF_DAG_BUNDLE &&
            n->scope == before->scope) {
            bundle_merge(before, n);
            drop_after(th, t, before);
        } else {
            before = n;
        }
    }
}

/* The operations of T's list after BEFORE (NULL: from the start) up to LAST become one block, with
 * the lengths of C. Returns the block. */
static struct dag_node *fold(struct thread *th, struct dag_node *t, struct dag_node *before,
                             struct dag_node *last, const struct dag_course *c,
                             uint64_t not_before)
{
    struct dag_node *block = before ? before->next : t->first, *end = last->next, *next;
    for (struct dag_node *n = block->next; block != last && n != end; n = next) {
        next = n->next;
        dag_node_free(th, n);
        t->count--;
    }
    block->kind = LPF_DAG_BLOCK;
    block->scope = 0;
    block->before = 0;
    block->work = c->work;
    block->span = c->rel;
    block->tasks = c->tasks;
    block->not_before = not_before;
    block->next = end;
    if (!end)
        t->last = block;
    return block;
}

/* Adds N to BLOCK. Both are blocks, and N follows BLOCK in T's list. */
static void block_merge(struct thread *th, struct dag_node *t, struct dag_node *block,
                        const struct dag_node *n)
{
    block->work += n->work;
    block->span += n->span;
    block->tasks += n->tasks;
    if (n->not_before)
        block->not_before = n->not_before;
    else if (block->not_before)
        block->not_before += n->span;
    drop_after(th, t, block);
}

/* A stretch of T's list is closed when it has joined all that it spawned and nothing else. A closed
 * stretch of less work than BELOW becomes a block. An unfinished task, an event, or a join of a
 * scope from before the stretch ends the stretch, which then stays as it is. `part` is the walk
 * along the current stretch. */
static __attribute__((noinline)) void contract_blocks(struct thread *th, struct dag_node *t,
                                                      uint64_t below)
{
    struct dag_course all, part;
    struct dag_course outside;      /* the open scopes of spawns before the stretch */
    struct dag_node *start = 0; /* the operation before the stretch; NULL: it begins the list */
    struct dag_node *block = 0; /* the same if this pass has made it a block, else NULL */
    bool waits = false;
    dag_course_start(&all, t->birth);
    dag_course_start(&part, 0);
    dag_course_start(&outside, 0);
    for (struct dag_node *n = t->first; n && !outside.crowded; n = n->next) {
        dag_course_pass(&all, n);
        waits |= n->not_before != 0;
        bool joins_more = n->kind == LPF_DAG_JOIN && dag_course_join(&outside, n->scope);
        bool closed = n->kind != LPF_DAG_TASK && !dag_has_events(n) &&
                      dag_course_pass(&part, n) && !joins_more;
        if (closed && (part.open_count || part.crowded))
            continue;
        if (closed && part.work < below) {
            n = fold(th, t, start, n, &part, waits ? all.abs : 0);
            if (block && block->work + n->work < below) {
                block_merge(th, t, block, n);
                n = block;
            } else {
                block = n;
            }
        } else {
            block = 0;
            for (uint32_t i = 0; i < part.open_count; i++)
                dag_course_end_at(&outside, part.open[i].scope, 0, 0);
            if (n->kind == LPF_DAG_TASK)
                dag_course_end_at(&outside, n->scope, 0, 0);
            outside.crowded |= part.crowded;
        }
        start = n;
        waits = false;
        dag_course_start(&part, 0);
    }
}

__attribute__((noinline)) void dag_contract(struct thread *th, struct dag_node *t, uint64_t below,
                                            int depth)
{
    contract_tasks(th, t, below, depth);
    if (below)
        contract_blocks(th, t, below);
    t->grain = dag_pressure_now();
    t->limit = t->count < DAG_FIRST_LIMIT / 2 ? DAG_FIRST_LIMIT : 2 * t->count;
}

void dag_append(struct thread *th, struct dag_node *t, struct dag_node *n)
{
    if (t->last)
        t->last->next = n;
    else
        t->first = n;
    t->last = n;
    t->unfinished += n->kind == LPF_DAG_TASK;
    uint64_t pressure = dag_pressure_now();
    if (++t->count >= t->limit ||
        (__builtin_expect(pressure != t->grain, 0) && pressure > t->grain))
        dag_contract(th, t, dag_grain_now(), DAG_DEPTH);
    ASSERT_ALL(dag_list_is_valid(t));
}

void dag_finish(struct thread *th, struct dag_node *n)
{
    for (;;) {
        uint64_t below = dag_grain_now(), tied = dag_tied_grain_now();
        lock_take(&n->lock);
        ASSERT_WALK(dag_list_is_valid(n));
        dag_sum_up(n);
        /* An ancestor may enclose the events of a tied subtree. So the subtree stays, however small
         * it is, until the budget is used up. */
        if (n->first && is_small(n, below, tied == UINT64_MAX ? tied : 0))
            contract_subtree(th, n);
        else if (n->first)
            dag_contract(th, n, below, DAG_DEPTH);
        n->limit = 0;           /* shows dagrec_emit that work and span are set */
        lock_release(&n->lock);
        struct dag_node *parent = n->parent;
        __atomic_store_n(&n->done, 1, __ATOMIC_RELEASE);
        if (parent == &dag_top || __atomic_sub_fetch(&parent->pending, 1, __ATOMIC_ACQ_REL))
            return;
        n = parent;
    }
}
