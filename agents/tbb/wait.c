/* wait.c - strands that wait for tasks, the contexts that they wait for, and the number of workers.
 * See tbb.h. */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "tbb.h"
#include "base/inline.h"
#include "control.h"
#include "entry.h"
#include "flow.h"
#include "scopes.h"
#include "base/forbid.h"

/* The state of a strand that waits in the runtime, on the hook's stack for its cleanup. */
struct waiting {
    struct task *strand;
    const void *wc;
    struct tbb_context *ctx;
    struct scope *only;         /* the strand waits for this scope alone; else NULL */
};

static __attribute__((noinline)) void join_slow(struct thread *th, const void *wc,
                                                struct tbb_context *ctx, struct scope *only)
{
    if (__builtin_expect(only != 0, 0)) {
        engine_join(th, only);
        if (scope_is_empty(only))
            scope_free(th, only);
    } else {
        if (__builtin_expect(scopes_context_graphs(ctx) != 0, 0))
            flow_join(th, wc, ctx);
        scopes_join(th, wc, ctx);
    }
}

/* Inline: the normal return needs no record in memory. */
static ALWAYS_INLINE void waiting_cleanup(struct waiting *w)
{
    struct thread *th = thread_self();
    if (__builtin_expect(!th, 0))
        return;
    engine_resume(th, w->strand);
    engine_count_sync(th);
    struct scope *s = w->only ? 0 : scopes_usual(th, w->wc, w->ctx);
    if (__builtin_expect(s != 0, 1))
        engine_join(th, s);
    else
        join_slow(th, w->wc, w->ctx, w->only);
}

/* tbb_controls_changed when this thread last asked for the number of workers. */
static __thread uint32_t controls_seen __attribute__((tls_model("initial-exec")));

/* Notes the workers of the arena that the thread is in. It asks rarely, because the call takes
 * time, and when the number may have changed. */
static void note_workers(struct thread *th)
{
    uint32_t changed = __atomic_load_n(&tbb_controls_changed, __ATOMIC_RELAXED);
    if (__builtin_expect((th->syncs & 1023) == 0 || changed != controls_seen, 0)) {
        controls_seen = changed;
        run_workers(tbb_workers());
    }
}

void tbb_workers_unknown(void)
{
    controls_seen = __atomic_load_n(&tbb_controls_changed, __ATOMIC_RELAXED) - 1;
}

EXPORT void tbb_wait(void *wc, struct tbb_context *ctx)
    __asm__(TBB("4waitERNS0_2d112wait_contextERNS2_18task_group_contextE"));
EXPORT void tbb_wait(void *wc, struct tbb_context *ctx)
{
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    if (__builtin_expect(!cur, 0)) {
        entry()->wait(wc, ctx);
        return;
    }
    note_workers(th);
    struct waiting w __attribute__((cleanup(waiting_cleanup))) = { cur, wc, ctx, 0 };
    engine_pause_running(th, cur);
    entry()->wait(wc, ctx);
}

/* Does a task of class K in TCTX wait only for its own construct? That is a loop with company in
 * its context, in two cases. parallel_for_each runs a parallel_for in its own context, while items
 * of a feeder go on. Or the program uses one context for several constructs. */
static inline bool waits_alone(struct thread *th, const struct task_class *k,
                               struct tbb_context *tctx)
{
    const struct task_class *mine = th->cur->agent_class;
    return k->tree ? scopes_company(th, tctx)
                   : mine && th->cur->agent == tctx && k->construct != mine->construct;
}

EXPORT void tbb_execute_and_wait(struct tbb_task *t, struct tbb_context *tctx, void *wc,
                                 struct tbb_context *wctx)
    __asm__(TBB("16execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
                "contextES6_"));
EXPORT void tbb_execute_and_wait(struct tbb_task *t, struct tbb_context *tctx, void *wc,
                                 struct tbb_context *wctx)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    if (__builtin_expect(!cur, 0)) {
        entry()->execute_and_wait(t, tctx, wc, wctx);
        return;
    }
    note_workers(th);
    struct scope *only = 0;
    const struct task_class *k = tbb_class_of(tbb_task_vptr(t), tctx);
    if (__builtin_expect(k->reduces && !tbb_reductions, 0))
        tbb_reductions = true;
    if (__builtin_expect(waits_alone(th, k, tctx), 0)) {
        only = scope_new(th, 0);
        if (cur->agent == tctx)         /* what T adds may join there: scopes_of_construct */
            scope_own(th, cur);
    }
    struct spawning s = {
        .task = t, .context = tctx, .scope = only, .from = &from, .flags = TASK_CALL, .alone = true
    };
    tbb_spawn_into(th, &s);
    struct waiting w __attribute__((cleanup(waiting_cleanup))) = { cur, wc, wctx, only };
    engine_pause_running(th, cur);
    entry()->execute_and_wait(t, tctx, wc, wctx);
}

/* ---- contexts ---- */

EXPORT void tbb_context_initialize(struct tbb_context *ctx)
    __asm__(TBB("10initializeERNS0_2d118task_group_contextE"));
EXPORT void tbb_context_initialize(struct tbb_context *ctx)
{
    struct thread *th = thread_self();
    if (th)
        scopes_context_init(th, ctx);
    entry()->context_initialize(ctx);
}

EXPORT void tbb_context_destroy(struct tbb_context *ctx)
    __asm__(TBB("7destroyERNS0_2d118task_group_contextE"));
EXPORT void tbb_context_destroy(struct tbb_context *ctx)
{
    struct thread *th = thread_self();
    if (th && scopes_context_ours(ctx)) {
        if (__builtin_expect(ctx->graphs != 0, 0))
            flow_context_destroy(th, ctx);
        scopes_context_destroy(th, ctx);
    }
    entry()->context_destroy(ctx);
}

/* ---- tbb::global_control ---- */

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
