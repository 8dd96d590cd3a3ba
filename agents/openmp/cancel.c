/* cancel.c - tasks that a cancellation drops (OpenMP 5.2, 11.4): created, never started, and nobody is told. Where
 * cancellation is on, tasks that have not started are listed, and taskloops some of whose tasks have not; a join that comes
 * after a cancellation discards those that it would have waited for.
 */
#include "model/block.h"
#include "model.h"
#include "base/forbid.h"

READ_MOSTLY bool omp_cancellation;
static uint32_t cancelled;              /* since the start: once is enough to look */
static struct omp_pending *pending;     /* newest first */
LOCK_DEFINE(pending_lock, LOCK_AGENT);  /* protects the list; nothing nests in it */

void omp_cancelled(void)
{
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
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

void omp_pending_discard(bool (*joined)(const struct omp_pending *p, const void *by), const void *by)
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
        if (p->share)
            omp_share_discard(p->share);
        else
            omp_task_discard(p->task);
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
