/* arena.c - task_arena::enqueue, which spawns, and task_arena::execute, whose strand may continue
 * on another thread. See tbb.h. */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "tbb.h"
#include "control.h"
#include "entry.h"
#include "base/forbid.h"

/* ---- enqueue ---- */

/* task_arena::enqueue(functor): nobody waits for the task. */
EXPORT void tbb_enqueue(struct tbb_task *t, void *arena)
    __asm__(TBB("7enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"));
EXPORT void tbb_enqueue(struct tbb_task *t, void *arena)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    if (th)
        tbb_spawn_into(th, &(struct spawning){ .task = t, .from = &from });
    entry()->enqueue(t, arena);
}

/* task_arena::enqueue(task_handle): the handle's task_group waits for the task. */
EXPORT void tbb_enqueue_context(struct tbb_task *t, struct tbb_context *ctx, void *arena)
    __asm__(TBB("7enqueueERNS0_2d14taskERNS2_18task_group_contextEPNS2_15task_arena_baseE"));
EXPORT void tbb_enqueue_context(struct tbb_task *t, struct tbb_context *ctx, void *arena)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    if (th)
        tbb_spawn_into(th, &(struct spawning){ .task = t, .context = ctx, .from = &from });
    entry()->enqueue_context(t, ctx, arena);
}

/* ---- execute ---- */

/* execute() runs the functor on this thread, or if the arena is full, on one of the arena's
 * threads. Then the strand moves there. */
struct delegate {
    void *const *vptr;
    struct tbb_delegate *real;
    struct task *strand;
    struct thread *origin;
    struct path_point from;     /* where the strand called execute() */
};

/* The state of a functor that runs. It is on the stack of delegate_call, for its cleanup. */
struct delegated {
    struct task *outer;
    struct task *strand;        /* the strand, if it moved here; NULL: it is on its own stack */
    struct task_place place;
};

static void delegated_cleanup(struct delegated *d)
{
    struct thread *th = thread_self();
    if (!th)
        return;
    engine_pause(th);
    if (d->strand)
        here_moved_back(d->strand, &d->place);
    if (d->outer)
        engine_resume(th, d->outer);
}

static bool delegate_call(struct delegate *d)
{
    bool (*real)(struct tbb_delegate *) = d->real->vptr[0];
    struct thread *th = thread_self();
    if (!th)
        return real(d->real);
    struct delegated g __attribute__((cleanup(delegated_cleanup))) = { 0 };
    if (th->cur)
        g.outer = engine_pause(th);
    if (th != d->origin) {
        engine_unbias(d->strand);
        here_move(d->strand, &d->from, (uintptr_t)__builtin_frame_address(0), &g.place);
        g.strand = d->strand;
    }
    engine_resume(th, d->strand);
    run_workers(tbb_workers());
    return real(d->real);
}

static void delegate_destroy(struct delegate *d)
{
    (void)d;                    /* it lives on the hook's stack, and nobody deletes it */
}

static void *const delegate_vtable[2 + 3] = {
    0, 0, (void *)delegate_call, (void *)delegate_destroy, (void *)delegate_destroy,
};

struct executing {
    struct task *strand;
};

static void executing_cleanup(struct executing *e)
{
    struct thread *th = thread_self();
    if (th)
        engine_resume(th, e->strand);
    tbb_workers_unknown();
}

EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
    __asm__(TBB("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"));
EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
{
    struct thread *th = thread_self();
    if (!th || !th->cur) {
        entry()->execute(arena, real);
        return;
    }
    struct delegate d = { &delegate_vtable[2], real, th->cur, th, PATH_POINT() };
    struct executing e __attribute__((cleanup(executing_cleanup))) = { engine_pause(th) };
    entry()->execute(arena, (struct tbb_delegate *)&d);
}
