/* ompt_untied.c - untied tasks of libomp: they are executed in parts. See ompt.h.
 *
 * OMPT reports a part's end late. It reports the task's end on the thread that was the last to
 * return from any part, because libomp counts the parts, and the thread that decrements the count
 * last makes the report. So we wrap the body and the destructors of an untied task.
 */
#include "lifecycle/thread.h"
#include "ompt.h"
#include "base/forbid.h"

/* ---- strands that are away ---- */

void ompt_go_away(struct thread *th, struct task *t)
{
    struct task *interrupted = t->interrupted;
    if (interrupted)
        engine_switch(th, interrupted);
    else
        engine_pause(th);
    /* from here on another thread may have T */
    __atomic_fetch_or(&t->flags, OMP_TASK_AWAY, __ATOMIC_RELEASE);
}

/* libomp queues the next part a few instructions before the current part ends. So this waits until
 * T is away. */
void ompt_come_back(struct thread *th, struct task *t)
{
    for (uint32_t turns = 0; !ompt_is_away(t); lock_turn(&turns)) {
        if (turns > LOCK_TURNS_MOST) {
            th->lost[LOSS_LATE_JOIN]++;
            return;
        }
    }
    __atomic_fetch_and(&t->flags, ~OMP_TASK_AWAY, __ATOMIC_RELAXED);
    t->interrupted = th->cur;
    if (t->thread != th)
        engine_unbias(t);
    if (th->cur)
        engine_switch(th, t);
    else
        engine_resume(th, t);
}

/* Another thread executed the last part, and OMPT reports nothing on that thread. untied_part()
 * ends most such tasks. It does not end tasks that wait for an event, nor tasks created by code
 * that we do not interpose. The other thread ends those with its next event. */
void ompt_over_elsewhere(struct thread *th, struct task *p)
{
    if (ompt_is_away(p)) {
        ompt_come_back(th, p);
        omp_task_end(p->interrupted);
    } else {
        __atomic_fetch_or(&p->flags, OMP_TASK_OVER, __ATOMIC_RELEASE);
    }
}

/* ---- bodies ---- */

/* Our record of an untied task, right before its shared variables. libomp puts the shared variables
 * after the part whose size the program states, aligned to 8. So we state a larger size. A copy of
 * the task (taskloop) contains the record, too. */
struct untied {
    struct task *task;          /* while it is executed */
    kmpc_body *destructors, *body;  /* the program's; NULL: none */
};
static inline struct untied *untied_of(const struct kmpc_task *task)
{
    return (struct untied *)task->shareds - 1;
}

/* T, an untied task and the running one of this thread, ends. */
static void untied_end(struct task *t)
{
    ompt_data *data = 0;
    int flags;
    if (ompt_get_task_info(0, &flags, &data, 0, 0, 0) && ompt_explicit_of(data) == t)
        data->value = 0;
    omp_task_end(t->interrupted);
}

/* The task's objects are destroyed after its last part, by the thread on which OMPT reports the
 * task's end. */
static int32_t untied_destructors(int32_t gtid, struct kmpc_task *task)
{
    struct thread *th = thread_self();
    struct untied *own = untied_of(task);
    struct task *t = th ? own->task : 0;
    if (t)
        ompt_come_back(th, t);
    int32_t result = own->destructors(gtid, task);
    if (t && t == th->cur)
        untied_end(t);
    return result;
}

/* A part of the body. We see the end of the last part here, before libomp reports it. */
static int32_t untied_part(int32_t gtid, struct kmpc_task *task)
{
    struct untied *own = untied_of(task);
    struct task *t = ompt_running();
    if (t && t->flags & OMP_TASK_UNTIED) {
        t->entry = (uintptr_t)__builtin_frame_address(0);
        t->flags &= ~TASK_ENTRY_AT;
        own->task = t;
        if (own->destructors && task->destructors != untied_destructors) {
            own->destructors = task->destructors;
            task->destructors = untied_destructors;
        }
    }
    int32_t result = own->body(gtid, task);
    ompt_data *data = 0;
    int flags;
    /* A part that was not the last one has gone away: another strand is running. */
    if (t && t == ompt_running() && t->flags & OMP_TASK_UNTIED &&
        ompt_get_task_info(0, &flags, &data, 0, 0, 0) && ompt_explicit_of(data) == t) {
        /* a task without destructors may have no word for them */
        if (own->destructors && task->destructors == untied_destructors)
            ompt_go_away(thread_self(), t);
        else
            untied_end(t);
    }
    return result;
}

/* Flags of a new task, as compilers pass them. */
enum { KMPC_TIED = 1, KMPC_DESTRUCTORS = 8, KMPC_PROXY = 16, KMPC_DETACHABLE = 64 };

EXPORT struct kmpc_task *__kmpc_omp_task_alloc(void *location, int32_t gtid, int32_t flags,
                                               size_t bytes, size_t shared, kmpc_body *body);
EXPORT struct kmpc_task *__kmpc_omp_task_alloc(void *location, int32_t gtid, int32_t flags,
                                               size_t bytes, size_t shared, kmpc_body *body)
{
    const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));
    if (__builtin_expect(flags & (KMPC_TIED | KMPC_PROXY | KMPC_DETACHABLE) || !ompt_get_task_info,
                         1))
        return e->__kmpc_omp_task_alloc(location, gtid, flags, bytes, shared, body);
    size_t room = ((bytes + 7) & ~(size_t)7) + sizeof(struct untied);
    struct kmpc_task *task = e->__kmpc_omp_task_alloc(location, gtid, flags, room,
                                                      shared ? shared : 1, body);
    if (task && task->shareds && task->body == body && !((uintptr_t)task->shareds & 7)) {
        *untied_of(task) = (struct untied){
            .destructors = flags & KMPC_DESTRUCTORS ? untied_destructors : 0, .body = body
        };
        task->body = untied_part;
    }
    return task;
}
