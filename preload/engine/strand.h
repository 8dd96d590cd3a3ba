/* strand.h - what an agent reports of strands and tasks: spawn, begin, pause, resume, end.
 *
 * A strand runs on one thread (th->cur). It stops when its task ends or pauses. Then no strand runs
 * on the thread until another task begins or resumes. All functions are [hook]: on an application
 * thread, outside signal handlers. TH is the calling thread's state.
 *
 * What the short ways take: readings of the clock, and instructions on x86-64, without the caller's
 * (`make bench-instructions`). Before and after the call a strand runs on TH (+) or none does (-).
 *
 *   function             event                                  TH      readings  instructions
 *   engine_spawn         the running strand spawns a task       + +     1         92
 *   engine_spawn_paused  a paused one does                      - -     0         inline
 *   engine_spawn_call    the running strand makes a call        + +     0         41
 *   engine_begin         a task begins                          - +     1         27, inline
 *   engine_begin_call    a call begins                          + +     1         57
 *   engine_interrupt     the strand pauses, a task begins       + +     1         37
 *   engine_pause         the strand pauses                      + -     1         32, inline
 *   engine_resume        a paused strand goes on                - +     1         27, inline
 *   engine_switch        the strand pauses, another goes on     + +     1         41
 *   engine_end           the task ends                          + -     1         32, inline, and
 *                          the first of its scope                       0         59
 *                          a later one                                  0         122
 *   engine_end_loose     the task ends loosely                  + -     1         49, and the same
 *   engine_end_into      it does, and a paused strand goes on   + +     1         48, and the same
 *   engine_return_call   a call ends, its creator goes on       + +     1         163
 *   engine_join          the strand joins a scope (scope.h)     + +     0         81
 */
#ifndef PRELOAD_ENGINE_STRAND_H
#define PRELOAD_ENGINE_STRAND_H

#include "dag/own_overhead.h"
#include "dag/strand.h"
#include "dag/valid.h"
#include "engine/calibrated.h"

/* thread.begun is not to count the begin of a task that TH spawns: a call, which thread.spawns does
 * not count, either, or a task that is never ready. */
static inline void engine_skip_begin(struct thread *th)
{
    th->begun--;
}

/* The running strand of TH spawns a task into SCOPE (NULL: detached). NULL: no memory. Inline, so
 * that only those who may spawn a call ask whether it is one. */
struct task *engine_spawn_any(struct thread *th, struct scope *scope, struct context *ctx,
                              uint32_t flags);
static inline struct task *engine_spawn(struct thread *th, struct scope *scope,
                                        struct context *ctx, uint32_t flags)
{
    if (flags & TASK_CALL)
        engine_skip_begin(th);
    return engine_spawn_any(th, scope, ctx, flags);
}

/* The same of a call: TH executes it at once, or not at all, and the strand waits for it. It starts
 * after nothing else, so the clock is not read: the call is born where it begins. Only
 * engine_begin_call begins it, if it has TASK_DIRECT (else there was no short way), and
 * engine_return_call ends it, if it can. */
struct task *engine_spawn_call(struct thread *th, struct scope *scope, struct context *ctx,
                               uint32_t flags);
void engine_begin_call(struct thread *th, struct task *task);
/* The same of STRAND, the last one that ran on TH and paused there, into SCOPE of its own. It
 * spawns at the moment of its pause, and the clock is not read where no extra is on. No strand
 * runs. */
struct task *engine_spawn_paused_any(struct thread *th, struct task *strand, struct scope *scope,
                                     struct context *ctx, uint32_t flags);
static inline struct task *engine_spawn_paused(struct thread *th, struct task *strand,
                                               struct scope *scope, struct context *ctx,
                                               uint32_t flags)
{
    if (flags & TASK_CALL)
        engine_skip_begin(th);
    return engine_spawn_paused_any(th, strand, scope, ctx, flags);
}

/* begin: TASK starts on TH (th->cur == NULL). end: the running task's body ends. pause: the running
 * strand stops; returns its task. resume: TASK goes on.
 * Their short ways are inline: a hook that calls nothing else before the task's body saves no
 * register for them. */
void engine_begin_slow(struct thread *th, struct task *task);
static ALWAYS_INLINE void engine_begin(struct thread *th, struct task *task)
{
    ASSERT(!th->cur);
    ASSERT(task_is_valid(task) && !(task->flags & (TASK_CLOSED | TASK_REST)));
    if (__builtin_expect(task->spawner != th, 0) ||
        !strand_start_quick(th, task, &calibrated.begin)) {
        engine_begin_slow(th, task);
        return;
    }
    task->thread = th;
    th->begun++;
}

/* ---- ends (end.c) ----
 *
 * A task that ended completes when the last of its children has ended. But some joins wait for
 * children and not for THEIR children (OpenMP's taskwait). There a task ends LOOSELY. The join sees
 * the task's own path. The children that it left behind belong to the scope's REST (struct
 * scope_rest). engine_join_group, the end of a taskgroup, joins the scope and its rest. Without
 * that call, the end of the scope's owner joins the rest.
 *
 * paused: TASK's strand is paused. */
void engine_end_paused(struct thread *th, struct task *task);
void engine_end_slow(struct thread *th);
static ALWAYS_INLINE void engine_end(struct thread *th)
{
    struct task *t = th->cur;
    if (__builtin_expect(!t, 0) || !strand_cut_quick(th, t, 0)) {
        engine_end_slow(th);
        return;
    }
    strand_stop(th);
    engine_end_paused(th, t);
}

/* end, where the strand was held for FROM (dag/own_overhead.h). IS_LONG: one reading ends both.
 * Else the strand ends as of the reading at FROM; what the hook did since is between strands. */
void engine_end_own(struct thread *th, struct own from, bool is_long);

/* The running task ends loosely. paused: T does, whose strand is paused. dag: T does, paused, the
 * owner of a dag inside one invocation (dependence.h). All strands of that dag have ended. */
void engine_end_loose(struct thread *th);
void engine_end_loose_paused(struct thread *th, struct task *t);
void engine_end_loose_dag(struct thread *th, struct task *t);
/* The running task ends loosely, and NEXT, paused here, goes on: with one reading of the clock. */
void engine_end_into(struct thread *th, struct task *next);
/* The running task is a call that NEXT, paused here, spawned. It ends, and NEXT joins it and goes
 * on: the short way of such ends. It is open if the call is alone in its scope: then to join the
 * scope is to join the call. False: it is not, and nothing happened. MEASURED: two readings of the
 * clock measure the profiler overhead. Else one reading is enough, and a calibrated constant. */
bool engine_return_into(struct thread *th, struct task *next, bool measured);
/* The running task has TASK_DIRECT (engine_spawn_call). It ends, and NEXT, which waits for it, goes
 * on after it: with one reading of the clock. False: NEXT is not its creator, or it leaves
 * something behind. Then nothing has happened. */
bool engine_return_call(struct thread *th, struct task *next);
/* TASK was spawned and will never run. */
void engine_discard(struct thread *th, struct task *task);

/* ---- pause, resume ---- */

void engine_pause_slow(struct thread *th, struct task *cur);
/* CUR: the running strand, which the caller knows. */
static ALWAYS_INLINE void engine_pause_running(struct thread *th, struct task *cur)
{
    ASSERT(th->cur == cur && strand_is_valid(cur));
    ASSERT_ALL(thread_is_valid(th));
    if (!strand_cut_quick(th, cur, 0))
        engine_pause_slow(th, cur);
    else
        strand_stop(th);
}
static ALWAYS_INLINE struct task *engine_pause(struct thread *th)
{
    struct task *cur = th->cur;
    if (cur)
        engine_pause_running(th, cur);
    return cur;
}

void engine_resume_slow(struct thread *th, struct task *task);
static ALWAYS_INLINE void engine_resume(struct thread *th, struct task *task)
{
    ASSERT(!task || (!th->cur && strand_is_valid(task)));
    if (task && !strand_start_quick(th, task, &calibrated.resume))
        engine_resume_slow(th, task);
}

/* Two of these with one reading of the clock. interrupt: the running strand pauses, and TASK
 * starts. switch: the running strand pauses, and NEXT, paused, goes on. */
void engine_interrupt(struct thread *th, struct task *task);
void engine_switch(struct thread *th, struct task *next);
/* A task that TH has spawned does not count as ready, however long it waits. held_begun: it has
 * begun on TH. held_discard: TH discards it. */
static inline void engine_hold(struct thread *th)
{
    th->never_ready++;
}
static inline void engine_held_begun(struct thread *th)
{
    th->begun--;
}
static inline void engine_held_discard(struct thread *th)
{
    th->never_ready--;
}
/* From now on TASK may go on on another thread. So nobody uses its scopes' local halves. */
void engine_unbias(struct task *task);
/* TASK, which was unbiased, owns a dag (dependence.h), and only TH will spawn, run and join the
 * strands of this dag. So TH uses the local half of TASK's own scope, which is not made yet. */
void engine_bias(struct thread *th, struct task *task);

/* Ends the current part of the running strand. Then its task's figures are up to date. */
void engine_cut(struct thread *th);

#endif
