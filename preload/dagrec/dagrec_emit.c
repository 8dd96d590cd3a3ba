/* dagrec_emit.c - the writer's view of the dag: all operations, in the order of the file.
 *
 * The writer locks the lists of unfinished tasks one by one. They stay locked until all is written,
 * so neither they nor the finished tasks below them change. The writer leaves a list out if it does
 * not get the lock in PATIENCE_NS: its owner died inside a hook, or this thread was changing it
 * when a handler ended the program. It also leaves out what exceeds LOCKED lists.
 */
#include "dagrec/dagrec_private.h"
#include "dag/run.h"
#include "base/forbid.h"

enum { LOCKED = 4096, PATIENCE_NS = 100000000 };

/* Where in the file each event is put: a hash table, at most half full. */
struct places {
    uint64_t size;              /* entries; a power of two */
    struct { uint32_t event, op; } *at;
};

/* The state of one dagrec_emit. */
struct view {
    const struct dagrec_emit *emit;
    void *closure;
    struct dag_node **queue;    /* by operation of the file: `count` of `room` entries are used */
    uint64_t room, count;
    struct places places;
    struct lock **locked;       /* LOCKED entries, of which `locks` are used */
    uint32_t locks;
};

/* EVENT's entry, or the free one where it belongs. */
static uint64_t place_of(const struct places *p, uint32_t event)
{
    uint64_t i = dag_event_weight(event) & (p->size - 1);
    while (p->at[i].event && p->at[i].event != event)
        i = (i + 1) & (p->size - 1);
    return i;
}

/* Maps the tables. False: there is no memory. */
static bool view_open(struct view *v)
{
    int64_t count = __atomic_load_n(&dag_shared.nodes, __ATOMIC_RELAXED) + 1;
    for (const struct thread *th = engine_threads; th; th = th->next)
        count += th->dag_nodes;
    v->room = (count > 0 ? count : 0) + 65536;
    v->places.size = 64;
    while (v->places.size < 2 * v->room)
        v->places.size *= 2;
    v->queue = memory_map(v->room * sizeof *v->queue);
    v->places.at = memory_map(v->places.size * sizeof *v->places.at);
    v->locked = memory_map(LOCKED * sizeof *v->locked);
    return v->queue && v->places.at && v->locked;
}

/* Releases the locked lists, and what view_open has mapped. */
static void view_close(struct view *v)
{
    while (v->locks)
        lock_release(v->locked[--v->locks]);
    if (v->locked)
        memory_unmap(v->locked, LOCKED * sizeof *v->locked);
    if (v->queue)
        memory_unmap(v->queue, v->room * sizeof *v->queue);
    if (v->places.at)
        memory_unmap(v->places.at, v->places.size * sizeof *v->places.at);
}

/* Makes X's list readable from now on: locks and contracts it if it can still change. False: the
 * list must be left out. */
static bool hold(struct view *v, struct dag_node *x)
{
    if (dag_is_done(x))
        return true;
    if (v->locks == LOCKED || !lock_take_within(&x->lock, PATIENCE_NS))
        return false;
    v->locked[v->locks++] = &x->lock;
    if (thread_self_)
        dag_contract(thread_self_, x, dag_grain_now(), 0);
    return true;
}

/* Completes OP, the operation of X, a TASK. X's own operations go to the end of the queue. */
static void view_task(struct view *v, struct dag_node *x, struct lpf_dag_op *op)
{
    bool readable = hold(v, x);
    op->first = v->count;
    struct dag_node *y = readable ? x->first : 0;
    for (; y && v->count < v->room; y = y->next, op->count++)
        v->queue[v->count++] = y;
    if (!readable || y)
        dagrec_note(DAGREC_MEMORY);
    bool over = dag_is_done(x) || !x->limit;
    const struct task *t = x->task;
    op->after_cost = x == &dag_top ? 0 : t ? t->own - x->mark : x->mark;
    op->tasks = x->children;
    op->not_before_cost = 0;
    if (!op->count) {
        op->work_cost = over ? x->work : op->after_cost;
        op->span_cost = over ? x->span : op->after_cost;
        op->tasks = over ? x->tasks : x->children;
        op->not_before_cost = x->not_before;
        op->after_cost = 0;
    }
}

/* Sets *OP to the operation of entry I of the queue. */
static void view_op(struct view *v, uint64_t i, struct lpf_dag_op *op)
{
    struct dag_node *x = v->queue[i];
    *op = (struct lpf_dag_op){ .kind = x->kind, .scope = x->scope, .before_cost = x->before,
                               .not_before_cost = x->not_before, .tasks = x->tasks };
    if (x->kind == LPF_DAG_TASK) {
        view_task(v, x, op);
        return;
    }
    op->work_cost = x->work;
    op->span_cost = x->span;
    if (x->kind == LPF_DAG_BUNDLE) {
        op->count = x->children;
        op->first = x->longest_at;
        op->after_cost = x->mark;
        op->spans_cost = x->spans;
    } else if (x->kind == LPF_DAG_WAIT && x->event) {
        uint64_t at = place_of(&v->places, x->event);
        v->places.at[at].event = x->event;
        v->places.at[at].op = i;
    }
}

/* Emits the arcs that end at entry TO of the queue. All operations have been emitted. */
static void view_arcs(const struct view *v, uint64_t to)
{
    const struct dag_node *x = v->queue[to];
    const struct places *p = &v->places;
    if (x->kind == LPF_DAG_TASK && x->ready && x->first)
        v->emit->arc(v->closure, &(struct lpf_dag_arc){ 0, to });
    for (unsigned i = 0; x->kind == LPF_DAG_WAIT && i < 2 && x->after[i]; i++) {
        uint64_t from = place_of(p, x->after[i]);
        if (p->at[from].event)
            v->emit->arc(v->closure, &(struct lpf_dag_arc){ p->at[from].op, to });
        else
            dagrec_note(DAGREC_LOST);
    }
}

bool dagrec_emit(struct lpf_dag *head, const struct dagrec_emit *emit, void *closure)
{
    if (!dagrec_on)
        return false;
    struct view v = { .emit = emit, .closure = closure };
    bool ok = view_open(&v);
    if (ok) {
        v.queue[v.count++] = &dag_top;
        for (uint64_t i = 0; i < v.count; i++) {
            struct lpf_dag_op op;
            view_op(&v, i, &op);
            emit->op(closure, &op);
        }
        for (uint64_t i = 0; i < v.count; i++)
            view_arcs(&v, i);
        *head = (struct lpf_dag){ .budget_bytes = dag_limits.bytes, .grain_cost = dag_grain_now(),
                                  .first_grain_cost = dag_limits.first_grain, .records = v.count,
                                  .lost = dagrec_hidden_count(DAGREC_MEMORY) };
    }
    view_close(&v);
    return ok;
}

const char *dagrec_hidden_name(enum dagrec_hidden why)
{
    switch (why) {
    case DAGREC_EDGE: return "edges between tasks";
    case DAGREC_PIPELINE: return "paths of a pipeline's items or of a loop's chunks";
    case DAGREC_DEPEND: return "dependences between tasks";
    case DAGREC_JOIN: return "joins of what another strand spawned";
    case DAGREC_SCOPE: return "tasks spawned into a group from inside another construct";
    case DAGREC_LOOSE: return "a taskwait that leaves its tasks' own tasks running";
    case DAGREC_SCOPES: return "more than 64 groups at once in one task";
    case DAGREC_MEMORY: return "tasks without a record";
    case DAGREC_LOST: return "dependences for which there was no room (PROF_DAG)";
    default: return "";
    }
}
