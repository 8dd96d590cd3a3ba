/* scopes.h - which tasks a wait of TBB's waits for.
 *
 * A wait names a wait_context and a task_group_context. Tasks decrement the former in header code,
 * where we do not see it. The rule below finds the right tasks from the latter and from the strand.
 * The context alone does not show them.
 *   spawn into ctx:  the strand itself executes in ctx: the strand's own scope;
 *                    else the scope with the key (strand, ctx)
 *   wait on ctx:     the strand's own ctx: its own scope;
 *                    a ctx that a task_group or a flow graph made for itself: all scopes of ctx;
 *                    else the scope of (strand, ctx) alone
 * One context of the program's may serve loops and a task_group of one strand at once. A loop with
 * such company waits for a scope of its own. If several task_groups share a context, nothing shows
 * which of them a task belongs to. Then the first wait joins all tasks.
 */
#ifndef AGENTS_TBB_SCOPES_H
#define AGENTS_TBB_SCOPES_H

#include "engine/engine.h"
#include "tbb_abi.h"

/* [hook] The running strand has constructed CTX. */
void scopes_context_init(struct thread *th, struct tbb_context *ctx);
/* [hook] CTX, whose padding is ours, is about to be destroyed. */
void scopes_context_destroy(struct thread *th, struct tbb_context *ctx);

/* [hook] From here on CTX's padding is ours, even if we did not see its construction. */
void scopes_context_own(struct tbb_context *ctx);
/* [hook] The flow graphs known to run in CTX. */
struct flow_graph *scopes_context_graphs(const struct tbb_context *ctx);

/* [hook] Did a flow graph make CTX for itself? */
bool scopes_context_of_graph(const struct tbb_context *ctx);

/* [hook] Has the running strand, or the construct that it is a part of, other tasks in CTX? */
bool scopes_company(const struct thread *th, struct tbb_context *ctx);

/* [hook] The own scope of the first task of CTX's construct. The construct ends when that task has
 * ended and this scope is empty. For a task that the construct must wait for, but its spawner need
 * not. */
struct scope *scopes_of_construct(struct thread *th, struct tbb_context *ctx);

/* Is CTX's padding ours? */
static inline bool scopes_context_ours(const struct tbb_context *ctx)
{
    return ctx->magic == (CONTEXT_MAGIC ^ (uintptr_t)ctx);
}

/* [hook] The scope into which CUR, the running strand, spawns for CTX, which is not the context of
 * its own construct. NULL: no memory. */
struct scope *scopes_of_group_slow(struct thread *th, struct task *cur, struct tbb_context *ctx)
    __attribute__((noinline));
static ALWAYS_INLINE struct scope *scopes_of_group(struct thread *th, struct task *cur,
                                                   struct tbb_context *ctx)
{
    struct scope *s = ctx->creator_scope;
    if (__builtin_expect(!scopes_context_ours(ctx) || ctx->scopes ||
                             (s ? s->owner : ctx->creator) != cur,
                         0))
        return scopes_of_group_slow(th, cur, ctx);
    if (!s) {
        s = scope_new(th, ctx);
        __atomic_store_n(&ctx->creator_scope, s, __ATOMIC_RELEASE);
    }
    return s;
}

/* [hook] The running strand waits for the usual task_group (WC, CTX), which it has constructed, and
 * into which no other strand has spawned. All that it joins is one scope. NULL: another wait. */
static inline struct scope *scopes_usual(const struct thread *th, const void *wc,
                                         const struct tbb_context *ctx)
{
    const struct task *cur = th->cur;
    if (__builtin_expect(!scopes_context_ours(ctx), 0))
        return 0;
    struct scope *s = __atomic_load_n(&ctx->creator_scope, __ATOMIC_ACQUIRE);
    bool own_group = (const char *)wc + TASK_GROUP_CONTEXT_OFFSET == (const char *)ctx;
    return s && s->owner == cur && cur->agent != ctx && own_group && !ctx->graphs &&
           !__atomic_load_n(&ctx->scopes, __ATOMIC_RELAXED) ? s : 0;
}

/* [hook] The running strand has waited for (WC, CTX), and joins. */
void scopes_join(struct thread *th, const void *wc, struct tbb_context *ctx);

#endif
