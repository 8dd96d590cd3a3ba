/* dagrec_grain.c - the grain: the least work of a subtree that the dag keeps in full. See
 * dagrec_private.h.
 *
 * The thread that adds its count of nodes to the common one sets the grain by n, the number of live
 * nodes:
 *   n >= budget / 2   the grain doubles; it doubles again whenever n has taken a quarter of the
 *                     nodes that were left
 *   n >= budget       the grain is unlimited, until n < budget * 3 / 4
 *   n <  budget / 4   the next doubling is at budget / 2 again, and tied subtrees are kept again
 * If there are events, the first of these steps does not double the grain. It applies the grain to
 * tied subtrees.
 */
#include "dagrec/dagrec_private.h"
#include "base/forbid.h"

READ_MOSTLY uint64_t dag_grain, dag_tied_grain;
struct dag_limits dag_limits;
struct dag_shared dag_shared;
LOCK_LISTED(grain_lock, dag_shared.grain_lock, LOCK_LEAF);

__attribute__((noinline)) void dag_nodes_flush(struct thread *th)
{
    int64_t now = __atomic_add_fetch(&dag_shared.nodes, th->dag_nodes, __ATOMIC_RELAXED);
    uint64_t n = now > 0 ? now : 0, budget = dag_limits.nodes;
    struct dag_shared *s = &dag_shared;
    th->dag_nodes = 0;
    if (!lock_try(&s->grain_lock))
        return;
    if (n >= s->next_at && n < budget && s->finite_grain < UINT64_MAX / 4) {
        /* The first time, only tied subtrees below the grain are contracted. Then the grain
         * grows. */
        if (s->full || !__atomic_load_n(&s->events, __ATOMIC_RELAXED) || !s->finite_grain)
            s->finite_grain = s->finite_grain ? s->finite_grain * 2 : 1;
        s->next_at = n + (budget - n) / 4 + 1;
        s->full = true;
    }
    if (n >= budget)
        __atomic_store_n(&dag_grain, UINT64_MAX, __ATOMIC_RELAXED);
    else if (dag_grain != UINT64_MAX || n < budget - budget / 4)
        __atomic_store_n(&dag_grain, s->finite_grain, __ATOMIC_RELAXED);
    if (n < budget / 4) {
        s->next_at = budget / 2;
        s->full = false;
    }
    uint64_t tied = dag_grain == UINT64_MAX ? UINT64_MAX : s->full ? s->finite_grain : 0;
    __atomic_store_n(&dag_tied_grain, tied, __ATOMIC_RELAXED);
    lock_release(&s->grain_lock);
}

void dag_grain_reset(void)
{
    dag_shared.full = false;
    dag_tied_grain = 0;
    dag_grain = dag_shared.finite_grain = dag_limits.first_grain;
    dag_shared.next_at = dag_limits.nodes / 2;
}
