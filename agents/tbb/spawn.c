/* spawn.c - a strand spawns a task: into which scope, from which site. See tbb.h. */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "tbb.h"
#include "base/inline.h"
#include "dag/own_overhead.h"
#include "entry.h"
#include "flow.h"
#include "lifecycle/lifecycle.h"
#include "scopes.h"
#include "base/forbid.h"

/* A construct may consist of other constructs (parallel_for_each of parallel_for). It runs them in
 * its own context. Constructs that the program nests have a context each. */
static __attribute__((noinline)) struct context *site_slow(const struct task *cur,
                                                           const struct task_class *k,
                                                           const struct tbb_context *tctx,
                                                           const struct segment *segment)
{
    uint32_t flags = k->lower_bound;
    const struct task_class *mine = cur->agent_class;
    bool of_it = mine && cur->agent == tctx && !(mine->tree && k->tree); /* no loop makes another */
    if (k->internal && mine && (of_it || task_class_composes(mine, k)))
        flags |= SITE_OF_CONSTRUCT;
    return site_context_slow(cur, segment, &tbb_site_style, k->construct, flags);
}

/* Where the running strand CUR spawns a task of class K. */
static ALWAYS_INLINE struct scope *scope_of(struct thread *th, struct task *cur,
                                            const struct spawning *s, const struct task_class *k)
{
    if (__builtin_expect(s->scope || !s->context, 0))
        return s->scope;
    if (cur->agent != s->context)
        return scopes_of_group(th, cur, s->context);
    return k == task_class_feeder ? scopes_of_construct(th, s->context) : scope_own(th, cur);
}

/* Does the construct that CUR is a part of make the task of class K by itself? */
static ALWAYS_INLINE bool is_of_construct(const struct task *cur, const struct spawning *s,
                                          const struct task_class *k)
{
    const struct task_class *mine = cur->agent_class;
    return cur->agent == s->context && k->internal && !(s->flags & TASK_CALL) &&
           (k == task_class_feeder || (mine && mine->construct == k->construct));
}

/* The context of a task of class K that the running strand CUR spawns. NULL: the task belongs to
 * CUR's own invocation. */
static ALWAYS_INLINE struct context *context_of(const struct task *cur, const struct spawning *s,
                                                const struct task_class *k)
{
    if (is_of_construct(cur, s, k))
        return 0;
    const struct segment *path = s->from ? path_here(s->from, task_entry(cur))
                                         : path_single(s->other);
    struct context *ctx = path && !(cur->flags & TASK_MOVED)
                              ? context_child(cur->ctx, path, END_TASK)
                              : 0;
    if (__builtin_expect(!ctx && path, 0))
        ctx = site_slow(cur, k, s->context, path);
    return ctx;
}

/* CUR: the running strand, or NULL. */
static ALWAYS_INLINE void spawn_here(struct thread *th, struct task *cur, const struct spawning *s)
{
    struct tbb_task *t = s->task;
    void *const *vptr = tbb_task_fits(t);
    if (__builtin_expect(!vptr, 0)) {
        tbb_task_refused(th, t);
        return;
    }
    const struct task_class *k = tbb_class_of(vptr, s->context);
    struct scope *scope = s->scope;
    struct context *ctx;
    uint32_t flags = s->flags;
    if (__builtin_expect(cur != 0, 1)) {
        scope = scope_of(th, cur, s, k);
        ctx = context_of(cur, s, k);
        if (__builtin_expect(!ctx, 0)) {
            ctx = cur->ctx;
            flags |= TASK_INHERIT;
        }
    } else {
        ctx = site_context(0, s->from ? path_here(s->from, th->stack_top) : path_single(s->other),
                           &tbb_site_style, k->construct, k->lower_bound);
    }
    if (__builtin_expect(k->lower_bound, 0))
        run_lower_bound(k->construct);
    struct task *rec = engine_spawn(th, scope, ctx, flags);
    if (__builtin_expect(!rec, 0))
        return;
    rec->agent_class = k;
    if (__builtin_expect(k->tree, 0)) {
        bool split = (flags & (TASK_INHERIT | TASK_CALL)) == TASK_INHERIT;
        tbb_loop_chunk(t, vptr, split ? cur : 0, rec);
        if (split && k->reduces)
            tbb_reduce_split(th, t, rec);
    }
    /* last: an armed task may run, and be gone */
    if (__builtin_expect(!tbb_task_arm(t, vptr, rec, s->alone), 0)) {
        engine_discard(th, rec);
        run_lower_bound(tbb_task_twice);
    }
    lifecycle_first_event();
}

__attribute__((noinline)) void tbb_spawn_into(struct thread *th, const struct spawning *s)
{
    spawn_here(th, th->cur, s);
}

__attribute__((noinline)) void tbb_spawn_in_graph(struct thread *th, const struct spawning *s)
{
    struct tbb_task *t = s->task;
    void *const *vptr = tbb_task_vptr(t);
    struct task *rec = __atomic_load_n(&t->rec, __ATOMIC_RELAXED);
    const struct task_class *k = task_class_of(vptr);
    bool known = false;
    if (k->flow && rec) {       /* a put has made it ready, and nobody submits such a task twice */
        t->original_vptr = vptr;
        __atomic_store_n(&t->vptr, TBB_ARMED, __ATOMIC_RELEASE);
        return;
    }
    if (k->flow) {
        struct own own = own_begin(th);
        known = flow_spawn(th, t, k, s->context);
        own_end(th, &own);
    }
    if (!known)
        tbb_spawn_into(th, s);
}

/* ---- entry points ---- */

EXPORT void tbb_spawn(struct tbb_task *t, struct tbb_context *ctx)
    __asm__(TBB("5spawnERNS0_2d14taskERNS2_18task_group_contextE"));
EXPORT void tbb_spawn(struct tbb_task *t, struct tbb_context *ctx)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    if (__builtin_expect(cur != 0, 1))
        spawn_here(th, cur, &(struct spawning){ .task = t, .context = ctx, .from = &from,
                                                .alone = true });
    entry()->spawn(t, ctx);
}

EXPORT void tbb_spawn_slot(struct tbb_task *t, struct tbb_context *ctx, uint16_t slot)
    __asm__(TBB("5spawnERNS0_2d14taskERNS2_18task_group_contextEt"));
EXPORT void tbb_spawn_slot(struct tbb_task *t, struct tbb_context *ctx, uint16_t slot)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    if (__builtin_expect(th && th->cur, 1))
        tbb_spawn_into(th, &(struct spawning){ .task = t, .context = ctx, .from = &from,
                                               .alone = true });
    entry()->spawn_slot(t, ctx, slot);
}

EXPORT void tbb_submit(struct tbb_task *t, struct tbb_context *ctx, void *arena, uintptr_t critical)
    __asm__(TBB("6submitERNS0_2d14taskERNS2_18task_group_contextEPNS1_5arenaEm"));
EXPORT void tbb_submit(struct tbb_task *t, struct tbb_context *ctx, void *arena, uintptr_t critical)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    if (th && (th->cur || t->rec))
        tbb_spawn_in_graph(th, &(struct spawning){ .task = t, .context = ctx, .from = &from });
    entry()->submit(t, ctx, arena, critical);
}
