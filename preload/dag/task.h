/* task.h - a task: what the engine knows of it at the point that its strands have reached.
 *
 *   S      length of the longest path from the start of the program to here (T_inf so far)
 *   len    the same in the burdened, the divided and the typical dag (lengths.h)
 *   work   its own strands (own) and everything that was joined into it (joined)
 *
 * The task also knows where S comes from: the contexts on the critical path from the task's birth
 * to now. Such relative paths are cheap. A child needs nothing of its parent's path. A child whose
 * path is not the longest at the join is dropped without an allocation.
 *
 *   birth <= blk <= S      and always      sum(bag.span_local) + loc + (S - blk) == S - birth
 *
 *   blk    S when a joined child last became the critical path: the start of the current BLOCK
 *   loc    the task's own cost on its critical path, birth..blk
 *   bag    what its descendants contribute to that path, birth..blk, by context
 *
 * A child that was born at x and ends at S_c > S replaces the parent's continuation at the join.
 * The parent's path becomes [its own path up to x] + [the child's path]. The parent's own part of
 * the last block is x - blk. Children that were born before blk need the path as it was then. So
 * scopes keep prefixes of it (rare; scope.h).
 *
 * Only the thread that runs a task writes it. If the task has ended before its children, the thread
 * that ends the last child completes it. A snapshot on another thread may read a task at any time.
 */
#ifndef PRELOAD_DAG_TASK_H
#define PRELOAD_DAG_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "contexts/context.h"
#include "dag/lengths.h"
#include "dag/scope.h"

struct dag_node;
struct region_instance;
struct whatif_inside;

enum task_flag {
    TASK_CALL = 1,      /* its spawner waits for it at once: no thief can take it, no burden */
    TASK_INHERIT = 2,   /* a construct made it by itself: it belongs to the parent's invocation */
    TASK_STOLEN = 4,
    TASK_CLOSED = 8,    /* its body has ended, children are outstanding (under its own
                         * scope's lock) */
    TASK_ROOT = 16,     /* a thread's own strand that nobody spawned */
    TASK_CANCELLED = 32,
    TASK_FOREIGN = 64,  /* another strand than its scope's owner spawned it: its birth is not on the
                         * owner's path */
    TASK_MOVED = 128,   /* it runs on another stack for a while: entry and base are that stack's */
    TASK_REST = 256,    /* the rest of a task that ended loosely (engine/strand.h) */
    /* `entry` points to a word that holds the entry; the word is 0 while the entry is not known */
    TASK_ENTRY_AT = 512,
    /* For the agent that made the task. The engine does not read these. */
    TASK_AGENT_0 = 1024, TASK_AGENT_1 = 2048, TASK_AGENT_2 = 4096, TASK_AGENT_3 = 8192,
    TASK_WORD = 16384,  /* `word` is set */
    /* its strand executes a chunk of a loop; iterations, divide_from are set (engine/divide.h) */
    TASK_DIVIDES = 32768,
    TASK_BY_PROGRAM = 65536, /* the program chose that chunk's size, and what follows it is the same
                              * whoever runs it */
    TASK_SIZED = 131072, /* the program chose that chunk's size, but what follows it depends on
                          * which thread got it */
    TASK_BODY = 262144, /* `body` is set */
    TASK_AGENT_4 = 524288,
    TASK_CHUNK = 1048576,   /* the loop of a region made it: its context's chunks are counted.
                             * `chunk_of` is set */
    TASK_DIRECT = 2097152, /* a call that its scope does not count (engine_spawn_call) */
};

/* The order of the fields follows the cache lines: the head of a block is 24 bytes, and blocks
 * begin at a line. A spawn writes four lines, and the task's beginning one more. */
struct task {
    /* line 0, behind the block's head: written at birth, and where the body begins */
    struct scope *scope;    /* its join waits for this scope; NULL: detached */
    struct thread *spawner;
    uint64_t spawn_tsc;
    /* written by the agent: where on its stack its body was called; a walk ends there */
    uintptr_t entry;
    uint32_t flags;
    uint32_t seq;           /* spawn order in the spawner: breaks ties the same way in every
                             * schedule, also after it wraps at 2^32 */
    /* line 1: written at birth */
    uint64_t S;
    struct lengths len;
    uint64_t birth, blk;
    struct context *ctx;
    /* lines 2 and 3: task_zero clears them at birth, in one run of stores */
    uint64_t loc;
    uint64_t own;           /* cost of its own strands */
    uint64_t joined;        /* subtree work of what was joined into it */
    struct bag *bag;
    struct scope *scopes;   /* its scopes other than its own, newest first */
    struct region_instance *regions;
    void *agent;            /* the agent's own */
    const void *agent_class;
    void *agent_node, *agent_flow;
    uint64_t inherited_work; /* local work of inherited tasks that were joined into it */
    uint64_t late;          /* the part of its path that other tasks did, before its own start
                             * (engine_after) */
    uint64_t *scaled;       /* S in every scenario, and a last slot of its own meaning
                             * (whatif/whatif_private.h); NULL: none are tried */
    struct dag_node *node;  /* its record (dagrec/dagrec.h); NULL: none is kept */
    uint32_t next_seq;      /* for its children */
    uint32_t block;         /* number of the current block, below 2^31 (task_block_next) */
    uint32_t fresh;         /* scopes that were spawned into in this block and are not joined yet */
    uint32_t sweep_in;      /* scopes_sweep walks after so many new scopes */
    /* line 4 */
    struct thread *thread;  /* the thread that may use its scopes' local halves (scope.h) */
    struct scope *own_scope; /* of the children that its own end joins; NULL: it has had none. Free
                              * blocks have NULL here */
    /* Each of these is set before it is read. */
    const struct logical_path *base; /* TASK_MOVED: the path above its frames; else ctx->path */
    const struct whatif_inside *inside; /* candidates that it is inside of; only with `scaled` */
    uint64_t iterations, divide_from; /* TASK_DIVIDES: of its chunk; D where the chunk began */
    union {
        uintptr_t body;     /* TASK_BODY: which function of its context runs: a context may have
                             * several, such as the filters of a pipeline */
        struct task *interrupted; /* libomp's agent: of an explicit task */
        struct task *chunk_of; /* TASK_CHUNK: the implicit task that executes the loop, paused */
    };
    void *word;             /* TASK_WORD: for agents beyond include/libprof_agent.h */
};
_Static_assert(offsetof(struct task, S) == 64 - 24 && offsetof(struct task, loc) == 128 - 24 &&
               offsetof(struct task, thread) == 256 - 24 && sizeof(struct task) == 320 - 24,
               "lines");

/* All scopes of T: for (s = task_scopes(t); s; s = task_scopes_next(t, s)). */
static inline struct scope *task_scopes(const struct task *t)
{
    struct scope *own = __atomic_load_n(&t->own_scope, __ATOMIC_ACQUIRE);
    return own ? own : __atomic_load_n(&t->scopes, __ATOMIC_RELAXED);
}

static inline struct scope *task_scopes_next(const struct task *t, const struct scope *s)
{
    return __atomic_load_n(s == t->own_scope ? &t->scopes : &s->owner_next, __ATOMIC_RELAXED);
}

/* Where T's frames end on its stack; 0: not known. */
static inline uintptr_t task_entry(const struct task *t)
{
    return __builtin_expect(t->flags & TASK_ENTRY_AT, 0) ? *(const volatile uintptr_t *)t->entry
                                                         : t->entry;
}

/* The path above T's frames. */
static inline const struct logical_path *task_path(const struct task *t)
{
    return t->flags & TASK_MOVED ? t->base : t->ctx->path;
}

/* The local work of T's invocation, and of its subtree. */
static inline uint64_t invocation_work(const struct task *t)
{
    return t->own + t->inherited_work;
}

static inline uint64_t subtree_work(const struct task *t)
{
    return t->own + t->joined;
}

/* The tie rule: of two equally long paths, the one whose strand was spawned first is critical. With
 * two exceptions this holds in every schedule: an edge keeps the path that came first, and
 * join_settled() (engine/scope.c) keeps the local one. */
static inline bool critical_is_longer(uint64_t S, uint32_t seq, uint64_t than_S, uint32_t than_seq)
{
    return S > than_S || (S == than_S && seq < than_seq);
}

static inline bool task_longer(const struct task *t, const struct task *than)
{
    return !than ? t->S != 0 : critical_is_longer(t->S, t->seq, than->S, than->seq);
}

/* Adds T, complete, to the figures of what has joined it. */
static inline void task_count(const struct task *t, uint64_t *work, uint64_t *inherited_work,
                              struct lengths *len)
{
    if (__builtin_expect(t->flags & (TASK_INHERIT | TASK_REST), 0)) {
        bool rest = t->flags & TASK_REST;       /* its own work was counted before */
        *work += rest ? t->joined : subtree_work(t);
        if (t->flags & TASK_INHERIT)
            *inherited_work += rest ? t->inherited_work : invocation_work(t);
    } else {
        *work += subtree_work(t);
    }
    lengths_max(len, &t->len);
}

/* The work of all tasks in H, and their lengths. Another thread may be writing H: then the caller
 * checks that H->done and H->best have not changed, or does with approximate figures. */
static inline uint64_t half_sums(const struct scope_half *h, struct lengths *len)
{
    const struct task *best = __atomic_load_n(&h->best, __ATOMIC_ACQUIRE);
    uint64_t work = 0, inherited_work = 0;
    *len = (struct lengths){ 0 };
    if (best && __atomic_load_n(&h->alone, __ATOMIC_ACQUIRE)) { /* pairs with half_settle */
        task_count(best, &work, &inherited_work, len);
        return work;
    }
    *len = h->len;
    return __atomic_load_n(&h->work, __ATOMIC_ACQUIRE);
}

#endif
