/* run.c - an armed task runs: execute() and cancel() of its vtable. See tbb.h. */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "tbb.h"
#include "base/inline.h"
#include "flow.h"
#include "base/forbid.h"

/* The task of this thread that an exception has left: its cancel() comes next. */
__thread struct tbb_thrown {
    struct tbb_task *task;      /* never dereferenced: NULL, or a number to compare with */
    struct task *rec;
} tbb_thrown __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define thrown THREAD_LOCAL(tbb_thrown)

/* The state of a task that runs, for the cleanup of run(). The cleanup is inline, and hands on its
 * parts, so that they are in registers. */
struct running {
    struct tbb_task *task;
    struct task *rec;
    struct task *outer; /* strand of this thread that the runtime interrupted; usually none */
    bool returned;
};

static __attribute__((noinline, cold)) void running_thrown(struct tbb_task *t, struct task *rec,
                                                           struct task *outer)
{
    /* An exception is on its way to the dispatcher, which will call cancel() on this task. */
    struct thread *th = thread_self();
    if (!th)
        return;
    if (th->cur == rec)
        engine_pause(th);
    if (rec->agent_flow)
        flow_thrown(th);
    thrown.task = t;
    thrown.rec = rec;
    __atomic_store_n(&t->vptr, TBB_ARMED, __ATOMIC_RELAXED);
    if (outer)
        engine_resume(th, outer);
}

static ALWAYS_INLINE void running_cleanup(struct running *r)
{
    if (__builtin_expect(!r->returned, 0))
        running_thrown(r->task, r->rec, r->outer);
}

/* The record of T, which the runtime calls by SLOT. *BEGUN: an exception has left the task, and
 * this is its cancel(). */
static ALWAYS_INLINE struct task *record_of(struct tbb_task *t, void *const *vptr, unsigned slot,
                                            bool *begun)
{
    if (slot == VTABLE_CANCEL && thrown.task == t && !t->rec) {
        *begun = true;
        thrown.task = 0;
        __atomic_store_n(&t->vptr, vptr, __ATOMIC_RELAXED);
        return thrown.rec;
    }
    return tbb_task_take(t, vptr);
}

/* The body has returned, and the running strand REC of TH ends. */
static ALWAYS_INLINE void run_end(struct thread *th, struct task *rec)
{
    if (__builtin_expect(rec->agent_node != 0, 0))
        tbb_reduce_end(th, rec);
    else
        engine_end(th);
}

/* The same of a task of a flow graph. S: what the body returned to the dispatcher; S->task may be
 * NULL. What takes long here is measured, for it is overhead. */
static void run_end_in_graph(struct thread *th, struct task *rec, const struct spawning *s)
{
    struct own own = own_begin(th);
    bool is_long = flow_end_is_long(rec), spawns = s->task && !tbb_task_seen(s->task);
    if (s->task)
        tbb_spawn_in_graph(th, s);
    flow_end(th, rec, is_long);
    engine_end_own(th, own, is_long || spawns);
}

static __attribute__((noinline)) void run_end_after(struct thread *th, struct task *rec,
                                                    const struct spawning *s)
{
    if (rec->agent_flow) {
        run_end_in_graph(th, rec, s);
    } else {
        tbb_spawn_in_graph(th, s);
        run_end(th, rec);
    }
}

static ALWAYS_INLINE void *run(struct tbb_task *t, struct tbb_execution_data *ed, unsigned slot)
{
    void *const *vptr = t->original_vptr;
    bool begun = false;
    struct task *rec = record_of(t, vptr, slot, &begun);
    struct thread *th = thread_self();
    if (__builtin_expect(!th || !rec, 0))
        return ((tbb_task_body *)vptr[slot])(t, ed);
    struct running r __attribute__((cleanup(running_cleanup))) = { t, rec, 0, false };
    if (__builtin_expect(th->cur != 0, 0))
        r.outer = engine_pause(th);
    rec->entry = (uintptr_t)__builtin_frame_address(0);
    if (begun) {
        engine_resume(th, rec);
    } else {
        if (slot == VTABLE_CANCEL)
            rec->flags |= TASK_CANCELLED;
        if (__builtin_expect(rec->agent_flow != 0, 0))
            flow_begin(th, rec);
        engine_begin(th, rec);
    }
    rec->agent = ed->context;
    struct tbb_task *next = ((tbb_task_body *)vptr[slot])(t, ed);
    r.returned = true;
    th = thread_self();
    if (__builtin_expect(th->cur != rec, 0)) {
        th->lost[LOSS_UNBALANCED]++;
        return next;
    }
    if (__builtin_expect(next || rec->agent_flow, 0)) {
        /* What execute() returns runs next (scheduler bypass): a spawn that passes no entry
         * point. */
        struct spawning s = {
            .task = next, .context = rec->agent, .other = (uintptr_t)vptr[slot], .alone = true
        };
        run_end_after(th, rec, &s);
    } else {
        run_end(th, rec);
    }
    if (__builtin_expect(r.outer != 0, 0))
        engine_resume(th, r.outer);
    return next;
}

static void *armed_execute(struct tbb_task *t, struct tbb_execution_data *ed)
{
    return run(t, ed, VTABLE_EXECUTE);
}

static void *armed_cancel(struct tbb_task *t, struct tbb_execution_data *ed)
{
    return run(t, ed, VTABLE_CANCEL);
}

/* Before the first task, and after lifecycle/start.c's constructor (101), where recording
 * starts. */
__attribute__((constructor(102))) static void start(void)
{
    tbb_task_runs_by(armed_execute, armed_cancel);
}
