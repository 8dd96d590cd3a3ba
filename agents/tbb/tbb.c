/* tbb.c - the oneTBB agent: the runtime's entry points, translated into the engine's events.
 *
 * How a task is seen. spawn() passes a d1::task. Its vptr is exchanged for a shadow vtable whose
 * execute() and cancel() restore it, tell the engine that a task begins, call the real one and tell
 * that it ended. One shadow table serves all classes: nothing but the runtime looks at a task
 * between spawn and execute, and the runtime uses these four slots alone.
 *
 * Rules in this file:
 *  - exceptions, cancellation and forced unwinding pass through every wrapper: what must be undone
 *    is undone in cleanup functions (-fexceptions), and nothing is ever caught;
 *  - after the real execute() the task does not exist any more: it is never touched again, except
 *    when an exception leaves it: the runtime then calls cancel() on the same task, so it is armed
 *    again;
 *  - a strand may go on on another thread (suspend, arena.execute): the thread's state is fetched
 *    anew after every call into the runtime;
 *  - a strand that waits is not current: th->cur is NULL inside the runtime, so that tasks which the
 *    waiting thread runs meanwhile begin on a clean slate.
 * Every wrapper passes straight through while the engine does not record.
 */
#define _GNU_SOURCE
#include "classes.h"
#include "control.h"
#include "engine/engine.h"
#include "process/thread.h"
#include "model/block.h"
#include "entry.h"
#include "flow.h"
#include "layout.h"
#include "libprof_format.h"
#include "process/lifecycle.h"
#include "scopes.h"
#include "hooks/site.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- reduction trees ----
 *
 * parallel_reduce joins two results in the strand that finishes last, after an invisible
 * decrement. The join must start after BOTH: an edge a tree node, put by who finishes first (at its
 * task's end, a few instructions later), taken by the other when it starts to join (seen as
 * is_group_execution_cancelled) or deletes the node (deallocate).
 */
struct reduce_node {
    struct tbb_node *address;
    struct reduce_node *parent;
    struct edge edge;
    uint32_t puts;              /* 1: the first finisher has put; released after the edge */
    bool taken;
};

/* The last two blocks this thread allocated: a split allocates the child and the tree node. */
static __thread void *recent[2] __attribute__((tls_model("initial-exec")));

static __attribute__((noinline)) void reduce_split(struct thread *th, struct tbb_task *t, struct task *rec)
{
    struct task *cur = th->cur;
    struct tbb_node *n = recent[0] == t ? recent[1] : recent[1] == t ? recent[0] : 0;
    recent[0] = recent[1] = 0;
    struct reduce_node *parent = cur->agent_node;
    if (!n || n->ref_count != 2 || (parent && n->parent != parent->address)) {
        engine_lower_bound(((const struct task_class *)rec->agent_class)->construct);
        return;
    }
    struct reduce_node *r = block_new(th, block_class(sizeof *r));
    if (!r)
        return;
    *r = (struct reduce_node){ .address = n, .parent = parent, .edge.one_invocation = true };
    cur->agent_node = rec->agent_node = r;
}

static void reduce_put(struct thread *th, struct reduce_node *r)
{
    engine_edge_put(th, &r->edge);
    __atomic_store_n(&r->puts, 1, __ATOMIC_RELEASE);
}

static void reduce_take(struct thread *th, struct reduce_node *r)
{
    if (r->taken)
        return;
    r->taken = true;
    for (uint32_t turns = 0; !__atomic_load_n(&r->puts, __ATOMIC_ACQUIRE); lock_turn(&turns)) {
        if (turns > LOCK_TURNS_MOST) {  /* it was preempted for seconds, or never was ours */
            th->lost[LOSS_LATE_JOIN]++;
            return;
        }
    }
    engine_edge_get(th, &r->edge);
    engine_edge_drop(th, &r->edge);
}

/* ---- tasks ---- */

static void *shadow_execute(struct tbb_task *t, struct tbb_execution_data *ed);
static void *shadow_cancel(struct tbb_task *t, struct tbb_execution_data *ed);

/* One object may be in the runtime's hands more than once (a program of the internal interface that submits a task again while it
 * waits or runs, even from several threads): then execute() runs on it several times at once, and each of these words may change
 * under everybody's eyes. Who spawns it and who runs it may touch it, so it is there. What holds:
 *  - vptr is the class's own or SHADOW; original_vptr is NULL or the class's own, and set before vptr is SHADOW for the first time.
 *    It stays, so whoever is called by way of SHADOW finds the class.
 *  - rec is claimed from NULL by one spawner (`arm`) before it sets SHADOW, and taken by one run (`take`) after it has set the
 *    class's own vptr back. So SHADOW is never lost while nobody is between the two.
 *  - A spawn that finds rec claimed, and a run that finds it taken, are not seen: a named lower bound.
 * An object that was never armed before is its spawner's alone: its claim is a plain store. Two that spawn such a one for the first
 * time at the same moment lose a record; its join says so.
 */
static const char twice[] = "a task object submitted twice";

/* The record of T, for who runs or destroys it; NULL: it has none, or another run of the same object took it. */
static inline struct task *take(struct tbb_task *t, void *const *vptr)
{
    if (__builtin_expect(!__atomic_load_n(&t->rec, __ATOMIC_RELAXED), 0))
        return 0;
    __atomic_store_n(&t->vptr, vptr, __ATOMIC_RELAXED);
    return __atomic_exchange_n(&t->rec, (struct task *)0, __ATOMIC_ACQ_REL);
}

/* A task destroyed before it ran (the program's own doing). */
static void shadow_destroy(struct tbb_task *t, unsigned slot)
{
    struct thread *th = engine_self();
    void *const *vptr = t->original_vptr;
    struct task *rec = take(t, vptr);
    t->vptr = vptr;
    if (th && rec)
        engine_discard(th, rec);
    ((void (*)(struct tbb_task *))vptr[slot])(t);
}

static void shadow_d1(struct tbb_task *t)
{
    shadow_destroy(t, VTABLE_D1);
}

static void shadow_d0(struct tbb_task *t)
{
    shadow_destroy(t, VTABLE_D0);
}

static void *const shadow_vtable[2 + VTABLE_SLOTS] = {
    0, 0, /* offset to top, typeinfo */
    (void *)shadow_d1, (void *)shadow_d0, (void *)shadow_execute, (void *)shadow_cancel,
};
#define SHADOW (&shadow_vtable[2])

/* T, of class VPTR, gets REC. False: it has another. ALONE: nobody else can know of it. */
static inline bool arm(struct tbb_task *t, void *const *vptr, struct task *rec, bool alone)
{
    struct task *none = 0;
    if (__builtin_expect(t->original_vptr != 0, 0))
        alone = false;
    else
        __atomic_store_n(&t->original_vptr, vptr, __ATOMIC_RELAXED);
    if (__builtin_expect(alone, 1))
        __atomic_store_n(&t->rec, rec, __ATOMIC_RELEASE);
    else if (!__atomic_compare_exchange_n(&t->rec, &none, rec, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&t->vptr, SHADOW, __ATOMIC_RELEASE);
    return true;
}

/* The class of a task that can be armed; NULL: it is, or its words are in use for something else. */
static inline void *const *task_fits(const struct tbb_task *t)
{
    void *const *vptr = __atomic_load_n(&t->vptr, __ATOMIC_ACQUIRE), *const *before = __atomic_load_n(&t->original_vptr, __ATOMIC_RELAXED);
    if (__builtin_expect(__atomic_load_n(&t->rec, __ATOMIC_RELAXED) != 0, 0))
        return 0;
    if (__builtin_expect(before != 0, 0))
        return vptr == SHADOW || vptr == before ? before : 0;
    return vptr;
}

/* It is armed already; or its words are in use for something else. */
static __attribute__((noinline, cold)) void refused(struct thread *th, const struct tbb_task *t)
{
    if (t->original_vptr)
        engine_lower_bound(twice);
    else
        th->lost[LOSS_UNBALANCED]++;
}

bool tbb_task_seen(const struct tbb_task *t)
{
    return t->rec || t->vptr == SHADOW;
}

void tbb_task_see(struct tbb_task *t, struct task *rec, bool spawned)
{
    if (spawned)
        arm(t, t->vptr, rec, true);
    else
        t->rec = rec;           /* the program's own code still looks at the task: its class must be right */
}

static inline void *const *vptr_of(const struct tbb_task *t)
{
    void *const *vptr = __atomic_load_n(&t->vptr, __ATOMIC_ACQUIRE);
    return vptr == SHADOW ? t->original_vptr : vptr;
}

static inline const struct task_class *class_of(void *const *vptr, const struct tbb_context *tctx)
{
    const struct task_class *k = task_class_of(vptr);
    if (__builtin_expect(k == &task_class_nameless && tctx, 0))
        return task_class_by_context(tctx->name, tctx->traits & TBB_CONTEXT_CONCURRENT_WAIT, scopes_context_of_graph(tctx));
    return k;
}

/* Constructs made of others (parallel_for_each of parallel_for) run them in their own context; the
 * program's nested constructs have one each. */
static __attribute__((noinline)) struct context *site_slow(const struct task *cur, const struct task_class *k,
                                                           const struct tbb_context *tctx,
                                                           const struct segment *segment)
{
    uint32_t flags = k->lower_bound;
    const struct task_class *mine = cur->agent_class;
    bool of_it = mine && cur->agent == tctx && !(mine->tree && k->tree);   /* no loop makes another */
    if (k->internal && mine && (of_it || task_class_composes(mine, k)))
        flags |= SITE_OF_CONSTRUCT;
    return site_context_slow(cur, segment, &tbb_site_style, k->construct, flags);
}

/* The running strand of TH (may be none) spawns T, into SCOPE or (NULL) where a wait for TCTX will
 * join it. FROM: where it called us; NULL: it did not, OTHER stands for it. ALONE: as `arm` has it. */
static inline __attribute__((always_inline)) void spawn_here(struct thread *th, struct tbb_task *t, struct tbb_context *tctx,
                                                             struct scope *scope, const struct path_point *from,
                                                             uintptr_t other, uint32_t flags, bool alone)
{
    void *const *vptr = task_fits(t);
    if (__builtin_expect(!vptr, 0)) {
        refused(th, t);
        return;
    }
    struct task *cur = th->cur;
    const struct task_class *k = class_of(vptr, tctx);
    struct context *ctx;
    if (__builtin_expect(cur != 0, 1)) {
        const struct task_class *mine = cur->agent_class;
        if (__builtin_expect(scope != 0, 0))
            ;
        else if (__builtin_expect(k == task_class_feeder && cur->agent == tctx, 0))
            scope = scopes_of_construct(th, tctx);
        else if (tctx)
            scope = scopes_of_spawn(th, tctx);
        if (cur->agent == tctx && k->internal && !(flags & TASK_CALL) &&
            (k == task_class_feeder || (mine && mine->construct == k->construct))) {
            ctx = cur->ctx;
            flags |= TASK_INHERIT;
        } else {
            const struct segment *path = from ? path_here(from, task_entry(cur)) : path_single(other);
            ctx = path && !(cur->flags & TASK_MOVED) ? context_child(cur->ctx, path, END_TASK) : 0;
            if (__builtin_expect(!ctx && path, 0))
                ctx = site_slow(cur, k, tctx, path);
            if (__builtin_expect(!ctx, 0)) {
                ctx = cur->ctx;
                flags |= TASK_INHERIT;
            }
        }
    } else {
        ctx = site_context(0, from ? path_here(from, th->stack_top) : path_single(other), &tbb_site_style,
                           k->construct, k->lower_bound);
    }
    if (__builtin_expect(k->lower_bound, 0))
        engine_lower_bound(k->construct);
    struct task *rec = engine_spawn(th, scope, ctx, flags);
    if (__builtin_expect(!rec, 0))
        return;
    rec->agent_class = k;
    if (__builtin_expect(k->reduces && (flags & (TASK_INHERIT | TASK_CALL)) == TASK_INHERIT, 0))
        reduce_split(th, t, rec);
    if (__builtin_expect(!arm(t, vptr, rec, alone), 0)) {   /* armed, it may run and be gone */
        engine_discard(th, rec);
        engine_lower_bound(twice);
    }
    lifecycle_start_checkpoints();
}

static __attribute__((noinline)) void spawn_into(struct thread *th, struct tbb_task *t, struct tbb_context *tctx,
                                                 struct scope *scope, const struct path_point *from, uintptr_t other,
                                                 uint32_t flags, bool alone)
{
    spawn_here(th, t, tctx, scope, from, other, flags, alone);
}

/* A task that may be a flow graph's, which flow.c may have seen to before. */
static __attribute__((noinline)) void spawn_in_graph(struct thread *th, struct tbb_task *t, struct tbb_context *tctx, const struct path_point *from,
                           uintptr_t other, bool alone)
{
    void *const *vptr = vptr_of(t);
    struct task *rec = __atomic_load_n(&t->rec, __ATOMIC_RELAXED);
    const struct task_class *k = task_class_of(vptr);
    if (k->flow && rec) {       /* flow.c has seen to it, and nobody submits such a one twice */
        t->original_vptr = vptr;
        __atomic_store_n(&t->vptr, SHADOW, __ATOMIC_RELEASE);
    } else if (!k->flow || !flow_spawn(th, t, k, tctx)) {
        spawn_into(th, t, tctx, 0, from, other, 0, alone);
    }
}

/* The task of this thread that an exception has left: its cancel() comes next. */
static __thread struct {
    struct tbb_task *task;      /* never looked into: NULL or a number to compare with */
    struct task *rec;
} thrown __attribute__((tls_model("initial-exec")));

/* A task that runs: on the stack of the shadow function, for its cleanup. */
struct running {
    struct tbb_task *task;
    struct task *rec;
    struct task *outer;         /* strand of this thread that the runtime interrupted; usually none */
    bool returned;
};

static void running_cleanup(struct running *r)
{
    if (__builtin_expect(r->returned, 1))
        return;
    /* An exception is on its way to the dispatcher, which will call cancel() on this task. */
    struct thread *th = engine_self();
    if (!th)
        return;
    if (th->cur == r->rec)
        engine_pause(th);
    if (r->rec->agent_place)
        flow_thrown(th);
    thrown.task = r->task;
    thrown.rec = r->rec;
    __atomic_store_n(&r->task->vptr, SHADOW, __ATOMIC_RELAXED);
    if (r->outer)
        engine_resume(th, r->outer);
}

static inline __attribute__((always_inline)) void *run(struct tbb_task *t, struct tbb_execution_data *ed, unsigned slot)
{
    void *const *vptr = t->original_vptr;
    struct task *rec, *begun = 0;
    if (slot == VTABLE_CANCEL && thrown.task == t && !t->rec) {
        rec = begun = thrown.rec;
        thrown.task = 0;
        __atomic_store_n(&t->vptr, vptr, __ATOMIC_RELAXED);
    } else {
        rec = take(t, vptr);
    }
    void *(*body)(struct tbb_task *, struct tbb_execution_data *) = vptr[slot];
    struct thread *th = engine_self();
    if (__builtin_expect(!th || !rec, 0))
        return body(t, ed);
    struct running r __attribute__((cleanup(running_cleanup))) = { t, rec, 0, false };
    if (__builtin_expect(th->cur != 0, 0))
        r.outer = engine_pause(th);
    if (__builtin_expect(slot == VTABLE_CANCEL, 0)) {
        if (begun)
            engine_resume(th, rec);
        else
            rec->flags |= TASK_CANCELLED;
    }
    rec->entry = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(th->cur != rec, 1)) {
        if (__builtin_expect(rec->agent_place != 0, 0))
            flow_begin(th, rec);
        engine_begin(th, rec);
    }
    rec->agent = ed->context;
    struct tbb_task *next = body(t, ed);
    r.returned = true;
    th = engine_self();
    if (__builtin_expect(th->cur != rec, 0)) {
        th->lost[LOSS_UNBALANCED]++;
        return next;
    }
    if (__builtin_expect(next != 0, 0))
        /* scheduler bypass: what execute() returns runs next; a spawn that passes no export */
        spawn_in_graph(th, next, rec->agent, 0, (uintptr_t)vptr[slot], true);
    if (__builtin_expect(rec->agent_place != 0, 0))
        flow_end(th, rec);
    if (__builtin_expect(rec->agent_node != 0, 0))
        reduce_put(th, rec->agent_node);
    engine_end(th);
    if (__builtin_expect(r.outer != 0, 0))
        engine_resume(th, r.outer);
    return next;
}

static void *shadow_execute(struct tbb_task *t, struct tbb_execution_data *ed)
{
    return run(t, ed, VTABLE_EXECUTE);
}

static void *shadow_cancel(struct tbb_task *t, struct tbb_execution_data *ed)
{
    return run(t, ed, VTABLE_CANCEL);
}

/* ---- entry points: spawn ---- */

EXPORT void tbb_spawn(struct tbb_task *t, struct tbb_context *ctx)
    __asm__(TBB("5spawnERNS0_2d14taskERNS2_18task_group_contextE"));
EXPORT void tbb_spawn(struct tbb_task *t, struct tbb_context *ctx)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (__builtin_expect(th && th->cur, 1))
        spawn_here(th, t, ctx, 0, &from, 0, 0, true);
    entry()->spawn(t, ctx);
}

EXPORT void tbb_spawn_slot(struct tbb_task *t, struct tbb_context *ctx, uint16_t slot)
    __asm__(TBB("5spawnERNS0_2d14taskERNS2_18task_group_contextEt"));
EXPORT void tbb_spawn_slot(struct tbb_task *t, struct tbb_context *ctx, uint16_t slot)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (__builtin_expect(th && th->cur, 1))
        spawn_into(th, t, ctx, 0, &from, 0, 0, true);
    entry()->spawn_slot(t, ctx, slot);
}

EXPORT void tbb_submit(struct tbb_task *t, struct tbb_context *ctx, void *arena, uintptr_t critical)
    __asm__(TBB("6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm"));
EXPORT void tbb_submit(struct tbb_task *t, struct tbb_context *ctx, void *arena, uintptr_t critical)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (th && (th->cur || t->rec))
        spawn_in_graph(th, t, ctx, &from, 0, false);
    entry()->submit(t, ctx, arena, critical);
}

/* task_arena::enqueue(functor): nobody waits for it. */
EXPORT void tbb_enqueue(struct tbb_task *t, void *arena)
    __asm__(TBB("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"));
EXPORT void tbb_enqueue(struct tbb_task *t, void *arena)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (th)
        spawn_into(th, t, 0, 0, &from, 0, 0, false);
    entry()->enqueue(t, arena);
}

/* task_arena::enqueue(task_handle): its task_group waits for it. */
EXPORT void tbb_enqueue_context(struct tbb_task *t, struct tbb_context *ctx, void *arena)
    __asm__(TBB("7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE"));
EXPORT void tbb_enqueue_context(struct tbb_task *t, struct tbb_context *ctx, void *arena)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (th)
        spawn_into(th, t, ctx, 0, &from, 0, 0, false);
    entry()->enqueue_context(t, ctx, arena);
}

/* ---- entry points: wait ---- */

/* A strand that waits in the runtime: on the wrapper's stack, for its cleanup. */
struct waiting {
    struct task *strand;
    const void *wc;
    struct tbb_context *ctx;
    struct scope *only;         /* waits for this scope alone; else NULL */
};

static void waiting_cleanup(struct waiting *w)
{
    struct thread *th = engine_self();
    if (__builtin_expect(!th || !w->strand, 0))
        return;
    engine_resume(th, w->strand);
    if (__builtin_expect(w->only != 0, 0)) {
        engine_join(th, w->only);
        if (scope_is_empty(w->only))
            engine_scope_free(th, w->only);
    } else {
        if (__builtin_expect(scopes_context_graphs(w->ctx) != 0, 0))
            flow_join(th, w->wc, w->ctx);
        scopes_join(th, w->wc, w->ctx);
    }
    engine_count_sync(th);
}

/* tbb_controls_changed when this thread last asked for P. */
static __thread uint32_t controls_seen __attribute__((tls_model("initial-exec")));

/* P of the arena that the thread is in, as often as it costs nothing, and when it may have changed. */
static void note_workers(struct thread *th)
{
    uint32_t changed = __atomic_load_n(&tbb_controls_changed, __ATOMIC_RELAXED);
    if (__builtin_expect((th->syncs & 1023) == 0 || changed != controls_seen, 0)) {
        controls_seen = changed;
        engine_workers(tbb_workers());
    }
}

EXPORT void tbb_wait(void *wc, struct tbb_context *ctx)
    __asm__(TBB("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE"));
EXPORT void tbb_wait(void *wc, struct tbb_context *ctx)
{
    struct thread *th = engine_self();
    if (__builtin_expect(!th || !th->cur, 0)) {
        entry()->wait(wc, ctx);
        return;
    }
    note_workers(th);
    struct waiting w __attribute__((cleanup(waiting_cleanup))) = { engine_pause(th), wc, ctx, 0 };
    entry()->wait(wc, ctx);
}

EXPORT void tbb_execute_and_wait(struct tbb_task *t, struct tbb_context *tctx, void *wc,
                                 struct tbb_context *wctx)
    __asm__(TBB("16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_contextES6_"));
EXPORT void tbb_execute_and_wait(struct tbb_task *t, struct tbb_context *tctx, void *wc,
                                 struct tbb_context *wctx)
{
    struct path_point from = PATH_POINT();
    struct thread *th = engine_self();
    if (__builtin_expect(!th || !th->cur, 0)) {
        entry()->execute_and_wait(t, tctx, wc, wctx);
        return;
    }
    note_workers(th);
    /* A loop with company in its context (parallel_for_each runs a parallel_for in its own, and what a feeder added
     * goes on; the program may use one context for everything) waits for itself only. */
    const struct task_class *mine = th->cur->agent_class, *k = class_of(vptr_of(t), tctx);
    struct scope *only = 0;
    if (__builtin_expect(k->tree ? scopes_company(th, tctx) : mine && th->cur->agent == tctx && k->construct != mine->construct, 0))
        only = engine_scope_new(th);
    spawn_into(th, t, tctx, only, &from, 0, TASK_CALL, true);
    struct waiting w __attribute__((cleanup(waiting_cleanup))) = { engine_pause(th), wc, wctx, only };
    entry()->execute_and_wait(t, tctx, wc, wctx);
}

/* ---- entry points: tbb::global_control ---- */

EXPORT void tbb_control_create(struct tbb_control *control) __asm__(TBB_CONTROL_CREATE);
EXPORT void tbb_control_create(struct tbb_control *control)
{
    entry()->control_create(control);
    __atomic_fetch_add(&tbb_controls_changed, 1, __ATOMIC_RELAXED);
}

EXPORT void tbb_control_destroy(struct tbb_control *control) __asm__(TBB_CONTROL_DESTROY);
EXPORT void tbb_control_destroy(struct tbb_control *control)
{
    entry()->control_destroy(control);
    __atomic_fetch_add(&tbb_controls_changed, 1, __ATOMIC_RELAXED);
}

/* ---- entry points: arenas ---- */

/* task_arena::execute runs the functor here, or on a thread of a full arena: the strand moves. */
struct delegate {
    void *const *vptr;
    struct tbb_delegate *real;
    struct task *strand;
    struct thread *origin;
    struct path_point from;     /* where the strand called execute() */
};

struct delegated {
    struct task *outer;
    struct task *strand;        /* it moved here; NULL: it runs on its own stack */
    struct task_place place;
};

static void delegated_cleanup(struct delegated *d)
{
    struct thread *th = engine_self();
    if (!th)
        return;
    engine_pause(th);
    if (d->strand)
        engine_moved_back(d->strand, &d->place);
    if (d->outer)
        engine_resume(th, d->outer);
}

static bool delegate_call(struct delegate *d)
{
    bool (*real)(struct tbb_delegate *) = d->real->vptr[0];
    struct thread *th = engine_self();
    if (!th)
        return real(d->real);
    struct delegated g __attribute__((cleanup(delegated_cleanup))) = { 0 };
    if (th->cur)
        g.outer = engine_pause(th);
    if (th != d->origin) {
        engine_unbias(d->strand);
        engine_move(d->strand, &d->from, (uintptr_t)__builtin_frame_address(0), &g.place);
        g.strand = d->strand;
    }
    engine_resume(th, d->strand);
    engine_workers(tbb_workers());
    return real(d->real);
}

static void delegate_destroy(struct delegate *d)
{
    (void)d;                    /* lives on the wrapper's stack; nobody deletes it */
}

static void *const delegate_vtable[2 + 3] = {
    0, 0, (void *)delegate_call, (void *)delegate_destroy, (void *)delegate_destroy,
};

struct executing {
    struct task *strand;
};

static void executing_cleanup(struct executing *e)
{
    struct thread *th = engine_self();
    if (th)
        engine_resume(th, e->strand);
}

EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
    __asm__(TBB("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"));
EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
{
    struct thread *th = engine_self();
    if (!th || !th->cur) {
        entry()->execute(arena, real);
        return;
    }
    struct delegate d = { &delegate_vtable[2], real, th->cur, th, PATH_POINT() };
    struct executing e __attribute__((cleanup(executing_cleanup))) = { engine_pause(th) };
    entry()->execute(arena, (struct tbb_delegate *)&d);
}

/* ---- entry points: suspend and resume ---- */

/* A suspended strand: on its own stack, which stays while it is suspended. */
struct suspended {
    struct suspended *next;
    void *point;
    struct edge edge;           /* from who resumes it */
    struct task *strand;
    struct path_point from;
    void (*callback)(void *, void *);
    void *argument;
    uint32_t called;            /* the callback has returned */
};
static struct suspended *suspended_list;
LOCK_DEFINE(suspended_lock, LOCK_AGENT);        /* protects the list; edges' locks nest in it */

/* Runs the program's callback as part of the suspended strand, on the stack that took over. */
static void suspend_callback(void *argument, void *point)
{
    struct suspended *s = argument;
    struct thread *th = engine_self();
    lock_take(&suspended_lock);
    s->point = point;
    s->next = suspended_list;
    suspended_list = s;
    lock_release(&suspended_lock);
    struct task *outer = 0;
    struct task_place place;
    bool moved = th != 0;
    if (moved) {
        outer = engine_pause(th);
        engine_move(s->strand, &s->from, (uintptr_t)__builtin_frame_address(0), &place);
        engine_resume(th, s->strand);
    }
    s->callback(s->argument, point);
    th = engine_self();
    if (th && moved) {
        engine_pause(th);
        engine_moved_back(s->strand, &place);
        engine_resume(th, outer);
    }
    __atomic_store_n(&s->called, 1, __ATOMIC_RELEASE);
}

EXPORT void tbb_suspend(void (*callback)(void *, void *), void *argument)
    __asm__(TBB("7suspendEPFvPvPNS1_18suspend_point_typeEES2_"));
EXPORT void tbb_suspend(void (*callback)(void *, void *), void *argument)
{
    struct thread *th = engine_self();
    if (!th || !th->cur) {
        entry()->suspend(callback, argument);
        return;
    }
    struct suspended s = { .callback = callback, .argument = argument, .from = PATH_POINT() };
    engine_unbias(th->cur);
    s.strand = engine_pause(th);
    entry()->suspend(suspend_callback, &s);
    /* maybe another thread, maybe before the callback has returned on the first */
    for (uint32_t turns = 0; !__atomic_load_n(&s.called, __ATOMIC_ACQUIRE);)
        lock_turn(&turns);
    lock_take(&suspended_lock);
    for (struct suspended **at = &suspended_list; *at; at = &(*at)->next)
        if (*at == &s) {
            *at = s.next;
            break;
        }
    lock_release(&suspended_lock);
    th = engine_self();
    if (!th)
        return;
    engine_resume(th, s.strand);
    engine_edge_get(th, &s.edge);
    engine_edge_drop(th, &s.edge);
}

EXPORT void tbb_resume(void *point) __asm__(TBB("6resumeEPNS1_18suspend_point_typeE"));
EXPORT void tbb_resume(void *point)
{
    struct thread *th = engine_self();
    if (th && th->cur) {
        lock_take(&suspended_lock);
        for (struct suspended *s = suspended_list; s; s = s->next)
            if (s->point == point) {
                engine_edge_put(th, &s->edge);
                break;
            }
        lock_release(&suspended_lock);
    }
    entry()->resume(point);
}

/* ---- entry points: contexts, memory, cancellation ---- */

EXPORT void tbb_context_initialize(struct tbb_context *ctx)
    __asm__(TBB("10initializeERNS0_2d118task_group_contextE"));
EXPORT void tbb_context_initialize(struct tbb_context *ctx)
{
    struct thread *th = engine_self();
    if (th)
        scopes_context_init(th, ctx);
    entry()->context_initialize(ctx);
}

EXPORT void tbb_context_destroy(struct tbb_context *ctx)
    __asm__(TBB("7destroyERNS0_2d118task_group_contextE"));
EXPORT void tbb_context_destroy(struct tbb_context *ctx)
{
    struct thread *th = engine_self();
    if (th) {
        if (scopes_context_graphs(ctx))
            flow_context_destroy(th, ctx);
        scopes_context_destroy(th, ctx);
    }
    entry()->context_destroy(ctx);
}

EXPORT void *tbb_allocate(void **pool, size_t bytes, const struct tbb_execution_data *ed)
    __asm__(TBB("8allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE"));
EXPORT void *tbb_allocate(void **pool, size_t bytes, const struct tbb_execution_data *ed)
{
    void *p = entry()->allocate(pool, bytes, ed);
    recent[1] = recent[0];
    recent[0] = p;
    return p;
}

EXPORT void tbb_deallocate(void *pool, void *p, size_t bytes, const struct tbb_execution_data *ed)
    __asm__(TBB("10deallocateERNS0_2d117small_object_poolEPvmRKNS2_14execution_dataE"));
static __attribute__((noinline, cold)) void deallocate_node(struct thread *th, void *pool, void *p, size_t bytes,
                                                            const struct tbb_execution_data *ed)
{
    struct task *cur = th->cur;
    struct reduce_node *r = cur->agent_node;
    reduce_take(th, r);
    cur->agent_node = r->parent;
    block_free(th, r);
    entry()->deallocate(pool, p, bytes, ed);
}

/* The tree node of the reduction that the running strand works on; usually there is none. Out of line is
 * what saves registers. */
static inline struct reduce_node *node_here(const struct thread *th)
{
    const struct task *cur = th ? th->cur : 0;
    return cur ? cur->agent_node : 0;
}

EXPORT void tbb_deallocate(void *pool, void *p, size_t bytes, const struct tbb_execution_data *ed)
{
    struct thread *th = thread_self_;
    const struct reduce_node *r = node_here(th);
    if (__builtin_expect(r && r->address == p, 0)) {
        deallocate_node(th, pool, p, bytes, ed);
        return;
    }
    entry()->deallocate(pool, p, bytes, ed);
}

EXPORT bool tbb_is_cancelled(struct tbb_context *ctx)
    __asm__(TBB("28is_group_execution_cancelledERNS0_2d118task_group_contextE"));
static __attribute__((noinline, cold)) bool is_cancelled_in_join(struct thread *th, struct tbb_context *ctx)
{
    reduce_take(th, th->cur->agent_node);
    return entry()->is_cancelled(ctx);
}

EXPORT bool tbb_is_cancelled(struct tbb_context *ctx)
{
    struct thread *th = thread_self_;
    const struct reduce_node *r = node_here(th);
    if (__builtin_expect(r && __atomic_load_n(&r->address->ref_count, __ATOMIC_ACQUIRE) == 0, 0))
        return is_cancelled_in_join(th, ctx);   /* the join of this node starts now */
    return entry()->is_cancelled(ctx);
}
