/* call_tree.c - see call_tree.h. A hash table of chains from (parent, kind, address) to the node. A
 * node is complete before a compare-and-swap puts it at the head of its chain. Chains grow only at
 * the head.
 *
 * A node has two possible places in the table. The NEAR place lies beside the places of nodes whose
 * parents are about as old as its own parent. The FAR place may be anywhere. A node goes into its
 * near place while the chain there is short. So a tree of a thousand nodes touches few pages of the
 * table. The hundred thousand children of one node go to far places, not into a few long chains.
 * Chains never get shorter. So a node that is not in a long near chain will never be in it.
 *
 * The near places are mapped with the piece of the tree that holds the parent. So the table grows
 * with the tree, and nothing in it moves. The far places are one table, which is mapped at the
 * start. Few trees need it.
 */
#include "unwind/call_tree.h"
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "libprof_format.h"
#include "base/memory.h"
#include "base/forbid.h"

struct cct_node *cct_piece[CCT_PIECES];
uint32_t cct_budget;
#define NEAR_LENGTH 4           /* a near chain of so many nodes is long */
#define NEAR_PLACES 8           /* the children of one node hash to so many near places */
#define NEAR_APART 2            /* the next node's near places begin so many places later */
#define FAR_SHARE 16            /* nodes of the budget for each far place */

static uint32_t *heads;         /* far places; 0: empty, for the root is in no chain */
static uint32_t head_mask;
static uint32_t made;           /* numbers given out; those beyond the budget have no node */

static inline uint32_t piece_start(unsigned p)
{
    return (CCT_FIRST << p) - CCT_FIRST;
}

/* The last piece ends with the budget. */
static inline uint32_t piece_nodes(unsigned p)
{
    uint32_t rest = cct_budget - piece_start(p);
    return rest < CCT_FIRST << p ? rest : CCT_FIRST << p;
}

static inline uint32_t near_places(unsigned p)
{
    return NEAR_APART * piece_nodes(p) + NEAR_PLACES;
}

static size_t piece_bytes(unsigned p)
{
    return piece_nodes(p) * sizeof(struct cct_node) + near_places(p) * sizeof(uint32_t);
}

/* Is there piece P? Maps it if needed. Pieces are mapped in order. */
static bool piece_there(unsigned p)
{
    if (p >= CCT_PIECES)
        return false;
    if (__builtin_expect(__atomic_load_n(&cct_piece[p], __ATOMIC_ACQUIRE) != 0, 1))
        return true;
    if (p && !__atomic_load_n(&cct_piece[p - 1], __ATOMIC_ACQUIRE))
        return false;
    struct cct_node *none = 0, *fresh = memory_map(piece_bytes(p));
    if (fresh && !__atomic_compare_exchange_n(&cct_piece[p], &none, fresh, false, __ATOMIC_RELEASE,
                                              __ATOMIC_RELAXED))
        memory_unmap(fresh, piece_bytes(p));
    return fresh || __atomic_load_n(&cct_piece[p], __ATOMIC_ACQUIRE);
}

/* A near place of PARENT's children. */
static uint32_t *near_place(uint32_t parent, uint32_t hash)
{
    unsigned p = cct_piece_of(parent);
    uint32_t *places =
        (uint32_t *)(__atomic_load_n(&cct_piece[p], __ATOMIC_ACQUIRE) + piece_nodes(p));
    return &places[(parent - piece_start(p)) * NEAR_APART + hash % NEAR_PLACES];
}

int cct_setup(uint32_t budget)
{
    uint32_t size = 1024;
    while (size < budget / FAR_SHARE && size < 1u << 20)
        size *= 2;
    head_mask = size - 1;
    cct_budget = budget;
    heads = memory_map(size * sizeof heads[0]);
    if (!heads || !piece_there(0))
        return -ENOMEM;
    *cct_node(CCT_ROOT) = (struct cct_node){ .parent = LPF_NONE, .kind = LPF_NODE_ROOT };
    made = 1;
    return 0;
}

void cct_prepare(void)
{
    uint32_t id = __atomic_load_n(&made, __ATOMIC_RELAXED), soon = id + id / 2;
    if (soon < cct_budget)
        piece_there(cct_piece_of(soon));
}

uint32_t cct_count(void)
{
    uint32_t n = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
    unsigned p = 0;
    while (p < CCT_PIECES && __atomic_load_n(&cct_piece[p], __ATOMIC_ACQUIRE))
        p++;
    if (n > piece_start(p))     /* numbers may be taken before there is memory for them */
        n = piece_start(p);
    return n < cct_budget ? n : cct_budget;
}

/* Searches the chain from node FROM on. *LENGTH: how many nodes were compared. 0: not found. */
static uint32_t find(uint32_t from, uint32_t parent, uint32_t kind, uint64_t address,
                     unsigned *length)
{
    *length = 0;
    for (uint32_t i = from; i; ++*length) {
        const struct cct_node *n = cct_node(i);
        if (n->address == address && n->parent == parent && n->kind == kind)
            return i;
        i = n->next;
    }
    return 0;
}

/* A node that is not in the table yet. 0: the budget or memory is used up. */
static uint32_t node_new(uint32_t parent, uint32_t kind, uint64_t address)
{
    uint32_t id = __atomic_load_n(&made, __ATOMIC_RELAXED);
    if (id < cct_budget && piece_there(cct_piece_of(id)))
        id = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    else
        return 0;
    if (id >= cct_budget || !piece_there(cct_piece_of(id)))
        return 0;
    struct cct_node *n = cct_node(id);
    n->address = address;
    n->parent = parent;
    n->kind = kind;
    return id;
}

uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost)
{
    uint64_t hash = (address * 0x9e3779b97f4a7c15ull) ^
                    ((uint64_t)parent * 0xff51afd7ed558ccdull) ^ kind;
    uint32_t *near = near_place(parent, hash >> 32), *far = &heads[(hash ^ hash >> 29) & head_mask];
    uint32_t *head = near, id = 0;
    for (uint32_t first = __atomic_load_n(head, __ATOMIC_ACQUIRE);;) {
        unsigned length;
        uint32_t found = find(first, parent, kind, address, &length);
        if (found)
            return found;
        if (head == near && length >= NEAR_LENGTH) {
            head = far;
            first = __atomic_load_n(head, __ATOMIC_ACQUIRE);
            continue;
        }
        if (!id && !(id = node_new(parent, kind, address))) {
            if (lost)
                ++*lost;
            return parent;
        }
        cct_node(id)->next = first;
        if (__atomic_compare_exchange_n(head, &first, id, false, __ATOMIC_RELEASE,
                                        __ATOMIC_ACQUIRE))
            return id;
    }
}
