/* cct.h - the calling context tree: paths, interned, one node a frame.
 *
 * One tree for all threads. A path of the program's has one node whoever walks it, which is what the
 * appendix of Tallent & Mellor-Crummey (PPoPP 2009) wants of a logical tree: contexts of stolen tasks
 * share their spawners' nodes. Measurements are the threads' own, indexed by node.
 *
 * Insertion is lock-free and allocates nothing, so that a signal handler fills the tree: nodes come from
 * an array mapped at the start, whose pages the kernel gives when they are first written. Nodes are
 * never removed.
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

extern struct cct_node *cct_nodes __attribute__((visibility("hidden")));
extern uint32_t cct_budget;     /* nodes at most */

/* [init] 0 or -ENOMEM */
int cct_setup(uint32_t budget);

/* [any] The child of PARENT of KIND for ADDRESS, made if needed. Where the budget is used up: PARENT
 * itself, and *LOST counts (may be NULL). Two threads that make the same child at once agree on one;
 * the other's node stays unused. */
uint32_t cct_child(uint32_t parent, uint32_t kind, uint64_t address, uint64_t *lost);

/* [any] Nodes made so far; those of a thread that is just making one may still be empty. */
uint32_t cct_count(void);

#endif
