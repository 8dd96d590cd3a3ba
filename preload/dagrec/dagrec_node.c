/* dagrec_node.c - nodes of the dag, and the counts of what the dag does not show. See
 * dagrec_private.h.
 *
 * Each thread counts its nodes by itself and adds them to the common count FLUSH at a time
 * (dagrec_grain.c).
 */
#include "dagrec/dagrec_private.h"
#include <string.h>
#include "base/message.h"
#include "dag/block.h"
#include "base/forbid.h"

#define FLUSH 64                /* nodes */

READ_MOSTLY bool dagrec_on;
CACHE_LINE struct dag_node dag_top;

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

static inline void nodes_count(struct thread *th, int by)
{
    th->dag_nodes += by;
    if (__builtin_expect(th->dag_nodes >= FLUSH || th->dag_nodes <= -FLUSH, 0))
        dag_nodes_flush(th);
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
    dag_grain_reset();
    dag_top.grain = dag_grain;
}

void dagrec_note(enum dagrec_hidden why)
{
    __atomic_fetch_add(&dag_shared.hidden[why], 1, __ATOMIC_RELAXED);
}

uint64_t dagrec_hidden_count(enum dagrec_hidden why)
{
    return __atomic_load_n(&dag_shared.hidden[why], __ATOMIC_RELAXED);
}
