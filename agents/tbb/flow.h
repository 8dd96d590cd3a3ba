/* flow.h - flow graphs as the dag that the program wrote: see flow.c. */
#ifndef AGENTS_TBB_FLOW_H
#define AGENTS_TBB_FLOW_H

#include "classes.h"
#include "engine/engine.h"
#include "layout.h"

/* Those that every task's way passes by are out of line: few tasks are a graph's. */

/* [hook] The running strand spawns T, of class K (K->flow), in context CTX, or returns it to the dispatcher. True: it
 * is seen to. False: a graph or a node that we do not understand; spawn it as any task, the construct is a lower bound. */
bool flow_spawn(struct thread *th, struct tbb_task *t, const struct task_class *k, struct tbb_context *ctx);

/* [hook] Around the body of a task that flow_spawn saw to: REC is about to begin, runs and is about to end. */
void flow_begin(struct thread *th, struct task *rec) __attribute__((noinline));
void flow_end(struct thread *th, struct task *rec) __attribute__((noinline));
/* [hook] The body has thrown. */
void flow_thrown(struct thread *th) __attribute__((noinline));

/* [hook] The running strand has waited for (WC, CTX): joins the graph whose wait that was, if one was. */
void flow_join(struct thread *th, const void *wc, struct tbb_context *ctx) __attribute__((noinline));
/* [hook] CTX is about to be destroyed, and its graphs with it. */
void flow_context_destroy(struct thread *th, struct tbb_context *ctx) __attribute__((noinline));

/* tbb.c: has T been seen to; REC stands for T from now on. SPAWNED: T is on its way to the dispatcher; else it will be
 * seen again when it is. */
bool tbb_task_seen(const struct tbb_task *t);
void tbb_task_see(struct tbb_task *t, struct task *rec, bool spawned);

#endif
