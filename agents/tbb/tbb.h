/* tbb.h - the oneTBB agent: the runtime's entry points, translated into the engine's events.
 *
 * How we see a task. spawn() passes a d1::task. We replace its vptr by that of a vtable of ours
 * (task.h). Our execute() and cancel() restore the vptr, report that a task begins, call the real
 * function, and report that the task ended.
 *
 * Rules in all files of this folder:
 *  - exceptions, cancellation and forced unwinding pass through every hook. Cleanup functions
 *    (-fexceptions) undo what must be undone. We never catch an exception;
 *  - a strand may go on on another thread (suspend, arena.execute). So hooks call thread_self()
 *    again after every call into the runtime;
 *  - a strand that waits is paused: th->cur is NULL inside the runtime. So tasks that the waiting
 *    thread runs meanwhile begin as on any other thread.
 * Every hook passes straight through while the engine does not record.
 *
 * The layers of this folder, the lowest first. A file uses those above it, and none below:
 *
 *   tbb_abi.h                       oneTBB's binary interface
 *   control.h, task_classes        workers from outside; constructs by C++ class
 *   entry                          the real entry points
 *   control.c                      the number of workers, as the program sees it
 *   scopes                         which tasks a wait waits for
 *   task                           the words of a task object that are ours
 *   loop                           chunks of loops, and their iterations
 *   reduce, pipeline               joins of reduction trees; parallel_pipeline
 *   flow_node_class                flow graphs: type information
 *   flow_guest                     strands outside a graph whose path leads through it
 *   flow_mail                      messages, and the queues and places that they wait in
 *   flow_task                      a message makes a task ready
 *   flow_address                   objects of nodes, by address
 *   flow_take, flow_put            our functions for nodes: buffers and gets; puts
 *   flow_vtable                    copies of vtables with those functions
 *   flow_node                      graphs and nodes in the program's memory
 *   flow                           a graph's tasks, and waits for a graph
 *   spawn                          a strand spawns a task
 *   run, wait                      a task runs; a strand waits
 *   arena, suspend                 task_arena::enqueue and execute; suspend and resume
 */
#ifndef AGENTS_TBB_TBB_H
#define AGENTS_TBB_TBB_H

#include "engine/engine.h"
#include "tbb_abi.h"
#include "scopes.h"
#include "callsite/site.h"
#include "task.h"
#include "task_classes.h"
#include "base/export.h"

/* ---- spawn.c ---- */

/* A spawn, as a hook sees it. */
struct spawning {
    struct tbb_task *task;
    struct tbb_context *context;    /* NULL: nobody waits for the task */
    struct scope *scope;            /* NULL: where a wait for the context joins the task */
    /* where the strand called us. NULL: it did not; `other` is the address of the site */
    const struct path_point *from;
    uintptr_t other;
    uint32_t flags;                 /* TASK_CALL */
    bool alone;                     /* only the spawner knows the task */
};

/* [hook] The running strand of TH, or none, spawns a task. */
void tbb_spawn_into(struct thread *th, const struct spawning *s);
/* [hook] The same of a task that may be a flow graph's. The flow graph's files may have seen it
 * before. */
void tbb_spawn_in_graph(struct thread *th, const struct spawning *s);

/* [hook] The class of a task with the vtable VPTR that runs in TCTX. */
static inline const struct task_class *tbb_class_of(void *const *vptr,
                                                    const struct tbb_context *tctx)
{
    const struct task_class *k = task_class_of(vptr);
    if (__builtin_expect(k == &task_class_nameless && tctx, 0))
        return task_class_by_context(tctx->name, tctx->traits & TBB_CONTEXT_CONCURRENT_WAIT,
                                     scopes_context_of_graph(tctx));
    return k;
}

/* ---- loop.c ---- */

/* [hook] The running strand spawns T, of class VPTR with the record REC: a task of a loop. FROM:
 * the task of the same loop that splits it off; NULL: there is none. */
void tbb_loop_chunk(struct tbb_task *t, void *const *vptr, struct task *from, struct task *rec);

/* ---- reduce.c ---- */

struct reduce_node;

/* A parallel_reduce has begun: from now on its hooks look for the nodes of its tree. */
extern bool tbb_reductions;
/* [hook] The running strand splits off T, a task of a reduction, with the record REC. */
void tbb_reduce_split(struct thread *th, struct tbb_task *t, struct task *rec);
/* [hook] The running strand, REC's, ends at its tree node. */
void tbb_reduce_end(struct thread *th, struct task *rec);

#endif
