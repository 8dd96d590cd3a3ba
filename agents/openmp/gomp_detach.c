/* gomp_detach.c - see gomp_detach.h. */
#include "lifecycle/thread.h"
#include "gomp_detach.h"
#include "dag/block.h"
#include "model.h"
#include "base/forbid.h"

struct omp_event {
    struct omp_event *next;
    struct task *task;
    /* the creator's edge: it goes on after the fulfilment; NULL: the creator does not wait */
    struct edge *awaited;
    uintptr_t handle;
    uint32_t uses;              /* how many of {creator, body, fulfilment} are still to come */
    bool known;
};

static struct omp_event *events;        /* events that are known and not fulfilled */
/* protects the list and all events; the engine's locks nest in it */
LOCK_DEFINE(events_lock, LOCK_AGENT);

struct omp_event *omp_event_new(struct task *t, struct edge *awaited)
{
    struct thread *th = thread_self();
    struct omp_event *e = th ? block_new(th, block_class(sizeof *e)) : 0;
    if (e)
        *e = (struct omp_event){ .task = t, .awaited = awaited, .uses = 3 };
    return e;
}

static void release(struct omp_event *e)
{
    struct thread *th = --e->uses ? 0 : thread_self();
    if (th)
        block_free(th, e);
}

void omp_event_known(struct omp_event *e, uintptr_t handle)
{
    lock_take(&events_lock);
    if (!e->known) {
        e->known = true;
        e->handle = handle;
        e->next = events;
        events = e;
    }
    release(e);
    lock_release(&events_lock);
}

void omp_event_fulfill(uintptr_t handle)
{
    lock_take(&events_lock);
    struct omp_event **at = &events;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    struct omp_event *e = *at;
    struct task *t = e ? e->task : 0;
    struct edge *awaited = e ? e->awaited : 0;
    if (e) {
        *at = e->next;
        release(e);
    }
    lock_release(&events_lock);
    struct thread *th = awaited ? thread_self() : 0;
    if (th)
        edge_put(th, awaited);
    if (t)
        omp_task_fulfill(t);
}

void omp_event_awaited(struct omp_event *e)
{
    lock_take(&events_lock);
    struct edge *awaited = e->awaited;
    e->awaited = 0; /* a cancelled event may stay listed after the creator's frame is gone */
    lock_release(&events_lock);
    struct thread *th = awaited ? thread_self() : 0;
    if (th) {
        edge_get(th, awaited);
        edge_drop(th, awaited);
    }
}
