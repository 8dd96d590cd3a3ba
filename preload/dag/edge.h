/* edge.h - structures that carry a path from one strand to another without a join.
 *
 *   edge      the longest path that strands have put into it: a strand that gets it starts no
 *             earlier than the end of that path
 *   path      a critical path, put aside and handed on whole (the items of a pipeline)
 *   trail     a critical path that messages share (flow graphs)
 *   arrival   what a strand may have to wait for: a trail, and the lengths beside it
 *   kept      the path of a task that has ended, for tasks that start after it (depend)
 *
 * All but the edge keep the bag of the path, so that the split of the span stays exact.
 * Where a structure has S, birth, loc and a bag, task.h's equation holds:
 * sum(bag.span_local) + loc == S - birth.
 */
#ifndef PRELOAD_DAG_EDGE_H
#define PRELOAD_DAG_EDGE_H

#include <stdbool.h>
#include <stdint.h>
#include "base/lock.h"
#include "dag/lengths.h"

struct bag;
struct context;
struct scope;
struct thread;
struct whatif_inside;

struct edge {
    struct lock lock;
    uint64_t S;
    struct lengths len;
    uint64_t *scaled;
    struct context *ctx;    /* of the strand that put S */
    uint32_t dag_event;     /* dagrec/dagrec.h; 0: none */
    bool mixed;             /* the path of S led through other contexts, too */
    bool one_invocation;    /* set by the agent: only tasks of one invocation put and get */
};

/* A path relative to a birth that all strands of one invocation share. */
struct critical {
    uint64_t S;
    struct lengths len;
    uint64_t *scaled;
    uint64_t loc;
    struct bag *bag;        /* owned */
    uint32_t dag_event;     /* dagrec/dagrec.h; 0: none */
    struct thread *thread;  /* the thread that put the path; NULL: empty */
    uint64_t tsc;           /* when it did, ticks */
};

/* The path of a strand of SCOPE at some moment, or (ctx NULL) of the strand that owns SCOPE. Shared
 * and immutable. */
struct trail {
    uint64_t S, birth, loc;
    struct scope *scope;
    struct bag *bag;        /* owned */
    uint64_t *scaled;       /* owned: by scenario, the longest of all paths that this stands for */
    /* candidates that the messages were put inside of, each of them; only with `scaled` */
    const struct whatif_inside *inside;
    struct context *ctx;
    uint64_t work_local, work, late;
    uint32_t flags;
    uint32_t seq;           /* of the strand: breaks ties the same way in every schedule */
    uint32_t references;
};

/* The longest trail that arrived, and the longest lengths. All-zero: nothing arrived. */
struct arrival {
    struct trail *trail;    /* a reference */
    struct lengths len;
    uint32_t dag_event;     /* dagrec/dagrec.h: the event of all that arrived; 0: none */
};

/* The path of a task that has ended, or of a strand that is paused, relative to the task's birth.
 * The task's own part is not stored: S - birth - sum(bag.span_local). */
struct kept {
    uint64_t S, L, K;
    uint64_t birth, late;
    uint64_t work_local, work;  /* of the task's invocation; of its subtree */
    struct bag *bag;            /* owned */
    struct context *ctx;        /* NULL: nothing is kept */
    /* The address of a struct kept_more: D, T, scenarios, the recorded dag. 0: D and T are S, and
     * neither is wanted. Odd: the same, but T is more / 2 less than S. Once a strand had an
     * outlier, all that it spawns have this, and there may be many. */
    uintptr_t more;
    uint32_t flags, seq;        /* the task's */
};

#endif
