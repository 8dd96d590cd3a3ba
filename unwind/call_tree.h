/* call_tree.h - the calling context tree. A node is a frame, and with its parents a call path.
 *
 * All threads share one tree. A path of the program has one node, whichever thread walks it. That
 * is what the appendix of Tallent & Mellor-Crummey (PPoPP 2009) asks of a logical tree: contexts
 * of stolen tasks share their spawners' nodes. Each thread has its own measurements, indexed by
 * node.
 *
 * Insertion is lock-free, so a signal handler can insert. The nodes lie in pieces, which are mapped
 * as the tree grows. Each piece is twice as large as the one before. Hooks map a piece before it is
 * needed (cct_prepare). Where no hook runs in time, the handler maps the piece itself: at most ten
 * times in a process with the default budget. Nodes are never removed and never move.
 */
#ifndef UNWIND_CALL_TREE_H
#define UNWIND_CALL_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct cct_node {
    uint64_t address;           /* a place (code_place.h) */
    uint32_t parent;            /* smaller than this node's own index, but for the root's */
    uint32_t kind;              /* enum lpf_node_kind */
    uint32_t next;              /* in its hash chain */
    uint32_t pad;
};

#define CCT_ROOT 0u
#define CCT_FIRST 512u          /* nodes of the first piece */
#define CCT_PIECES 16           /* more than ten million nodes */

/* Piece P holds the nodes from CCT_FIRST * (2^P - 1) on and the near places of their children
 * (call_tree.c). Written once, when mapped. */
extern struct cct_node *cct_piece[CCT_PIECES] __attribute__((visibility("hidden")));
extern uint32_t cct_budget;     /* nodes at most */

static inline unsigned cct_piece_of(uint32_t id)
{
    return __builtin_clz(CCT_FIRST) - __builtin_clz(id + CCT_FIRST);
}

/* [any] A node that was made. */
static inline struct cct_node *cct_node(uint32_t id)
{
    unsigned p = cct_piece_of(id);
    return &__atomic_load_n(&cct_piece[p], __ATOMIC_ACQUIRE)[id + CCT_FIRST - (CCT_FIRST << p)];
}

/* [init] 0 or -ENOMEM */
int cct_setup(uint32_t budget);

/* [hook] Maps room for coming nodes, so that a handler need not. */
void cct_prepare(void);

/* [any] Finds or makes the child of PARENT that has KIND and ADDRESS. Where the budget or memory is
 * used up, returns PARENT and increments *LOST (LOST may be NULL). Two threads that make the same
 * child at once agree on one node. The other node stays unused. */
uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost);

/* [any] The number of nodes so far. A node that another thread makes now may still be empty. */
uint32_t cct_count(void);

#endif
