/* foreign.c - the exported side of include/libprof_agent.h: the engine's events for agents that are
 * not linked into libprof.so. The agents in this tree use the engine directly, which is faster.
 */
#include "lifecycle/thread.h"
#include "libprof_agent.h"
#include <errno.h>
#include "dag/block.h"
#include "engine/engine.h"
#include "libprof_format.h"
#include "base/export.h"
#include "callsite/site.h"
#include "lifecycle/lifecycle.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

#define RUNTIMES 16

/* The attached runtimes, and what the site finder needs of each. An entry is written once, under
 * attach_lock. */
static struct attached {
    const struct libprof_runtime *runtime;
    struct site_style style;
} attached[RUNTIMES];
static unsigned count;
LOCK_DEFINE(attach_lock, LOCK_AGENT);

static const char *const no_prefixes[] = { 0 };

static const struct site_style *style_of(const struct libprof_runtime *runtime)
{
    unsigned n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (attached[i].runtime == runtime)
            return &attached[i].style;
    return 0;
}

static struct task *task_of(struct libprof_task *t)
{
    return (struct task *)t;
}

static struct scope *scope_of(struct thread *th, struct libprof_scope *s)
{
    return s ? (struct scope *)s : scope_own(th, th->cur);
}

/* The calling thread, if a strand runs on it; else NULL. */
static struct thread *running(void)
{
    struct thread *th = thread_self();
    return th && th->cur ? th : 0;
}

static struct libprof_task *agent_spawn(const struct libprof_runtime *runtime,
                                        const struct libprof_point *from,
                                        struct libprof_scope *scope, const char *construct,
                                        unsigned flags)
{
    int saved = errno;
    struct thread *th = thread_self();
    const struct site_style *style = style_of(runtime);
    if (!th || !style) {
        errno = saved;
        return 0;
    }
    struct task *cur = th->cur;
    struct path_point point = { 0, 0, 0 };
    if (from)
        point = (struct path_point){ from->from, from->cfa, from->frame };
    const struct segment *path = from ? path_here(&point, cur ? task_entry(cur) : th->stack_top)
                                      : path_single((uintptr_t)runtime->text);
    struct context *ctx = site_context(cur, path, style, construct,
                                       flags & LIBPROF_LOWER_BOUND ? LPF_SITE_LOWER_BOUND : 0);
    if (flags & LIBPROF_LOWER_BOUND)
        run_lower_bound(construct);
    struct scope *joined = !cur || flags & LIBPROF_DETACHED ? 0 : scope_of(th, scope);
    struct task *t = engine_spawn(th, joined, ctx, flags & LIBPROF_CALL ? TASK_CALL : 0);
    lifecycle_first_event();
    errno = saved;
    return (struct libprof_task *)t;
}

static void agent_begin(struct libprof_task *task, const void *frame)
{
    int saved = errno;
    struct thread *th = thread_self();
    struct task *t = task_of(task);
    if (th && t) {
        if (th->cur)
            th->lost[LOSS_UNBALANCED]++;
        t->entry = (uintptr_t)frame;
        engine_begin(th, t);
    }
    errno = saved;
}

static void agent_end(void)
{
    struct thread *th = running();
    if (th)
        engine_end(th);
}

static void agent_discard(struct libprof_task *task)
{
    struct thread *th = thread_self();
    if (th && task)
        engine_discard(th, task_of(task));
}

static struct libprof_task *agent_pause(void)
{
    struct thread *th = running();
    return th ? (struct libprof_task *)engine_pause(th) : 0;
}

static void agent_resume(struct libprof_task *strand)
{
    struct thread *th = thread_self();
    struct task *t = task_of(strand);
    if (!th || !t)
        return;
    if (t->thread != th)
        engine_unbias(t);
    engine_resume(th, t);
}

static void agent_join(struct libprof_scope *scope)
{
    int saved = errno;
    struct thread *th = running();
    if (th) {
        if (scope)
            engine_join(th, (struct scope *)scope);
        else
            engine_join_own(th);
        engine_count_sync(th);
    }
    errno = saved;
}

static struct libprof_scope *agent_scope_new(void)
{
    struct thread *th = running();
    struct scope *s = th ? scope_new(th, 0) : 0;
    if (s)
        s->key = s;             /* in use until scope_free */
    return (struct libprof_scope *)s;
}

static void agent_scope_free(struct libprof_scope *scope)
{
    struct thread *th = thread_self();
    struct scope *s = (struct scope *)scope;
    if (!th || !s)
        return;
    s->key = 0;
    if (scope_is_empty(s) && (!s->owner || s->owner == th->cur))
        scope_free(th, s);
    /* else the scope stays, until its owner or the end of the program collects it */
}

static struct libprof_edge *agent_edge_new(void)
{
    struct thread *th = thread_self();
    struct edge *e = th ? block_new(th, block_class(sizeof *e)) : 0;
    if (e)
        *e = (struct edge){ .S = 0 };
    return (struct libprof_edge *)e;
}

static void agent_edge_put(struct libprof_edge *edge)
{
    struct thread *th = running();
    if (th && edge)
        edge_put(th, (struct edge *)edge);
}

static void agent_edge_get(struct libprof_edge *edge)
{
    struct thread *th = running();
    if (th && edge)
        edge_get(th, (struct edge *)edge);
}

static void agent_edge_free(struct libprof_edge *edge)
{
    struct thread *th = thread_self();
    if (th && edge) {
        edge_drop(th, (struct edge *)edge);
        block_free(th, edge);
    }
}

static void **agent_word(void)
{
    struct thread *th = running();
    if (!th)
        return 0;
    struct task *t = th->cur;
    if (!(t->flags & TASK_WORD)) {
        t->flags |= TASK_WORD;
        t->word = 0;
    }
    return &t->word;
}

static void agent_workers(unsigned p)
{
    run_workers(p);
}

static const struct libprof_agent interface = {
    sizeof interface, agent_spawn, agent_begin, agent_end, agent_discard, agent_pause, agent_resume,
    agent_join, agent_scope_new, agent_scope_free, agent_edge_new, agent_edge_put, agent_edge_get,
    agent_edge_free, agent_word, agent_workers,
};

EXPORT const struct libprof_agent *libprof_agent_impl(const struct libprof_runtime *runtime);

/* May be called before our own constructor. Recording then starts later. */
const struct libprof_agent *libprof_agent_impl(const struct libprof_runtime *runtime)
{
    if (!runtime || runtime->size < offsetof(struct libprof_runtime, owns) || !runtime->name)
        return 0;
    int saved = errno;
    if (runtime->text)
        runtime_register_module_of((uintptr_t)runtime->text, runtime->name);
    if (runtime->agent)
        runtime_register_module_of((uintptr_t)runtime->agent, runtime->name);
    lock_take(&attach_lock);
    bool known = style_of(runtime) != 0;
    if (!known && count < RUNTIMES) {
        attached[count].runtime = runtime;
        attached[count].style = (struct site_style){
            runtime->name, runtime->prefixes ? runtime->prefixes : no_prefixes, END_FOREIGN
        };
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
        known = true;
    }
    lock_release(&attach_lock);
    if (runtime->size >= sizeof *runtime && runtime->owns)
        runtime_register_owner(runtime->owns, runtime->name);
    errno = saved;
    return known ? &interface : 0;
}
