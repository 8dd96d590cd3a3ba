/* cct.c - see cct.h. A hash table of chains from (parent, kind, address) to the node. A node is complete
 * before the compare-and-swap that puts it at the head of its chain; chains only grow at the head.
 */
#include "cct.h"
#include <stddef.h>
#include "libprof_format.h"
#include "memory.h"

struct cct_node *cct_nodes;
uint32_t cct_budget;
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

static uint32_t find(uint32_t from, uint32_t until, uint32_t parent, uint32_t kind, uint64_t address)
{
    for (uint32_t i = from; i != until; i = cct_nodes[i].next) {
        const struct cct_node *n = &cct_nodes[i];
        if (n->address == address && n->parent == parent && n->kind == kind)
            return i;
    }
    return 0;
}

uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost)
{
    uint64_t hash = (address * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)parent * 0xff51afd7ed558ccdull) ^ kind;
    uint32_t *head = &heads[(hash ^ hash >> 29) & head_mask];
    uint32_t first = __atomic_load_n(head, __ATOMIC_ACQUIRE);
    uint32_t found = find(first, 0, parent, kind, address);
    if (found)
        return found;
    uint32_t id = __atomic_load_n(&made, __ATOMIC_RELAXED);
    if (id < cct_budget)
        id = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    if (id >= cct_budget) {
        if (lost)
            ++*lost;
        return parent;
    }
    struct cct_node *n = &cct_nodes[id];
    n->address = address;
    n->parent = parent;
    n->kind = kind;
    n->next = first;
    while (!__atomic_compare_exchange_n(head, &first, id, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
        found = find(first, n->next, parent, kind, address);
        if (found)
            return found;
        n->next = first;
    }
    return id;
}
