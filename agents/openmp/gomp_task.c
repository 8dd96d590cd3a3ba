/* gomp_task.c - libgomp's tasks and taskloops. See gomp.h.
 *
 * A task's block is
 *
 *     struct task_block | padding | the program's block
 *
 * aligned as the program asks, to 16 at least. libgomp copies this block as any other. libgomp
 * itself writes the first words: the handle of a detachable task, or the bounds of a part of a
 * taskloop. A task without a clause that concerns us gets a shorter block (struct plain_block).
 */
#define _GNU_SOURCE
#include "lifecycle/thread.h"
#include "gomp.h"
#include <alloca.h>
#include <string.h>
#include "dag/own_overhead.h"
#include "gomp_detach.h"
#include "base/memory.h"
#include "gomp_taskloop.h"
#include "base/forbid.h"

/* gcc's flags of a task, those that are read here. */
enum {
    TASK_FINAL = 2,
    TASK_DEPEND = 8,
    TASK_UP = 256,
    TASK_GRAINSIZE = 512,
    TASK_IF = 1024,
    TASK_NOGROUP = 2048,
    TASK_REDUCTION = 4096,
    TASK_DETACHED = 8192
};

/* The data for tasks whose creation is not over when we call libgomp. It lives until libgomp
 * returns. */
struct creation {
    struct path_point from;
    const char *construct;
    uint32_t flags;
    bool copies;                /* each task is created when its block is copied */
    void **depend;              /* its dependences; NULL: none */
    /* the creator's strand, paused while libgomp makes a taskloop's tasks or waits for others */
    struct task *strand;
    struct edge fulfilled;      /* of a detachable task that the creator waits for */
};

struct task_block {
    uintptr_t word[3];          /* as the program's block begins: libgomp writes here */
    struct task *task;
    void (*body)(void *);
    void (*copy)(void *, void *); /* of the program's block; NULL: memcpy */
    void *source;               /* with `copy`: the program's block */
    uint32_t offset;            /* of the program's block */
    uint32_t words;             /* so many of `word` belong to the program's block */
    uint32_t depth;             /* the creator's gomp_depth */
    const struct gomp_entry *entry;
    struct omp_share *share;    /* of a taskloop */
    struct creation *creation;  /* until libgomp has returned */
    struct omp_event *event;    /* of a detachable task */
};

/* A block for SIZE bytes of the program's with its ALIGNment. COPIED: libgomp does not read them
 * from our block. */
struct layout {
    size_t alignment, offset, room;
};
static inline struct layout layout_of(long size, long align, bool copied)
{
    struct layout l = { .alignment = align > 16 ? align : 16 };
    l.offset = (sizeof(struct task_block) + l.alignment - 1) & ~(l.alignment - 1);
    l.room = l.offset + (copied ? 0 : size) + l.alignment;
    return l;
}

static inline struct task_block *block_in(char *room, const struct layout *l)
{
    return (struct task_block *)(((uintptr_t)room + l->alignment - 1) & ~(l->alignment - 1));
}

/* Blocks up to this size are on the stack, as libgomp's own are. */
#define ON_STACK 16384
#define ROOM(l) ((l).room <= ON_STACK ? alloca((l).room) : memory_map((l).room))

static void room_free(char *room, const struct layout *l)
{
    if (l->room > ON_STACK)
        memory_unmap(room, l->room);
}

/* ---- bodies ---- */

static void run(struct task_block *b, void *mine)
{
    for (uint32_t i = 0; i < b->words; i++)
        ((uintptr_t *)mine)[i] = b->word[i];
    b->body(mine);
}

/* What a body of a task finds, and leaves as it was. */
struct outside {
    uint32_t depth;             /* gomp_depth */
    const struct gomp_entry *entry;
};

static inline struct outside body_enter(const struct gomp_entry *e, uint32_t depth)
{
    struct outside o = { gomp_depth, gomp_enter(e) };
    gomp_depth = depth;
    return o;
}

static inline void body_leave(struct outside o)
{
    gomp_depth = o.depth;
    gomp_leave(o.entry);
}

static void task_body(void *p)
{
    struct task_block *b = p;
    struct outside outside = body_enter(b->entry, b->depth);
    if (b->event)
        omp_event_known(b->event, b->word[0]);
    struct task *interrupted = omp_task_begin(b->task, (uintptr_t)__builtin_frame_address(0),
                                              false);
    run(b, (char *)p + b->offset);
    if (b->task)
        omp_task_end(interrupted);
    body_leave(outside);
    KEEP_FRAME();
}

/* The body of an undeferred task whose creator waits: first for the tasks that it depends on, and
 * after the body for its event. */
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

/* ---- tasks with clauses ---- */

static inline struct task *create(const struct path_point *from, const char *construct,
                                  uint32_t flags, void **depend)
{
    struct task *t = omp_task_new(from, &gomp_style, construct, flags);
    if (t && depend)
        gomp_depend_task(thread_self_, t, depend);
    return t;
}

/* CUR, which runs on TH, creates a deferred task that depends on others. */
static __attribute__((noinline)) struct task *create_after(struct thread *th, struct task *cur,
                                                           const struct path_point *from,
                                                           uint32_t kind, void **depend)
{
    struct own own = own_begin(th);
    struct task *t = omp_task_new_of(th, cur, from, &gomp_style, "task", kind);
    if (__builtin_expect(t != 0, 1))
        gomp_depend_task(th, t, depend);
    own_end(th, &own);
    return t;
}

/* Makes libgomp's copy of the block, by the program's own function: an argument has a copy
 * constructor, which the creator executes. The task exists only after that. */
static void task_copy(void *to, void *from)
{
    struct task_block *b = to, *source = from;
    struct creation *c = source->creation;
    if (c->depend && c->flags & OMP_CALL)
        omp_entered(c->strand);         /* the wait for the task's dependences is over */
    else
        omp_wait_end(c->strand, false);
    *b = *source;
    b->copy((char *)to + b->offset, source->source);
    if (c->copies) {
        struct thread *th = thread_self();
        struct task *cur = th ? th->cur : 0;
        b->task = c->depend ? (cur ? create_after(th, cur, &c->from, c->flags, c->depend) : 0)
                            : create(&c->from, c->construct, c->flags, 0);
        if (b->task && c->flags & OMP_DETACH)
            source->event = b->event = omp_event_new(b->task,
                                                     c->flags & OMP_CALL ? &c->fulfilled : 0);
    }
    if (c->strand)
        c->strand = omp_wait_begin();
}

/* Room for a block on the stack of GOMP_task. Both kinds of block use the same room, so that the
 * frame is small: a task may be called at once, on a stack that has little left. */
enum { PLAIN_BYTES = 256 };
struct plain_block {
    struct task *task;
    void (*body)(void *);
    const struct gomp_entry *entry;
    uint32_t depth;             /* the creator's */
} __attribute__((aligned(16)));
struct task_room {
    struct plain_block b;
    char data[PLAIN_BYTES];
};

/* The arguments of GOMP_task. */
struct task_call {
    void (*fn)(void *);
    void *data;
    void (*copy)(void *, void *);
    long size, align;
    bool if_clause;
    unsigned flags;
    void **depend;
    int priority;
    void *detach;
    struct task_room *room;
};

/* Fills in the block B of task T, for the program's call C. CREATION: how T is created. */
static void block_fill(struct task_block *b, const struct task_call *c, struct creation *creation,
                       const struct gomp_entry *e, struct task *t)
{
    b->task = t;                /* one by one: all at once is a slow string instruction */
    b->body = c->fn;
    b->copy = c->copy;
    b->source = c->data;
    b->words = 0;
    b->depth = gomp_depth;
    b->entry = e;
    b->creation = creation;
    b->event = 0;
    if (!c->copy)
        memcpy((char *)b + b->offset, c->data, c->size);
    if (c->flags & TASK_DETACHED) {
        b->words = 1;
        b->word[0] = *(uintptr_t *)c->data;
        b->event = t ? omp_event_new(t, creation->flags & OMP_CALL ? &creation->fulfilled : 0) : 0;
    }
}

/* libgomp has made the detachable task of B. b->word[0] is its event's handle. CALL: the task is
 * undeferred. */
static void detachable_made(struct task_block *b, const struct task_call *c, bool call)
{
    *(uintptr_t *)c->data = b->word[0];
    if (b->event && call)
        omp_event_awaited(b->event);
    if (b->event)
        omp_event_known(b->event, b->word[0]);
}

static __attribute__((noinline)) void task_with_clauses(const struct gomp_entry *e,
                                                        const struct path_point *from,
                                                        const struct task_call *c)
{
    bool inherits = omp_task_is_final(), call = !c->if_clause || !gomp_depth || inherits;
    uint32_t kind = (call ? OMP_CALL : 0) | (inherits || c->flags & TASK_FINAL ? OMP_FINAL : 0) |
                    (c->flags & TASK_DETACHED ? OMP_DETACH : 0);
    void **after = c->flags & TASK_DEPEND && gomp_depth ? c->depend : 0;
    bool waits = call && (after || c->flags & TASK_DETACHED);
    struct thread *th = thread_self();
    struct own own = { 0 };
    if (th && !c->copy)
        own = own_begin(th);
    struct task *t = c->copy ? 0 : create(from, "task", kind, after);
    struct layout l = layout_of(c->size, c->align, c->copy);
    char *room = l.room <= sizeof *c->room ? (char *)c->room : ROOM(l);
    if (!room) {
        omp_task_discard(t);
        if (th && !c->copy)
            own_end(th, &own);
        e->GOMP_task(c->fn, c->data, c->copy, c->size, c->align, c->if_clause, c->flags, c->depend,
                     c->priority, c->detach);
        return;
    }
    struct task_block *b = block_in(room, &l);
    struct creation creation = {
        .from = *from, .construct = "task", .flags = kind, .copies = c->copy, .depend = after
    };
    b->offset = l.offset;
    block_fill(b, c, &creation, e, t);
    if (th && !c->copy)
        own_end(th, &own);
    if (waits && after)
        creation.strand = omp_wait_begin();
    e->GOMP_task(waits ? waited_body : task_body, b, c->copy ? task_copy : 0, l.offset + c->size,
                 l.alignment, c->if_clause, c->flags, c->depend, c->priority, c->detach);
    if (waits)
        omp_entered(creation.strand);
    else if (!c->copy)
        engine_call_returns(th);
    if (c->flags & TASK_DETACHED)
        detachable_made(b, c, call);
    room_free(room, &l);
}

/* ---- tasks without ---- */

/* Most tasks have no clause that concerns us but depend, and a short block. Our block is right
 * before the program's, which is copied unchanged. */
static void plain_body(void *p)
{
    struct plain_block *b = p;
    struct outside outside = body_enter(b->entry, b->depth);
    struct task *interrupted = omp_task_begin(b->task, (uintptr_t)__builtin_frame_address(0),
                                              false);
    b->body(b + 1);
    if (b->task)
        omp_task_end(interrupted);
    body_leave(outside);
    KEEP_FRAME();
}

EXPORT void GOMP_task(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size,
                      long align, bool if_clause, unsigned flags, void **depend, int priority,
                      void *detach)
{
    struct path_point from = PATH_POINT();
    const struct gomp_entry *e = gomp_entry((void *)fn);
    if (!recorded(e)) {
        e->GOMP_task(fn, data, cpyfn, size, align, if_clause, flags, depend, priority, detach);
        return;
    }
    struct task_room block;
    struct thread *th = thread_self();
    struct task *cur = th ? th->cur : 0;
    bool inherits = omp_is_final(cur), call = !if_clause || !gomp_depth || inherits;
    bool plain = !cpyfn && !(flags & TASK_DETACHED) && !(call && flags & TASK_DEPEND);
    if (!plain || size > PLAIN_BYTES || align > 16) {
        struct task_call c = { fn, data, cpyfn, size, align, if_clause, flags, depend, priority,
                               detach, &block };
        task_with_clauses(e, &from, &c);
        return;
    }
    uint32_t kind = (call ? OMP_CALL | OMP_AT_ONCE : 0) |
                    (inherits || flags & TASK_FINAL ? OMP_FINAL : 0);
    block.b.task = !cur ? 0
                   : flags & TASK_DEPEND
                       ? create_after(th, cur, &from, kind, depend)
                       : omp_task_new_of(th, cur, &from, &gomp_style, "task", kind);
    block.b.body = fn;
    block.b.entry = e;
    block.b.depth = gomp_depth;
    /* Hides the bound of `size`: for a short copy the compiler takes a slow string instruction. */
    __asm__("" : "+r"(size));
    memcpy(block.data, data, size);
    e->GOMP_task(plain_body, &block, 0, sizeof block.b + size, 16, if_clause, flags, depend,
                 priority, detach);
    engine_call_returns(thread_self_);
}

/* ---- taskloops ---- */

static void share_body(void *p)
{
    struct task_block *b = p;
    struct outside outside = body_enter(b->entry, b->depth);
    struct task *interrupted = omp_share_begin(b->share, b->word[0], b->word[1],
                                               (uintptr_t)__builtin_frame_address(0));
    run(b, (char *)p + b->offset);
    omp_share_end(b->share, interrupted);
    body_leave(outside);
    KEEP_FRAME();
}

/* A task of an undeferred taskloop is a call. The creator's strand is paused between two such
 * calls, and while the loop's group waits for the tasks that they created. */
static void called_body(void *p)
{
    struct task_block *b = p;
    struct creation *loop = b->creation;
    const struct gomp_entry *other = gomp_enter(b->entry);
    omp_wait_end(loop->strand, false);
    struct task *t = create(&loop->from, loop->construct, loop->flags, 0);
    struct task *interrupted = omp_task_begin(t, (uintptr_t)__builtin_frame_address(0), false);
    run(b, (char *)p + b->offset);
    if (t)
        omp_task_end(interrupted);
    loop->strand = omp_wait_begin();
    gomp_leave(other);
    KEEP_FRAME();
}

/* A taskloop whose tasks libgomp is about to make, of the block B. */
struct taskloop {
    struct creation creation;
    struct task_block *b;
    void (*body)(void *);
    bool joins; /* its tasks are calls or copies, with a taskgroup of the model around them */
};

/* FLAGS: gcc's. WHAT: the loop as the program calls it. */
static void taskloop_begin(struct taskloop *l, struct task_block *b, const struct path_point *from,
                           unsigned flags, const struct omp_taskloop *what)
{
    bool inherits = omp_task_is_final(), call = !(flags & TASK_IF) || !gomp_depth || inherits,
         some = what->iterations;
    bool calls = call && some, copies = b->copy && some && !call;
    *l = (struct taskloop){ .b = b, .joins = (calls || copies) && what->group && gomp_depth };
    l->creation = (struct creation){ .from = *from, .construct = "taskloop", .copies = copies };
    l->creation.flags = (call ? OMP_CALL : 0) | (inherits || flags & TASK_FINAL ? OMP_FINAL : 0);
    b->share = call || copies || !some ? 0 : omp_share_new(from, &gomp_style, what);
    b->creation = &l->creation;
    l->body = b->share ? share_body : calls ? called_body : task_body;
    if (l->joins)
        omp_group_begin();
    l->creation.strand = calls || copies ? omp_wait_begin() : 0;
}

static void taskloop_end(struct taskloop *l)
{
    if (l->b->share)
        omp_share_created(l->b->share);
    if (l->joins)
        omp_group_end(l->creation.strand);
    else
        omp_wait_end(l->creation.strand, false);
}

#define TASKLOOP(type, name, backward)                                                          \
    EXPORT void name(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size,  \
                     long align, unsigned flags,                                                \
                     unsigned long tasks, int priority, type start, type end, type step)        \
    {                                                                                           \
        struct path_point from = PATH_POINT();                                                  \
        const struct gomp_entry *e = gomp_entry((void *)fn);                                    \
        struct layout l = layout_of(size, align, cpyfn);                                        \
        char *room = recorded(e) ? ROOM(l) : 0;                                                 \
        if (!room) {                                                                            \
            e->name(fn, data, cpyfn, size, align, flags, tasks, priority, start, end, step);    \
            return;                                                                             \
        }                                                                                       \
        struct task_block *b = block_in(room, &l);                                              \
        *b = (struct task_block){ .body = fn, .copy = cpyfn, .source = data,                    \
                                  .offset = l.offset, .depth = gomp_depth,                      \
                                  .entry = e, .words = flags & TASK_REDUCTION ? 3 : 2 };        \
        memcpy(b->word, data, b->words * sizeof b->word[0]);                                    \
        if (!cpyfn)                                                                             \
            memcpy((char *)b + l.offset, data, size);                                           \
        uint64_t n = (backward) ? (start > end ? ((uint64_t)start - end - 1) / -(uint64_t)step  \
                                   + 1 : 0)                                                     \
                                : (start < end ? ((uint64_t)end - start - 1) / (uint64_t)step   \
                                   + 1 : 0);                                                    \
        struct omp_taskloop what = { n, start, step, !(flags & TASK_NOGROUP),                   \
                                     flags & TASK_FINAL, tasks != 0 };                          \
        struct taskloop loop;                                                                   \
        taskloop_begin(&loop, b, &from, flags, &what);                                          \
        e->name(loop.body, b, cpyfn ? task_copy : 0, l.offset + size, l.alignment, flags,       \
                tasks, priority, start, end, step);                                             \
        taskloop_end(&loop);                                                                    \
        room_free(room, &l);                                                                    \
    }
TASKLOOP(long, GOMP_taskloop, step < 0)
TASKLOOP(ull, GOMP_taskloop_ull, !(flags & TASK_UP))
