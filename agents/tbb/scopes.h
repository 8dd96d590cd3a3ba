/* scopes.h - which tasks a TBB wait waits for.
 *
 * A wait names a wait_context and a task_group_context, but tasks decrement the former inline, out
 * of sight. The rule that finds the right tasks from the latter (FACTS: right in 80 of 80 contended
 * runs where the context alone was wrong in 46):
 *   spawn into ctx:  ctx is what the strand itself executes in -> the strand's own node (self);
 *                    else the node keyed (strand, ctx)
 *   wait on ctx:     own ctx -> own node; a task_group's embedded ctx, or a flow graph's -> all
 *                    nodes of ctx; else (strand, ctx) only.
 * A context of the program's may serve loops and a task_group of one strand at once: a loop that has company waits
 * for a node of its own. Of several task_groups in it nobody can tell whose a task is: the first wait joins all.
 */
#ifndef AGENTS_TBB_SCOPES_H
#define AGENTS_TBB_SCOPES_H

#include "engine/engine.h"
#include "layout.h"

/* [hook] CTX has been constructed by the running strand / is about to be destroyed. */
void scopes_context_init(struct thread *th, struct tbb_context *ctx);
void scopes_context_destroy(struct thread *th, struct tbb_context *ctx);

/* [hook] From here on what we keep in CTX's padding is ours, whoever constructed it. */
void scopes_context_own(struct tbb_context *ctx);
/* [hook] The flow graphs known to run in CTX. */
struct flow_graph *scopes_context_graphs(const struct tbb_context *ctx);

/* [hook] Did a flow graph make CTX for itself? */
bool scopes_context_of_graph(const struct tbb_context *ctx);

/* [hook] Where the running strand spawns into for CTX; NULL: no strand runs, or no memory. */
struct scope *scopes_of_spawn(struct thread *th, struct tbb_context *ctx);

/* [hook] Has the running strand, or what it is a part of, other tasks in CTX? */
bool scopes_company(const struct thread *th, struct tbb_context *ctx);

/* [hook] The scope of the first task of the construct of CTX, whose end is the construct's: for a task
 * that the task which adds it does not wait for. */
struct scope *scopes_of_construct(struct thread *th, struct tbb_context *ctx);

/* [hook] The running strand has returned from waiting on (WC, CTX): join. */
void scopes_join(struct thread *th, const void *wc, struct tbb_context *ctx);

#endif
