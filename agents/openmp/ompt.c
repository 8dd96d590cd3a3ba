/* ompt.c - the agent of LLVM's libomp: its own tools interface (OpenMP 5.2, chapter 19; OMPT), translated into the
 * constructs of model.h. Seen with libomp 14 and 19; what they do beside the specification is said where it matters.
 *
 * The data word that OMPT keeps with an explicit task is the engine's task. An implicit task's stays zero: libomp 14 copies it
 * at the end of a region, and trips over the copy in a later taskwait with dependences. Its record is the thread's. The runtime's frame that calls a task's body is known only
 * when it is called: the task's entry is the word in which libomp keeps it (TASK_ENTRY_AT).
 *
 * OMPT does not say: whether a task of a one-thread team was if(0) - there all are undeferred, and
 * __kmpc_omp_task_begin_if0 and __kmpc_taskloop tell -, nor what a dynamic loop hands out (__kmpc_dispatch_next_*). These are interposed.
 *
 * A program that brings a tool of its own keeps it: if OMP_TOOL_LIBRARIES names one, or it has an ompt_start_tool, we stay out of libomp.
 */
#include <string.h>
#include "process/thread.h"
#include "unwind/walk.h"
#include "model/block.h"
#include "depend.h"
#include "kmpc_entry.h"
#include "libprof_format.h"
#include "process/lifecycle.h"
#include "base/message.h"
#include "model.h"
#include "ompt_abi.h"
#include "model/own.h"
#include "unwind/runtime.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))

static const char *const header_prefixes[] = { "__kmp", 0 };
static const struct site_style style = { "openmp", header_prefixes, END_OPENMP };

static const char outside_regions[] = "depend or taskgroup (outside of OpenMP regions)";

static ompt_get_task_info_fn *get_task_info;
static bool frame_before_data;  /* a task's frame record lies right before its data word, as libomp has it */

/* What the thread does that OMPT does not tell. */
static __thread struct {
    const struct task *modifier;        /* the strand that begins, or ends, a reduction(task, ...) */
    const struct task *if0;             /* the strand that creates tasks with if(0) */
    const struct task *caller;          /* the strand that creates tasks in a function that we have interposed, and where from */
    struct path_point from;
    struct omp_wait_list *waits;        /* dependences of the taskwait that it is in */
    bool detachable;                    /* the task that it creates next */
    bool fulfilling;                    /* an event */
    bool tests;                         /* a lock, without waiting for it */
    struct task *entering;              /* paused, to get in where one strand may be */
    struct region *region;              /* that it has begun and not ended, the innermost */
    struct implicit *implicit;          /* of the innermost region that it is in, or was, until it is told */
    bool defers_outside;                /* has created a deferred task outside of every region: see task_create */
    struct task *outside;               /* paused, of none of our tasks, that waits in the runtime */
    struct task *in_loop;               /* gcc's code: paused until a part of the loop is asked for, */
    uint64_t waited;                    /* for so many ticks then */
} here __attribute__((tls_model("initial-exec")));

/* A thread's implicit task. */
struct implicit {
    struct implicit *outer;
    struct omp_barrier barrier;
    struct task *strand;        /* waits in the runtime */
};

static inline struct implicit *implicit_of(const ompt_data *d)
{
    return d && !d->value ? here.implicit : 0;
}

static inline struct task *explicit_of(const ompt_data *d)
{
    return d ? d->ptr : 0;
}

static struct task *running(void)
{
    struct thread *th = get_task_info ? engine_self() : 0;
    return th ? th->cur : 0;
}

/* ---- where the program stands ---- */

/* The word that will hold the frame in which the runtime calls the body of the task with DATA. */
static uintptr_t entry_word(const ompt_data *data)
{
    if (frame_before_data)
        return (uintptr_t)&((const ompt_frame *)data - 1)->exit_frame;
    ompt_frame *frame = 0;
    int flags;
    return get_task_info(0, &flags, 0, &frame, 0, 0) && frame ? (uintptr_t)&frame->exit_frame : 0;
}

/* Is ADDRESS, to which a function of the runtime returns, the program's? */
static bool is_programs(uintptr_t address)
{
    enum { KNOWN = 8 };
    static __thread struct {
        uintptr_t address;
        uint32_t unloads;
    } known[KNOWN] __attribute__((tls_model("initial-exec")));
    uint32_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_RELAXED), i = address >> 2 & (KNOWN - 1);
    if (__builtin_expect(known[i].address == address && known[i].unloads == unloads, 1))
        return true;
    if (runtime_owns(address))
        return false;
    known[i].address = address;
    known[i].unloads = unloads;
    return true;
}

/* The program's call into the runtime, of whose frame FRAME is the encountering task's record; MINE: the callback's
 * own caller. The record is stale now and then, or leads to another function of the runtime: then the stack tells. */
static struct path_point program_point(const ompt_frame *frame, struct path_point mine, uintptr_t limit)
{
    const uintptr_t *fp = frame ? frame->enter_frame : 0;
    if (fp && (uintptr_t)fp > mine.cfa && (uintptr_t)fp < limit && !((uintptr_t)fp & 7) && is_programs(fp[1]))
        return (struct path_point){ fp[1], (uintptr_t)(fp + 2), fp[0] };
    struct thread *th = engine_self();
    struct own own = own_from(th);
    struct walk_frame f = { .pc = mine.from, .rsp = mine.cfa, .rbp = mine.rbp, .tried = mine.cfa & -WALK_PAGE };
    enum walk_end end = WALK_LIMIT;
    for (unsigned i = 0; i < 32 && end == WALK_LIMIT && runtime_owns(f.pc); i++)
        end = walk_step(&f, limit, 0);
    own_until_now(th, own, 0, 0);
    return end == WALK_LIMIT ? (struct path_point){ f.pc, f.rsp, f.rbp } : mine;
}

static uintptr_t walk_limit(const struct thread *th)
{
    uintptr_t entry = th->cur ? task_entry(th->cur) : 0;
    return entry ? entry : th->stack_top;
}

/* ---- parallel regions ---- */

/* Its end comes on the thread of its begin. By then libomp may have given the data word to another region. */
struct region {
    struct omp_region model;    /* what the data word leads to */
    struct region *outer;
};

static void parallel_begin(ompt_data *encountering, const ompt_frame *frame, ompt_data *parallel, unsigned requested,
                           int flags, const void *code)
{
    struct path_point mine = PATH_POINT();
    struct thread *th = engine_self();
    struct region *r = th ? block_new(th, block_class(sizeof *r)) : 0;
    parallel->ptr = 0;
    if (!r)
        return;
    r->model.invocation = r->model.strand = 0;
    r->outer = here.region;
    here.region = r;
    if (th->cur) {
        parallel->ptr = &r->model;
        struct path_point from = program_point(frame, mine, walk_limit(th));
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));
        omp_cancellation = e->omp_get_cancellation && e->omp_get_cancellation();
        omp_region_begin(&r->model, &from, &style, flags & OMPT_PARALLEL_LEAGUE ? "teams" : "parallel");
    }
}

static void parallel_end(ompt_data *parallel, ompt_data *encountering, int flags, const void *code)
{
    struct region *r = here.region;
    struct thread *th = r ? engine_self() : 0;
    if (th) {
        here.region = r->outer;
        omp_region_end(&r->model);
        block_free(th, r);
    }
}

static void implicit_task(ompt_endpoint endpoint, ompt_data *parallel, ompt_data *task, unsigned size, unsigned index, int flags)
{
    /* Initial tasks are the program's, to which no region leads, and those of a league's teams. */
    struct thread *th = engine_self();
    if (!th)
        return;
    struct implicit *im;
    if (endpoint == OMPT_BEGIN) {
        struct omp_region *r = parallel ? parallel->ptr : 0;
        if (!index && !th->cur && here.region)  /* of a league of one team, and of serialised regions in it, the word is another's */
            r = &here.region->model;
        im = r ? block_new(th, block_class(sizeof *im)) : 0;
        if (!im)
            return;
        *im = (struct implicit){ .outer = here.implicit };
        here.implicit = im;
        omp_implicit_begin(r, index, size, entry_word(task), true);
        return;
    }
    im = here.implicit;
    if (!im)
        return;
    here.implicit = im->outer;
    if (im->barrier.data)               /* the region's last barrier; where we are now, another may have begun */
        omp_barrier_abandon(&im->barrier);
    else if (th->cur && th->cur->flags & TASK_AGENT_OMP)
        omp_implicit_end();             /* serialised: no barrier ended it */
    block_free(th, im);
}

/* ---- tasks ---- */

static void task_create(ompt_data *encountering, const ompt_frame *frame, ompt_data *created, int flags, int dependences,
                        const void *code)
{
    struct path_point mine = PATH_POINT();
    created->value = 0;
    struct thread *th = flags & (OMPT_TASK_EXPLICIT | OMPT_TASK_TARGET) ? engine_self() : 0;   /* target: libomp 19 */
    if (!th || !th->cur || flags & OMPT_TASK_TASKWAIT)
        return;
    struct path_point from = here.caller == th->cur ? here.from : program_point(frame, mine, walk_limit(th));
    /* Outside every region all are undeferred, as the tasks of a final one are; but not those of `target nowait`, which threads of
     * their own execute. */
    bool outside = !(th->cur->flags & TASK_AGENT_OMP), undeferred = flags & OMPT_TASK_UNDEFERRED;
    bool inherits = undeferred && (omp_task_is_final() || outside), call = here.if0 == th->cur || inherits;
    if (outside && !call)
        here.defers_outside = true;
    struct task *t = omp_task_new(&from, &style, "task", (call ? OMP_CALL : 0) | (inherits || flags & OMPT_TASK_FINAL ? OMP_FINAL : 0) |
                                  (here.detachable ? OMP_DETACH : 0));
    here.detachable = false;
    if (t) {
        t->entry = 0;                   /* it has not begun */
        t->flags |= flags & OMPT_TASK_UNTIED ? TASK_AGENT_UNTIED : 0;
        t->interrupted = 0;
        created->ptr = t;
    }
}

static enum depend_kind kind_of(int type)
{
    return type == OMPT_DEPEND_IN ? DEPEND_IN : type == OMPT_DEPEND_MUTEXINOUTSET ? DEPEND_MUTEXINOUTSET :
           type == OMPT_DEPEND_INOUTSET ? DEPEND_INOUTSET : DEPEND_OUT;
}

/* What a taskwait waits for: joined when it is over. The newest first: another strand's taskwait nests in it. */
struct omp_wait_list {
    struct omp_wait_list *next;
    struct task *strand;        /* paused */
    const void *address;
    enum depend_kind kind;
};

static void dependences(ompt_data *task, const ompt_dependence *list, int count)
{
    struct thread *th = engine_self();
    struct task *t = explicit_of(task), *cur = th ? th->cur : 0;
    if (!cur)
        return;
    if (!(cur->flags & TASK_AGENT_OMP)) {
        if (here.defers_outside)
            engine_lower_bound(outside_regions);
        return;
    }
    if (count && (list[0].type == OMPT_DEPEND_SOURCE || list[0].type == OMPT_DEPEND_SINK))
        return;                 /* the functions that tell it are interposed */
    if (t) {
        struct own own = own_from(th);
        for (int i = 0; i < count; i++)
            depend_add(th, omp_creator(cur), t, list[i].variable.ptr, kind_of(list[i].type));
        own_until_now(th, own, 0, 0);
        return;
    }
    for (int i = 0; i < count; i++) {
        struct omp_wait_list *w = block_new(th, block_class(sizeof *w));
        if (!w)
            return;
        *w = (struct omp_wait_list){ here.waits, cur, list[i].variable.ptr, kind_of(list[i].type) };
        here.waits = w;
        engine_pause(th);
    }
}

static void waited(struct thread *th)
{
    struct task *strand = here.waits ? here.waits->strand : 0;
    if (!strand || th->cur)
        return;
    if (strand->self.thread != th)
        engine_unbias(strand);
    engine_resume(th, strand);
    engine_gap_was_idle(th);
    engine_count_sync(th);
    while (here.waits && here.waits->strand == strand) {
        struct omp_wait_list *w = here.waits;
        here.waits = w->next;
        depend_join(th, omp_creator(strand), w->address, w->kind);
        block_free(th, w);
    }
}

/* An untied task is executed in parts, each where it is taken up. Its strand is AWAY between two of them. */
static inline bool is_away(const struct task *t)
{
    return __atomic_load_n(&t->flags, __ATOMIC_ACQUIRE) & TASK_AGENT_AWAY;
}

static void go_away(struct thread *th, struct task *t)
{
    struct task *interrupted = t->interrupted;
    engine_pause(th);
    __atomic_fetch_or(&t->flags, TASK_AGENT_AWAY, __ATOMIC_RELEASE);    /* now another thread may have it */
    if (interrupted)
        engine_resume(th, interrupted);
}

/* The next part of T. It was given to the queue before the last part was over, by a few instructions. */
static void come_back(struct thread *th, struct task *t)
{
    for (uint32_t turns = 0; !is_away(t); lock_turn(&turns)) {
        if (turns > LOCK_TURNS_MOST) {
            th->lost[LOSS_LATE_JOIN]++;
            return;
        }
    }
    __atomic_fetch_and(&t->flags, ~TASK_AGENT_AWAY, __ATOMIC_RELAXED);
    t->interrupted = engine_pause(th);
    if (t->self.thread != th)
        engine_unbias(t);
    engine_resume(th, t);
}

/* P, untied, is complete, and this thread was not its last: the thread that executed its last part is told nothing (whoever
 * decrements the parts last reports). untied_part() ends such tasks, but for those that wait for an event or that code we do
 * not interpose has created: these that thread ends with its next event. */
static void over_elsewhere(struct thread *th, struct task *p)
{
    if (is_away(p)) {
        come_back(th, p);
        omp_task_end(p->interrupted);
    } else {
        __atomic_fetch_or(&p->flags, TASK_AGENT_OVER, __ATOMIC_RELEASE);
    }
}

static inline void end_what_is_over(struct thread *th)
{
    const struct task *t = th->cur;
    if (t && __builtin_expect(t->flags & TASK_AGENT_UNTIED, 0) && __atomic_load_n(&t->flags, __ATOMIC_ACQUIRE) & TASK_AGENT_OVER)
        omp_task_end(t->interrupted);
}

static void task_schedule(ompt_data *prior, ompt_task_status status, ompt_data *next)
{
    struct thread *th = engine_self();
    struct task *p = explicit_of(prior), *n = explicit_of(next);
    if (!th)
        return;
    end_what_is_over(th);
    switch (status) {
    case OMPT_TASK_COMPLETE:
    case OMPT_TASK_CANCEL:      /* of any task of a cancelled taskgroup, whatever happened to it */
    case OMPT_TASK_DETACH:
        if (p && here.fulfilling) {
            omp_task_fulfill(p);
        } else if (p && p == th->cur) {
            if (status == OMPT_TASK_DETACH)
                omp_task_detach();
            if (!omp_task_has_event())
                prior->value = 0;
            omp_task_end(p->interrupted);
        } else if (p && p->flags & TASK_AGENT_UNTIED && status != OMPT_TASK_DETACH) {
            prior->value = 0;
            over_elsewhere(th, p);
        }
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
        if (n && !n->entry)
            n->interrupted = omp_task_begin(n, entry_word(next), true);
        else if (p && p == th->cur && p->flags & TASK_AGENT_UNTIED && !(n && is_away(n)))
            go_away(th, p);             /* to what it had interrupted */
        else if (n && n->flags & TASK_AGENT_UNTIED)
            come_back(th, n);
        break;
    }
}

/* ---- barriers and waits ---- */

static inline bool is_barrier(ompt_sync_region kind)
{
    return kind <= OMPT_SYNC_BARRIER_IMPLEMENTATION || kind >= OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE;
}

static void sync_region(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel, ompt_data *task, const void *code)
{
    struct implicit *im = implicit_of(task);
    struct thread *th = engine_self();
    if (th)
        end_what_is_over(th);
    if (kind == OMPT_SYNC_TASKGROUP && endpoint == OMPT_BEGIN && (!here.modifier || here.modifier != running()))
        omp_group_begin();
    if (!im || !is_barrier(kind))
        return;
    if (endpoint == OMPT_BEGIN) {
        if (!im->barrier.data)
            omp_barrier_begin(&im->barrier);
    } else if (parallel && im->barrier.data) {  /* none: the region is over, and may be gone */
        omp_barrier_end(&im->barrier);
        im->barrier.data = 0;
    }
}

/* What waits is no task of OpenMP's: it has no taskgroups, but children. */
static void wait_outside(struct thread *th, ompt_sync_region kind, ompt_endpoint endpoint)
{
    if (!here.defers_outside)
        return;
    if (endpoint == OMPT_BEGIN) {
        here.outside = th->cur && !(th->cur->flags & TASK_AGENT_OMP) ? omp_wait_begin() : 0;
        return;
    }
    if (here.outside && !th->cur)
        omp_wait_end(here.outside, kind == OMPT_SYNC_TASKWAIT);
    if (here.outside && kind == OMPT_SYNC_TASKGROUP)
        engine_lower_bound(outside_regions);
    here.outside = 0;
}

static void sync_region_wait(ompt_sync_region kind, ompt_endpoint endpoint, ompt_data *parallel, ompt_data *task, const void *code)
{
    struct thread *th = kind == OMPT_SYNC_TASKWAIT || kind == OMPT_SYNC_TASKGROUP ? engine_self() : 0;
    struct implicit *im = implicit_of(task);
    struct task *t = explicit_of(task);
    if (!th)
        return;
    if (!im && !t) {
        wait_outside(th, kind, endpoint);
        return;
    }
    if (endpoint == OMPT_BEGIN) {
        struct task *strand = omp_wait_begin();
        if (im)
            im->strand = strand;
        else if (strand != t && strand)
            engine_resume(th, strand);  /* not this task's: leave it alone */
        return;
    }
    struct task *strand = im ? im->strand : t;
    if (th->cur || !strand)
        return;
    if (kind == OMPT_SYNC_TASKGROUP && here.modifier == strand)
        omp_wait_all_end(strand);
    else if (kind == OMPT_SYNC_TASKGROUP)
        omp_group_end(strand);
    else
        omp_wait_end(strand, true);
}

/* ---- one strand at a time, and in an order ---- */

static void mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t id, const void *code)
{
    if (!here.tests)
        here.entering = omp_wait_begin();
}

/* STRAND has got in, and goes on. MINE: the caller's own caller. CONSTRUCT: static string; NULL: none that is told. */
static void waited_for(struct task *strand, struct path_point mine, const char *construct, uint32_t flags)
{
    uint64_t ticks = omp_entered(strand);
    struct thread *th = ticks ? engine_self() : 0;
    if (th && th->cur && construct) {
        struct path_point from = program_point(0, mine, walk_limit(th));
        omp_waited(ticks, &from, &style, construct, flags);
    }
}

static void mutex_acquired(int kind, uint64_t id, const void *code)
{
    static const char *const constructs[] = { [OMPT_MUTEX_LOCK] = "lock", [OMPT_MUTEX_NEST_LOCK] = "lock", [OMPT_MUTEX_CRITICAL] = "critical",
                                              [OMPT_MUTEX_ATOMIC] = "atomic", [OMPT_MUTEX_ORDERED] = "ordered" };
    struct path_point mine = PATH_POINT();
    waited_for(here.entering, mine, kind > 0 && kind <= OMPT_MUTEX_ORDERED ? constructs[kind] : 0,
               kind == OMPT_MUTEX_ORDERED ? LPF_SITE_IN_ORDER : 0);
    here.entering = 0;
    if (kind == OMPT_MUTEX_ORDERED)
        omp_ordered_enter();
}

/* Whoever only tests a lock may not get it, and then is told nothing; libomp 14 gives the kind of those who wait. */
#define TEST_LOCK(name)                                                                         \
    EXPORT int name(void *location, int32_t gtid, void **lock);                                 \
    EXPORT int name(void *location, int32_t gtid, void **lock)                                  \
    {                                                                                           \
        here.tests = true;                                                                      \
        int got = kmpc_entry(__builtin_return_address(0))->name(location, gtid, lock);          \
        here.tests = false;                                                                     \
        return got;                                                                             \
    }
TEST_LOCK(__kmpc_test_lock)
TEST_LOCK(__kmpc_test_nest_lock)

/* What mutex_acquire announced is the thread's already. */
static void nest_lock(ompt_endpoint endpoint, uint64_t id, const void *code)
{
    if (endpoint == OMPT_BEGIN)
        mutex_acquired(OMPT_MUTEX_NEST_LOCK, id, code);
}

/* OMPT tells of a release when the next one may be in already. */
EXPORT void __kmpc_end_ordered(void *location, int32_t gtid);
EXPORT void __kmpc_end_ordered(void *location, int32_t gtid)
{
    if (get_task_info)
        omp_ordered_leave();
    kmpc_entry(__builtin_return_address(0))->__kmpc_end_ordered(location, gtid);
}

static void cancel(ompt_data *task, int flags, const void *code)
{
    omp_cancelled();
}

/* ---- interposed: what OMPT does not tell ---- */

EXPORT void __kmpc_omp_task_begin_if0(void *location, int32_t gtid, void *task);
EXPORT void __kmpc_omp_task_begin_if0(void *location, int32_t gtid, void *task)
{
    const struct task *outer = here.if0, *caller = here.caller;
    struct path_point from = here.from;
    here.from = PATH_POINT();
    here.if0 = here.caller = running();
    kmpc_entry(__builtin_return_address(0))->__kmpc_omp_task_begin_if0(location, gtid, task);
    here.if0 = outer;
    here.caller = caller;
    here.from = from;
}

/* reduction(task, ...) makes a taskgroup of the whole region, which barriers lie in: it is none of the program's. */
#define MODIFIER_INIT(name)                                                                     \
    EXPORT void *name(void *location, int gtid, int loop, int n, void *data);                   \
    EXPORT void *name(void *location, int gtid, int loop, int n, void *data)                    \
    {                                                                                           \
        const struct task *outer = here.modifier;                                               \
        here.modifier = running();                                                              \
        void *result = kmpc_entry(__builtin_return_address(0))->name(location, gtid, loop, n, data);                       \
        here.modifier = outer;                                                                  \
        return result;                                                                          \
    }
MODIFIER_INIT(__kmpc_task_reduction_modifier_init)
MODIFIER_INIT(__kmpc_taskred_modifier_init)

EXPORT void __kmpc_task_reduction_modifier_fini(void *location, int gtid, int loop);
EXPORT void __kmpc_task_reduction_modifier_fini(void *location, int gtid, int loop)
{
    const struct task *outer = here.modifier;
    here.modifier = running();
    kmpc_entry(__builtin_return_address(0))->__kmpc_task_reduction_modifier_fini(location, gtid, loop);
    here.modifier = outer;
}

/* What we keep of an untied task, right before its shared variables: libomp puts these behind the part whose size the program tells,
 * aligned to 8. A copy of the task (taskloop) has it as well. */
struct untied {
    struct task *task;          /* while it is executed */
    kmpc_body *destructors, *body;  /* the program's; NULL: none */
};
static inline struct untied *untied_of(const struct kmpc_task *task)
{
    return (struct untied *)task->shareds - 1;
}

/* Called by an untied task that ends, and that is the running one of this thread. */
static void untied_end(struct task *t)
{
    ompt_data *data = 0;
    int flags;
    if (get_task_info(0, &flags, &data, 0, 0, 0) && explicit_of(data) == t)
        data->value = 0;
    omp_task_end(t->interrupted);
}

/* Objects that the task owns go after its last part, by the thread that is told of its end. */
static int32_t untied_destructors(int32_t gtid, struct kmpc_task *task)
{
    struct thread *th = engine_self();
    struct untied *own = untied_of(task);
    struct task *t = th ? own->task : 0;
    if (t)
        come_back(th, t);
    int32_t result = own->destructors(gtid, task);
    if (t && t == th->cur)
        untied_end(t);
    return result;
}

/* The body of an untied task, in parts: its end is seen where the last of them ends, before libomp lets others know of it.
 * OMPT tells it late, and to the thread that was slowest to return from an earlier part (over_elsewhere()). */
static int32_t untied_part(int32_t gtid, struct kmpc_task *task)
{
    struct untied *own = untied_of(task);
    struct task *t = running();
    if (t && t->flags & TASK_AGENT_UNTIED) {
        t->entry = (uintptr_t)__builtin_frame_address(0);
        t->flags &= ~TASK_ENTRY_AT;
        own->task = t;
        if (own->destructors && task->destructors != untied_destructors) {
            own->destructors = task->destructors;
            task->destructors = untied_destructors;
        }
    }
    int32_t result = own->body(gtid, task);
    ompt_data *data = 0;
    int flags;
    /* A part that was not the last one has gone away: another strand is running. */
    if (t && t == running() && t->flags & TASK_AGENT_UNTIED && get_task_info(0, &flags, &data, 0, 0, 0) && explicit_of(data) == t) {
        if (own->destructors && task->destructors == untied_destructors)  /* what has none may not have the word */
            go_away(engine_self(), t);
        else
            untied_end(t);
    }
    return result;
}

/* Flags of a new task, as compilers pass them. */
enum { KMPC_TIED = 1, KMPC_DESTRUCTORS = 8, KMPC_PROXY = 16, KMPC_DETACHABLE = 64 };

EXPORT struct kmpc_task *__kmpc_omp_task_alloc(void *location, int32_t gtid, int32_t flags, size_t bytes, size_t shared,
                                               kmpc_body *body);
EXPORT struct kmpc_task *__kmpc_omp_task_alloc(void *location, int32_t gtid, int32_t flags, size_t bytes, size_t shared,
                                               kmpc_body *body)
{
    const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));
    if (__builtin_expect(flags & (KMPC_TIED | KMPC_PROXY | KMPC_DETACHABLE) || !get_task_info, 1))
        return e->__kmpc_omp_task_alloc(location, gtid, flags, bytes, shared, body);
    size_t room = ((bytes + 7) & ~(size_t)7) + sizeof(struct untied);
    struct kmpc_task *task = e->__kmpc_omp_task_alloc(location, gtid, flags, room, shared ? shared : 1, body);
    if (task && task->shareds && task->body == body && !((uintptr_t)task->shareds & 7)) {
        *untied_of(task) = (struct untied){ .destructors = flags & KMPC_DESTRUCTORS ? untied_destructors : 0, .body = body };
        task->body = untied_part;
    }
    return task;
}

/* Called between that and the task's creation. */
EXPORT void *__kmpc_task_allow_completion_event(void *location, int32_t gtid, struct kmpc_task *task);
EXPORT void *__kmpc_task_allow_completion_event(void *location, int32_t gtid, struct kmpc_task *task)
{
    here.detachable = get_task_info != 0;
    return kmpc_entry(__builtin_return_address(0))->__kmpc_task_allow_completion_event(location, gtid, task);
}

/* Of a cancelled taskgroup's task, libomp tells a fulfilment as it tells the end of the body. */
void ompt_fulfilling(bool begins)
{
    here.fulfilling = begins;
}

#define TASKLOOP(name, more, arguments)                                                         \
    EXPORT void name(void *location, int32_t gtid, void *task, int32_t if_clause, uint64_t *lower, uint64_t *upper, int64_t step, \
                     int32_t nogroup, int32_t schedule, uint64_t grain more, void *duplicate);  \
    EXPORT void name(void *location, int32_t gtid, void *task, int32_t if_clause, uint64_t *lower, uint64_t *upper, int64_t step, \
                     int32_t nogroup, int32_t schedule, uint64_t grain more, void *duplicate)   \
    {                                                                                           \
        const struct task *outer = here.if0, *caller = here.caller;                             \
        struct path_point from = here.from;                                                     \
        here.from = PATH_POINT();                                                               \
        here.caller = running();                                                                \
        here.if0 = if_clause ? 0 : here.caller;                                                 \
        kmpc_entry(__builtin_return_address(0))->name arguments;                                \
        here.if0 = outer;                                                                       \
        here.caller = caller;                                                                   \
        here.from = from;                                                                       \
    }
#define COMMA ,
TASKLOOP(__kmpc_taskloop, , (location, gtid, task, if_clause, lower, upper, step, nogroup, schedule, grain, duplicate))
TASKLOOP(__kmpc_taskloop_5, COMMA int32_t modifier,
         (location, gtid, task, if_clause, lower, upper, step, nogroup, schedule, grain, modifier, duplicate))

/* The runtime's numbers of schedules: plain ones, as ordered ones 32 higher, as nonmonotonic ones 128 higher; two bits
 * above modify them. */
enum { SCHEDULE_STATIC_CHUNKED = 33, SCHEDULE_STATIC = 34, SCHEDULE_RUNTIME = 37, SCHEDULE_ORDERED = 32, SCHEDULE_ORDERED_LAST = 72,
       SCHEDULE_NONMONOTONIC = 128, SCHEDULE_MODIFIERS = 3 << 29 };

static bool is_static(const struct kmpc_entry *e, int32_t schedule)
{
    schedule &= ~SCHEDULE_MODIFIERS;
    if (schedule > SCHEDULE_NONMONOTONIC)
        schedule -= SCHEDULE_NONMONOTONIC;
    if (schedule > 2 * SCHEDULE_ORDERED)
        schedule -= SCHEDULE_ORDERED;
    if (schedule == SCHEDULE_RUNTIME && e->omp_get_schedule) {
        int kind = 0, chunk;
        e->omp_get_schedule(&kind, &chunk);
        return (kind & ~(1 << 31)) == 1;
    }
    return schedule == SCHEDULE_STATIC || schedule == SCHEDULE_STATIC_CHUNKED;
}

static bool is_ordered(int32_t schedule)
{
    schedule &= ~SCHEDULE_MODIFIERS;
    if (schedule > SCHEDULE_NONMONOTONIC)
        schedule -= SCHEDULE_NONMONOTONIC;
    return schedule > 2 * SCHEDULE_ORDERED && schedule <= SCHEDULE_ORDERED_LAST;
}

/* A team has seven loops under way at most: who comes to the eighth waits until all have left the first. */
#define DISPATCH_INIT(name, type, stride)                                                       \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, type lower, type upper, stride step, stride chunk); \
    EXPORT void name(void *location, int32_t gtid, int32_t schedule, type lower, type upper, stride step, stride chunk) \
    {                                                                                           \
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));                                              \
        if (get_task_info)                                                                      \
            omp_loop_begin(is_static(e, schedule));                                             \
        if (get_task_info && is_ordered(schedule))                                              \
            omp_ordered_begin();                                                                \
        struct task *strand = get_task_info ? omp_wait_begin() : 0;                             \
        e->name(location, gtid, schedule, lower, upper, step, chunk);                           \
        omp_entered(strand);                                                                    \
    }
DISPATCH_INIT(__kmpc_dispatch_init_4, int32_t, int32_t)
DISPATCH_INIT(__kmpc_dispatch_init_4u, uint32_t, int32_t)
DISPATCH_INIT(__kmpc_dispatch_init_8, int64_t, int64_t)
DISPATCH_INIT(__kmpc_dispatch_init_8u, uint64_t, int64_t)

/* An iteration of an ordered loop is over. Unless it had its ordered block, it waits for its turn here. */
#define DISPATCH_FINI(name)                                                                     \
    EXPORT void name(void *location, int32_t gtid);                                             \
    EXPORT void name(void *location, int32_t gtid)                                              \
    {                                                                                           \
        struct path_point mine = PATH_POINT();                                                  \
        struct task *strand = get_task_info ? omp_wait_begin() : 0;                             \
        kmpc_entry(__builtin_return_address(0))->name(location, gtid);                          \
        waited_for(strand, mine, "ordered", LPF_SITE_IN_ORDER);                                 \
    }
DISPATCH_FINI(__kmpc_dispatch_fini_4)
DISPATCH_FINI(__kmpc_dispatch_fini_4u)
DISPATCH_FINI(__kmpc_dispatch_fini_8)
DISPATCH_FINI(__kmpc_dispatch_fini_8u)

/* gcc's code comes in by other names (gomp.c). */
void ompt_schedule(bool is_static, bool starts)
{
    if (get_task_info && (starts || !omp_in_loop()))
        omp_loop_kind(is_static);
}

void ompt_loop_waits(void)
{
    here.in_loop = get_task_info && engine_recording ? omp_wait_begin() : 0;
    here.waited = 0;
}

uint64_t ompt_loop_waited(void)
{
    if (here.in_loop) {
        here.waited = omp_entered(here.in_loop);
        here.in_loop = 0;
    }
    return here.waited;
}

/* ---- loops whose iterations wait for each other ---- */

EXPORT void __kmpc_doacross_init(void *location, int32_t gtid, int32_t n, const struct doacross_dimension *dimensions);
EXPORT void __kmpc_doacross_init(void *location, int32_t gtid, int32_t n, const struct doacross_dimension *dimensions)
{
    if (get_task_info)
        omp_doacross_begin(n, dimensions);
    struct task *strand = get_task_info ? omp_wait_begin() : 0;
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_init(location, gtid, n, dimensions);
    omp_entered(strand);        /* as for any loop */
}

EXPORT void __kmpc_doacross_post(void *location, int32_t gtid, const int64_t *at);
EXPORT void __kmpc_doacross_post(void *location, int32_t gtid, const int64_t *at)
{
    if (get_task_info)
        omp_doacross_post(at);
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_post(location, gtid, at);
}

EXPORT void __kmpc_doacross_wait(void *location, int32_t gtid, const int64_t *at);
EXPORT void __kmpc_doacross_wait(void *location, int32_t gtid, const int64_t *at)
{
    struct path_point mine = PATH_POINT();
    struct task *strand = get_task_info ? omp_wait_begin() : 0;
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_wait(location, gtid, at);
    if (strand)
        omp_doacross_after(strand, at);
    waited_for(strand, mine, "doacross", LPF_SITE_IN_ORDER);
}

EXPORT void __kmpc_doacross_fini(void *location, int32_t gtid);
EXPORT void __kmpc_doacross_fini(void *location, int32_t gtid)
{
    if (get_task_info)
        omp_doacross_end();
    kmpc_entry(__builtin_return_address(0))->__kmpc_doacross_fini(location, gtid);
}

#define DISPATCH(name, type, stride)                                                            \
    EXPORT int name(void *location, int32_t gtid, int32_t *last, type *lower, type *upper, stride *step); \
    EXPORT int name(void *location, int32_t gtid, int32_t *last, type *lower, type *upper, stride *step) \
    {                                                                                           \
        const struct kmpc_entry *e = kmpc_entry(__builtin_return_address(0));                                              \
        if (__builtin_expect(here.in_loop != 0, 0))                                              \
            ompt_loop_waited();                                                                 \
        if (!get_task_info || omp_loop_is_static()) {                                           \
            int got = e->name(location, gtid, last, lower, upper, step);                        \
            if (!got && get_task_info)                                                          \
                omp_loop_end();                                                                 \
            return got;                                                                         \
        }                                                                                       \
        struct task *strand = omp_chunk_end();                                                  \
        int got = e->name(location, gtid, last, lower, upper, step);                            \
        omp_chunk_next(strand, got);                                                            \
        if (!got)                                                                               \
            omp_loop_end();                                                                     \
        return got;                                                                             \
    }
DISPATCH(__kmpc_dispatch_next_4, int32_t, int32_t)
DISPATCH(__kmpc_dispatch_next_4u, uint32_t, int32_t)
DISPATCH(__kmpc_dispatch_next_8, int64_t, int64_t)
DISPATCH(__kmpc_dispatch_next_8u, uint64_t, int64_t)

/* ---- the tool ---- */

static int initialize(ompt_lookup_fn *lookup, int device, ompt_data *tool)
{
    if (!engine_recording)
        return 0;
    ompt_set_callback_fn *set = (ompt_set_callback_fn *)lookup("ompt_set_callback");
    get_task_info = (ompt_get_task_info_fn *)lookup("ompt_get_task_info");
    if (!set || !get_task_info) {
        get_task_info = 0;
        message(MESSAGE_WARNING, "this OpenMP runtime's tools interface is incomplete: its constructs are not seen");
        return 0;
    }
    if (kmpc_is_inside((const void *)set))
        engine_lower_bound("OpenMP (libomp linked statically)");
    runtime_register_module_of((uintptr_t)set, "openmp");
    static const struct { int which; void *callback; } callbacks[] = {
        { OMPT_CALLBACK_PARALLEL_BEGIN, parallel_begin }, { OMPT_CALLBACK_PARALLEL_END, parallel_end },
        { OMPT_CALLBACK_IMPLICIT_TASK, implicit_task }, { OMPT_CALLBACK_TASK_CREATE, task_create },
        { OMPT_CALLBACK_TASK_SCHEDULE, task_schedule }, { OMPT_CALLBACK_DEPENDENCES, dependences },
        { OMPT_CALLBACK_SYNC_REGION, sync_region }, { OMPT_CALLBACK_SYNC_REGION_WAIT, sync_region_wait },
        { OMPT_CALLBACK_CANCEL, cancel },
        { OMPT_CALLBACK_MUTEX_ACQUIRE, mutex_acquire }, { OMPT_CALLBACK_MUTEX_ACQUIRED, mutex_acquired },
        { OMPT_CALLBACK_NEST_LOCK, nest_lock },
    };
    for (unsigned i = 0; i < sizeof callbacks / sizeof callbacks[0]; i++)
        set(callbacks[i].which, callbacks[i].callback);
    ompt_frame *frame = 0;
    ompt_data *data = 0;
    int flags;
    frame_before_data = get_task_info(0, &flags, &data, &frame, 0, 0) && data && (const ompt_frame *)data - 1 == frame;
    return 1;
}

static void finalize(ompt_data *tool)
{
    get_task_info = 0;
}

bool ompt_is_told(void)
{
    return get_task_info != 0;
}

EXPORT ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime);
EXPORT ompt_start_tool_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result tool = { initialize, finalize, { 0 } };
    if (!engine_recording)
        return 0;
    if (kmpc_other_tool()) {
        message(MESSAGE_WARNING, "OMP_TOOL_LIBRARIES names a tool, which libomp takes instead of libprof: OpenMP is not profiled");
        engine_lower_bound("OpenMP (another tool has it)");
        return 0;
    }
    return &tool;
}

/* Then nobody asks for a tool. After kmpc_entry.c's (110). */
__attribute__((constructor(111))) static void see_whether_asked(void)
{
    if (engine_recording && kmpc_entry_ready && kmpc_no_tools()) {
        message(MESSAGE_WARNING, "OMP_TOOL=disabled keeps libprof out of libomp: OpenMP is not profiled");
        engine_lower_bound("OpenMP (OMP_TOOL=disabled)");
    } else if (engine_recording && kmpc_entry_ready && kmpc_tool_before()) {
        message(MESSAGE_WARNING, "the program's own ompt_start_tool keeps libprof out of libomp: OpenMP is not profiled");
        engine_lower_bound("OpenMP (another tool has it)");
    }
}
