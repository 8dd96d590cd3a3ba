/* scope.h - a scope: the set of tasks that one join waits for.
 *
 * A scope has two halves, where finished tasks leave their results. `local` belongs to the thread
 * that runs the owner's strand: it needs no atomics. `remote` belongs to every other thread, under
 * the scope's lock, which is held for a few dozen instructions. A task that ends before its
 * children gives up the local half.
 *
 *   local.done + remote.done <= spawned + spawned_foreign      equal: every task has ended
 */
#ifndef PRELOAD_DAG_SCOPE_H
#define PRELOAD_DAG_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/lock.h"
#include "dag/lengths.h"

struct bag;
struct task;
struct thread;

/* What finished tasks leave to the join. All-zero when empty, also on the free list. */
struct scope_half {
    struct task *best;      /* the finished task with the longest path; the join frees it */
    struct lengths len;     /* best of each */
    uint64_t *scaled;       /* best of each scenario (whatif/whatif.h); NULL: none are tried */
    uint64_t work;          /* subtree work of the finished tasks */
    uint64_t inherited_work; /* what inherited tasks did of their parent's invocation */
    uint64_t done;          /* finished tasks; release-stored after everything above */
};

/* The owner's path as it was in an earlier block, for children that were born then. */
struct prefix {
    struct prefix *next;
    uint64_t blk, end;      /* births in blk..end belong to it */
    uint64_t loc;
    struct bag *bag;        /* owned copy */
};

/* What tasks of a scope left behind when they ended before their children (engine_end_loose). It
 * is joined with the scope's group, not with its tasks. Under the scope's lock. */
struct scope_rest {
    uint64_t spawned;
    struct scope_half half;
};

struct scope {
    struct task *owner;     /* NULL: orphan, its owner has ended */
    struct thread *thread;  /* uses `local`; NULL: nobody */
    uint64_t spawned;       /* written by the owner's strand */
    uint64_t spawned_foreign; /* by other strands, under lock */
    struct scope_half local;
    /* part of work that a joiner was credited with already (foreign joins) */
    uint64_t taken_work;
    /* owner's block number of the last spawn, plus 1; 0: none since the join */
    uint32_t born_block;
    uint32_t prefix_count;
    struct prefix *prefixes; /* newest first */
    struct scope_rest *rest; /* NULL: nothing was left behind */
    uint32_t dag_id;        /* its number in dagrec/dagrec.h's lists; 0: no spawn since the join */
    bool left;              /* nobody will join it (engine_scope_leave); under lock */
    struct scope *owner_next; /* owner's list of scopes */
    struct scope *key_next; /* agent's list of scopes of one key */
    void *key;              /* agent's: the task group's context, the pthread, ... */
    struct lock lock;       /* protects `remote`, `left`, and the decisions who completes the owner
                               and who frees the scope; nests in nothing */
    struct scope_half remote;
};

static inline uint64_t scope_spawned(const struct scope *s)
{
    return __atomic_load_n(&s->spawned, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&s->spawned_foreign, __ATOMIC_ACQUIRE);
}

static inline bool scope_is_empty(const struct scope *s)
{
    return scope_spawned(s) == 0;
}

static inline bool scope_done(const struct scope *s)
{
    return __atomic_load_n(&s->local.done, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&s->remote.done, __ATOMIC_ACQUIRE) ==
           scope_spawned(s);
}

/* Has all of S ended, what its tasks left behind included? Under its lock. */
static inline bool scope_over(const struct scope *s)
{
    return s->local.done + s->remote.done == scope_spawned(s) &&
           (!s->rest || s->rest->half.done == s->rest->spawned);
}

#endif
