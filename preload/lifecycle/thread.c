/* thread.c - the start and the end of a thread's state. The thread's first event makes the state.
 * After the thread's end another thread uses the state again. It is never freed, because the
 * thread's free blocks and metrics stay reachable through it. The child of fork keeps the forking
 * thread's state alone.
 *
 * threads_lock protects the list of all threads, that of the dead ones, and `live`. No lock nests
 * in it.
 */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arch/thread_pointer.h"
#include "base/lookup.h"
#include "dagrec/dagrec.h"
#include "engine/engine.h"
#include "unwind/objects.h"
#include "whatif/whatif.h"
#include "libprof_format.h"
#include "dag/block.h"
#include "dag/strand.h"
#include "dag/typical.h"
#include "lifecycle/lifecycle_private.h"
#include "sampling/off_cpu.h"
#include "sampling/sampler.h"
#include "signals/sigstack.h"
#include "base/forbid.h"

LOCK_DEFINE(threads_lock, LOCK_LEAF);

/* The states that no thread uses. A list, because a search among thousands of threads would take
 * longer than all else that a thread's start costs. With threads_lock. Changed in one step, because
 * a handler of the program may interrupt the holder and take a state. */
static struct thread *dead;

static struct thread *thread_reborn(void)
{
    struct thread *th = __atomic_load_n(&dead, __ATOMIC_RELAXED);
    while (th && !__atomic_compare_exchange_n(&dead, &th, th->next_dead, false, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED))
        ;
    if (th)
        th->live = 1;
    return th;
}

static void thread_dies(struct thread *th)
{
    __atomic_store_n(&th->live, 0, __ATOMIC_RELEASE);
    th->next_dead = __atomic_load_n(&dead, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&dead, &th->next_dead, th, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* The state on which the engine was calibrated, for the next thread that needs one. */
static struct thread *spare;

static struct thread *thread_new(void)
{
    struct thread *kept = __atomic_exchange_n(&spare, 0, __ATOMIC_ACQ_REL);
    if (kept)
        return kept;
    size_t bytes = sizeof(struct thread) + thread_metrics_pieces() * sizeof(struct metrics *);
    struct thread *th = memory_map(bytes);
    if (th && !(th->metrics[0] = memory_map(sizeof *th->metrics[0]))) {
        memory_unmap(th, bytes);
        th = 0;
    }
    return th;
}

static uintptr_t main_stack_top(void)
{
    const uintptr_t *top = lookup(RTLD_DEFAULT, "__libc_stack_end");
    return top ? *top : (uintptr_t)__builtin_frame_address(0);
}

/* A root strand: the code of a thread, which no strand spawned. The program starts with the main
 * thread's. */
static struct task *root_new(struct thread *th)
{
    struct task *t = block_new(th, BLOCK_TASK);
    if (!t)
        return 0;
    memset(t, 0, offsetof(struct task, thread));
    t->ctx = context_root;
    t->flags = TASK_ROOT;
    t->entry = th->stack_top;
    whatif_birth(th, t, 0);
    if (DAGREC_ON)
        dagrec_spawn(th, 0, t, 0);
    return t;
}

struct thread *thread_make(uint32_t kind)
{
    if (thread_self_ || !engine_recording)
        return thread_self_;
    lock_take(&threads_lock);
    struct thread *th = thread_reborn();
    lock_release(&threads_lock);
    if (!th) {
        th = thread_new();
        if (!th)
            return 0;
        th->live = 1;
        lock_take(&threads_lock);
        th->next = engine_threads;
        __atomic_store_n(&engine_threads, th, __ATOMIC_RELEASE);
        lock_release(&threads_lock);
    }
    th->cur = 0;
    th->root = 0;
    th->kind = kind;
    th->tid = syscall(SYS_gettid);
    /* glibc keeps a thread's control block above its stack, but not the main thread's */
    th->stack_top = kind == LPF_THREAD_MAIN ? main_stack_top() : thread_pointer();
    th->thread_pointer = thread_pointer();
    th->sampled = 0;
    whatif_thread_start(th);
    clock_thread_start(&th->clock);
    thread_self_ = th;
    th->t0 = strand_none(th);
    th->idle_since = th->life_since = th->clock.last;
    if (kind == LPF_THREAD_MAIN || kind == LPF_THREAD_UNKNOWN) {
        th->root = root_new(th);
        if (th->root) {
            engine_skip_begin(th);
            engine_begin(th, th->root);
        }
    }
    sigstack_thread_start(th);
    sampler_thread_start(th);
    /* The thread's routine is a task, so no slot idles before or after it. */
    if (kind == LPF_THREAD_USER) {
        th->t0 = strand_none(th);
        th->life_cost -= th->t0;
        th->idle_since = th->life_since = th->clock.last;
    }
    ASSERT(thread_is_valid(th));
    return th;
}

/* The first event of a thread whose creation no hook saw. Its strand may have begun at any time, so
 * it counts from the program's start. */
struct thread *thread_self_slow(void)
{
    if (!engine_recording)
        return 0;
    struct thread *th = thread_make(LPF_THREAD_UNKNOWN);
    if (th && engine_main)      /* else TH is the first thread of a forked child */
        run_lower_bound("threads not made by pthread_create");
    return th;
}

void thread_exit(struct thread *th)
{
    ASSERT(thread_is_valid(th));
    /* First of all, because another thread may end the program and read the root meanwhile. */
    th->root = 0;
    if (th->cur)
        engine_end(th);
    sampler_thread_stop(th);
    sigstack_thread_stop(th);
    off_cpu_thread_ends(th);
    /* A snapshot adds the time since idle_since to what a living thread has counted: from here to
     * the thread's end as little as possible happens. */
    bool slot = th->kind != LPF_THREAD_USER;
    uint64_t now = slot ? clock_now(&th->clock) : 0;
    if (slot) {                 /* the slot waited for another strand, which did not come */
        uint64_t ticks = th->clock.last - th->idle_since;
        th->idle_between_tsc += ticks;
        idle_add(th, 0, IDLE_END, ticks);
        th->idle_between_cost += now - th->t0;
    }
    th->life_cost += (slot ? now : th->t0) + th->clock.own;
    th->measured_tsc += th->clock.own;
    th->life_tsc += (slot ? th->clock.last : th->idle_since) - th->life_since;
    clock_thread_stop(&th->clock);
    thread_self_ = 0;
    lock_take(&threads_lock);
    thread_dies(th);
    lock_release(&threads_lock);
}

static void forget_measured(struct thread *th);

void threads_calibrate(void)
{
    static bool done;
    struct thread *th = done || clock_kind == CLOCK_VIRTUAL ? 0 : thread_new();
    if (!th)
        return;
    done = true;
    th->kind = LPF_THREAD_UNKNOWN;
    th->tid = syscall(SYS_gettid);
    th->live = 1;
    whatif_thread_start(th);
    clock_thread_start(&th->clock);
    th->t0 = strand_none(th);
    /* The root and its scope are left: nothing has joined or cleaned them, and they are small. */
    th->root = root_new(th);
    if (th->root) {
        engine_skip_begin(th);
        engine_begin(th, th->root);
        calibrate(th);
    }
    clock_thread_stop(&th->clock);
    th->cur = th->root = 0;
    forget_measured(th);
    th->measured_tsc = 0;
    th->live = 0;
    __atomic_store_n(&spare, th, __ATOMIC_RELEASE);
}

int threads_setup(void)
{
    engine_start_tsc = clock_ticks();
    engine_recording = true;
    engine_main = thread_make(LPF_THREAD_MAIN);
    if (!engine_main || !engine_main->cur) {
        engine_recording = false;
        return -1;
    }
    typical_setup();
    /* Scenarios and the recorded dag must not see the tasks of the calibration. */
    if (engine_extras || dagrec_wanted())
        threads_calibrate();
    dagrec_start(engine_main, engine_main->root);
    engine_main->t0 = clock_now(&engine_main->clock);
    return 0;
}

/* The histograms stay allocated. */
static void forget_metrics(struct metrics_piece *piece)
{
    memset(piece->of, 0, sizeof piece->of);
    memset(piece->blocked, 0, sizeof piece->blocked);
    if (piece->rare)
        memset(piece->rare, 0, sizeof *piece->rare);
    for (uint32_t i = 0; i < METRICS_PIECE; i++)
        if (piece->typical[i])
            typical_forget(piece->typical[i]);
    for (uint32_t i = 0; i < IDLE_CONTEXTS * METRICS_PIECE; i++)
        if (piece->idle[i / METRICS_PIECE][i % METRICS_PIECE])
            memset(piece->idle[i / METRICS_PIECE][i % METRICS_PIECE], 0, sizeof(struct idle));
}

/* In the child of fork: forgets what TH measured, which is the parent's. */
static void forget_measured(struct thread *th)
{
    for (uint32_t i = 0; i < thread_metrics_pieces(); i++)
        if (th->metrics[i])
            forget_metrics(th->metrics[i]);
    th->spawns = th->syncs = th->steals = 0;
    th->begun = th->never_ready = th->ready_unknown = 0;
    th->busy_tsc = th->approximate = th->steal_samples = 0;
    th->idle_between_tsc = th->idle_between_cost = th->between_cost = 0;
    for (unsigned i = 0; i < IDLE_KINDS - IDLE_CONTEXTS; i++)
        if (th->idle_outside[i])
            memset(th->idle_outside[i], 0, sizeof *th->idle_outside[i]);
    th->own_off_tsc = 0;
    th->life_tsc = th->life_cost = 0;
    memset(th->steal_histogram, 0, sizeof th->steal_histogram);
    memset(th->lost, 0, sizeof th->lost);
    th->detached = 0;
    th->detached_len = (struct lengths){ 0 };
    th->chunks = th->chunks_divided = th->chunks_unknown = th->iterations = 0;
}

/* The child's profile starts here. T, the strand that forked, becomes the child's root. Its stack
 * may contain waits for tasks that the child does not have. */
static void become_root(struct thread *me, struct task *t)
{
    t->len = (struct lengths){ 0 };
    t->S = t->birth = t->blk = t->loc = t->own = t->joined = t->inherited_work = 0;
    t->bag = 0;
    t->scope = 0;
    t->scopes = 0;
    t->thread = me;
    if (t->own_scope) {
        memset(t->own_scope, 0, sizeof *t->own_scope);
        t->own_scope->owner = t;
        t->own_scope->thread = me;
    }
    t->flags = TASK_ROOT | (t->flags & TASK_WORD);
    t->fresh = 0;
    t->ctx = context_root;
    t->scaled = 0;
    whatif_birth(me, t, 0);
    me->t0 = strand_none(me);
    me->strand_tsc = engine_start_tsc;
    me->life_since = engine_start_tsc;
    me->life_cost = -me->t0;
    me->root = t;
}

void threads_forked(void)
{
    struct thread *me = thread_self_;
    /* The states of the parent's other threads stay as they are, and nobody finds them any more. To
     * make them ready for the child's threads would take long beside many threads: each write
     * copies a page. */
    engine_threads = me;
    dead = 0;
    if (me) {
        me->next = 0;
        forget_measured(me);
    }
    sampler_forked();
    off_cpu_forked();
    objects_forked();
    whatif_forked();
    for (struct region_total *r = engine_regions; r; r = r->next) {
        r->count = r->work = r->span = r->max_span = 0;
        r->elapsed = r->in_calls = r->main_work = 0;
        r->len = (struct lengths){ 0 };
    }
    memset(engine_caveats, 0, sizeof engine_caveats);
    context_forked();
    engine_start_tsc = clock_ticks();
    engine_main = me;
    dagrec_forked(me, me ? me->cur : 0);
    if (!me)
        return;
    clock_thread_forked(&me->clock);
    me->clock.own = 0;
    me->tid = syscall(SYS_gettid);
    sampler_thread_start(me);
    if (me->cur)
        become_root(me, me->cur);
}
