/* scopes.c - see scopes.h.
 *
 * A context's list of scopes is in the context's padding. The strand that constructed the context
 * has a place of its own there. So the usual task_group, which one strand constructs, fills and
 * waits for, takes no lock. ctx->lock protects ctx->scopes and ctx->graphs. It nests in nothing.
 *
 * Several strands may wait for one group at the same time. Each joins all scopes of the context,
 * and a joined scope may be freed. So a waiter holds ctx->lock while it walks the list. The thread
 * that takes a scope off the list frees it, under the lock.
 */
#include "scopes.h"
#include "dag/block.h"
#include "base/forbid.h"

#define FLOW_GRAPH_NAME_MIN 9   /* string_resource_index: the FLOW_* names follow CUSTOM_CTX */

static void adopt(struct tbb_context *ctx)
{
    ctx->creator = 0;
    ctx->creator_scope = 0;
    ctx->scopes = 0;
    ctx->lock = (struct lock){ 0 };
    ctx->graphs = 0;
    ctx->waited = 0;
    ctx->magic = CONTEXT_MAGIC ^ (uintptr_t)ctx;
}

void scopes_context_init(struct thread *th, struct tbb_context *ctx)
{
    adopt(ctx);
    ctx->creator = th->cur;
}

void scopes_context_own(struct tbb_context *ctx)
{
    if (!scopes_context_ours(ctx))
        adopt(ctx);
}

bool scopes_context_of_graph(const struct tbb_context *ctx)
{
    return ctx->name >= FLOW_GRAPH_NAME_MIN;
}

struct flow_graph *scopes_context_graphs(const struct tbb_context *ctx)
{
    return scopes_context_ours(ctx) ? ctx->graphs : 0;
}

static void list_push(struct tbb_context *ctx, struct scope *s)
{
    lock_take(&ctx->lock);
    s->key_next = ctx->scopes;
    ctx->scopes = s;
    lock_release(&ctx->lock);
}

/* Searches OWNER's own list, which is short. The list of a context may have thousands of scopes. */
static struct scope *list_find(const struct tbb_context *ctx, const struct task *owner)
{
    struct scope *s = owner->scopes;
    while (s && s->key != ctx)
        s = s->owner_next;
    return s;
}

/* With ctx->lock. False: S was not on the list. */
static bool list_remove(struct tbb_context *ctx, struct scope *s)
{
    for (struct scope **at = &ctx->scopes; *at; at = &(*at)->key_next)
        if (*at == s) {
            *at = s->key_next;
            return true;
        }
    return false;
}

/* The scope of CUR, the running strand, in CTX; NULL: none yet. */
static inline struct scope *find(const struct tbb_context *ctx, const struct task *cur)
{
    struct scope *s = ctx->creator_scope;
    if (__builtin_expect(s && s->owner == cur, 1))
        return s;
    return list_find(ctx, cur);
}

struct scope *scopes_of_group_slow(struct thread *th, struct task *cur, struct tbb_context *ctx)
{
    scopes_context_own(ctx);    /* the program may have constructed it before we recorded */
    struct scope *s = find(ctx, cur);
    if (s)
        return s;
    s = scope_new(th, ctx);
    if (!s)
        return 0;
    if (ctx->creator == cur) {
        /* The place may hold an orphan: its owner has ended, and CUR has the same address. */
        lock_take(&ctx->lock);
        struct scope *orphan = ctx->creator_scope;
        if (orphan) {
            orphan->key_next = ctx->scopes;
            ctx->scopes = orphan;
        }
        __atomic_store_n(&ctx->creator_scope, s, __ATOMIC_RELEASE);
        lock_release(&ctx->lock);
    } else {
        list_push(ctx, s);
    }
    return s;
}

bool scopes_company(const struct thread *th, struct tbb_context *ctx)
{
    if (th->cur->agent == ctx)
        return true;
    const struct scope *s = scopes_context_ours(ctx) ? find(ctx, th->cur) : 0;
    return s && !scope_is_empty(s);
}

struct scope *scopes_of_construct(struct thread *th, struct tbb_context *ctx)
{
    /* Ancestors cannot end before their descendants: the chain is alive. Other threads may run
     * them, so only they make their own scopes. They did so when they spawned, or before they
     * waited alone (tbb_execute_and_wait). Without memory, the construct ends with a later task. */
    struct task *t = th->cur, *up;
    while (t->scope && (up = t->scope->owner) && up->agent == ctx &&
           __atomic_load_n(&up->own_scope, __ATOMIC_ACQUIRE))
        t = up;
    return scope_own(th, t);
}

/* With ctx->lock. S is joined and empty. Its owner is the running strand, or has ended. */
static void release(struct thread *th, struct tbb_context *ctx, struct scope *s)
{
    if (!scope_is_empty(s))
        return;                 /* a task ends late: its scope stays */
    if (ctx->creator_scope == s) {
        if (s->owner)
            return;             /* kept for its next use, until the context is destroyed */
        __atomic_store_n(&ctx->creator_scope, (struct scope *)0, __ATOMIC_RELAXED);
    } else if (!list_remove(ctx, s)) {
        return;
    }
    lock_take(&s->lock);        /* the owner that has just ended may still hold it */
    lock_release(&s->lock);
    scope_free(th, s);
}

/* With ctx->lock. */
static void join_one(struct thread *th, struct tbb_context *ctx, struct scope *s)
{
    if (s->owner == th->cur) {
        engine_join(th, s);
        release(th, ctx, s);
    } else {
        engine_join_foreign(th, s);
        if (!__atomic_load_n(&s->owner, __ATOMIC_ACQUIRE))
            release(th, ctx, s);
    }
}

static inline bool of_own_group(const void *wc, const struct tbb_context *ctx)
{
    return (const char *)wc + TASK_GROUP_CONTEXT_OFFSET == (const char *)ctx;
}

/* The running strand has waited for a group in CTX. CTX may have several groups; S holds the tasks
 * of all. If S is empty and the last wait was for another group, that wait joined this group's
 * tasks, too. */
static __attribute__((noinline)) void note_wait(struct tbb_context *ctx, const void *wc,
                                                const struct scope *s)
{
    if (ctx->waited && ctx->waited != wc && scope_is_empty(s))
        run_not_exact("task_groups that share a context");
    ctx->waited = wc;
}

void scopes_join(struct thread *th, const void *wc, struct tbb_context *ctx)
{
    struct task *cur = th->cur;
    if (!cur)
        return;
    if (cur->agent == ctx) {
        engine_join_own(th);
        return;
    }
    if (__builtin_expect(!scopes_context_ours(ctx), 0))
        return;
    struct scope *s = __atomic_load_n(&ctx->creator_scope, __ATOMIC_ACQUIRE);
    if (s && s->owner == cur && !__atomic_load_n(&ctx->scopes, __ATOMIC_RELAXED)) {
        if (__builtin_expect(!of_own_group(wc, ctx), 0))
            note_wait(ctx, wc, s);
        engine_join(th, s);     /* one strand spawned all there is */
        return;
    }
    bool all = of_own_group(wc, ctx) || scopes_context_of_graph(ctx);
    if (!all) {
        s = find(ctx, cur);
        if (!s)
            return;
        engine_join(th, s);
        lock_take(&ctx->lock);
        release(th, ctx, s);
        lock_release(&ctx->lock);
        return;
    }
    lock_take(&ctx->lock);
    s = ctx->creator_scope;
    if (s)
        join_one(th, ctx, s);
    for (struct scope *next = ctx->scopes; (s = next);) {
        next = s->key_next;     /* joining may take S off the list */
        join_one(th, ctx, s);
    }
    lock_release(&ctx->lock);
}

/* The context of S is gone. */
static inline void forget(struct thread *th, struct scope *s)
{
    if (__builtin_expect(__atomic_load_n(&s->owner, __ATOMIC_RELAXED) != th->cur, 0)) {
        scope_leave(th, s);      /* its owner may be ending on another thread */
        return;
    }
    if (__builtin_expect(scope_is_empty(s), 1)) {
        scope_free(th, s);
        return;
    }
    s->key = 0;
    s->key_next = 0;
}

static __attribute__((noinline)) void release_all(struct thread *th, struct tbb_context *ctx)
{
    if (ctx->creator_scope)
        forget(th, ctx->creator_scope);
    for (struct scope *s = ctx->scopes, *next; s; s = next) {
        next = s->key_next;
        forget(th, s);
    }
}

void scopes_context_destroy(struct thread *th, struct tbb_context *ctx)
{
    ctx->magic = 0;
    struct scope *s = ctx->creator_scope;
    if (__builtin_expect(ctx->scopes != 0, 0)) {
        release_all(th, ctx);
        return;
    }
    if (s)
        forget(th, s);
}
