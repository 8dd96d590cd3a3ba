/* pipeline.c - parallel_pipeline as the dag that the program wrote, not as the tasks that ran it.
 *
 * libtbb moves items through the filters with stage tasks, which it recycles, parks and clones,
 * depending on the schedule. Their spawns are not the pipeline's dependences. So we ignore them:
 * th->cur is NULL while the runtime works, and then the agent's other hooks pass through. We
 * record the filters. libtbb gets filters of ours around the program's, made by a mirror of the
 * filter expression. In place of the program's objects, libtbb carries our items. An item is one
 * strand, a task of the pipeline's invocation, which is paused between two filters.
 *
 * The dag. (f,i) is filter f on the i-th item read; there are n tokens; filter 0 reads, and the
 * last filter ends an item.
 *   (f,i) after (f-1,i)               the item itself: the same strand
 *   (f,i) after (f, item before it)   if f is serial. "Before" is the order of execution, which is
 *                                     the order of reading where serial_in_order filters fix it
 *   (0,i) after start of (0,i-1)      if filter 0 is parallel: that start spawns this one
 *   (0,i) after the end of an item    if i >= n: the item whose token (0,i) takes. Of the free
 *                                     tokens this is the one whose item has the smallest S. If the
 *                                     last filter is serial, it is the token of item i-n
 * All these strands are born where the pipeline was called, and an edge hands on a whole path
 * (struct critical). So work, span and the split of the span are exact, also for filters with tasks
 * of their own. A dag of serial_in_order filters, with parallel ones between, is the same in every
 * schedule.
 *
 * Burden: on the edges where libtbb spawns a task, which a thief can take: from a serial filter's
 * item to its next, and from a read (or its start) to the next read. There is none on the item's
 * own edges, nor on the token's, because libtbb recycles the stage task there. With one token, or
 * with one serial filter alone, nothing is spawned. Each read after the first counts as a spawn.
 *
 * Rules: the program's filters see what they would see without us: their own objects (also NULL),
 * exceptions, cancellation, finalize. libtbb drops items when the pipeline is cancelled, and leaks
 * their objects. We find these items in pipe.items, and end them.
 */
#include "dag/block.h"
#include "lifecycle/thread.h"
#include "control.h"
#include "engine/engine.h"
#include "entry.h"
#include "tbb_abi.h"
#include "callsite/site.h"
#include "lifecycle/lifecycle.h"
#include "task_classes.h"
#include "base/export.h"
#include "base/forbid.h"

/* A larger limit counts as no limit, because each freed token is kept until it is taken. */
#define TOKENS_MAX 65536

/* libtbb carries this as an object. When the item has ended, this is its token. */
struct item {
    struct task *task;          /* its strand; NULL: ended, or never recorded */
    void *object;               /* of the program */
    struct thread *ran;         /* where its last filter ran */
    uint64_t ran_tsc;           /* when that ended */
    struct critical token;      /* the path to the item's end, for the read that takes its token */
    uint64_t number;            /* in the order of reading */
    struct item *all;           /* pipe.items */
    struct item *child, *sibling; /* in the heap of free tokens; in the list of spares: sibling */
    /* thread (address of its `stopped`) on which it was the end of the input */
    const void *stopper;
    bool foreign;               /* its memory is libtbb's */
};

struct pipe {
    struct task *caller, *task; /* strand that called; the invocation */
    struct scope *scope;        /* of the invocation, in the caller */
    struct node *nodes;
    uint64_t max_token;
    bool limited;               /* tokens are counted */
    bool filters;               /* the first filter has been made */
    bool mixed;                 /* items are read in an order that the run decides */
    bool unordered; /* items leave it in an order that the run decides: so do their tokens */
    bool executed;              /* that, or the order in a filter, has been noted */
    bool over;                  /* the input filter has ended the input, by set_end_of_input */
    struct lock lock;           /* protects all below; memory's nests in it */
    uint64_t fresh;             /* tokens that were never taken */
    uint64_t reads;             /* calls of the first filter so far */
    struct item *items;         /* all: at most one a token, and one a thread that reads the end */
    struct item *spare;
    struct item *tokens;        /* pairing heap: free tokens, earliest on top */
    struct critical start;          /* parallel first filter: the latest start */
};

/* Our filter, around the program's. */
struct proxy {
    struct tbb_filter f;
    struct tbb_filter *real;
    struct pipe *pipe;
    bool first;
    struct critical after;          /* serial: the end of its last execution. libtbb orders these */
};

/* Mirror of a node of the filter expression. */
struct node {
    struct tbb_filter_node n;
    const struct tbb_filter_node *real;
    struct pipe *pipe;
};

/* The filter that has just ended its input on this thread. The variable's address stands for the
 * thread. */
__thread const struct tbb_filter *pipeline_stopped
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define stopped THREAD_LOCAL(pipeline_stopped)

static inline bool is_serial(const struct proxy *p)
{
    return p->f.mode & TBB_FILTER_SERIAL;
}

/* ---- tokens: a pairing heap. Items end nearly in the order of reading, which suits it ---- */

static inline bool earlier(const struct item *a, const struct item *b)
{
    return a->token.S < b->token.S || (a->token.S == b->token.S && a->number < b->number);
}

static struct item *meld(struct item *a, struct item *b)
{
    if (!a || !b)
        return a ? a : b;
    if (earlier(b, a)) {
        struct item *t = a;
        a = b;
        b = t;
    }
    b->sibling = a->child;
    a->child = b;
    return a;
}

static struct item *token_take(struct pipe *pipe)
{
    struct item *top = pipe->tokens, *pairs = 0, *next;
    if (!top)
        return 0;
    for (struct item *a = top->child; a; a = next) {
        struct item *b = a->sibling;
        next = b ? b->sibling : 0;
        a = meld(a, b);
        a->sibling = pairs;
        pairs = a;
    }
    struct item *root = 0;
    for (struct item *a = pairs; a; a = next) {
        next = a->sibling;
        root = meld(root, a);
    }
    pipe->tokens = root;
    top->child = 0;
    return top;
}

/* ---- items ---- */

static struct item *item_new(struct thread *th, struct pipe *pipe)
{
    struct item *item = th ? block_new(th, block_class(sizeof *item)) : 0;
    bool foreign = !item;
    if (foreign) /* the program needs an item in any case. This may throw, as the filter may */
        item = entry()->allocate_memory(sizeof *item);
    *item = (struct item){ .foreign = foreign };
    lock_take(&pipe->lock);
    item->all = pipe->items;
    pipe->items = item;
    lock_release(&pipe->lock);
    return item;
}

/* T, an item, executes F next. All filters have the context of the pipeline. */
static void body_is(struct task *t, const struct tbb_filter *f)
{
    t->body = (uintptr_t)f;
    t->flags |= TASK_BODY;
}

/* Begins the strand of the next item, after all that its read depends on. */
static void item_begin(struct thread *th, struct proxy *p, struct item *item, bool steals,
                       uintptr_t entry)
{
    struct pipe *pipe = p->pipe;
    struct task *t = engine_spawn_of(th, pipe->task, item->number,
                                     steals && item->number ? 0 : TASK_CALL);
    if (!t)
        return;
    /* t->agent, the context in which the item executes, stays unknown. For whatever a filter does
     * in that context, the item is a strand from outside: no construct has split it off. */
    struct critical *before = is_serial(p) ? &p->after : &pipe->start;
    if (!is_serial(p))
        lock_take(&pipe->lock);
    /* If this is a steal, the last strand that the read had to wait for has spawned the item. */
    const struct critical *last = before->thread && before->tsc >= item->token.tsc ? before
                                                                               : &item->token;
    if (last->thread) {
        t->spawner = last->thread;
        t->spawn_tsc = last->tsc;
    }
    critical_get(th, t, before, steals);
    critical_get(th, t, &item->token, 0);
    if (!is_serial(p)) {
        critical_put(th, t, before);
        lock_release(&pipe->lock);
    }
    item->task = t;
    t->entry = entry;
    body_is(t, p->real);
    engine_begin(th, t);
    between_was_idle_until(th, last->tsc, IDLE_WORK);
}

/* What follows goes by an order that this run decides. */
static void note_order(struct pipe *pipe, const char *construct)
{
    if (pipe->max_token > 1 && !__atomic_load_n(&pipe->executed, __ATOMIC_RELAXED)) {
        __atomic_store_n(&pipe->executed, true, __ATOMIC_RELAXED);
        run_as_executed(construct);
    }
}

/* A token and an item for the next read. */
static struct item *item_read(struct thread *th, struct pipe *pipe)
{
    struct item *item = 0;
    lock_take(&pipe->lock);
    uint64_t number = pipe->reads++;
    if (!pipe->fresh) {
        item = token_take(pipe);
    } else {
        pipe->fresh--;
        item = pipe->spare;
        if (item)
            pipe->spare = item->sibling;
    }
    bool unordered = item && item->token.thread &&
                     __atomic_load_n(&pipe->unordered, __ATOMIC_RELAXED);
    lock_release(&pipe->lock);
    if (unordered)
        note_order(pipe, "parallel_pipeline whose last filter is parallel");
    if (!item)
        item = item_new(th, pipe);
    item->object = 0;
    item->number = number;
    if (!pipe->limited && number == pipe->max_token)
        run_lower_bound("parallel_pipeline (token limit)");
    return item;
}

/* ITEM leaves the pipeline, behind the last filter (TOKEN: its token is free) or otherwise. Its
 * strand is paused. */
static void item_end(struct thread *th, struct pipe *pipe, struct item *item, bool token)
{
    token &= pipe->limited;
    if (item->task) {
        if (!th)
            return;             /* it is never used again, and pipe_close ends it */
        if (token)
            critical_put(th, item->task, &item->token);
        engine_end_paused(th, item->task);
        item->task = 0;
    }
    lock_take(&pipe->lock);
    item->child = item->sibling = 0;
    if (token) {
        pipe->tokens = meld(pipe->tokens, item);
    } else {
        item->sibling = pipe->spare;
        pipe->spare = item;
    }
    lock_release(&pipe->lock);
}

/* ---- filters ---- */

/* The state of a running filter of the program. It is on the proxy's stack, for its cleanup. */
struct call {
    struct proxy *p;
    struct item *item;
    struct task *outer; /* strand of this thread that the runtime interrupted; usually none */
    bool returned;
};

static void call_leave(struct call *c)
{
    struct thread *th = thread_self();
    struct task *t = c->item->task;
    if (!th)
        return;
    if (t && th->cur == t) {
        engine_pause(th);
        c->item->ran = th;
        c->item->ran_tsc = th->clock.last;
        if (is_serial(c->p) && c->returned)
            critical_put(th, t, &c->p->after);
    } else if (t) {
        th->lost[LOSS_UNBALANCED]++;
    }
    if (__builtin_expect(c->outer != 0, 0))
        engine_resume(th, c->outer);
}

static void call_cleanup(struct call *c)
{
    /* An exception: libtbb will finalize the object that went in. A read has no such object, and
     * pipe_close ends its item. */
    if (__builtin_expect(!c->returned, 0))
        call_leave(c);
}

/* Has the read that returned NULL ended the input? Decides this as libtbb does. */
static bool read_ended(struct proxy *p, struct item *item)
{
    bool now = stopped == p->real;
    if (!(p->f.mode & TBB_FILTER_MAY_EMIT_NULL))
        return true;
    struct pipe *pipe = p->pipe;
    if (now) {
        item->stopper = &stopped;
        __atomic_store_n(&pipe->over, true, __ATOMIC_RELEASE);
    } else if (!is_serial(p) && __atomic_load_n(&pipe->over, __ATOMIC_ACQUIRE)) {
        /* libtbb's mark is the thread's, and stays. So a read that the end interrupts on that
         * thread, and that returns 0, is lost. */
        lock_take(&pipe->lock);
        for (struct item *i = pipe->items; i && !now; i = i->all)
            now = i->stopper == &stopped;
        lock_release(&pipe->lock);
    }
    return now;
}

static void *proxy_call(struct proxy *p, void *object)
{
    uintptr_t entry = (uintptr_t)__builtin_frame_address(0);
    struct pipe *pipe = p->pipe;
    struct tbb_filter *real = p->real;
    void *(*body)(struct tbb_filter *, void *) = real->vptr[VTABLE_FILTER_CALL];
    struct thread *th = thread_self();
    bool last = !p->f.next, steals = pipe->max_token > 1 && !(p->first && last && is_serial(p));
    struct task *outer = th && th->cur ? engine_pause(th) : 0;
    struct item *item = object;
    if (p->first) {
        if (!is_serial(p))
            __atomic_store_n(&pipe->mixed, true, __ATOMIC_RELAXED);
        item = item_read(th, pipe);
        stopped = 0;
        /* set_end_of_input is called for the real filter; parallel reads store the same values */
        __atomic_store_n(&real->buffer, p->f.buffer, __ATOMIC_RELAXED);
        __atomic_store_n(&real->pipeline, p->f.pipeline, __ATOMIC_RELAXED);
        if (th)
            item_begin(th, p, item, steals, entry);
    } else if (th && item->task) {
        struct task *t = item->task;
        if (item->ran != th)
            engine_unbias(t);
        if (is_serial(p))
            critical_get(th, t, &p->after, steals);
        if (is_serial(p) && p->f.mode & TBB_FILTER_OUT_OF_ORDER)
            note_order(pipe, "parallel_pipeline with a serial_out_of_order filter");
        else if (is_serial(p) && __atomic_load_n(&pipe->mixed, __ATOMIC_RELAXED))
            note_order(pipe, "parallel_pipeline with an ordered filter behind parallel input");
        t->entry = entry;
        body_is(t, real);
        engine_resume(th, t);
        bool turn = is_serial(p) && p->after.tsc > item->ran_tsc;
        between_was_idle_until(th, turn ? p->after.tsc : item->ran_tsc, IDLE_WORK);
    }
    struct call c __attribute__((cleanup(call_cleanup))) = { p, item, outer, false };
    void *result = body(real, item->object);
    c.returned = true;
    call_leave(&c);
    if (p->first && !result && read_ended(p, item)) {
        item_end(thread_self(), pipe, item, false);
        return 0;
    }
    item->object = result;
    if (!last)
        return item;
    if (!is_serial(p))
        __atomic_store_n(&pipe->unordered, true, __ATOMIC_RELAXED);
    item_end(thread_self(), pipe, item, true);
    return result;
}

/* The pipeline is cancelled: the filter destroys the object that it would have got. */
static void proxy_finalize(struct proxy *p, struct item *item)
{
    struct tbb_filter *real = p->real;
    void (*body)(struct tbb_filter *, void *) = real->vptr[VTABLE_FILTER_FINALIZE];
    if (item->object) {
        struct thread *th = thread_self();
        struct task *outer = th && th->cur ? engine_pause(th) : 0;
        if (th && item->task) {
            if (item->ran != th)
                engine_unbias(item->task);
            item->task->entry = (uintptr_t)__builtin_frame_address(0);
            engine_resume(th, item->task);
        }
        body(real, item->object);
        item->object = 0;
        call_leave(&(struct call){ p, item, outer, false });
    }
    item_end(thread_self(), p->pipe, item, false);
}

static void proxy_d1(struct proxy *p)
{
    struct tbb_filter *real = p->real;
    critical_drop(thread_self(), &p->after);
    ((void (*)(struct tbb_filter *))real->vptr[VTABLE_FILTER_D1])(real);
    entry()->deallocate_memory(real);
}

static void proxy_d0(struct proxy *p)
{
    proxy_d1(p);
    entry()->deallocate_memory(p);
}

static void *const proxy_vtable[2 + VTABLE_FILTER_SLOTS] = {
    0, 0, /* offset to top, typeinfo */
    (void *)proxy_call, (void *)proxy_d1, (void *)proxy_d0, (void *)proxy_finalize,
};

/* ---- the filter expression ---- */

static struct tbb_filter *filter_create(const struct tbb_filter_node *n)
{
    return ((struct tbb_filter * (*)(const struct tbb_filter_node *))
                n->vptr[VTABLE_NODE_CREATE])(n);
}

static bool is_leaf(const struct tbb_filter_node *n)
{
    return !(n->left && n->right);
}

/* Notes for the profile that F's body takes one item at a time. */
static void note_serial(const struct pipe *pipe, const struct tbb_filter *f)
{
    struct task maker = { .ctx = pipe->task->ctx };
    site_context(&maker, path_single((uintptr_t)f->vptr[VTABLE_FILTER_CALL] + 1), &tbb_site_style,
                 "serial filter", LPF_SITE_WAIT | LPF_SITE_SERIAL);
}

static void proxy_free(struct proxy **p)
{
    if (*p)
        entry()->deallocate_memory(*p);
}

static struct tbb_filter *node_create(const struct node *n)
{
    struct proxy *p __attribute__((cleanup(proxy_free))) = entry()->allocate_memory(sizeof *p),
                    *made = p;
    struct tbb_filter *real = filter_create(n->real); /* this and the allocation may throw */
    *p = (struct proxy){ .f = { &proxy_vtable[2], TBB_FILTER_UNLINKED, 0, real->mode, 0, 0 },
                         .real = real,
                         .pipe = n->pipe,
                         .first = !n->pipe->filters };
    n->pipe->filters = true;
    if (is_serial(made))
        note_serial(n->pipe, real);
    p = 0;
    return &made->f;
}

static void node_destroy(const struct node *n)
{
    (void)n;                    /* it lives in pipe.nodes */
}

static void *const node_vtable[2 + VTABLE_NODE_SLOTS] = {
    0, 0, (void *)node_create, (void *)node_destroy, (void *)node_destroy,
};

static size_t count_nodes(const struct tbb_filter_node *n)
{
    return is_leaf(n) ? 1 : 1 + count_nodes(n->left) + count_nodes(n->right);
}

/* Makes the mirror of REAL, at *AT and after. */
static const struct tbb_filter_node *mirror(struct pipe *pipe, const struct tbb_filter_node *real,
                                            struct node **at)
{
    struct node *n = (*at)++;
    *n = (struct node){ .n = { &node_vtable[2], 1, 0, 0 }, .real = real, .pipe = pipe };
    if (!is_leaf(real)) {
        n->n.left = mirror(pipe, real->left, at);
        n->n.right = mirror(pipe, real->right, at);
    }
    return &n->n;
}

/* Do filters have the layout of tbb_abi.h? One is enough: all of a process have the same. */
static bool filters_fit(const struct tbb_filter_node *n)
{
    static int8_t known;        /* 1: yes, -1: no, 0: not known; every thread finds the same */
    int8_t k = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (__builtin_expect(k, 1))
        return k > 0;
    while (!is_leaf(n))
        n = n->left;
    struct tbb_filter *f = filter_create(n);
    k = f && f->next == TBB_FILTER_UNLINKED && !f->buffer && !f->pipeline && f->mode &&
        !(f->mode & ~TBB_FILTER_MODES) ? 1 : -1;
    __atomic_store_n(&known, k, __ATOMIC_RELAXED);
    if (f) {
        ((void (*)(struct tbb_filter *))f->vptr[VTABLE_FILTER_D1])(f);
        entry()->deallocate_memory(f);
    }
    return k > 0;
}

/* ---- entry points ---- */

/* Begins the invocation. False: no memory, or filters that we do not know. Then the pipeline runs
 * unchanged, we see its stage tasks, and the span is a lower bound. */
static bool pipe_open(struct thread *th, struct pipe *pipe, const struct tbb_filter_node *root,
                      const struct path_point *from)
{
    if (!filters_fit(root))
        return false;
    uint32_t class_ = block_class(count_nodes(root) * sizeof *pipe->nodes);
    pipe->nodes = class_ < BLOCK_TASK ? block_new(th, class_) : 0;
    if (!pipe->nodes)
        return false;
    struct node *at = pipe->nodes;
    mirror(pipe, root, &at);
    struct task *caller = th->cur;
    uint32_t flags = TASK_CALL;
    struct context *ctx = site_context(caller, path_here(from, task_entry(caller)), &tbb_site_style,
                                       "parallel_pipeline", 0);
    pipe->scope = scope_new(th, 0);
    if (pipe->scope)
        pipe->task = engine_spawn(th, pipe->scope, ctx, flags);
    if (!pipe->task) {
        if (pipe->scope)
            scope_free(th, pipe->scope);
        block_free(th, pipe->nodes);
        return false;
    }
    pipe->caller = engine_pause(th);
    engine_begin(th, pipe->task);
    engine_pause(th);
    lifecycle_first_event();
    return true;
}

static void pipe_close(struct pipe **open)
{
    struct pipe *pipe = *open;
    struct thread *th = thread_self();
    for (struct item *item = pipe->items, *next; item; item = next) {
        next = item->all;
        if (item->task && th)
            engine_end_paused(th, item->task);
        critical_drop(th, &item->token);
        if (item->foreign)
            entry()->deallocate_memory(item);
        else
            block_free(th, item);
    }
    critical_drop(th, &pipe->start);
    block_free(th, pipe->nodes);
    if (!th)
        return;
    engine_end_paused(th, pipe->task);
    engine_resume(th, pipe->caller);
    engine_join(th, pipe->scope);
    if (scope_is_empty(pipe->scope))
        scope_free(th, pipe->scope);
    engine_count_sync(th);
}

EXPORT void tbb_parallel_pipeline(struct tbb_context *ctx, size_t max_token,
                                  const struct tbb_filter_node *root)
    __asm__(TBB("17parallel_pipelineERNS0_2d118task_group_contextEmRKNS2_11filter_nodeE"));
EXPORT void tbb_parallel_pipeline(struct tbb_context *ctx, size_t max_token,
                                  const struct tbb_filter_node *root)
{
    struct path_point from = PATH_POINT();
    struct thread *th = thread_self();
    bool limited = max_token <= TOKENS_MAX;
    struct pipe pipe = { .max_token = max_token, .limited = limited,
                         .fresh = limited ? max_token : UINT64_MAX };
    if (!th || !th->cur || !pipe_open(th, &pipe, root, &from)) {
        entry()->parallel_pipeline(ctx, max_token, root);
        return;
    }
    run_workers(tbb_workers());
    struct pipe *open __attribute__((cleanup(pipe_close))) = &pipe;
    entry()->parallel_pipeline(ctx, max_token, &pipe.nodes->n);
}

EXPORT void tbb_set_end_of_input(struct tbb_filter *f)
    __asm__(TBB("16set_end_of_inputERNS0_2d111base_filterE"));
EXPORT void tbb_set_end_of_input(struct tbb_filter *f)
{
    stopped = f;
    entry()->set_end_of_input(f);
}
