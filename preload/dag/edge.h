/* edge.h - what carries a path from one strand to another where no join does.
 *
 *   edge      a maximum over strands: whoever gets it starts after the longest that was put
 *   path      a critical path put aside, handed on whole (the items of a pipeline)
 *   trail     a critical path that messages share (flow graphs)
 *   arrival   what a strand may have to wait for: a trail, and the lengths beside it
 *   kept      the path of a task that has ended, for those that start after it (depend)
 *
 * Each but the edge keeps its provenance, so that the split of the span stays exact. Where one has
 * S, birth, loc and a bag, these obey task.h's equation: sum(bag.span_local) + loc == S - birth.
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

struct edge {
    struct lock lock;
    uint64_t S;
    struct lengths len;
    uint64_t *scaled;
    struct context *ctx;    /* of the strand that put S */
    uint32_t dag_event;     /* dagrec/dagrec.h; 0: none */
    bool mixed;             /* that path led through other contexts, too */
    bool one_invocation;    /* set by the agent: all who put and get are tasks of one invocation */
};

/* Relative to a birth that the strands of one invocation share. */
struct path {
    uint64_t S;
    struct lengths len;
    uint64_t *scaled;
    uint64_t loc;
    struct bag *bag;        /* owned */
    uint32_t dag_event;     /* dagrec/dagrec.h; 0: none */
    struct thread *thread;  /* that put it, and when (ticks); NULL, 0: empty */
    uint64_t tsc;
};

/* Shared and immutable: the path of a strand of SCOPE at some moment, or (ctx NULL) a point of the
 * strand that owns SCOPE. */
struct trail {
    uint64_t S, birth, loc;
    struct scope *scope;
    struct bag *bag;        /* owned */
    uint64_t *scaled;       /* owned: the longest of all that this trail stands for, per scenario */
    struct context *ctx;
    uint64_t work_local, work, late;
    uint32_t flags;
    uint32_t seq;           /* of the strand: breaks ties the same way in every schedule */
    uint32_t references;
};

/* The longest trail that arrived, and the longest of the other paths. All-zero: nothing arrived. */
struct arrival {
    struct trail *trail;    /* a reference */
    struct lengths len;
    uint32_t dag_event;     /* dagrec/dagrec.h: all that arrived; 0: none */
};

/* Of a task that has ended, or of a strand that is paused; relative to the task's birth. Its own
 * part of the path is what the bag does not have. */
struct kept {
    uint64_t S, L, K;
    uint64_t birth, late;
    uint64_t work_local, work;  /* of its invocation, of its subtree */
    struct bag *bag;            /* owned */
    struct context *ctx;        /* NULL: nothing is kept */
    /* D, scenarios, the recorded dag; NULL: D is S, and neither is wanted */
    struct kept_more *more;
    uint32_t flags, seq;        /* the task's */
};

#endif
