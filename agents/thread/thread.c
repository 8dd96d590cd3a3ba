/* thread.c - the thread agent: pthread_create is a spawn, pthread_join a join. So are C11's
 * thrd_create and thrd_join: libc makes them of the same parts, but does not call the names that
 * libprof interposes.
 *
 * A thread is a task with a scope of its own, so joins may come in any order. A table maps the
 * pthread_t to the scope. A strand other than the creator joins the scope by a foreign join. A
 * detached thread counts as joined at the program's end: its scope is left (scope_leave),
 * whichever strand detaches it, and whenever. So at most one scope stays for each thread that has
 * not ended. A thread that a runtime creates (a worker) is no task.
 *
 * Known limit: mutexes, condition variables and other synchronisation by hand are not edges. If a
 * program orders its threads by them, its span is longer than libprof reports. Such a wait is time
 * off the CPU (sampling/off_cpu.c).
 *
 * Known limit: libc creates some threads for itself (SIGEV_THREAD timers). Their spawns belong to a
 * root strand of their own.
 *
 * joinable_lock protects the table and its entries. The engine's locks do not nest in it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>
#include "dag/block.h"
#include "engine/engine.h"
#include "lifecycle/thread.h"
#include "libprof_format.h"
#include "base/export.h"
#include "base/key.h"
#include "base/real.h"
#include "base/table.h"
#include "callsite/site.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/retry.h"
#include "signals/signals.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

/* std::thread, std::async: the standard library creates the thread, but the program asked for it.
 * Rust's library is linked into the program, too; its names have two manglings.
 * A prefix such as "_R3std" stands for all names of a crate (has_prefix in callsite/site.c). */
static const char *const header_prefixes[] = {
    "_ZNSt", "_ZNKSt", "_ZSt", "_ZN9__gnu_cxx", "_ZN3std", "_R3std", "_R4core", "_R5alloc", 0,
};
static const struct site_style style = { "thread", header_prefixes, END_THREAD };

/* A joinable thread that is not joined yet. The creator and the thread itself both publish the
 * entry, in either order, for two reasons. The creator may join the thread before the thread runs.
 * And the thread may detach itself before the creator knows its id. */
struct joinable {
    pthread_t id;
    struct scope *scope;
    UT_hash_handle hh;
    struct joinable *free_next;
    uint32_t publishers;        /* how many of the two still hold a pointer to it */
    bool published;             /* it was put into the table once */
    bool over;                  /* joined or detached */
};

static struct joinable *threads;    /* by id; never empty, see start() */
static struct joinable *free_entries;
LOCK_DEFINE(joinable_lock, LOCK_AGENT);

/* With joinable_lock. */
static void entry_release(struct joinable *j)
{
    if (j->over && !j->publishers) {
        j->free_next = free_entries;
        free_entries = j;
    }
}

static struct joinable *entry_new(struct scope *scope)
{
    lock_take(&joinable_lock);
    struct joinable *j = free_entries;
    if (j)
        free_entries = j->free_next;
    lock_release(&joinable_lock);
    if (!j)
        j = memory_keep(sizeof *j);
    if (j) {
        j->scope = scope;
        j->publishers = 2;
        j->published = j->over = false;
    }
    return j;
}

/* ID is read only if the thread has not published the entry itself. In that case the thread still
 * has to take the lock, and its routine has not begun. Later the routine may free the memory of ID,
 * or use it again. */
static void entry_publish(struct joinable *j, const pthread_t *id)
{
    struct joinable *stale;
    lock_take(&joinable_lock);
    if (!j->published) {
        j->published = true;
        j->id = *id;
        HASH_FIND(hh, threads, &j->id, sizeof j->id, stale);
        if (stale) { /* its thread was joined or detached by a call that we did not see */
            HASH_DEL(threads, stale);
            stale->over = true;
            entry_release(stale);
        }
        HASH_ADD(hh, threads, id, sizeof j->id, j);
    }
    j->publishers--;
    entry_release(j);
    lock_release(&joinable_lock);
}

/* J's thread could not be created. */
static void entry_drop(struct joinable *j)
{
    lock_take(&joinable_lock);
    j->over = true;
    j->publishers = 0;
    entry_release(j);
    lock_release(&joinable_lock);
}

/* Takes the entry of thread ID out of the table. The caller puts it back, or ends it
 * (entry_over). */
static struct joinable *entry_take(pthread_t id)
{
    struct joinable *j;
    lock_take(&joinable_lock);
    HASH_FIND(hh, threads, &id, sizeof id, j);
    if (j)
        HASH_DEL(threads, j);
    lock_release(&joinable_lock);
    return j;
}

static void entry_put_back(struct joinable *j)
{
    lock_take(&joinable_lock);
    HASH_ADD(hh, threads, id, sizeof j->id, j);
    lock_release(&joinable_lock);
}

static struct scope *entry_over(struct joinable *j)
{
    lock_take(&joinable_lock);
    struct scope *scope = j->scope;
    j->over = true;
    entry_release(j);
    lock_release(&joinable_lock);
    return scope;
}

/* The data for a new thread: a block of the creator's, which the new thread frees. */
struct start {
    void *(*routine)(void *);   /* NULL: c11 */
    thrd_start_t c11;
    void *argument;
    struct task *task;          /* NULL: a runtime's worker */
    struct joinable *entry;     /* NULL: detached, or a worker */
    uint32_t kind;
    bool closed;                /* starts_closed */
};

static void leave(struct thread *th)
{
    thread_exit(th);
    lifecycle_thread_leaves(false);
}

/* The thread's routine ends by return, pthread_exit or cancellation. Then the thread runs the
 * destructors of thread-local objects. They are the program's work, and may call into a runtime. So
 * the task and the thread's state live until the last round of destructors. */
static pthread_key_t last_key;
static bool have_key;
#define LAST_ROUND (PTHREAD_DESTRUCTOR_ITERATIONS - 1)

static void task_ends(void *unused)
{
    (void)unused;
    struct thread *th = thread_self_;
    if (!th)
        return;
    if (th->cur)
        th->cur->entry = th->stack_top;     /* thread_main's frame is gone then */
    /* This allocates nothing: base/key.h. */
    if (!have_key || pthread_setspecific(last_key, (void *)1))
        leave(th);
}

/* The destructor of last_key. It sets a value again, so libc calls it once in each round. */
static void thread_ends(void *round)
{
    uintptr_t n = (uintptr_t)round;
    if (n >= LAST_ROUND && thread_self_)
        leave(thread_self_);
    pthread_setspecific(last_key, (void *)(n + 1));
}

static void *run(const struct start *s)
{
    return s->routine ? s->routine(s->argument) : (void *)(intptr_t)s->c11(s->argument);
}

static void *thread_main(void *p)
{
    struct start s = *(struct start *)p;
    signals_inherit(s.closed);
    if (s.entry) {
        pthread_t self = pthread_self();
        entry_publish(s.entry, &self);
    }
    struct thread *th = thread_make(s.kind);
    if (!th)
        return run(&s);         /* without thread state, the block cannot be freed */
    block_free(th, p);
    if (s.task) {
        s.task->entry = (uintptr_t)__builtin_frame_address(0);
        engine_begin(th, s.task);
        engine_held_begun(th);
        th->root = s.task;
    }
    void *result;
    pthread_cleanup_push(task_ends, 0);
    result = run(&s);
    pthread_cleanup_pop(1);
    return result;
}

static int thread_main_c11(void *p)
{
    return (int)(intptr_t)thread_main(p);
}

/* Will a new thread block signal 60, for the program? Its attributes may have a mask. Not inline,
 * because the mask would take 128 bytes of the stack while a path is learnt. */
static __attribute__((noinline)) bool starts_closed(const pthread_attr_t *attr)
{
    sigset_t mask;
    if (attr && !real()->pthread_attr_getsigmask_np(attr, &mask))
        return mask.__val[0] >> (SIGNALS_OURS - 1) & 1;
    return signals_closed();
}

/* The spawn of a thread that the program creates. */
static void spawn(struct thread *th, struct start *s, const pthread_attr_t *attr,
                  const struct segment *path)
{
    struct scope *scope = 0;
    int detach_state = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detach_state);
    struct context *ctx = site_context(th->cur, path, &style, "pthread_create", 0);
    if (th->cur && detach_state == PTHREAD_CREATE_JOINABLE) {
        scopes_sweep(th);
        scope = scope_new(th, 0);
    }
    if (scope)
        s->entry = entry_new(scope);
    if (s->entry)
        scope->key = scope;     /* in use until it is joined; set before the thread can be joined */
    s->task = engine_spawn(th, scope, ctx, 0);
    if (s->task)
        engine_hold(th);        /* the kernel begins it, not a worker that is idle */
    __atomic_store_n(&th->created_tsc, th->clock.last, __ATOMIC_RELAXED);
    lifecycle_first_event();
}

static void spawn_failed(struct thread *th, struct start *s)
{
    if (s->task) {
        engine_held_discard(th);
        engine_discard(th, s->task);
    }
    if (s->entry) {
        struct scope *scope = s->entry->scope;
        entry_drop(s->entry);
        engine_join(th, scope);
        scope_free(th, scope);
    }
    block_free(th, s);
}

/* Is a stack of ATTR's size too large for the address space, even without libprof's threads? */
static bool too_large(const pthread_attr_t *attr)
{
    enum { OURS = 4 << 20 };    /* more than our threads take */
    size_t size;
    if (!attr || pthread_attr_getstacksize(attr, &size) || size <= OURS)
        return false;
    size -= OURS;
    long place = syscall(SYS_mmap, 0L, size, (long)(PROT_READ | PROT_WRITE),
                         (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
    if (place != -1)
        syscall(SYS_munmap, place, size);
    return place == -1;
}

/* What the program asks for. */
struct request {
    pthread_t *id;              /* a thrd_t is the same type */
    const pthread_attr_t *attr;
    void *(*routine)(void *);   /* NULL: c11, by thrd_create */
    thrd_start_t c11;
    void *argument;
};

/* The result of the call for R, which is 0 on success. */
static int call(const struct request *r)
{
    return r->routine ? real()->pthread_create(r->id, r->attr, r->routine, r->argument)
                      : real()->thrd_create(r->id, r->c11, r->argument);
}

static bool is_refused(const struct request *r, int error)
{
    return r->routine ? retry_limit(error) && !too_large(r->attr)
                      : error == thrd_error || error == thrd_nomem;
}

/* If the call may have failed because libprof has threads, ends these and makes the call again.
 * This is an exception from rule 2 of docs/SIGNAL-SAFETY.md. */
static int create(const struct request *r)
{
    RETRY(int, error, call(r), is_refused(r, error), NEEDED)
    return error;
}

/* FROM: in the frame of the function that the program called. */
static int create_seen(const struct path_point *from, const struct request *r)
{
    int saved = errno;
    struct thread *th = thread_self();
    struct start *s = th && !th->aside ? block_new(th, block_class(sizeof *s)) : 0;
    if (!s) {
        lifecycle_thread_counts(1);     /* it will leave without a word */
        return create(r);
    }
    bool worker = runtime_owns(from->from);
    const struct segment *path = 0;
    if (!worker)
        path = path_here(from, th->cur ? task_entry(th->cur) : th->stack_top);
    if (path && path->count > 1)        /* std::thread in a runtime written in C++ */
        worker = site_is_of_runtime(path, &style);
    *s = (struct start){ .routine = r->routine, .c11 = r->c11, .argument = r->argument,
                         .kind = worker ? LPF_THREAD_WORKER : LPF_THREAD_USER,
                         .closed = starts_closed(r->attr) };
    struct request ours = { r->id, r->attr, r->routine ? thread_main : 0, thread_main_c11, s };
    if (!worker)
        spawn(th, s, r->attr, path);
    struct joinable *entry = s->entry;      /* the new thread frees *s */
    errno = saved;
    signals_hand_on(false);     /* until signals_inherit, the kernel alone closes signal 60 there */
    lifecycle_thread_counts(1);
    int error = create(&ours);
    signals_take_back(false);
    saved = errno;
    if (error) {
        lifecycle_thread_counts(-1);
        spawn_failed(th, s);
    } else if (entry) {
        entry_publish(entry, r->id);
    }
    errno = saved;
    return error;
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *),
                          void *argument)
{
    const struct path_point from = PATH_POINT();
    return create_seen(&from, &(struct request){ id, attr, routine, 0, argument });
}

EXPORT int thrd_create(thrd_t *id, thrd_start_t routine, void *argument)
{
    const struct path_point from = PATH_POINT();
    return create_seen(&from, &(struct request){ id, 0, 0, routine, argument });
}

/* The strand that waited for a thread goes on. A cleanup, because the wait is a cancellation
 * point. */
static void resume_strand(struct task **strand)
{
    struct thread *th = thread_self();
    if (!th || !*strand)
        return;
    engine_resume(th, *strand);
    between_was_lent(th);
}

static void joined(struct scope *scope)
{
    struct thread *th = thread_self();
    if (!th || !th->cur) {
        scope_leave(th, scope);
        return;
    }
    bool mine = scope->owner == th->cur;
    if (mine)
        engine_join(th, scope);
    else
        engine_join_foreign(th, scope);
    if (mine && scope_is_empty(scope))
        scope_free(th, scope);
    else
        scope_leave(th, scope);
    engine_count_sync(th);
}

static struct task *pause_strand(void)
{
    struct thread *th = thread_self();
    return th ? engine_pause(th) : 0;
}

/* All joins have one shape: pause, wait, resume, and join if the wait succeeded. The entry leaves
 * the table before the wait, because after the wait a new thread may have the id. A cancelled wait
 * leaves the thread joinable, but its entry is out of the table. So libprof does not see a second
 * join. */
#define JOIN(call)                                                                              \
    int error, saved = errno;                                                                   \
    struct joinable *entry = entry_take(id);                                                    \
    {                                                                                           \
        struct task *strand __attribute__((cleanup(resume_strand))) = pause_strand();           \
        errno = saved;                                                                          \
        error = call;                                                                           \
        saved = errno;                                                                          \
    }                                                                                           \
    if (entry && error)                                                                         \
        entry_put_back(entry);                                                                  \
    else if (entry)                                                                             \
        joined(entry_over(entry));                                                              \
    errno = saved;                                                                              \
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

EXPORT int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock,
                                const struct timespec *deadline)
{
    JOIN(real()->pthread_clockjoin_np(id, result, clock, deadline))
}

EXPORT int thrd_join(thrd_t id, int *result)
{
    JOIN(real()->thrd_join(id, result))
}

static int detach(int (*original)(pthread_t), pthread_t id)
{
    int saved = errno;
    struct joinable *entry = entry_take(id);    /* before the id can be a new thread's */
    errno = saved;
    int error = original(id);
    saved = errno;
    if (entry && error)
        entry_put_back(entry);
    else if (entry)
        scope_leave(thread_self_, entry_over(entry));
    errno = saved;
    return error;
}

EXPORT int pthread_detach(pthread_t id)
{
    return detach(real()->pthread_detach, id);
}

EXPORT int thrd_detach(thrd_t id)
{
    return detach(real()->thrd_detach, id);
}

/* The child of fork has one thread, and no other to join. If the child is not recorded, it leaves
 * the table alone: the parent may have forked while a thread was changing it. */
static void after_fork_child(void)
{
    if (!engine_recording)
        return;
    threads = free_entries = 0;
    lock_take(&joinable_lock);
    struct joinable *j = memory_keep(sizeof *j);
    if (j)
        HASH_ADD(hh, threads, id, sizeof j->id, j);
    lock_release(&joinable_lock);
}

/* After lifecycle/start.c's constructor (101). uthash frees a table when its last entry goes, but
 * our memory cannot be freed (base/table.h). So the table always keeps one entry that is no
 * thread's. */
__attribute__((constructor(110))) static void start(void)
{
    if (!engine_recording)
        return;
    after_fork_child();
    pthread_atfork(0, 0, after_fork_child);
    have_key = key_make(&last_key, thread_ends);
}
