/* gomp.h - what the files of the agent of GNU libgomp share: the thread's state, and the shape of a
 * hook.
 *
 * gcc outlines the bodies of regions and tasks, and passes them to the runtime. We pass our own
 * function instead, with a block that leads to the program's function.
 *
 * A program that gcc compiled may run on LLVM's libomp, which has the same entry points and reports
 * what they do to the OMPT agent (ompt.c). Then everything here passes through.
 *
 * Rules of gomp_*.c: errno is the program's. No lock is held across a call of the runtime. Where no
 * runtime is loaded, or the runtime lacks a function, sequential.c does the work.
 */
#ifndef AGENTS_OPENMP_GOMP_H
#define AGENTS_OPENMP_GOMP_H

#include "gomp_entry.h"
#include "model.h"
#include "base/export.h"

#define GOMP_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))

extern const struct site_style gomp_style;

/* The number of parallel regions around the code that the thread executes. A task has its creator's
 * number, because it may run after the implicit task around it has ended. 0: there is no team, and
 * every task is undeferred. */
extern __thread uint32_t gomp_depth GOMP_TLS;

/* The runtime whose region or task the thread executes. NULL: none. A call then means this runtime,
 * not the one of the return address, which may lead to the caller's caller. */
extern __thread const struct gomp_entry *gomp_inside GOMP_TLS;
#define ENTRY()                                                                                 \
    (!gomp_entry_ready && gomp_inside ? gomp_inside : gomp_entry(__builtin_return_address(0)))

/* [hook] Around a body of E's. Returns the value for gomp_leave. If the program is linked with a
 * runtime, all objects use that one, and these functions do nothing. */
static inline const struct gomp_entry *gomp_enter(const struct gomp_entry *e)
{
    const struct gomp_entry *outside = 0;
    if (__builtin_expect(!gomp_entry_ready, 0)) {
        outside = gomp_inside;
        gomp_inside = e;
    }
    return outside;
}
static inline void gomp_leave(const struct gomp_entry *outside)
{
    if (__builtin_expect(!gomp_entry_ready, 0))
        gomp_inside = outside;
}

/* [hook] Does this agent record calls of E? */
static inline bool recorded(const struct gomp_entry *e)
{
    return engine_recording && !e->foreign;
}

/* The last statement of a function that calls a body of the program. It keeps the compiler from a
 * tail call, because the frames of the task end at this function's frame. */
#define KEEP_FRAME() __asm__ volatile("")

/* The body of a hook in which the thread arrives at a barrier. */
#define AT_BARRIER(call)                                                                        \
    const struct gomp_entry *e = ENTRY();                                                       \
    struct omp_barrier barrier = { .data = 0 };                                                 \
    bool wrapped = recorded(e) && gomp_depth;                                                   \
    if (wrapped)                                                                                \
        omp_barrier_begin(&barrier);                                                            \
    call;                                                                                       \
    if (wrapped)                                                                                \
        omp_barrier_end(&barrier);

/* The body of a hook in which one strand at a time goes on. The others wait, and are idle. */
#define ENTER(construct, flags, call)                                                           \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = ENTRY();                                                       \
    struct task *strand = recorded(e) ? omp_wait_begin() : 0;                                   \
    call;                                                                                       \
    uint64_t ticks = omp_entered(strand);                                                       \
    if (ticks)                                                                                  \
        omp_waited(ticks, &from, &gomp_style, construct, flags);

/* ---- gomp_depend_list.c: gcc's lists of dependences; all [hook] ---- */

/* T, a new task of TH's running strand, which is held (dag/own_overhead.h), depends on LIST. */
void gomp_depend_task(struct thread *th, struct task *t, void **list);
/* The running strand has waited for LIST. */
void gomp_depend_wait(void **list);
/* TH's running strand creates a task with dependences, or ends a taskgroup. If it is no task of
 * OpenMP's, the model cannot do this, and the span is a lower bound. */
void gomp_only_children(const struct thread *th);

#endif
