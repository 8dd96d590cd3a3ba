/* scope.h - a scope: the set of tasks that one join waits for.
 *
 * A scope has two halves, where finished tasks leave their results. `local` belongs to the thread
 * that runs the owner's strand, so its writes need no lock. `remote` belongs to all other threads,
 * under the scope's lock, which is held for a few dozen instructions. When the owner ends before
 * its children, nobody uses `local` any more.
 *
 *   local.done + remote.done <= spawned + spawned_foreign      equal: every task has ended
 *
 * In what follows, `work` of a half contains a task that is alone in it (struct scope_half).
 * Every join credits the joiner with the work that no join before it has taken. While the owner is
 * alive, the joins of other strands, the foreign ones, leave the results where they are. The
 * owner's join empties the scope.
 *
 *   taken_work  == the sum of the credits of the foreign joins since the scope was empty
 *   taken_work  <= local.work + remote.work
 *   a join's credit  == local.work + remote.work - taken_work
 *
 * So a join must keep the others out from when it reads these until it has written them. A foreign
 * join holds the lock. The owner's join, if it is alone, takes no lock: it sets `taking` and then
 * finds the lock free. A foreign join first takes the lock, then reads `taking`. In between it
 * makes the owner's processor order the owner's two steps (membarrier). So one of them sees the
 * other and waits.
 */
#ifndef PRELOAD_DAG_SCOPE_H
#define PRELOAD_DAG_SCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/lock.h"
#include "dag/lengths.h"

struct bag;
struct context;
struct task;
struct thread;

/* The results that finished tasks leave to the join. All-zero if empty, also on the free list. Most
 * scopes have one task. So a half's first task stays alone: its figures go to the joiner at once,
 * or into the half when the next task ends. Read them with half_sums (task.h). */
struct scope_half {
    struct task *best;      /* the finished task with the longest path; the join frees it */
    uint64_t alone;         /* 1: best is the only task so far, and is not in the figures below */
    uint64_t done;          /* finished tasks; release-stored after everything else */
    struct lengths len;     /* best of each */
    uint64_t work;          /* subtree work of the finished tasks */
    uint64_t inherited_work; /* work of inherited tasks: it belongs to their parent's invocation */
    uint64_t *scaled;       /* best of each scenario (whatif/whatif.h); NULL: none are tried */
};

/* The owner's path as it was in an earlier block, for children that were born then. */
struct prefix {
    struct prefix *next;
    uint64_t blk, end;      /* the prefix serves children with a birth in blk..end */
    uint64_t loc;
    struct bag *bag;        /* owned copy */
};

/* The rest of tasks of a scope that ended before their children (engine_end_loose). It is joined
 * with engine_join_group, not with its tasks. Under the scope's lock. */
struct scope_rest {
    uint64_t spawned;
    struct scope_half half;
};

struct scope {
    struct task *owner;     /* NULL: orphan, its owner has ended */
    struct thread *thread;  /* the thread that uses `local`; NULL: nobody */
    struct scope_rest *rest; /* NULL: nothing was left behind */
    struct prefix *prefixes; /* newest first */
    /* owner's block number of the last spawn, plus 1; 0: none since the join */
    uint32_t born_block;
    uint32_t prefix_count;
    /* scope_empty clears the fields from here to local.done, and the rest of local if it is set */
    uint64_t spawned;       /* written by the thread that uses `local` */
    uint64_t spawned_foreign; /* by others, under lock */
    uint64_t taken_work;    /* work that foreign joins have already taken */
    struct scope_half local;
    uint32_t dag_id;        /* its number in dagrec/dagrec.h's lists; 0: no spawn since the join */
    bool left;              /* nobody will join it (scope_leave); under lock */
    bool taking;            /* the owner empties the scope and does not hold the lock */
    struct scope *owner_next; /* owner's list of scopes */
    struct scope *key_next; /* agent's list of scopes of one key */
    void *key;              /* agent's: the task group's context, the pthread, ... */
    struct lock lock;       /* protects `remote`, `left`, what joins take, and two decisions: who
                             * completes the owner, and who frees the scope. Nests in nothing */
    uint64_t ended;         /* tsc of the last end of a task of `remote`, or of an earlier join's;
                             * under lock */
    struct context *born_in; /* an orphan's: the context of the owner that has ended; under lock */
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

/* Have all tasks of S ended, and all that they left behind? Under S's lock. */
static inline bool scope_over(const struct scope *s)
{
    return s->local.done + s->remote.done == scope_spawned(s) &&
           (!s->rest || s->rest->half.done == s->rest->spawned);
}

#endif
