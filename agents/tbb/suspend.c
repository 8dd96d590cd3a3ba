/* suspend.c - strands that give up their thread, and go on when another strand resumes them. See
 * tbb.h. */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "tbb.h"
#include "entry.h"
#include "base/forbid.h"

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
    struct thread *th = thread_self();
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
        here_move(s->strand, &s->from, (uintptr_t)__builtin_frame_address(0), &place);
        engine_resume(th, s->strand);
    }
    s->callback(s->argument, point);
    th = thread_self();
    if (th && moved) {
        engine_pause(th);
        here_moved_back(s->strand, &place);
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
    struct thread *th = thread_self();
    if (!th || !th->cur) {
        entry()->suspend(callback, argument);
        return;
    }
    struct path_point from = PATH_POINT();      /* within S's braces, gcc 10 warns */
    struct suspended s = { .callback = callback, .argument = argument, .from = from };
    engine_unbias(th->cur);
    s.strand = engine_pause(th);
    entry()->suspend(suspend_callback, &s);
    /* Now this may be another thread, and the callback may not have returned on the first. */
    for (uint32_t turns = 0; !__atomic_load_n(&s.called, __ATOMIC_ACQUIRE);)
        lock_turn(&turns);
    suspended_remove(&s);
    th = thread_self();
    if (!th)
        return;
    engine_resume(th, s.strand);
    edge_get(th, &s.edge);
    edge_drop(th, &s.edge);
}

EXPORT void tbb_resume(void *point) __asm__(TBB("6resumeEPNS1_18suspend_point_typeE"));
EXPORT void tbb_resume(void *point)
{
    struct thread *th = thread_self();
    if (th && th->cur) {
        lock_take(&suspended_lock);
        for (struct suspended *s = suspended_list; s; s = s->next)
            if (s->point == point) {
                edge_put(th, &s->edge);
                break;
            }
        lock_release(&suspended_lock);
    }
    entry()->resume(point);
}
