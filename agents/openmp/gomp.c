/* gomp.c - the agent of GNU libgomp: its entry points, translated into the constructs of model.h.
 *
 * gcc outlines the bodies of regions and tasks and hands them to the runtime; what we hand on is our own
 * function, with a block that leads to the program's. A task's block is
 *
 *     struct task_block | padding | the program's block
 *
 * aligned as the program asks and never shorter than 16. libgomp copies it like any other. Its first words are
 * those that libgomp itself writes: the handle of a detachable task, the bounds of a taskloop's share. A task without
 * a clause that concerns us gets a shorter one (struct plain_block).
 *
 * A program that gcc compiled may run on LLVM's libomp, which has the same entry points and calls the OMPT
 * agent for what they do: then everything here passes through.
 *
 * Rules of this file: errno is the program's; nothing is held across a call of the runtime; where no runtime is loaded, or it
 * lacks a function, sequential.c has it.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <stdarg.h>
#include <string.h>
#include "process/thread.h"
#include "model/block.h"
#include "depend.h"
#include "gomp_entry.h"
#include "libprof_format.h"
#include "base/memory.h"
#include "model.h"
#include "model/own.h"
#include "base/forbid.h"

#define EXPORT __attribute__((visibility("default")))

static const char *const no_prefixes[] = { 0 };
static const struct site_style style = { "openmp", no_prefixes, END_OPENMP };

/* Parallel regions around what the thread executes; a task has its creator's, for it may run when the implicit task
 * around it has ended. Outside of all there is no team, and every task is undeferred. */
static __thread uint32_t depth __attribute__((tls_model("initial-exec")));

/* The runtime whose region or task the thread executes; NULL: none. What it calls there is that one's: a caller's address may
 * lead to the caller's caller. */
static __thread const struct gomp_entry *inside __attribute__((tls_model("initial-exec")));
#define ENTRY() (!gomp_entry_ready && inside ? inside : gomp_entry(__builtin_return_address(0)))

/* Returns what `leave` wants. Where the program's own runtime is everybody's, nothing needs be kept. */
static inline const struct gomp_entry *enter(const struct gomp_entry *e)
{
    const struct gomp_entry *outside = 0;
    if (__builtin_expect(!gomp_entry_ready, 0)) {
        outside = inside;
        inside = e;
    }
    return outside;
}
static inline void leave(const struct gomp_entry *outside)
{
    if (__builtin_expect(!gomp_entry_ready, 0))
        inside = outside;
}

static inline bool recorded(const struct gomp_entry *e)
{
    return engine_recording && !e->foreign;
}

/* ---- parallel regions ---- */

struct region {
    uintptr_t word;             /* GOMP_parallel_reductions reads the first word of the program's block */
    struct omp_region model;
    void (*body)(void *);
    void *argument;
    const struct gomp_entry *entry;
    struct region *outer;       /* of those begun by a call of their own */
    const struct gomp_entry *outside; /* theirs, too: of the first thread */
};

static void region_body(void *p)
{
    struct region *r = p;
    const struct gomp_entry *e = r->entry, *outside = enter(e);
    depth++;
    omp_implicit_begin(&r->model, e->omp_get_thread_num(), e->omp_get_num_threads(), (uintptr_t)__builtin_frame_address(0), false);
    r->body(r->argument);
    omp_implicit_end();
    leave(outside);
    depth--;
    __asm__ volatile("");           /* the call above is no tail call: its frame is where the task's frames end */
}

/* The body of a wrapper whose program's function is `fn(data)`; the call passes `body` and `argument`. */
#define REGION_OF(construct, call)                                                              \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = gomp_entry((void *)fn);                                        \
    struct region region = { .body = fn, .argument = data, .entry = e };                        \
    void (*body)(void *) = fn;                                                                  \
    void *argument = data;                                                                      \
    bool wrapped = recorded(e);                                                                 \
    if (wrapped) {                                                                              \
        omp_cancellation = e->omp_get_cancellation();                                           \
        omp_region_begin(&region.model, &from, &style, construct);                              \
        body = region_body;                                                                     \
        argument = &region;                                                                     \
    }                                                                                           \
    call;                                                                                       \
    if (wrapped)                                                                                \
        omp_region_end(&region.model);

EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    REGION_OF("parallel", e->GOMP_parallel(body, argument, threads, flags))
}

EXPORT unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
    unsigned result;
    REGION_OF("parallel", region.word = *(uintptr_t *)data;
              result = e->GOMP_parallel_reductions(body, argument, threads, flags))
    return result;
}

EXPORT void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned threads, unsigned count, unsigned flags)
{
    REGION_OF("parallel sections", e->GOMP_parallel_sections(body, argument, threads, count, flags))
}

EXPORT void GOMP_teams_reg(void (*fn)(void *), void *data, unsigned teams, unsigned limit, unsigned flags)
{
    REGION_OF("teams", e->GOMP_teams_reg(body, argument, teams, limit, flags))
}

#define PARALLEL_LOOP(name)                                                                     \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step, long chunk, unsigned flags) \
    {                                                                                           \
        REGION_OF("parallel for", e->name(body, argument, threads, start, end, step, chunk, flags)) \
    }
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define PARALLEL_LOOP_RUNTIME(name)                                                             \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step, unsigned flags) \
    {                                                                                           \
        REGION_OF("parallel for", e->name(body, argument, threads, start, end, step, flags))    \
    }
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* Before gcc 4.9 a region began with one call, which started the other threads, and ended with another; its first thread
 * called the body by itself, between them. So the region outlives the wrapper, and nothing of ours is below the body: the first
 * thread's frames end at those of the function that made the calls. */
static __thread struct {
    struct region *innermost;   /* begun and not ended */
    uint32_t unseen;            /* those inside it that are not recorded */
} begun __attribute__((tls_model("initial-exec")));

static struct region *region_start(const struct gomp_entry *e, const struct path_point *from, const char *construct, void (*fn)(void *), void *data)
{
    struct thread *th = recorded(e) && !begun.unseen ? engine_self() : 0;
    struct region *r = th ? block_new(th, block_class(sizeof *r)) : 0;
    if (!r) {
        begun.unseen++;
        return 0;
    }
    *r = (struct region){ .body = fn, .argument = data, .entry = e, .outer = begun.innermost };
    begun.innermost = r;
    omp_cancellation = e->omp_get_cancellation();
    omp_region_begin(&r->model, from, &style, construct);
    return r;
}

static void region_started(const struct gomp_entry *e, struct region *r, const struct path_point *from)
{
    if (r) {
        depth++;
        r->outside = enter(e);
        omp_implicit_begin(&r->model, e->omp_get_thread_num(), e->omp_get_num_threads(), from->cfa, false);
    }
}

/* The body of a wrapper; the call passes `body` and `argument`. */
#define REGION_START(construct, call)                                                           \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = gomp_entry((void *)fn);                                        \
    struct region *region = e->foreign ? 0 : region_start(e, &from, construct, fn, data);       \
    void (*body)(void *) = region ? region_body : fn;                                           \
    void *argument = region ? region : data;                                                    \
    call;                                                                                       \
    region_started(e, region, &from);

EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads)
{
    REGION_START("parallel", e->GOMP_parallel_start(body, argument, threads))
}

EXPORT void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned threads, unsigned count)
{
    REGION_START("parallel sections", e->GOMP_parallel_sections_start(body, argument, threads, count))
}

#define PARALLEL_LOOP_START(name)                                                               \
    EXPORT void name(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step, long chunk) \
    {                                                                                           \
        REGION_START("parallel for", e->name(body, argument, threads, start, end, step, chunk)) \
    }
PARALLEL_LOOP_START(GOMP_parallel_loop_static_start)
PARALLEL_LOOP_START(GOMP_parallel_loop_dynamic_start)
PARALLEL_LOOP_START(GOMP_parallel_loop_guided_start)

EXPORT void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned threads, long start, long end, long step)
{
    REGION_START("parallel for", e->GOMP_parallel_loop_runtime_start(body, argument, threads, start, end, step))
}

EXPORT void GOMP_parallel_end(void)
{
    const struct gomp_entry *e = ENTRY();
    struct region *r = e->foreign || begun.unseen ? 0 : begun.innermost;
    if (!r) {
        begun.unseen -= begun.unseen != 0;
        e->GOMP_parallel_end();
        return;
    }
    begun.innermost = r->outer;
    omp_implicit_end();
    leave(r->outside);
    depth--;
    e->GOMP_parallel_end();
    omp_region_end(&r->model);
    struct thread *th = engine_self();
    if (th)
        block_free(th, r);
}

/* ---- barriers ---- */

#define AT_BARRIER(call)                                                                        \
    const struct gomp_entry *e = ENTRY();                                                       \
    struct omp_barrier barrier = { .data = 0 };                                                 \
    bool wrapped = recorded(e) && depth;                                                        \
    if (wrapped)                                                                                \
        omp_barrier_begin(&barrier);                                                            \
    call;                                                                                       \
    if (wrapped)                                                                                \
        omp_barrier_end(&barrier);

EXPORT void GOMP_barrier(void)
{
    AT_BARRIER(e->GOMP_barrier())
}

EXPORT bool GOMP_barrier_cancel(void)
{
    bool cancelled;
    AT_BARRIER(cancelled = e->GOMP_barrier_cancel())
    return cancelled;
}

/* The winner runs its block up to single_copy_end, the others wait for that: everybody goes on after all of them. The
 * barrier that gcc puts behind the construct does the rest. */
EXPORT void *GOMP_single_copy_start(void)
{
    const struct gomp_entry *e = ENTRY();
    if (!recorded(e) || !depth)
        return e->GOMP_single_copy_start();
    omp_meet_put(OMP_MEET_SINGLE);
    struct task *strand = omp_wait_begin();
    void *copy = e->GOMP_single_copy_start();
    omp_entered(strand);
    if (copy)
        omp_meet_get(OMP_MEET_SINGLE);
    return copy;
}

EXPORT void GOMP_single_copy_end(void *data)
{
    const struct gomp_entry *e = ENTRY();
    bool wrapped = recorded(e) && depth;
    if (wrapped)
        omp_meet_put(OMP_MEET_SINGLE);
    struct task *strand = wrapped ? omp_wait_begin() : 0;
    e->GOMP_single_copy_end(data);
    if (wrapped) {
        omp_entered(strand);
        omp_meet_get(OMP_MEET_SINGLE);
    }
}

/* One strand at a time. Those that wait are idle. */
#define ENTER(construct, flags, call)                                                           \
    struct path_point from = PATH_POINT();                                                      \
    const struct gomp_entry *e = ENTRY();                                                       \
    struct task *strand = recorded(e) ? omp_wait_begin() : 0;                                   \
    call;                                                                                       \
    uint64_t ticks = omp_entered(strand);                                                       \
    if (ticks)                                                                                  \
        omp_waited(ticks, &from, &style, construct, flags);

EXPORT void GOMP_critical_start(void)
{
    ENTER("critical", 0, e->GOMP_critical_start())
}

EXPORT void GOMP_critical_name_start(void **name)
{
    ENTER("critical", 0, e->GOMP_critical_name_start(name))
}

EXPORT void GOMP_atomic_start(void)
{
    ENTER("atomic", 0, e->GOMP_atomic_start())
}

/* Who only tests a lock never waits. */
#define PLAIN(result, name, parameters)
#define CHUNK(result, name, schedule, parameters, arguments)
#define DOACROSS(result, name, schedule, parameters, arguments)
#define LOCK(name, symbol, version, at)                                                         \
    void name(void *lock)                                                                       \
    {                                                                                           \
        ENTER("lock", 0, e->name(lock))                                                         \
    }
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

/* In the part of an ordered loop that the thread executes. */
static __thread bool had_turn __attribute__((tls_model("initial-exec")));

/* The ordered parts of a loop follow each other in the order of its iterations. */
EXPORT void GOMP_ordered_start(void)
{
    had_turn = true;
    ENTER("ordered", LPF_SITE_IN_ORDER, e->GOMP_ordered_start())
    if (strand)
        omp_ordered_enter();
}

EXPORT void GOMP_ordered_end(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_ordered_leave();
    e->GOMP_ordered_end();
}

EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    if (cancelled) {
        ENTRY()->GOMP_workshare_task_reduction_unregister(cancelled);
        return;
    }
    AT_BARRIER(e->GOMP_workshare_task_reduction_unregister(cancelled))
}

#define LOOP_END(name)                                                                          \
    EXPORT void name(void)                                                                      \
    {                                                                                           \
        if (recorded(ENTRY()))                                                                  \
            omp_loop_end();                                                                     \
        AT_BARRIER(e->name())                                                                   \
    }
#define LOOP_END_CANCEL(name)                                                                   \
    EXPORT bool name(void)                                                                      \
    {                                                                                           \
        bool cancelled;                                                                         \
        if (recorded(ENTRY()))                                                                  \
            omp_loop_end();                                                                     \
        AT_BARRIER(cancelled = e->name())                                                       \
        return cancelled;                                                                       \
    }
#define LOOP_END_NOWAIT(name)                                                                   \
    EXPORT void name(void)                                                                      \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (recorded(e))                                                                        \
            omp_loop_end();                                                                     \
        e->name();                                                                              \
    }
LOOP_END(GOMP_loop_end)
LOOP_END(GOMP_sections_end)
LOOP_END_CANCEL(GOMP_loop_end_cancel)
LOOP_END_CANCEL(GOMP_sections_end_cancel)
LOOP_END_NOWAIT(GOMP_loop_end_nowait)
LOOP_END_NOWAIT(GOMP_sections_end_nowait)

/* ---- loops that hand out their chunks, and sections ---- */

/* As libgomp has them in its calls, but for DYNAMIC: it stands for all that are not static. */
enum { RUNTIME = 0, STATIC = 1, DYNAMIC = 2, MONOTONIC = 1 << 31 };

static bool is_static(const struct gomp_entry *e, long schedule)
{
    int kind = schedule & ~MONOTONIC, chunk;
    if (kind == RUNTIME) {
        e->omp_get_schedule(&kind, &chunk);
        kind &= ~MONOTONIC;
    }
    return kind == STATIC;
}

/* Of the running loop, whose part is asked for: decided where it STARTS, or at its first part, for it may change what OMP_SCHEDULE says. */
static bool loop_is_static(const struct gomp_entry *e, long schedule, bool starts)
{
    if ((schedule & ~MONOTONIC) != RUNTIME)
        return is_static(e, schedule);
    if (starts || !omp_in_loop())
        omp_loop_kind(is_static(e, schedule));
    return omp_loop_is_static();
}

static inline __attribute__((always_inline)) bool starts(const char *name)
{
    return strstr(name, "_start");
}

/* The start of an ordered loop, by its name. */
static inline __attribute__((always_inline)) bool begins_ordered(const char *name)
{
    return strstr(name, "_ordered_") && starts(name);
}

/* Does the call named so wait for the thread's turn in an ordered loop? libgomp hands out the next part only then; an ordered block has
 * waited for it already. */
static inline __attribute__((always_inline)) bool waits_for_turn(const char *name)
{
    bool waits = strstr(name, "_ordered_") && strstr(name, "_next") && !had_turn;
    if (strstr(name, "_ordered_"))
        had_turn = false;
    return waits;
}

/* It has come. Returns STRAND, which waited, paused again. */
static struct task *its_turn(struct task *strand, const struct path_point *from)
{
    uint64_t ticks = omp_entered(strand);
    if (ticks)
        omp_waited(ticks, from, &style, "ordered", LPF_SITE_IN_ORDER);
    return strand ? omp_wait_begin() : 0;
}

/* gcc counts the iterations of each loop, from 0. */
static void doacross_begin(unsigned n, const uint64_t *counts)
{
    struct doacross_dimension d[DOACROSS_DIMENSIONS];
    for (unsigned i = 0; i < n && i < DOACROSS_DIMENSIONS; i++)
        d[i] = (struct doacross_dimension){ 0, counts[i] - 1, 1 };
    omp_doacross_begin(n, d);
}

#define PLAIN(result, name, parameters)
#define CHUNK(result, name, schedule, parameters, arguments)                                    \
    EXPORT result name parameters                                                               \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (e->foreign)                                                                         \
            ompt_schedule((schedule) != DYNAMIC && is_static(e, schedule), starts(#name));      \
        if (engine_recording && begins_ordered(#name))                                          \
            omp_ordered_begin();                                                                \
        bool chunks = recorded(e) && ((schedule) == DYNAMIC || !loop_is_static(e, schedule, starts(#name))); \
        bool turn = engine_recording && waits_for_turn(#name);                                  \
        struct path_point from = PATH_POINT();                                                  \
        if (e->foreign && (turn || starts(#name))) {                                            \
            ompt_loop_waits();                                                                  \
            result got = e->name arguments;                                                     \
            uint64_t ticks = ompt_loop_waited();                                                \
            if (turn && ticks)                                                                  \
                omp_waited(ticks, &from, &style, "ordered", LPF_SITE_IN_ORDER);                 \
            return got;                                                                         \
        }                                                                                       \
        if (!chunks && !turn)                                                                   \
            return e->name arguments;                                                           \
        struct task *strand = chunks ? omp_chunk_end() : omp_wait_begin();                      \
        result got = e->name arguments;                                                         \
        if (turn)                                                                               \
            strand = its_turn(strand, &from);                                                   \
        if (chunks)                                                                             \
            omp_chunk_next(strand, got);                                                        \
        else                                                                                    \
            omp_wait_end(strand, false);                                                        \
        return got;                                                                             \
    }
#define DOACROSS(result, name, schedule, parameters, arguments)                                 \
    EXPORT result name parameters                                                               \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (e->foreign)                                                                         \
            ompt_schedule((schedule) != DYNAMIC && is_static(e, schedule), true);               \
        if (!recorded(e))                                                                       \
            return e->name arguments;                                                           \
        doacross_begin(n, (const uint64_t *)counts);                                            \
        if ((schedule) != DYNAMIC && loop_is_static(e, schedule, true))                         \
            return e->name arguments;                                                           \
        struct task *strand = omp_chunk_end();                                                  \
        result got = e->name arguments;                                                         \
        omp_chunk_next(strand, got);                                                            \
        return got;                                                                             \
    }
#define LOCK(name, symbol, version, at)
#include "gomp.def"
#undef PLAIN
#undef CHUNK
#undef DOACROSS
#undef LOCK

EXPORT void GOMP_doacross_post(long *at)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_doacross_post(at);
    e->GOMP_doacross_post(at);
}

EXPORT void GOMP_doacross_ull_post(ull *at)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e))
        omp_doacross_post((const int64_t *)at);
    e->GOMP_doacross_ull_post(at);
}

/* The program passes as many as the loop has dimensions, which only the runtime knows for sure. More of them do no harm: what we
 * read and hand on beyond is the caller's stack. */
#define EIGHT(i) at[i], at[i + 1], at[i + 2], at[i + 3], at[i + 4], at[i + 5], at[i + 6], at[i + 7]
#define DOACROSS_WAIT(name, type)                                                               \
    EXPORT void name(type first, ...)                                                           \
    {                                                                                           \
        type at[DOACROSS_DIMENSIONS] = { first };                                               \
        va_list ap;                                                                             \
        va_start(ap, first);                                                                    \
        for (unsigned i = 1; i < DOACROSS_DIMENSIONS; i++)                                      \
            at[i] = va_arg(ap, type);                                                           \
        va_end(ap);                                                                             \
        ENTER("doacross", LPF_SITE_IN_ORDER, e->name(EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)); \
              if (strand) omp_doacross_after(strand, (const int64_t *)at))                      \
    }
_Static_assert(DOACROSS_DIMENSIONS == 32, "all are handed on");
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, ull)

/* ---- tasks ---- */

/* How tasks come about whose creation is not over when libgomp is called: until it returns. */
struct creation {
    struct path_point from;
    const char *construct;
    uint32_t flags;
    bool copies;                /* each is created when its block is copied */
    void **depend;              /* NULL: none */
    struct task *strand;        /* the creator's, paused: while libgomp makes a taskloop's tasks, or waits for what others do */
    struct edge fulfilled;      /* of a detachable one that it waits for */
};

struct task_block {
    uintptr_t word[3];          /* as the program's block begins: where libgomp writes to */
    struct task *task;
    void (*body)(void *);
    void (*copy)(void *, void *); /* of the program's block; NULL: memcpy */
    void *source;               /* with `copy`: the program's block */
    uint32_t offset;            /* of the program's block */
    uint32_t words;             /* of `word`, that are the program's */
    uint32_t depth;             /* the creator's */
    const struct gomp_entry *entry;
    struct omp_share *share;    /* of a taskloop */
    struct creation *creation;  /* until libgomp has returned */
    struct omp_event *event;    /* of a detachable task */
};

static void run(struct task_block *b, void *mine)
{
    for (uint32_t i = 0; i < b->words; i++)
        ((uintptr_t *)mine)[i] = b->word[i];
    b->body(mine);
}

static void task_body(void *p)
{
    struct task_block *b = p;
    uint32_t outside = depth;
    const struct gomp_entry *other = enter(b->entry);
    depth = b->depth;
    if (b->event)
        omp_event_known(b->event, b->word[0]);
    struct task *interrupted = omp_task_begin(b->task, (uintptr_t)__builtin_frame_address(0), false);
    run(b, (char *)p + b->offset);
    if (b->task)
        omp_task_end(interrupted);
    depth = outside;
    leave(other);
    __asm__ volatile("");
}

/* An undeferred one for which its creator waits: for what it depends on, and after the body for its event. */
static void waited_body(void *p)
{
    struct task_block *b = p;
    struct creation *c = b->creation;
    omp_entered(c->strand);
    c->strand = 0;
    task_body(p);
    if (c->flags & OMP_DETACH)
        c->strand = omp_wait_begin();
}

enum { TASK_UNTIED = 1, TASK_FINAL = 2, TASK_MERGEABLE = 4, TASK_DEPEND = 8, TASK_PRIORITY = 16, TASK_UP = 256,
       TASK_GRAINSIZE = 512, TASK_IF = 1024, TASK_NOGROUP = 2048, TASK_REDUCTION = 4096, TASK_DETACHED = 8192 };

/* gcc's list: {n, out, addresses: writers first}, or {0, n, out, mutexinoutset, in, addresses, then objects}. */
typedef void depend_function(void *closure, const void *address, enum depend_kind kind);
static void depend_each(void **list, depend_function *f, void *closure)
{
    uintptr_t n = (uintptr_t)list[0], writers = (uintptr_t)list[1];
    if (n) {
        for (uintptr_t i = 0; i < n; i++)
            f(closure, list[2 + i], i < writers ? DEPEND_OUT : DEPEND_IN);
        return;
    }
    n = (uintptr_t)list[1];
    writers = (uintptr_t)list[2];
    uintptr_t mutexes = writers + (uintptr_t)list[3], plain = mutexes + (uintptr_t)list[4];
    for (uintptr_t i = 0; i < n; i++) {
        if (i < plain) {
            f(closure, list[5 + i], i < writers ? DEPEND_OUT : i < mutexes ? DEPEND_MUTEXINOUTSET : DEPEND_IN);
            continue;
        }
        void **object = list[5 + i];    /* omp_depend_t: {address, kind} */
        uintptr_t kind = (uintptr_t)object[1];
        f(closure, object[0], kind == 1 ? DEPEND_IN : kind == 4 ? DEPEND_MUTEXINOUTSET : kind == 5 ? DEPEND_INOUTSET : DEPEND_OUT);
    }
}

static void depend_of_task(void *task, const void *address, enum depend_kind kind)
{
    struct thread *th = engine_self();
    if (th && th->cur)
        depend_add(th, omp_creator(th->cur), task, address, kind);
}

static void depends(struct task *t, void **depend)
{
    struct thread *th = engine_self();
    struct own own = own_from(th);
    depend_each(depend, depend_of_task, t);
    own_until_now(th, own, 0, 0);
}

static void depend_of_wait(void *unused, const void *address, enum depend_kind kind)
{
    struct thread *th = engine_self();
    if (th && th->cur)
        depend_join(th, omp_creator(th->cur), address, kind);
}

/* A `target nowait` outside of every region makes libgomp defer tasks there, too. But what the thread executes is no task of OpenMP's,
 * and such have neither dependences nor taskgroups here. */
static void only_children(void)
{
    struct thread *th = engine_self();
    if (th && th->cur && !(th->cur->flags & TASK_AGENT_OMP))
        engine_lower_bound("depend or taskgroup (outside of OpenMP regions)");
}

static inline struct task *create(const struct path_point *from, const char *construct, uint32_t flags, void **depend)
{
    struct task *t = omp_task_new(from, &style, construct, flags);
    if (t && depend) {
        only_children();
        depends(t, depend);
    }
    return t;
}

/* libgomp's copy of the block, by the program's own function: an argument has a copy constructor, which its creator executes. Only
 * then is the task there. */
static void task_copy(void *to, void *from)
{
    struct task_block *b = to, *source = from;
    struct creation *c = source->creation;
    if (c->depend && c->flags & OMP_CALL)
        omp_entered(c->strand);         /* for what it depends on */
    else
        omp_wait_end(c->strand, false);
    *b = *source;
    b->copy((char *)to + b->offset, source->source);
    if (c->copies) {
        b->task = create(&c->from, c->construct, c->flags, c->depend);
        if (b->task && c->flags & OMP_DETACH)
            source->event = b->event = omp_event_new(b->task, c->flags & OMP_CALL ? &c->fulfilled : 0);
    }
    if (c->strand)
        c->strand = omp_wait_begin();
}

/* Blocks up to this size stand on the stack, as libgomp's own do. */
#define ON_STACK 16384

static __attribute__((noinline)) void task_with_clauses(const struct gomp_entry *e, const struct path_point *from, void (*fn)(void *),
                                                        void *data, void (*cpyfn)(void *, void *), long size, long align, bool if_clause,
                                                        unsigned flags, void **depend, int priority, void *detach)
{
    bool inherits = omp_task_is_final(), call = !if_clause || !depth || inherits;
    uint32_t kind = (call ? OMP_CALL : 0) | (inherits || flags & TASK_FINAL ? OMP_FINAL : 0) | (flags & TASK_DETACHED ? OMP_DETACH : 0);
    void **after = flags & TASK_DEPEND && depth ? depend : 0;
    bool waits = call && (after || flags & TASK_DETACHED);
    struct task *t = cpyfn ? 0 : create(from, "task", kind, after);
    size_t alignment = align > 16 ? align : 16;
    size_t offset = (sizeof(struct task_block) + alignment - 1) & ~(alignment - 1);
    size_t bytes = offset + (cpyfn ? 0 : size), room = bytes + alignment;
    char *base = room <= ON_STACK ? alloca(room) : memory_map(room);
    if (!base) {
        omp_task_discard(t);
        e->GOMP_task(fn, data, cpyfn, size, align, if_clause, flags, depend, priority, detach);
        return;
    }
    struct task_block *b = (struct task_block *)(((uintptr_t)base + alignment - 1) & ~(alignment - 1));
    struct creation creation = { .from = *from, .construct = "task", .flags = kind, .copies = cpyfn, .depend = after };
    b->task = t;                /* one by one: all at once is a slow string instruction */
    b->body = fn;
    b->copy = cpyfn;
    b->source = data;
    b->offset = offset;
    b->words = 0;
    b->depth = depth;
    b->entry = e;
    b->creation = &creation;
    b->event = 0;
    if (!cpyfn)
        memcpy((char *)b + offset, data, size);
    if (flags & TASK_DETACHED) {
        b->words = 1;
        b->word[0] = *(uintptr_t *)data;
        b->event = t ? omp_event_new(t, call ? &creation.fulfilled : 0) : 0;
    }
    if (waits && after)
        creation.strand = omp_wait_begin();
    e->GOMP_task(waits ? waited_body : task_body, b, cpyfn ? task_copy : 0, offset + size, alignment, if_clause, flags, depend, priority, detach);
    if (waits)
        omp_entered(creation.strand);
    if (flags & TASK_DETACHED) {
        *(uintptr_t *)data = b->word[0];
        if (b->event && call)
            omp_event_awaited(b->event);
        if (b->event)
            omp_event_known(b->event, b->word[0]);
    }
    if (room > ON_STACK)
        memory_unmap(base, room);
}

/* Most tasks have no clause that concerns us and a short block, which ours goes before as it is. */
enum { PLAIN_BYTES = 256 };
struct plain_block {
    struct task *task;
    void (*body)(void *);
    const struct gomp_entry *entry;
    uint32_t depth;             /* the creator's */
} __attribute__((aligned(16)));

static void plain_body(void *p)
{
    struct plain_block *b = p;
    uint32_t outside = depth;
    const struct gomp_entry *other = enter(b->entry);
    depth = b->depth;
    struct task *interrupted = omp_task_begin(b->task, (uintptr_t)__builtin_frame_address(0), false);
    b->body(b + 1);
    if (b->task)
        omp_task_end(interrupted);
    depth = outside;
    leave(other);
    __asm__ volatile("");
}

EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align, bool if_clause,
                      unsigned flags, void **depend, int priority, void *detach)
{
    struct path_point from = PATH_POINT();
    const struct gomp_entry *e = gomp_entry((void *)fn);
    if (!recorded(e)) {
        e->GOMP_task(fn, data, cpyfn, size, align, if_clause, flags, depend, priority, detach);
        return;
    }
    if (cpyfn || !if_clause || flags & (TASK_FINAL | TASK_DEPEND | TASK_DETACHED) || size > PLAIN_BYTES || align > 16 || !depth ||
        omp_task_is_final()) {
        task_with_clauses(e, &from, fn, data, cpyfn, size, align, if_clause, flags, depend, priority, detach);
        return;
    }
    struct {
        struct plain_block b;
        char data[PLAIN_BYTES];
    } block;
    block.b.task = omp_task_new(&from, &style, "task", 0);
    block.b.body = fn;
    block.b.entry = e;
    block.b.depth = depth;
    __asm__("" : "+r"(size));   /* for one that it knows to be short the compiler takes a slow string instruction */
    memcpy(block.data, data, size);
    e->GOMP_task(plain_body, &block, 0, sizeof block.b + size, 16, true, flags, depend, priority, detach);
}

/* ---- target regions ---- */

/* A target region that the host executes is a task of its own, in no team: what it creates is undeferred. What its body gets is the
 * array of addresses, a copy of it if it is deferred; ours come first in it, as values, which libgomp leaves as they are. */
enum { OURS_TASK, OURS_STRAND, OURS_BODY, OURS_ENTRY, OURS };
enum { TARGET_NOWAIT = 1, ON_HOST = -2, MAP_VALUE = 13 };   /* gcc's: flag, device, kind of an address */

/* A region of a device's is found by its body's address: that must stay the program's. */
static bool records_target(const struct gomp_entry *e, int device)
{
    return recorded(e) && (device == ON_HOST || (e->omp_get_num_devices && !e->omp_get_num_devices()));
}

static void target_body(void *p)
{
    void **ours = p;
    struct task *t = ours[OURS_TASK];
    uint32_t outside = depth;
    const struct gomp_entry *other = enter(ours[OURS_ENTRY]);
    depth = 0;
    omp_entered(ours[OURS_STRAND]);
    struct task *interrupted = omp_task_begin(t, (uintptr_t)__builtin_frame_address(0), false);
    ((void (*)(void *))ours[OURS_BODY])(ours + OURS);
    if (t)
        omp_task_end(interrupted);
    depth = outside;
    leave(other);
    __asm__ volatile("");
}

EXPORT void GOMP_target_ext(int device, void (*fn)(void *), size_t n, void **addresses, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend, void **args)
{
    struct path_point from = PATH_POINT();
    const struct gomp_entry *e = gomp_entry((void *)fn);
    size_t all = n + OURS, room = all * (sizeof *addresses + sizeof *sizes + sizeof *kinds);
    void **a = !records_target(e, device) ? 0 : room <= ON_STACK ? alloca(room) : memory_map(room);
    if (!a) {
        e->GOMP_target_ext(device, fn, n, addresses, sizes, kinds, flags, depend, args);
        return;
    }
    size_t *s = (size_t *)(a + all);
    unsigned short *k = (unsigned short *)(s + all);
    bool call = !(flags & TARGET_NOWAIT) || omp_task_is_final();
    if (!call && !depth) {
        depth = 1;              /* libgomp makes a team of this thread alone, for good: its tasks are deferred from now on */
        if (depend)
            only_children();
    }
    struct task *t = omp_task_new(&from, &style, "target", call ? OMP_CALL : 0);
    if (t && depend && depth)
        depends(t, depend);
    for (unsigned i = 0; i < OURS; i++) {
        s[i] = 0;
        k[i] = MAP_VALUE;
    }
    a[OURS_TASK] = t;
    a[OURS_STRAND] = call && depend && depth ? omp_wait_begin() : 0;   /* for what it depends on */
    a[OURS_BODY] = (void *)fn;
    a[OURS_ENTRY] = (void *)e;
    if (n) {
        memcpy(a + OURS, addresses, n * sizeof *a);
        memcpy(s + OURS, sizes, n * sizeof *s);
        memcpy(k + OURS, kinds, n * sizeof *k);
    }
    e->GOMP_target_ext(device, target_body, all, a, s, k, flags, depend, args);
    if (room > ON_STACK)
        memory_unmap(a, room);
}

/* Before gcc 5: its body starts at once. */
EXPORT void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t n, void **addresses, size_t *sizes, unsigned char *kinds)
{
    const struct gomp_entry *e = gomp_entry((void *)fn);
    uint32_t outside = depth;
    depth = 0;
    e->GOMP_target(device, fn, unused, n, addresses, sizes, kinds);
    depth = outside;
}

/* Of those that only move data, the host keeps what their dependences make the strand wait for. One that does not wait is a task
 * without a body, whose start and end nobody sees. */
#define TARGET_DATA(name)                                                                       \
    EXPORT void name(int device, size_t n, void **addresses, size_t *sizes, unsigned short *kinds, unsigned flags, void **depend) \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        bool wrapped = recorded(e) && depend && depth;                                          \
        bool waits = wrapped && (!(flags & TARGET_NOWAIT) || omp_task_is_final());              \
        if (wrapped && !waits)                                                                  \
            engine_lower_bound("target data nowait depend");                                    \
        struct task *strand = waits ? omp_wait_begin() : 0;                                     \
        e->name(device, n, addresses, sizes, kinds, flags, depend);                             \
        omp_entered(strand);                                                                    \
        if (strand)                                                                             \
            depend_each(depend, depend_of_wait, 0);                                             \
    }
TARGET_DATA(GOMP_target_update_ext)
TARGET_DATA(GOMP_target_enter_exit_data)

/* ---- taskloops ---- */

static void share_body(void *p)
{
    struct task_block *b = p;
    uint32_t outside = depth;
    const struct gomp_entry *other = enter(b->entry);
    depth = b->depth;
    struct task *interrupted = omp_share_begin(b->share, b->word[0], b->word[1], (uintptr_t)__builtin_frame_address(0));
    run(b, (char *)p + b->offset);
    omp_share_end(b->share, interrupted);
    depth = outside;
    leave(other);
    __asm__ volatile("");
}

/* Undeferred, its tasks are calls. The creator's strand is paused between them, and while the loop's group waits for what they
 * created. */
static void called_body(void *p)
{
    struct task_block *b = p;
    struct creation *loop = b->creation;
    const struct gomp_entry *other = enter(b->entry);
    omp_wait_end(loop->strand, false);
    struct task *t = create(&loop->from, loop->construct, loop->flags, 0);
    struct task *interrupted = omp_task_begin(t, (uintptr_t)__builtin_frame_address(0), false);
    run(b, (char *)p + b->offset);
    if (t)
        omp_task_end(interrupted);
    loop->strand = omp_wait_begin();
    leave(other);
    __asm__ volatile("");
}

#define TASKLOOP(type, name, backward)                                                          \
    EXPORT void name(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align, unsigned flags, \
                     unsigned long tasks, int priority, type start, type end, type step)        \
    {                                                                                           \
        struct path_point from = PATH_POINT();                                                  \
        const struct gomp_entry *e = gomp_entry((void *)fn);                                    \
        size_t alignment = align > 16 ? align : 16;                                             \
        size_t offset = (sizeof(struct task_block) + alignment - 1) & ~(alignment - 1);         \
        size_t room = offset + (cpyfn ? 0 : size) + alignment;                                  \
        char *base = !recorded(e) ? 0 : room <= ON_STACK ? alloca(room) : memory_map(room);     \
        if (!base) {                                                                            \
            e->name(fn, data, cpyfn, size, align, flags, tasks, priority, start, end, step);    \
            return;                                                                             \
        }                                                                                       \
        struct task_block *b = (struct task_block *)(((uintptr_t)base + alignment - 1) & ~(alignment - 1)); \
        *b = (struct task_block){ .body = fn, .copy = cpyfn, .source = data, .offset = offset, .depth = depth, .entry = e, \
                                  .words = flags & TASK_REDUCTION ? 3 : 2 };                    \
        memcpy(b->word, data, b->words * sizeof b->word[0]);                                    \
        if (!cpyfn)                                                                             \
            memcpy((char *)b + offset, data, size);                                             \
        bool inherits = omp_task_is_final(), call = !(flags & TASK_IF) || !depth || inherits;   \
        bool group = !(flags & TASK_NOGROUP);                                                   \
        uint64_t n = (backward) ? (start > end ? ((uint64_t)start - end - 1) / -(uint64_t)step + 1 : 0) \
                                : (start < end ? ((uint64_t)end - start - 1) / (uint64_t)step + 1 : 0); \
        bool calls = call && n, copies = cpyfn && n && !call, joins = (calls || copies) && group && depth; \
        b->share = call || copies || !n ? 0 : omp_share_new(&from, &style, n, start, step, group, flags & TASK_FINAL); \
        struct creation creation = { .from = from, .construct = "taskloop", .copies = copies,   \
                                     .flags = (call ? OMP_CALL : 0) | (inherits || flags & TASK_FINAL ? OMP_FINAL : 0) }; \
        b->creation = &creation;                                                                \
        if (joins)                                                                              \
            omp_group_begin();                                                                  \
        creation.strand = calls || copies ? omp_wait_begin() : 0;                               \
        e->name(b->share ? share_body : calls ? called_body : task_body, b, cpyfn ? task_copy : 0, offset + size, alignment, \
                flags, tasks, priority, start, end, step);                                      \
        if (b->share)                                                                           \
            omp_share_created(b->share);                                                        \
        if (joins)                                                                              \
            omp_group_end(creation.strand);                                                     \
        else                                                                                    \
            omp_wait_end(creation.strand, false);                                               \
        if (room > ON_STACK)                                                                    \
            memory_unmap(base, room);                                                           \
    }
TASKLOOP(long, GOMP_taskloop, step < 0)
TASKLOOP(ull, GOMP_taskloop_ull, !(flags & TASK_UP))

/* ---- waits ---- */

EXPORT void GOMP_taskwait(void)
{
    const struct gomp_entry *e = ENTRY();
    struct task *strand = recorded(e) && depth ? omp_wait_begin() : 0;
    e->GOMP_taskwait();
    omp_wait_end(strand, true);
}

EXPORT void GOMP_taskwait_depend(void **depend)
{
    const struct gomp_entry *e = ENTRY();
    struct task *strand = recorded(e) && depth ? omp_wait_begin() : 0;
    e->GOMP_taskwait_depend(depend);
    omp_entered(strand);
    if (strand)
        depend_each(depend, depend_of_wait, 0);
}

EXPORT void GOMP_taskgroup_start(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e) && depth)
        omp_group_begin();
    e->GOMP_taskgroup_start();
}

EXPORT void GOMP_taskgroup_end(void)
{
    const struct gomp_entry *e = ENTRY();
    if (recorded(e) && depth)
        only_children();
    struct task *strand = recorded(e) && depth ? omp_wait_begin() : 0;
    e->GOMP_taskgroup_end();
    omp_group_end(strand);
}

EXPORT bool GOMP_cancel(int which, bool do_cancel)
{
    const struct gomp_entry *e = ENTRY();
    if (do_cancel)
        omp_cancelled();
    return e->GOMP_cancel(which, do_cancel);
}

/* The second is Fortran's. */
#define FULFILL(name)                                                                           \
    EXPORT void name(uintptr_t event)                                                           \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        if (recorded(e))                                                                        \
            omp_event_fulfill(event);                                                           \
        if (e->foreign)                                                                         \
            ompt_fulfilling(true);                                                              \
        e->name(event);                                                                         \
        if (e->foreign)                                                                         \
            ompt_fulfilling(false);                                                             \
    }
FULFILL(omp_fulfill_event)
FULFILL(omp_fulfill_event_)

/* libomp may end its tools interface with it, and does not begin it anew. A name with _ behind it is Fortran's. */
#define PAUSE(name, parameters, arguments)                                                      \
    EXPORT int name parameters                                                                  \
    {                                                                                           \
        const struct gomp_entry *e = ENTRY();                                                   \
        bool told = e->foreign && ompt_is_told();                                               \
        int result = e->name arguments;                                                         \
        if (told && !ompt_is_told())                                                            \
            engine_lower_bound("OpenMP (after omp_pause_resource)");                            \
        return result;                                                                          \
    }
PAUSE(omp_pause_resource, (int kind, int device), (kind, device))
PAUSE(omp_pause_resource_, (const int *kind, const int *device), (kind, device))
PAUSE(omp_pause_resource_all, (int kind), (kind))
PAUSE(omp_pause_resource_all_, (const int *kind), (kind))
