/* ompt.h - what the files of the agent of LLVM's libomp share. ompt.c describes the agent.
 * ompt_agent.h has the functions that other agents may call. All functions [hook], but ompt.c's.
 */
#ifndef AGENTS_OPENMP_OMPT_H
#define AGENTS_OPENMP_OMPT_H

#include "kmpc_entry.h"
#include "model.h"
#include "ompt_abi.h"
#include "base/export.h"

#define OMPT_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))

struct ompt_region;
struct ompt_wait_list;
struct ompt_depends;

/* The thread's state that OMPT does not report. */
struct ompt_here {
    const struct task *modifier; /* the strand that begins, or ends, a reduction(task, ...) */
    const struct task *if0;             /* the strand that creates tasks with if(0) */
    /* the strand that creates tasks in a function that we interpose */
    const struct task *caller;
    struct path_point from;             /* where `caller` called that function */
    const struct ompt_depends *depends; /* of the task, or the taskwait, that the thread creates
                                         * next */
    const ompt_data *depends_of;        /* of the task that had the last of these; NULL: it had
                                         * none */
    uint64_t iterations; /* of a taskloop: of each task that `caller` creates there; 0: not known */
    struct ompt_wait_list *waits;       /* dependences of the taskwaits that the thread is in */
    const struct task *created[2];      /* records of the last two new tasks, newest first */
    uint32_t creation_cost; /* a mean of what libprof takes to create a task: see ompt_task.c */
    uint8_t creations;      /* of these, since the last one that was measured; the first ones */
    bool by_program;     /* a clause of the program's decides on the number of these tasks */
    bool detachable;                    /* the task that the thread creates next is detachable */
    /* the thread has created a deferred task outside of every region: see ompt_task.c */
    bool defers_outside : 1;
    bool fulfilling : 1;                /* the thread fulfils an event */
    bool tests : 1;                     /* the thread tests a lock, without waiting for it */
    struct task *entering;              /* paused; it waits for exclusive entry */
    struct ompt_region *region; /* the innermost region that the thread has begun and not ended */
    /* of the innermost region that the thread is in. It stays until OMPT reports its end */
    struct ompt_implicit *implicit;
    struct task *outside;               /* paused in the runtime; no task of OpenMP's */
    struct task *in_loop; /* of gcc's code: paused until it asks for a part of the loop */
    uint64_t waited;                    /* the ticks for which in_loop was paused */
};
extern __thread struct ompt_here ompt_here OMPT_TLS;

/* A thread's implicit task. */
struct ompt_implicit {
    struct ompt_implicit *outer;
    struct omp_barrier barrier;
    struct task *strand;        /* its strand, while it waits in the runtime */
};

/* NULL: libomp does not report to us. Set by ompt.c. */
extern ompt_get_task_info_fn *ompt_get_task_info;
/* In libomp a task's frame record lies right before its data word. Set by the first task that shows
 * it. */
extern bool ompt_frame_before_data;

static inline struct ompt_implicit *ompt_implicit_of(const ompt_data *d)
{
    return d && !d->value ? ompt_here.implicit : 0;
}

static inline struct task *ompt_explicit_of(const ompt_data *d)
{
    return d ? d->ptr : 0;
}

/* ---- ompt_here.c ---- */

/* The running strand; NULL: none, or libomp does not report to us. */
struct task *ompt_running(void);
/* The word that will hold the frame in which the runtime calls the body of the task with DATA. */
uintptr_t ompt_entry_word(const ompt_data *data);
/* Is ADDRESS, a return address, in the program, not in the runtime? */
bool ompt_is_programs(uintptr_t address);
/* *POINT, the callback's own caller, becomes the place where the program called the runtime. FRAME:
 * the record of the encountering task's frame, or NULL. In place: by value it is copied twice. */
void ompt_program_point(const ompt_frame *frame, struct path_point *point);
/* STRAND has waited for CONSTRUCT (a static string) and goes on. MINE: the caller's own caller.
 * CONSTRUCT NULL: the wait is not counted. */
void ompt_waited_for(struct task *strand, struct path_point mine, const char *construct,
                     uint32_t flags);

extern const struct site_style ompt_style;
extern const char ompt_outside_regions[];       /* the name of a lower bound */

/* ---- ompt_untied.c ---- */

/* An untied task is executed in parts, each on any thread. Between two parts its strand is AWAY. */
static inline bool ompt_is_away(const struct task *t)
{
    return __atomic_load_n(&t->flags, __ATOMIC_ACQUIRE) & OMP_TASK_AWAY;
}
/* A part of T, the running task, ends. It is not the last part. */
void ompt_go_away(struct thread *th, struct task *t);
/* The next part of T begins. */
void ompt_come_back(struct thread *th, struct task *t);
/* T, untied, is complete, and another thread executed its last part. */
void ompt_over_elsewhere(struct thread *th, struct task *t);

/* If the running task was marked by ompt_over_elsewhere, ends it now. */
static inline void ompt_end_what_is_over(struct thread *th)
{
    const struct task *t = th->cur;
    if (t && __builtin_expect(t->flags & OMP_TASK_UNTIED, 0) &&
        __atomic_load_n(&t->flags, __ATOMIC_ACQUIRE) & OMP_TASK_OVER)
        omp_task_end(t->interrupted);
}

/* ---- callbacks, as OMPT has them ---- */

void ompt_on_parallel_begin(ompt_data *encountering, const ompt_frame *frame, ompt_data *parallel,
                            unsigned requested, int flags, const void *code);
void ompt_on_parallel_end(ompt_data *parallel, ompt_data *encountering, int flags,
                          const void *code);
void ompt_on_implicit_task(ompt_endpoint endpoint, ompt_data *parallel, ompt_data *task,
                           unsigned size, unsigned index, int flags);
void ompt_on_task_create(ompt_data *encountering, const ompt_frame *frame, ompt_data *created,
                         int flags, int dependences, const void *code);
void ompt_on_task_schedule(ompt_data *prior, ompt_task_status status, ompt_data *next);
/* Only after ompt_want_dependences (ompt.c): libomp allocates a list of its own for each task. */
void ompt_want_dependences(void);
void ompt_on_dependences(ompt_data *task, const ompt_dependence *list, int count);
void ompt_on_sync_region(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel,
                         ompt_data *task, const void *code);
void ompt_on_sync_region_wait(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel,
                              ompt_data *task, const void *code);
void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id,
                           const void *code);
void ompt_on_mutex_acquired(int kind, uint64_t id, const void *code);
void ompt_on_nest_lock(ompt_endpoint endpoint, uint64_t id, const void *code);

#endif
