/* arena.c - strands that go on on another stack or thread: task_arena::execute, suspend, resume.
 * See tbb.h. */
#define _GNU_SOURCE
#include "process/thread.h"
#include "tbb.h"
#include "control.h"
#include "entry.h"

/* ---- task_arena::execute ---- */

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
    struct thread *th = engine_self();
    if (!th)
        return;
    engine_pause(th);
    if (d->strand)
        engine_moved_back(d->strand, &d->place);
    if (d->outer)
        engine_resume(th, d->outer);
}

static bool delegate_call(struct delegate *d)
{
    bool (*real)(struct tbb_delegate *) = d->real->vptr[0];
    struct thread *th = engine_self();
    if (!th)
        return real(d->real);
    struct delegated g __attribute__((cleanup(delegated_cleanup))) = { 0 };
    if (th->cur)
        g.outer = engine_pause(th);
    if (th != d->origin) {
        engine_unbias(d->strand);
        engine_move(d->strand, &d->from, (uintptr_t)__builtin_frame_address(0), &g.place);
        g.strand = d->strand;
    }
    engine_resume(th, d->strand);
    engine_workers(tbb_workers());
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
    struct thread *th = engine_self();
    if (th)
        engine_resume(th, e->strand);
}

EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
    __asm__(TBB("7executeERNS0_2d115task_arena_baseERNS2_13delegate_baseE"));
EXPORT void tbb_execute(void *arena, struct tbb_delegate *real)
{
    struct thread *th = engine_self();
    if (!th || !th->cur) {
        entry()->execute(arena, real);
        return;
    }
    struct delegate d = { &delegate_vtable[2], real, th->cur, th, PATH_POINT() };
    struct executing e __attribute__((cleanup(executing_cleanup))) = { engine_pause(th) };
    entry()->execute(arena, (struct tbb_delegate *)&d);
}

/* ---- suspend and resume ---- */

/* A suspended strand. This record is on the strand's own stack, which stays while the strand is
 * suspended. */
struct suspended {
    struct suspended *next;
    void *point;
    struct edge edge;           /* from the strand that resumes it */
    struct task *strand;
    struct path_point from;
    void (*callback)(void *, void *);
    void *argument;
    uint32_t called;            /* the callback has returned */
};
static struct suspended *suspended_list;
LOCK_DEFINE(suspended_lock, LOCK_AGENT);        /* protects the list; edges' locks nest in it */

/* The program's callback belongs to the suspended strand, but runs on the stack that took over. So
 * the strand moves there for the callback. */
static void suspend_callback(void *argument, void *point)
{
    struct suspended *s = argument;
    struct thread *th = engine_self();
    lock_take(&suspended_lock);
    s->point = point;
    s->next = suspended_list;
    suspended_list = s;
    lock_release(&suspended_lock);
    struct task *outer = 0;
    struct task_place place;
    bool moved = th != 0;
    if (moved) {
        outer = engine_pause(th);
        engine_move(s->strand, &s->from, (uintptr_t)__builtin_frame_address(0), &place);
        engine_resume(th, s->strand);
    }
    s->callback(s->argument, point);
    th = engine_self();
    if (th && moved) {
        engine_pause(th);
        engine_moved_back(s->strand, &place);
        engine_resume(th, outer);
    }
    __atomic_store_n(&s->called, 1, __ATOMIC_RELEASE);
}

/* S has been resumed: takes it off the list. */
static void suspended_remove(struct suspended *s)
{
    lock_take(&suspended_lock);
    for (struct suspended **at = &suspended_list; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    lock_release(&suspended_lock);
}

EXPORT void tbb_suspend(void (*callback)(void *, void *), void *argument)
    __asm__(TBB("7suspendEPFvPvPNS1_18suspend_point_typeEES2_"));
EXPORT void tbb_suspend(void (*callback)(void *, void *), void *argument)
{
    struct thread *th = engine_self();
    if (!th || !th->cur) {
        entry()->suspend(callback, argument);
        return;
    }
    struct suspended s = { .callback = callback, .argument = argument, .from = PATH_POINT() };
    engine_unbias(th->cur);
    s.strand = engine_pause(th);
    entry()->suspend(suspend_callback, &s);
    /* Now this may be another thread, and the callback may not have returned on the first. */
    for (uint32_t turns = 0; !__atomic_load_n(&s.called, __ATOMIC_ACQUIRE);)
        lock_turn(&turns);
    suspended_remove(&s);
    th = engine_self();
    if (!th)
        return;
    engine_resume(th, s.strand);
    engine_edge_get(th, &s.edge);
    engine_edge_drop(th, &s.edge);
}

EXPORT void tbb_resume(void *point) __asm__(TBB("6resumeEPNS1_18suspend_point_typeE"));
EXPORT void tbb_resume(void *point)
{
    struct thread *th = engine_self();
    if (th && th->cur) {
        lock_take(&suspended_lock);
        for (struct suspended *s = suspended_list; s; s = s->next)
            if (s->point == point) {
                engine_edge_put(th, &s->edge);
                break;
            }
        lock_release(&suspended_lock);
    }
    entry()->resume(point);
}
