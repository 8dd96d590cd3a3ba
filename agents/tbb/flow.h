/* flow.h - flow graphs as the dag that the program wrote: see flow.c. */
#ifndef AGENTS_TBB_FLOW_H
#define AGENTS_TBB_FLOW_H

#include "engine/engine.h"
#include "tbb_abi.h"
#include "task_classes.h"

/* These functions are out of line in code that every task runs: few tasks are a graph's. */

/* [hook] The running strand spawns T, of class K (K->flow), in context CTX, or returns it to the
 * dispatcher. True: T has its record. False: a graph or a node that we do not understand; the
 * caller spawns T as any task, and the construct is a lower bound. */
bool flow_spawn(struct thread *th, struct tbb_task *t, const struct task_class *k,
                struct tbb_context *ctx);

/* [hook] For a task with a record from flow_spawn or from a put. REC is about to begin. */
void flow_begin(struct thread *th, struct task *rec) __attribute__((noinline));
/* [hook] REC runs, and is about to end. IS_LONG: flow_end_is_long returned it. */
void flow_end(struct thread *th, struct task *rec, bool is_long);
bool flow_end_is_long(const struct task *rec);
/* [hook] The body has thrown. */
void flow_thrown(struct thread *th) __attribute__((noinline));

/* [hook] The running strand has waited for (WC, CTX). If that was the wait for a graph, the graph
 * is joined. */
void flow_join(struct thread *th, const void *wc, struct tbb_context *ctx)
    __attribute__((noinline));
/* [hook] CTX is about to be destroyed, and its graphs with it. */
void flow_context_destroy(struct thread *th, struct tbb_context *ctx) __attribute__((noinline));

#endif
