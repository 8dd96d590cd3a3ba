/* cct.c - see cct.h. A hash table of chains from (parent, kind, address) to the node. A node is complete
 * before the compare-and-swap that puts it at the head of its chain; chains only grow at the head.
 *
 * A node has two places in the table: a NEAR one, beside those of nodes that have its parent's age, and a FAR one, anywhere.
 * It is put into the near one while the chain there is short, so that a tree of a thousand nodes touches a few pages of the
 * table and not all of them; a node's hundred thousand children are far, and not in a few chains. Chains never get shorter: who
 * finds the near one long, and the node not in it, knows that it will never be.
 */
#include "cct.h"
#include <stddef.h>
#include "libprof_format.h"
#include "memory.h"

struct cct_node *cct_nodes;
uint32_t cct_budget;
#define NEAR_LENGTH 4           /* of a chain that is not short */
#define NEAR_PLACES 8           /* of a node's children, */
#define NEAR_APART 2            /* so many places after those of the node before */

static uint32_t *heads;         /* 0: empty, for the root is in no chain */
static uint32_t head_mask;
static uint32_t made;           /* may exceed the budget: what does was not made */

int cct_setup(uint32_t budget)
{
    uint32_t size = 1024;
    while (size < budget && size < 1u << 20)
        size *= 2;
    cct_nodes = memory_map((size_t)budget * sizeof cct_nodes[0]);
    heads = memory_map(size * sizeof heads[0]);
    if (!cct_nodes || !heads)
        return -12;             /* ENOMEM */
    head_mask = size - 1;
    cct_budget = budget;
    cct_nodes[CCT_ROOT] = (struct cct_node){ .parent = LPF_NONE, .kind = LPF_NODE_ROOT };
    made = 1;
    return 0;
}

uint32_t cct_count(void)
{
    uint32_t n = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
    return n < cct_budget ? n : cct_budget;
}

/* In the chain from FROM on; LENGTH: of what was looked at. */
static uint32_t find(uint32_t from, uint32_t parent, uint32_t kind, uint64_t address, unsigned *length)
{
    *length = 0;
    for (uint32_t i = from; i; i = cct_nodes[i].next, ++*length) {
        const struct cct_node *n = &cct_nodes[i];
        if (n->address == address && n->parent == parent && n->kind == kind)
            return i;
    }
    return 0;
}

/* Not in the table yet. 0: the budget is used up. */
static uint32_t node_new(uint32_t parent, uint32_t kind, uint64_t address)
{
    uint32_t id = __atomic_load_n(&made, __ATOMIC_RELAXED);
    if (id < cct_budget)
        id = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    if (id >= cct_budget)
        return 0;
    struct cct_node *n = &cct_nodes[id];
    n->address = address;
    n->parent = parent;
    n->kind = kind;
    return id;
}

uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost)
{
    uint64_t hash = (address * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)parent * 0xff51afd7ed558ccdull) ^ kind;
    uint32_t near = (parent * NEAR_APART + (hash >> 32) % NEAR_PLACES) & head_mask, far = (hash ^ hash >> 29) & head_mask;
    uint32_t *head = &heads[near], id = 0;
    for (uint32_t first = __atomic_load_n(head, __ATOMIC_ACQUIRE);;) {
        unsigned length;
        uint32_t found = find(first, parent, kind, address, &length);
        if (found)
            return found;
        if (head == &heads[near] && length >= NEAR_LENGTH && far != near) {
            head = &heads[far];
            first = __atomic_load_n(head, __ATOMIC_ACQUIRE);
            continue;
        }
        if (!id && !(id = node_new(parent, kind, address))) {
            if (lost)
                ++*lost;
            return parent;
        }
        cct_nodes[id].next = first;
        if (__atomic_compare_exchange_n(head, &first, id, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
            return id;
    }
}
