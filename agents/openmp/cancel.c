/* cancel.c - see cancel.h. */
#include "cancel.h"
#include "dag/block.h"
#include "base/forbid.h"

READ_MOSTLY bool omp_cancellation;
static uint32_t cancelled;              /* 1: each join searches the list. Never cleared */
static struct omp_pending *pending;     /* newest first */
LOCK_DEFINE(pending_lock, LOCK_AGENT);  /* protects the list; nothing nests in it */

void omp_cancelled(void)
{
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
}

bool omp_pending_place(struct thread *th, struct omp_pending *p)
{
    p->creator = omp_creator(th->cur);
    const struct omp_data *creators = omp_data_if_any(p->creator);
    if (creators) {
        const struct omp_pending *its = creators->more ? &creators->more->pending : 0;
        struct omp_group *group = omp_group_of(th->cur);
        p->team = creators->region ? creators->region : its ? its->team : 0;
        p->within = group ? group : its ? its->within : 0;
    }
    return creators;
}

const struct task *omp_pending_creator(const struct task *t)
{
    const struct omp_data *d = omp_data_if_any(t);
    return d && d->more ? d->more->pending.creator : 0;
}

void omp_pending_add(struct omp_pending *p)
{
    lock_take(&pending_lock);
    p->next = pending;
    p->at = &pending;
    if (pending)
        pending->at = &p->next;
    pending = p;
    lock_release(&pending_lock);
}

/* Under the lock. */
static void unlink_pending(struct omp_pending *p)
{
    *p->at = p->next;
    if (p->next)
        p->next->at = p->at;
    p->at = 0;
}

bool omp_pending_remove(struct omp_pending *p)
{
    lock_take(&pending_lock);
    bool listed = p->at;
    if (listed)
        unlink_pending(p);
    lock_release(&pending_lock);
    return listed;
}

void omp_pending_discard(bool (*joined)(const struct omp_pending *p, const void *by),
                         const void *by)
{
    if (!__atomic_load_n(&cancelled, __ATOMIC_ACQUIRE))
        return;
    for (;;) {
        lock_take(&pending_lock);
        struct omp_pending *p = pending;
        while (p && !joined(p, by))
            p = p->next;
        if (p)
            unlink_pending(p);
        lock_release(&pending_lock);
        if (!p)
            return;
        p->discard(p);
    }
}

bool omp_pending_of_team(const struct omp_pending *p, const void *team)
{
    return p->team == team;
}

bool omp_pending_within(const struct omp_pending *p, const void *group)
{
    return p->within == group;
}

bool omp_pending_of_task(const struct omp_pending *p, const void *creator)
{
    return p->creator == creator;
}
