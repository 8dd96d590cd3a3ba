/* thread.c - the thread agent: pthread_create is a spawn, pthread_join a join.
 *
 * A thread is a task with a scope of its own, so that joins in any order find it. The scope is
 * found by the pthread_t in a table; a joiner that is not the creator joins it as a foreigner. A
 * detached thread ends with the program. A thread that a runtime creates (a worker) is no task.
 *
 * Known limit: mutexes, condition variables and other hand-made synchronisation are not edges; a
 * program that orders its threads by them has a longer span than is reported.
 *
 * threads_lock protects the table; the engine's locks do not nest in it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include "block.h"
#include "engine.h"
#include "libprof_format.h"
#include "lifecycle.h"
#include "real.h"
#include "runtime.h"
#include "site.h"
#include "table.h"

#define EXPORT __attribute__((visibility("default")))

/* std::thread, std::async: the standard library creates the thread, the program means it. */
static const char *const header_prefixes[] = { "_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", 0 };
static const struct site_style style = { "thread", header_prefixes };

/* A joinable thread that nobody has joined yet. */
struct joinable {
    pthread_t id;
    struct scope *scope;
    UT_hash_handle hh;
    struct joinable *free_next;
};

static struct joinable *threads;    /* by id */
static struct joinable *free_entries;
static uint32_t threads_lock;

static void remember(pthread_t id, struct scope *scope)
{
    spin_lock(&threads_lock);
    struct joinable *j;
    HASH_FIND(hh, threads, &id, sizeof id, j);
    if (j)                      /* the id came again: its thread was detached behind our back */
        j->scope = scope;
    else {
        j = free_entries;
        if (j)
            free_entries = j->free_next;
        else
            j = memory_keep(sizeof *j);
        if (j) {
            j->id = id;
            j->scope = scope;
            HASH_ADD(hh, threads, id, sizeof j->id, j);
        }
    }
    spin_unlock(&threads_lock);
}

static struct scope *forget(pthread_t id)
{
    struct scope *scope = 0;
    spin_lock(&threads_lock);
    struct joinable *j;
    HASH_FIND(hh, threads, &id, sizeof id, j);
    if (j) {
        scope = j->scope;
        HASH_DEL(threads, j);
        j->free_next = free_entries;
        free_entries = j;
    }
    spin_unlock(&threads_lock);
    return scope;
}

/* What a new thread needs; a block of the creator's, freed by the new thread. */
struct start {
    void *(*routine)(void *);
    void *argument;
    struct task *task;          /* NULL: a runtime's worker */
    uint32_t kind;
};

/* Runs however the thread ends: return, pthread_exit, cancellation. */
static void thread_ends(void *unused)
{
    (void)unused;
    struct thread *th = thread_self_;
    if (th)
        engine_thread_exit(th);
}

static void *thread_main(void *p)
{
    struct start s = *(struct start *)p;
    struct thread *th = engine_thread_make(s.kind);
    if (!th)
        return s.routine(s.argument);       /* the block stays: there is nobody to free it */
    block_free(th, p);
    if (s.task)
        engine_begin(th, s.task);
    void *result;
    pthread_cleanup_push(thread_ends, 0);
    result = s.routine(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
    uintptr_t from = (uintptr_t)__builtin_return_address(0);
    struct thread *th = engine_self();
    struct start *s = th ? block_new(th, block_class(sizeof *s)) : 0;
    if (!s)
        return real()->pthread_create(id, attr, routine, argument);
    bool worker = runtime_owns(from);
    int detach_state = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detach_state);
    struct scope *scope = 0;
    *s = (struct start){ routine, argument, 0, worker ? LPF_THREAD_WORKER : LPF_THREAD_USER };
    if (!worker) {
        struct context *parent = th->cur ? th->cur->ctx : context_root;
        struct context *ctx = site_context(parent, from, &style, "pthread_create", 0);
        if (th->cur && detach_state == PTHREAD_CREATE_JOINABLE)
            scope = engine_scope_new(th);
        s->task = engine_spawn(th, scope, ctx, 0);
        lifecycle_start_checkpoints();
    }
    int error = real()->pthread_create(id, attr, thread_main, s);
    if (error) {
        if (s->task)
            engine_discard(th, s->task);
        if (scope) {
            engine_join(th, scope);
            engine_scope_free(th, scope);
        }
        block_free(th, s);
        return error;
    }
    if (scope) {
        scope->key = scope;     /* in use until it is joined */
        remember(*id, scope);
    }
    return 0;
}

/* The strand that waits for a thread: on the wrapper's stack, because the wait is a cancellation
 * point. */
static void resume_strand(struct task **strand)
{
    struct thread *th = engine_self();
    if (th)
        engine_resume(th, *strand);
}

static void joined(struct scope *scope)
{
    struct thread *th = engine_self();
    if (!th || !th->cur || !scope)
        return;
    if (scope->owner == th->cur) {
        engine_join(th, scope);
        if (scope_is_empty(scope))
            engine_scope_free(th, scope);
    } else {
        engine_join_foreign(th, scope);
        if (!scope->owner && scope_is_empty(scope))
            engine_scope_free(th, scope);
        else
            scope->key = 0;     /* its owner frees it when it ends */
    }
    engine_count_sync(th);
}

static struct task *pause_strand(void)
{
    struct thread *th = engine_self();
    return th ? engine_pause(th) : 0;
}

/* One shape for all joins: pause, wait, go on, and join when the wait succeeded. The scope leaves
 * the table before the wait: once it is over, the id may be a new thread's. */
#define JOIN(call)                                                                      \
    int error;                                                                          \
    struct scope *scope = forget(id);                                                   \
    {                                                                                   \
        struct task *strand __attribute__((cleanup(resume_strand))) = pause_strand();   \
        error = call;                                                                   \
    }                                                                                   \
    if (!error)                                                                         \
        joined(scope);                                                                  \
    else if (scope)                                                                     \
        remember(id, scope);                                                            \
    return error;

EXPORT int pthread_join(pthread_t id, void **result)
{
    JOIN(real()->pthread_join(id, result))
}

EXPORT int pthread_tryjoin_np(pthread_t id, void **result)
{
    JOIN(real()->pthread_tryjoin_np(id, result))
}

EXPORT int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *deadline)
{
    JOIN(real()->pthread_timedjoin_np(id, result, deadline))
}

EXPORT int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock, const struct timespec *deadline)
{
    JOIN(real()->pthread_clockjoin_np(id, result, clock, deadline))
}

EXPORT int pthread_detach(pthread_t id)
{
    struct scope *scope = forget(id);   /* before the id can be a new thread's */
    int error = real()->pthread_detach(id);
    if (scope && error)
        remember(id, scope);
    else if (scope)
        scope->key = 0;         /* nobody will join it: it ends with the program */
    return error;
}
