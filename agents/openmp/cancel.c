/* cancel.c - tasks that a cancellation drops (OpenMP 5.2, 11.4): created, never started, and nobody is told. Where
 * cancellation is on, tasks that have not started are listed; a join that comes after a cancellation discards those
 * that it would have waited for.
 */
#include "block.h"
#include "model.h"
#include "forbid.h"

READ_MOSTLY bool omp_cancellation;
static uint32_t cancelled;              /* since the start: once is enough to look */
static struct omp_data *pending;        /* newest first */
static uint32_t pending_lock;           /* protects the list; a leaf lock */

void omp_cancelled(void)
{
    __atomic_store_n(&cancelled, 1, __ATOMIC_RELEASE);
}

void omp_pending_add(struct omp_data *d, struct task *t)
{
    spin_lock(&pending_lock);
    d->task = t;
    d->pending_next = pending;
    d->pending_at = &pending;
    if (pending)
        pending->pending_at = &d->pending_next;
    pending = d;
    spin_unlock(&pending_lock);
}

/* Under the lock. */
static void unlink_pending(struct omp_data *d)
{
    *d->pending_at = d->pending_next;
    if (d->pending_next)
        d->pending_next->pending_at = d->pending_at;
    d->pending_at = 0;
}

void omp_pending_remove(struct omp_data *d)
{
    spin_lock(&pending_lock);
    unlink_pending(d);
    spin_unlock(&pending_lock);
}

void omp_pending_discard(const struct omp_region *team, const struct omp_group *within)
{
    if (!__atomic_load_n(&cancelled, __ATOMIC_ACQUIRE))
        return;
    for (;;) {
        spin_lock(&pending_lock);
        struct omp_data *d = pending;
        while (d && (within ? d->within != within : d->team != team))
            d = d->pending_next;
        if (d)
            unlink_pending(d);
        spin_unlock(&pending_lock);
        if (!d)
            return;
        omp_task_discard(d->task);
    }
}
