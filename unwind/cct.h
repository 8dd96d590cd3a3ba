/* cct.h - the calling context tree: paths, interned, one node a frame.
 *
 * One tree for all threads. A path of the program's has one node whoever walks it, which is what the
 * appendix of Tallent & Mellor-Crummey (PPoPP 2009) wants of a logical tree: contexts of stolen tasks
 * share their spawners' nodes. Measurements are the threads' own, indexed by node.
 *
 * Insertion is lock-free, so that a signal handler fills the tree. Nodes stand in pieces, each twice as large as the one before,
 * that are mapped as the tree grows: by hooks, before they are needed (cct_prepare); by the handler itself where no hook comes in
 * time, ten times at most in a process with the default budget. Nodes are never removed and never move.
 */
#ifndef UNWIND_CCT_H
#define UNWIND_CCT_H

#include <stdbool.h>
#include <stdint.h>

struct cct_node {
    uint64_t address;           /* a place (place.h) */
    uint32_t parent;            /* smaller than this node's own index, but for the root's */
    uint32_t kind;              /* enum lpf_node_kind */
    uint32_t next;              /* in its hash chain */
    uint32_t pad;
};

#define CCT_ROOT 0u
#define CCT_FIRST 512u          /* nodes of the first piece */
#define CCT_PIECES 16           /* more than ten million nodes */

/* Piece P holds the nodes from CCT_FIRST * (2^P - 1) on; with them, their children's places (cct.c). Written once, when mapped. */
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

/* [hook] Room for what comes, so that a handler need not map any. */
void cct_prepare(void);

/* [any] The child of PARENT of KIND for ADDRESS, made if needed. Where the budget or memory is used up: PARENT
 * itself, and *LOST counts (may be NULL). Two threads that make the same child at once agree on one;
 * the other's node stays unused. */
uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost);

/* [any] Nodes made so far; those of a thread that is just making one may still be empty. */
uint32_t cct_count(void);

#endif
