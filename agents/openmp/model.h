/* model.h - OpenMP's constructs as a dag (OpenMP 5.2, chapters 10, 12 and 15). The agents of the
 * two runtimes (gomp_*.c, ompt_*.c) call these functions. The model turns the calls into events of
 * the engine.
 *
 * A parallel region is one invocation: a call that its encountering strand waits for. Its implicit
 * tasks are born where the region begins. A barrier joins them, and the tasks that they and their
 * descendants created. Then new strands of the implicit tasks are born. The time between two
 * barriers is an EPOCH. So the path across a barrier is the longest one of the team, handed on
 * whole, with its bag. The split of the span stays exact.
 *
 *   explicit task   a child of the task that creates it. It counts as deferred wherever OpenMP
 *                   allows that, even if the runtime executes it at once. So work and span are the
 *                   same on one thread. These are calls: tasks with if(0), descendants of a final
 *                   task, tasks outside every region
 *   taskwait        joins the children, but not their children (engine_end_loose)
 *   taskgroup       a scope of its own. Its end also joins what its tasks left behind
 *   depend          edges between the tasks of one parent (depend_table.h)
 *   detach          the task ends with its body or with the fulfilment of its event, whichever is
 *                   later
 *   loop chunk      a part of a loop that the runtime hands out while the loop runs (dynamic,
 *                   guided, runtime): a strand of its own, parallel to the thread's other chunks.
 *                   The parts of a static schedule belong to the implicit task
 *   ordered         each ordered block starts after the one before it; with sinks and sources, each
 *                   iteration starts after the iterations that it waits for (doacross.h)
 *   critical, atomic, locks
 *                   no edges. A strand that waits for one of them, for its turn in an ordered loop,
 *                   or for a source, is paused: the time is idle
 *
 * The layers of this folder, the lowest layer in the first line. A file may use files of its own
 * line and of earlier lines. One exception: sequential takes a type from doacross.h.
 *
 *   caller                              which of several runtimes a caller uses
 *   gomp_entry, kmpc_entry, sequential  the entry points of the two runtimes; our hooks where no
 *                                       runtime is loaded
 *   model_data                          what the model keeps with a strand
 *   depend, doacross, cancel            dependences; loops that wait; tasks that are dropped
 *   model_task                          explicit tasks
 *   model_wait, model_loop              waits and taskgroups; chunks of loops
 *   taskloop, detach                    taskloops; events of detachable tasks
 *   model_region                        regions, implicit tasks, barriers
 *   ompt_here                           libomp: the thread's state, the program's call
 *   ompt_untied                         libomp: untied tasks, which run in parts
 *   ompt_region, ompt_task, ompt_wait,  libomp: one kind of callback each
 *   ompt_lock, ompt_loop
 *   ompt                                libomp: the tool itself
 *   gomp, gomp_depend_list              libgomp: what its entry points share
 *   gomp_region, gomp_wait, gomp_loop,  libgomp: one kind of entry point each. Where the program
 *   gomp_task, gomp_target              runs on libomp, some report to ompt_*
 *
 * [hook] all functions of this header. Each finds the calling thread's state by itself, and does
 * nothing if there is none, unless it has TH as a parameter. They preserve errno.
 */
#ifndef AGENTS_OPENMP_MODEL_H
#define AGENTS_OPENMP_MODEL_H

#include "model_data.h"
#include "base/inline.h"
#include "callsite/site.h"
#include "cancel.h"
#include "engine/engine.h"
#include "lifecycle/lifecycle.h"

/* ---- regions: model_region.c ---- */

/* A barrier that the calling thread is in. */
struct omp_barrier {
    struct omp_data *data;      /* NULL: no implicit task arrived */
    struct region_instance *regions;
    struct task *turn;          /* the task goes on (engine_turn_pause); NULL: it has ended */
};

/* An implicit task that begins. */
struct omp_implicit {
    uint32_t num, size;         /* the thread's number; the number of threads */
    uintptr_t entry;            /* where the task's frames end: struct task */
    bool at;                    /* `entry` is TASK_ENTRY_AT's */
};

/* The running strand encounters a region, at FROM. CONSTRUCT: a static string. */
void omp_region_begin(struct omp_region *r, const struct path_point *from,
                      const struct site_style *style, const char *construct);
/* The region has ended, and its encountering strand goes on. */
void omp_region_end(struct omp_region *r);

/* The calling thread begins its implicit task of R. */
void omp_implicit_begin(struct omp_region *r, const struct omp_implicit *what);
/* The calling thread ends its implicit task. */
void omp_implicit_end(void);

/* The running implicit task arrives at a barrier, which B keeps. */
void omp_barrier_begin(struct omp_barrier *b);
/* All threads have arrived: the implicit task goes on as a new strand. */
void omp_barrier_end(struct omp_barrier *b);
/* B was the region's last barrier: the thread executes nothing after it. */
void omp_barrier_abandon(struct omp_barrier *b);

/* The running strand of a region reaches a meeting: a point at which strands pass on their paths
 * (copyprivate of a single). Strands that leave the meeting later go on after this strand. */
void omp_meet_put(enum omp_meet which);
/* The running strand leaves a meeting. */
void omp_meet_get(enum omp_meet which);

/* ---- explicit tasks: model_task.c ---- */

/* The running task creates a task. FLAGS: enum omp_task_flag. NULL: it is not recorded. */
struct task *omp_task_new(const struct path_point *from, const struct site_style *style,
                          const char *construct, uint32_t flags);
/* T, new, has an event, or may be dropped before it begins. SIBLING: OMP_SIBLING's creator. */
void omp_task_record(struct thread *th, struct task *t, struct task *sibling, uint32_t flags)
    __attribute__((noinline));
/* The same as omp_task_new, inline, of CUR, which runs on TH. Neither is NULL. */
static ALWAYS_INLINE struct task *omp_task_new_of(struct thread *th, struct task *cur,
                                                  const struct path_point *from,
                                                  const struct site_style *style,
                                                  const char *construct, uint32_t flags)
{
    struct scope *scope = flags & OMP_SIBLING ? cur->scope : omp_scope(th, cur);
    struct context *ctx = site_context(cur, path_here(from, task_entry(cur)), style, construct, 0);
    uint32_t kind = OMP_TASK | (flags & OMP_FINAL ? OMP_TASK_FINAL : 0);
    struct task *t;
    if (__builtin_expect(!(flags & OMP_CALL), 1))
        t = engine_spawn_any(th, scope, ctx, kind);
    else if (flags & OMP_AT_ONCE)
        t = engine_spawn_call(th, scope, ctx, kind);
    else
        t = engine_spawn(th, scope, ctx, kind | TASK_CALL);
    if (__builtin_expect(t && (flags & OMP_DETACH || omp_cancellation), 0))
        omp_task_record(th, t, flags & OMP_SIBLING ? cur : 0, flags);
    lifecycle_first_event();
    return t;
}
/* The body of T starts. All tasks that T depends on have ended. Returns the strand that T
 * interrupts, or NULL. */
struct task *omp_task_begin(struct task *t, uintptr_t entry, bool at);
/* The running task's body ends, and the strand that it interrupted goes on. */
void omp_task_end(struct task *interrupted);
/* T will never run. */
void omp_task_discard(struct task *t);
/* The running strand fulfils the event of T, which is detachable. */
void omp_task_fulfill(struct task *t);
/* Is the running task detachable, with an event that nobody has fulfilled? */
bool omp_task_has_event(void);
/* The running task turns out to be detachable. Its creator did not report that. */
void omp_task_detach(void);
/* CUR: the running task, or NULL. Is it final? Then each task that it creates is final, too. */
static inline bool omp_is_final(const struct task *cur)
{
    return is_omp(cur) && cur->flags & OMP_TASK_FINAL;
}
static inline bool omp_task_is_final(void)
{
    const struct thread *th = thread_self_;
    return th && omp_is_final(th->cur);
}

/* ---- waits: model_wait.c ---- */

/* The running task waits in the runtime. Returns its strand, paused. */
struct task *omp_wait_begin(void);
/* STRAND has waited. JOINS: the wait was a taskwait, for its children. */
void omp_wait_end(struct task *strand, bool joins);
/* STRAND has waited for all its descendants outside of taskgroups. */
void omp_wait_all_end(struct task *strand);
/* The running task begins a taskgroup. */
void omp_group_begin(void);
/* STRAND has waited at the end of its innermost taskgroup. */
void omp_group_end(struct task *strand);

/* STRAND has waited (omp_wait_begin), and joins no task: it waited for exclusive entry, or for
 * other strands. Returns the ticks of the wait. If that is not 0, the caller reports it by
 * omp_waited. */
uint64_t omp_entered(struct task *strand);
/* The running strand has waited TICKS for CONSTRUCT, at FROM. FLAGS: as for runtime_wait_count. */
void omp_waited(uint64_t ticks, const struct path_point *from, const struct site_style *style,
                const char *construct, uint32_t flags);

/* ---- chunks of loops: model_loop.c ---- */

/* The running implicit task begins a loop. IS_STATIC: its parts belong to the task. Else they are
 * chunks. */
void omp_loop_begin(bool is_static);
/* The running implicit task is in a loop of this kind. For a loop whose begin was not reported. */
void omp_loop_kind(bool is_static);
/* Is the innermost loop around the running strand static? Also true if libprof records nothing
 * here. */
bool omp_loop_is_static(void);
/* The loop that STRAND, an implicit task, is in hands out chunks of K iterations. The program chose
 * K; 0: it did not. STRAND NULL: the running one. */
void omp_loop_chunk(struct task *strand, uint64_t k);
/* Was omp_loop_kind called for the loop that the running strand is in? */
bool omp_in_loop(void);
/* The running chunk ends. The runtime may then hand out another. Returns the strand for
 * omp_chunk_next. */
struct task *omp_chunk_end(void);
/* The runtime has handed out (GOT) the next chunk, of N iterations, or none. */
void omp_chunk_next(struct task *strand, bool got, uint64_t n);
/* The number of iterations in FIRST .. LAST - 1, of the loop that STRAND, an implicit task, is in.
 * STRAND NULL: the running one. STEP 0: the loop's own step. */
uint64_t omp_iterations(struct task *strand, int64_t first, int64_t last, int64_t step);
/* The running implicit task ends a part of a static loop, and begins (GOT) one of N iterations.
 * Nothing happens in loops whose iterations wait for each other. */
void omp_part_next(bool got, uint64_t n);
/* The running implicit task begins, and ends, its share of a static loop: N iterations or none. */
void omp_share_of_loop_begin(uint64_t n);
void omp_share_of_loop_end(void);
/* The calling thread has left its loop. */
void omp_loop_end(void);

/* ---- among the files of the model ---- */

/* model_task.c: the task of D has ended. Frees D. */
void omp_data_free(struct thread *th, struct omp_data *d);

#endif
