/* dagrec_node.c - nodes of the dag, their budget, and the grain. See dagrec_private.h.
 *
 * Each thread counts its nodes by itself and adds them to the common count FLUSH at a time. The
 * thread that adds them sets the grain by n, the number of live nodes:
 *   n >= budget / 2   the grain doubles; it doubles again whenever n has taken a quarter of the
 *                     nodes that were left
 *   n >= budget       the grain is unlimited, until n < budget * 3 / 4
 *   n <  budget / 4   the next doubling is at budget / 2 again, and tied subtrees are kept again
 * If there are events, the first of these steps does not double the grain. It applies the grain to
 * tied subtrees.
 */
#include "dagrec/dagrec_private.h"
#include <string.h>
#include "base/message.h"
#include "dag/block.h"
#include "base/forbid.h"

#define FLUSH 64                /* nodes */

READ_MOSTLY bool dagrec_on;
READ_MOSTLY uint64_t dag_grain, dag_tied_grain;
struct dag_limits dag_limits;
CACHE_LINE struct dag_node dag_top;
struct dag_shared dag_shared;
LOCK_LISTED(grain_lock, dag_shared.grain_lock, LOCK_LEAF);

#if LIBPROF_DEBUG
bool dag_list_is_valid(const struct dag_node *n)
{
    ASSERT(n->lock.word && n->kind == LPF_DAG_TASK);
    ASSERT(!n->first == !n->last && !n->first == !n->count);
    uint32_t count = 0;
    const struct dag_node *last = 0;
    for (const struct dag_node *x = n->first; x; last = x, x = x->next, count++) {
        ASSERT(block_is_live(x));
        ASSERT(x->kind != LPF_DAG_TASK || x->parent == n);
    }
    ASSERT(count == n->count && last == n->last);
    return true;
}
#endif

/* Adds TH's count to the common one, and sets the grain by the sum. */
static __attribute__((noinline)) void nodes_flush(struct thread *th)
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

static inline void nodes_count(struct thread *th, int by)
{
    th->dag_nodes += by;
    if (__builtin_expect(th->dag_nodes >= FLUSH || th->dag_nodes <= -FLUSH, 0))
        nodes_flush(th);
}

struct dag_node *dag_node_new(struct thread *th, uint32_t kind)
{
    struct dag_node *n = block_new(th, BLOCK_NODE);
    if (__builtin_expect(!n, 0)) {
        dagrec_note(DAGREC_MEMORY);
        return 0;
    }
    memset(n, 0, sizeof *n);
    n->kind = kind;
    nodes_count(th, 1);
    return n;
}

void dag_node_free(struct thread *th, struct dag_node *n)
{
    nodes_count(th, -1);
    block_free(th, n);
}

void dag_list_free(struct thread *th, struct dag_node *n)
{
    struct dag_node *todo = n->first;
    while (todo) {
        struct dag_node *x = todo;
        todo = x->next;
        if (x->first) {
            x->last->next = todo;
            todo = x->first;
        }
        dag_node_free(th, x);
    }
    n->first = n->last = 0;
    n->count = 0;
}

void dag_nodes_reset(void)
{
    memset(&dag_top, 0, sizeof dag_top);
    dag_top.kind = LPF_DAG_TASK;
    dag_top.pending = 1;
    dag_top.limit = DAG_FIRST_LIMIT;
    memset(dag_shared.hidden, 0, sizeof dag_shared.hidden);
    dag_shared.nodes = 0;
    dag_shared.full = false;
    dag_tied_grain = 0;
    dag_top.grain = dag_grain = dag_shared.finite_grain = dag_limits.first_grain;
    dag_shared.next_at = dag_limits.nodes / 2;
}

void dagrec_note(enum dagrec_hidden why)
{
    __atomic_fetch_add(&dag_shared.hidden[why], 1, __ATOMIC_RELAXED);
}

uint64_t dagrec_hidden_count(enum dagrec_hidden why)
{
    return __atomic_load_n(&dag_shared.hidden[why], __ATOMIC_RELAXED);
}
