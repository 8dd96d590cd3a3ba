/* dag.h - the oracle: random fork-join programs as data, and what they cost, computed naively from
 * the explicit dag of their strands. It uses nothing of the engine. It aims to be obviously
 * correct.
 *
 * A program is a tree of tasks; a task is a list of operations. The generator writes operations in
 * the order of the serial execution (a child's at its spawn), and lets an operation wait only for
 * what comes earlier in that order, so every schedule that respects the waits is valid and none
 * deadlocks.
 */
#ifndef TESTS_UNIT_DAG_H
#define TESTS_UNIT_DAG_H

#include <stdbool.h>
#include <stdint.h>

enum { DAG_SITES = 6, DAG_KEYED = 3, DAG_EDGES = 8 };
/* Scopes of a task: its self scope, keyed ones, and "nobody joins". */
enum { SCOPE_SELF = 0, SCOPE_DETACHED = 1 + DAG_KEYED, SCOPE_KINDS };

enum op_kind {
    OP_COST,            /* n: cost */
    OP_SPAWN,           /* n: task */
    OP_JOIN,            /* n: scope */
    OP_FOREIGN,         /* n: task that ended, k: its keyed scope, an orphan now */
    OP_PUT, OP_GET,     /* n: edge; a get waits for all puts of its edge */
    OP_PAUSE, OP_CUT,   /* the strand is interrupted, or only its clock read: no effect */
};
struct op {
    enum op_kind kind;
    uint32_t n, k;
};

struct ptask {
    uint32_t parent;            /* task 0, the root, is its own */
    uint32_t scope;             /* of the parent */
    uint32_t site;
    bool call, inherit, discard;
    struct op *op;
    uint32_t ops, op_capacity;
};

enum feature {
    FEATURE_EDGES = 1, FEATURE_FOREIGN = 2, FEATURE_DETACHED = 4, FEATURE_INHERIT = 8,
    FEATURE_CALL = 16, FEATURE_DISCARD = 32, FEATURE_KEYED = 64, FEATURE_ALL = 127
};
struct program {
    uint64_t seed;
    uint32_t features;
    struct ptask *task;
    uint32_t tasks, task_capacity;
    uint32_t puts[DAG_EDGES];   /* per edge */
};

/* At most about TASKS tasks. */
void program_make(struct program *p, uint64_t seed, uint32_t features, uint32_t tasks);
void program_free(struct program *p);

/* ---- what the naive program finds out ---- */

struct task_truth {
    uint64_t own;               /* cost of its own strands */
    uint64_t subtree;           /* and everything joined into it */
    uint64_t invocation;        /* own, and that of inherited tasks joined into it */
    uint64_t birth, end;        /* longest paths from the start of the program */
    uint64_t loc;               /* own (and inherited) cost on the path birth..end */
    bool top;                   /* no ancestor of the same site */
    bool on_span;               /* the longest path leads through it */
};
struct truth {
    uint64_t work, span, burdened;
    uint64_t spawns, tasks;
    bool exact;                 /* the engine promises an exact split of the span */
    bool unique;                /* there is one longest path (to the end of the program) */
    bool all_unique;            /* and to the end of every task */
    uint64_t *span_of;          /* per task: its invocation's own cost on the longest path */
    struct task_truth *task;
};
void truth_compute(struct truth *t, const struct program *p, uint64_t burden);
void truth_free(struct truth *t);

static inline uint64_t dag_random(uint64_t *state)     /* splitmix64 */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

#endif
