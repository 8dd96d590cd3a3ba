/* ompt_task.c - explicit tasks of libomp: created, dependent, scheduled. See ompt.h.
 *
 * Outside every region, and in a final task, libomp defers no task. One exception: outside every
 * region, it defers tasks of `target nowait`. It has threads of its own for them.
 */
#include "lifecycle/thread.h"
#include "ompt.h"
#include "dag/block.h"
#include "depend_table.h"
#include "engine/calibrated.h"
#include "engine/divide.h"
#include "ompt_agent.h"
#include "dag/own_overhead.h"
#include "base/forbid.h"

/* ---- creation ---- */

/* libomp reports a taskwait with dependences, and the wait of an undeferred task for its own, as a
 * task. libomp 11 does not say that it is none: but it is the only one with all of these. */
static bool is_wait(int flags, int dependences)
{
    const int all = OMPT_TASK_EXPLICIT | OMPT_TASK_UNDEFERRED | OMPT_TASK_MERGEABLE;
    return flags & OMPT_TASK_TASKWAIT || (dependences && (flags & all) == all);
}

/* What libprof takes to create a task is measured by two readings of the clock. It hardly varies if
 * the task's record is in the cache: one that the last task or the one before has left. Then a mean
 * of the thread's first creations of this kind, and of one in 32 of the later ones, stands for the
 * others. */
enum { CREATIONS_FIRST = 16, CREATIONS_ROUND = 32, CREATION_SCALE = 16 };
struct creation {
    struct own own;
    bool in_cache, measured;
};

/* DEPENDS: it has dependences, which take different time. */
static inline void creation_begin(struct thread *th, struct creation *c, bool depends)
{
    const struct block *b = th->free_blocks[BLOCK_TASK];
    const struct task *next = b ? (const struct task *)(b + 1) : 0;
    c->in_cache = !depends && next &&
                  (next == ompt_here.created[0] || next == ompt_here.created[1]);
    c->measured = !c->in_cache || ompt_here.creations <= CREATIONS_FIRST;
    if (__builtin_expect(c->measured, 0)) {
        c->own = own_begin(th);
        return;
    }
    if (++ompt_here.creations == CREATIONS_FIRST + CREATIONS_ROUND)
        ompt_here.creations = CREATIONS_FIRST;
    /* The engine takes off its part. Its constant for a spawn contains a reading, as own_rest. */
    int64_t engine = calibrated.spawn - own_rest;
    int64_t cost = ompt_here.creation_cost / CREATION_SCALE - (engine > 0 ? engine : 0);
    if (cost > 0)
        th->t0 += cost;
}

/* The first creations may find nothing in the cache: the least of four begins the mean. An
 * interruption counts as twice the mean. */
static void creation_measured(int64_t cost)
{
    int64_t mean = ompt_here.creation_cost;
    cost = cost < 0 ? 0 : cost > UINT32_MAX / 64 ? UINT32_MAX / 64 : cost;
    cost *= CREATION_SCALE;
    if (ompt_here.creations < 4)
        mean = !ompt_here.creations || cost < mean ? cost : mean;
    else
        mean += ((cost < 2 * mean ? cost : 2 * mean) - mean) / 8;
    ompt_here.creation_cost = mean;
    ompt_here.creations++;
}

static inline void creation_end(struct thread *th, const struct creation *c)
{
    if (!c->measured)
        return;
    own_end(th, &c->own);
    /* T0 is the reading plus own_rest. A second own_rest stands for the reading inside. */
    if (c->in_cache && !c->own.nested)
        creation_measured(th->t0 - c->own.cost - 2 * own_rest);
}

/* Does the running task create a task for ENCOUNTERING, another strand? The tasks by which libomp
 * splits a taskloop do, for the strand that encountered the loop. */
static inline bool creates_for(struct task *cur, const ompt_data *encountering)
{
    const struct omp_data *d = omp_data_if_any(omp_creator(cur));
    bool explicit = is_omp(cur) && !(d && d->region);
    return explicit && cur->scope && ompt_explicit_of(encountering) != cur;
}

/* How the model creates the task that the running strand creates: enum omp_task_flag. A call is not
 * OMP_AT_ONCE: no constant has what the hooks around that take here, and it would be work. */
static inline uint32_t creation_kind(const struct thread *th, const ompt_data *encountering,
                                     int flags)
{
    bool outside = !(th->cur->flags & OMP_TASK), undeferred = flags & OMPT_TASK_UNDEFERRED;
    bool inherits = undeferred && (th->cur->flags & OMP_TASK_FINAL || outside);
    bool call = ompt_here.if0 == th->cur || inherits;
    if (outside && !call)
        ompt_here.defers_outside = true;
    return (call ? OMP_CALL : creates_for(th->cur, encountering) ? OMP_SIBLING : 0) |
           (inherits || flags & OMPT_TASK_FINAL ? OMP_FINAL : 0) |
           (ompt_here.detachable ? OMP_DETACH : 0);
}

/* ---- dependences ---- */

/* The two lists of dependences of a call, and where the program made it; FROM.from 0: not known. */
struct ompt_depends {
    int32_t count[2];
    const struct kmpc_depend *list[2];
    struct path_point from;
};

static enum depend_kind kind_of(const struct kmpc_depend *d)
{
    if (__builtin_expect(d->flags & KMPC_DEPEND_ALL || d->address == UINTPTR_MAX, 0))
        run_lower_bound(depend_all_memory);
    switch (d->flags & 15) {
    case KMPC_DEPEND_IN: return DEPEND_IN;
    case KMPC_DEPEND_MUTEXINOUTSET: return DEPEND_MUTEXINOUTSET;
    case KMPC_DEPEND_INOUTSET: return DEPEND_INOUTSET;
    default: return DEPEND_OUT;
    }
}

/* A dependence of a taskwait, to join when the wait is over. The list has the newest first, because
 * another strand's taskwait may nest in the wait. */
struct ompt_wait_list {
    struct ompt_wait_list *next;
    struct task *strand;        /* paused */
    const ompt_data *data;      /* of what libomp reports as a task */
    const void *address;
    enum depend_kind kind;
};

static void wait_for(struct thread *th, struct task *strand, const ompt_data *data,
                     const struct kmpc_depend *d)
{
    struct ompt_wait_list *w = block_new(th, block_class(sizeof *w));
    if (!w)
        return;
    *w = (struct ompt_wait_list){ ompt_here.waits, strand, data, (const void *)d->address,
                                  kind_of(d) };
    ompt_here.waits = w;
    engine_pause(th);
}

/* The task or the taskwait of DATA, which CUR creates, has dependences. A taskwait pauses CUR. */
static void depends_on(struct thread *th, struct task *cur, const ompt_data *data,
                       const struct ompt_depends *all)
{
    struct task *t = ompt_explicit_of(data);
    if (!(cur->flags & OMP_TASK)) {
        if (ompt_here.defers_outside)
            run_lower_bound(ompt_outside_regions);
        return;
    }
    struct omp_data *of = t ? omp_data_of(th, omp_creator(cur)) : 0;
    for (unsigned l = 0; l < 2; l++)
        for (int32_t i = 0; i < all->count[l]; i++) {
            const struct kmpc_depend *d = &all->list[l][i];
            enum depend_kind kind = kind_of(d);
            if (!t)
                wait_for(th, cur, data, d);
            else if (of)
                depend_add(th, of, t, (const void *)d->address, kind);
        }
}

/* What the thread creates, of DATA, has dependences. Returns them; NULL: OMPT will report them. */
static const struct ompt_depends *depends_taken(const ompt_data *data)
{
    const struct ompt_depends *all = ompt_here.depends;
    ompt_here.depends = 0;
    ompt_here.depends_of = all ? data : 0;
    if (__builtin_expect(!all, 0))
        ompt_want_dependences();
    return all;
}

/* ---- creation, as OMPT reports it ---- */

void ompt_on_task_create(ompt_data *encountering, const ompt_frame *frame, ompt_data *created,
                         int flags, int dependences, const void *code)
{
    struct path_point from = PATH_POINT();
    const struct ompt_depends *depends = dependences ? depends_taken(created) : 0;
    created->value = 0;
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    if (!cur)
        return;
    if (is_wait(flags, dependences)) {
        if (depends)
            depends_on(th, cur, created, depends);
        return;
    }
    if (!(flags & (OMPT_TASK_EXPLICIT | OMPT_TASK_TARGET)))     /* libomp 19 uses the latter */
        return;
    struct creation creation;
    creation_begin(th, &creation, depends);
    uint32_t kind = creation_kind(th, encountering, flags);
    bool known = ompt_here.caller == cur;
    const struct path_point *at = depends && depends->from.from ? &depends->from
                                  : known                       ? &ompt_here.from
                                                                : &from;
    if (at == &from)
        ompt_program_point(frame, &from);
    struct task *t = omp_task_new_of(th, cur, at, &ompt_style, "task", kind);
    ompt_here.detachable = false;
    if (t != ompt_here.created[0])
        ompt_here.created[1] = ompt_here.created[0];
    ompt_here.created[0] = t;
    if (t) {
        t->entry = 0;                   /* it has not begun */
        t->flags |= flags & OMPT_TASK_UNTIED ? OMP_TASK_UNTIED : 0;
        t->interrupted = 0;
        created->ptr = t;
        if (ompt_here.iterations && known) {
            divide_begin(t, ompt_here.iterations);
            if (ompt_here.by_program)
                divide_by_program(t);
        }
        if (depends)
            depends_on(th, cur, created, depends);
    }
    creation_end(th, &creation);
}

/* The thread's state outside of an interposed function that creates tasks, until it returns. */
struct creating {
    const struct task *if0, *caller;
    struct path_point from;
    uint64_t iterations;
    bool by_program;
};

/* The running strand called the function at FROM. IF0: the tasks are undeferred. */
static inline struct creating creating_begin(struct path_point from, bool if0)
{
    struct creating outer = { ompt_here.if0, ompt_here.caller, ompt_here.from,
                              ompt_here.iterations, ompt_here.by_program };
    ompt_here.from = from;
    ompt_here.caller = ompt_running();
    ompt_here.if0 = if0 ? ompt_here.caller : 0;
    ompt_here.iterations = 0;
    return outer;
}

static inline void creating_end(const struct creating *outer)
{
    ompt_here.if0 = outer->if0;
    ompt_here.caller = outer->caller;
    ompt_here.from = outer->from;
    ompt_here.iterations = outer->iterations;
    ompt_here.by_program = outer->by_program;
}

EXPORT void __kmpc_omp_task_begin_if0(void *location, int32_t gtid, void *task);
EXPORT void __kmpc_omp_task_begin_if0(void *location, int32_t gtid, void *task)
{
    struct creating outer = creating_begin(PATH_POINT(), true);
    kmpc_entry(__builtin_return_address(0))->__kmpc_omp_task_begin_if0(location, gtid, task);
    creating_end(&outer);
}

/* gcc's code comes here by way of libomp itself. */
EXPORT int32_t __kmpc_omp_task_with_deps(void *location, int32_t gtid, void *task, int32_t n,
                                         const struct kmpc_depend *list, int32_t more_n,
                                         const struct kmpc_depend *more);
EXPORT int32_t __kmpc_omp_task_with_deps(void *location, int32_t gtid, void *task, int32_t n,
                                         const struct kmpc_depend *list, int32_t more_n,
                                         const struct kmpc_depend *more)
{
    struct ompt_depends depends = { { n, more_n }, { list, more }, PATH_POINT() };
    if (!ompt_is_programs(depends.from.from))
        depends.from.from = 0;
    ompt_here.depends = &depends;
    int32_t result = kmpc_entry(__builtin_return_address(0))
        ->__kmpc_omp_task_with_deps(location, gtid, task, n, list, more_n, more);
    ompt_here.depends = 0;
    return result;
}

#define WAIT(name, parameter, argument)                                                         \
    EXPORT void name(void *location, int32_t gtid, int32_t n, const struct kmpc_depend *list,   \
                     int32_t more_n, const struct kmpc_depend *more parameter);                 \
    EXPORT void name(void *location, int32_t gtid, int32_t n, const struct kmpc_depend *list,   \
                     int32_t more_n, const struct kmpc_depend *more parameter)                  \
    {                                                                                           \
        const struct ompt_depends depends = { .count = { n, more_n },                           \
                                              .list = { list, more } };                         \
        ompt_here.depends = &depends;                                                           \
        kmpc_entry(__builtin_return_address(0))->name(location, gtid, n, list, more_n,          \
                                                      more argument);                           \
        ompt_here.depends = 0;                                                                  \
    }
#define COMMA ,
WAIT(__kmpc_omp_wait_deps, , )
WAIT(__kmpc_omp_taskwait_deps_51, COMMA int32_t nowait, COMMA nowait)

/* How libomp cuts a taskloop: into ten tasks a thread, into tasks of at least GRAIN iterations, or
 * into GRAIN tasks. */
enum { TASKLOOP_BY_THREADS = 0, TASKLOOP_GRAINSIZE = 1, TASKLOOP_NUM_TASKS = 2 };

/* The iterations of each task of a taskloop of N iterations; some tasks have one more. Returns 0 if
 * the number is not known: if there are more than ten tasks a thread, some of the tasks create the
 * others. */
static uint64_t task_iterations(uint64_t n, int32_t schedule, uint64_t grain)
{
    const struct thread *th = thread_self();
    const struct omp_data *d = th && th->cur ? omp_data_if_any(omp_creator(th->cur)) : 0;
    if (!d || !d->region)
        return 0;               /* the model does not know the size of the team here */
    uint64_t most = 10 * (uint64_t)d->region->size;
    uint64_t tasks = schedule == TASKLOOP_GRAINSIZE   ? n / (grain ? grain : 1)
                     : schedule == TASKLOOP_NUM_TASKS ? grain
                                                      : most;
    if (tasks > n)
        tasks = n;
    if (!tasks)
        tasks = 1;
    return tasks <= most ? n / tasks : 0;
}

#define TASKLOOP(name, more, arguments)                                                         \
    EXPORT void name(void *location, int32_t gtid, void *task, int32_t if_clause,               \
                     uint64_t *lower, uint64_t *upper,                                          \
                     int64_t step, int32_t nogroup, int32_t schedule, uint64_t grain more,      \
                         void *duplicate);                                                      \
    EXPORT void name(void *location, int32_t gtid, void *task, int32_t if_clause,               \
                     uint64_t *lower, uint64_t *upper,                                          \
                     int64_t step, int32_t nogroup, int32_t schedule, uint64_t grain more,      \
                         void *duplicate)                                                       \
    {                                                                                           \
        struct creating outer = creating_begin(PATH_POINT(), !if_clause);                       \
        if (ompt_here.caller && step)                                                           \
            ompt_here.iterations = task_iterations(                                             \
                (int64_t)(*upper - *lower) / step + 1, schedule, grain);                        \
        ompt_here.by_program = schedule != TASKLOOP_BY_THREADS;                                 \
        if (ompt_here.caller && !ompt_here.iterations)                                          \
            engine_divide_unknown(thread_self(), ompt_here.by_program);                         \
        kmpc_entry(__builtin_return_address(0))->name arguments;                                \
        creating_end(&outer);                                                                   \
    }
TASKLOOP(__kmpc_taskloop, ,
         (location, gtid, task, if_clause, lower, upper, step, nogroup, schedule, grain, duplicate))
TASKLOOP(__kmpc_taskloop_5, COMMA int32_t modifier,
         (location, gtid, task, if_clause, lower, upper, step, nogroup, schedule, grain, modifier,
          duplicate))

/* Called between __kmpc_omp_task_alloc and the task's creation. */
EXPORT void *__kmpc_task_allow_completion_event(void *location, int32_t gtid,
                                                struct kmpc_task *task);
EXPORT void *__kmpc_task_allow_completion_event(void *location, int32_t gtid,
                                                struct kmpc_task *task)
{
    ompt_here.detachable = ompt_get_task_info != 0;
    return kmpc_entry(__builtin_return_address(0))
        ->__kmpc_task_allow_completion_event(location, gtid, task);
}

/* ---- dependences, as OMPT reports them ---- */

static struct kmpc_depend kmpc_of(const ompt_dependence *d)
{
    uint8_t flags = d->type >= OMPT_DEPEND_ALL_MEMORY       ? KMPC_DEPEND_ALL
                    : d->type == OMPT_DEPEND_IN             ? KMPC_DEPEND_IN
                    : d->type == OMPT_DEPEND_MUTEXINOUTSET  ? KMPC_DEPEND_MUTEXINOUTSET
                    : d->type == OMPT_DEPEND_INOUTSET       ? KMPC_DEPEND_INOUTSET
                                                            : KMPC_DEPEND_OUT;
    return (struct kmpc_depend){ .address = d->variable.value, .flags = flags };
}

void ompt_on_dependences(ompt_data *task, const ompt_dependence *list, int count)
{
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    if (!cur || task == ompt_here.depends_of)
        return;
    if (count && (list[0].type == OMPT_DEPEND_SOURCE || list[0].type == OMPT_DEPEND_SINK))
        return;                 /* ompt_loop.c interposes the functions of doacross loops */
    bool of_task = ompt_explicit_of(task);
    struct own own = { .nested = true };
    if (of_task)
        own = own_begin(th);
    for (int i = 0; i < count; i++) {
        struct kmpc_depend one = kmpc_of(&list[i]);
        depends_on(th, cur, task, &(struct ompt_depends){ .count = { 1 }, .list = { &one } });
    }
    if (of_task)
        own_end(th, &own);
}

/* The taskwait is over. */
static void waited(struct thread *th)
{
    struct task *strand = ompt_here.waits ? ompt_here.waits->strand : 0;
    if (!strand || th->cur)
        return;
    if (strand->thread != th)
        engine_unbias(strand);
    engine_resume(th, strand);
    between_was_idle(th);
    engine_count_sync(th);
    while (ompt_here.waits && ompt_here.waits->strand == strand) {
        struct ompt_wait_list *w = ompt_here.waits;
        ompt_here.waits = w->next;
        depend_join(th, omp_creator(strand), w->address, w->kind);
        block_free(th, w);
    }
}

/* ---- schedule ---- */

/* PRIOR has ended, was cancelled, or waits for an event after its body. OMPT reports a cancellation
 * of every task of a cancelled taskgroup, whatever happened to the task. */
static void prior_over(struct thread *th, ompt_data *prior, ompt_task_status status)
{
    struct task *p = ompt_explicit_of(prior);
    if (p && ompt_here.fulfilling) {
        omp_task_fulfill(p);
    } else if (p && p == th->cur) {
        if (status == OMPT_TASK_DETACH)
            omp_task_detach();
        if (!omp_task_has_event())
            prior->value = 0;
        omp_task_end(p->interrupted);
    } else if (p && p->flags & OMP_TASK_UNTIED && status != OMPT_TASK_DETACH) {
        prior->value = 0;
        ompt_over_elsewhere(th, p);
    }
}

/* The thread goes from one task to another. */
static void change(struct thread *th, struct task *p, ompt_data *next)
{
    struct task *n = ompt_explicit_of(next);
    if (n && !n->entry)
        n->interrupted = omp_task_begin(n, ompt_entry_word(next), true);
    else if (p && p == th->cur && p->flags & OMP_TASK_UNTIED && !(n && ompt_is_away(n)))
        ompt_go_away(th, p);            /* the strand that P had interrupted goes on */
    else if (n && n->flags & OMP_TASK_UNTIED)
        ompt_come_back(th, n);
}

void ompt_on_task_schedule(ompt_data *prior, ompt_task_status status, ompt_data *next)
{
    struct thread *th = thread_self();
    if (!th)
        return;
    ompt_end_what_is_over(th);
    struct task *p = ompt_explicit_of(prior);
    switch (status) {
    case OMPT_TASK_COMPLETE:
    case OMPT_TASK_CANCEL:
    case OMPT_TASK_DETACH:
        if (ompt_here.waits && ompt_here.waits->data == prior)
            waited(th);         /* libomp 11 */
        else
            prior_over(th, prior, status);
        break;
    case OMPT_TASK_EARLY_FULFILL:
    case OMPT_TASK_LATE_FULFILL:
        if (p)
            omp_task_fulfill(p);
        if (status == OMPT_TASK_LATE_FULFILL)
            prior->value = 0;
        break;
    case OMPT_TASKWAIT_COMPLETE:
        waited(th);
        break;
    default:
        change(th, p, next);
        break;
    }
}

/* For a task in a cancelled taskgroup, libomp reports the fulfilment of its event as it reports the
 * end of a body. This call distinguishes the two. */
void ompt_fulfilling(bool begins)
{
    ompt_here.fulfilling = begins;
}
