/* dagrec.c - see dagrec.h.
 *
 * Order of the file: nodes and the grain, lengths, contraction, hooks, events, the setting, the writer's view.
 */
#include "extras/dagrec.h"
#include <string.h>
#include "model/block.h"
#include "clock/clock.h"
#include "libprof_format.h"
#include "base/message.h"
#include "model/own.h"
#include "model/run.h"
#include "model/thread.h"
#include "base/forbid.h"

#define GRAIN_NS 5000           /* below, what a steal costs is more than what it gives */
#define FLUSH 64                /* nodes that a thread counts by itself */
#define OPEN 64                /* scopes that a task has spawned into and not joined; more are taken together */
#define FIRST_LIMIT 32          /* operations in a list before it is contracted for the first time */
#define DEPTH 32                /* lists below lists that are contracted again at once */

#if LIBPROF_DEBUG
static bool dag_list_is_valid(const struct dag_node *n)
{
    ASSERT(n->lock.word && n->kind == LPF_DAG_TASK);
    ASSERT(!n->first == !n->last && !n->first == !n->count);
    uint32_t count = 0;
    const struct dag_node *last = 0;
    for (const struct dag_node *x = n->first; x; last = x, x = x->next, count++) {
        ASSERT(block_is_live(x));
        ASSERT(x->kind != LPF_DAG_TASK || x->parent == n);
    }
    ASSERT(count == n->count && last == n->last);
    return true;
}
#endif

READ_MOSTLY bool dagrec_on;

static CACHE_LINE struct dag_node top;  /* spawns what nobody spawned; it is never finished */
static struct {
    uint64_t hidden[DAGREC_HIDDEN];     /* relaxed */
    int64_t nodes;              /* without what threads have not told; relaxed */
    uint64_t finite_grain, next_at;     /* the grain unless the budget is used up, the nodes that double it; under grain_lock */
    bool full;                  /* half of the budget has been used up; under grain_lock */
    struct lock grain_lock;     /* tried only */
    uint32_t scope_ids, events; /* given to threads; relaxed */
} CACHE_LINE shared;
LOCK_LISTED(grain_lock, shared.grain_lock, LOCK_LEAF);

/* ---- nodes and the grain ---- */

static READ_MOSTLY uint64_t grain;      /* in force: UINT64_MAX when the budget is used up; seldom written */
static READ_MOSTLY uint64_t tied_grain; /* of tied subtrees: 0 while there is room */
static uint64_t budget;         /* nodes */
static uint64_t budget_bytes, first_grain;

static uint64_t grain_now(void)
{
    return __atomic_load_n(&grain, __ATOMIC_RELAXED);
}

static uint64_t tied_grain_now(void)
{
    return __atomic_load_n(&tied_grain, __ATOMIC_RELAXED);
}

/* Grows when there is something to contract that was not before. */
static uint64_t pressure_now(void)
{
    uint64_t untied = grain_now(), tied = tied_grain_now();
    return untied + tied < untied ? UINT64_MAX : untied + tied;
}

static __attribute__((noinline)) void nodes_flush(struct thread *th)
{
    int64_t now = __atomic_add_fetch(&shared.nodes, th->dag_nodes, __ATOMIC_RELAXED);
    uint64_t n = now > 0 ? now : 0;
    th->dag_nodes = 0;
    if (!lock_try(&shared.grain_lock))
        return;
    if (n >= shared.next_at && n < budget && shared.finite_grain < UINT64_MAX / 4) {
        /* first without what is tied and below the grain, then with a larger one */
        if (shared.full || !__atomic_load_n(&shared.events, __ATOMIC_RELAXED) || !shared.finite_grain)
            shared.finite_grain = shared.finite_grain ? shared.finite_grain * 2 : 1;
        shared.next_at = n + (budget - n) / 4 + 1;
        shared.full = true;
    }
    if (n >= budget)
        __atomic_store_n(&grain, UINT64_MAX, __ATOMIC_RELAXED);
    else if (grain != UINT64_MAX || n < budget - budget / 4)
        __atomic_store_n(&grain, shared.finite_grain, __ATOMIC_RELAXED);
    if (n < budget / 4) {
        shared.next_at = budget / 2;
        shared.full = false;
    }
    __atomic_store_n(&tied_grain, grain == UINT64_MAX ? UINT64_MAX : shared.full ? shared.finite_grain : 0, __ATOMIC_RELAXED);
    lock_release(&shared.grain_lock);
}

static inline void nodes_count(struct thread *th, int by)
{
    th->dag_nodes += by;
    if (__builtin_expect(th->dag_nodes >= FLUSH || th->dag_nodes <= -FLUSH, 0))
        nodes_flush(th);
}

static struct dag_node *node_new(struct thread *th, uint32_t kind)
{
    struct dag_node *n = block_new(th, BLOCK_NODE);
    if (__builtin_expect(!n, 0)) {
        dagrec_note(DAGREC_MEMORY);
        return 0;
    }
    memset(n, 0, sizeof *n);
    n->kind = kind;
    nodes_count(th, 1);
    return n;
}

static void node_free(struct thread *th, struct dag_node *n)
{
    nodes_count(th, -1);
    block_free(th, n);
}

/* N's list, and all lists below. */
static void list_free(struct thread *th, struct dag_node *n)
{
    struct dag_node *todo = n->first;
    while (todo) {
        struct dag_node *x = todo;
        todo = x->next;
        if (x->first) {
            x->last->next = todo;
            todo = x->first;
        }
        node_free(th, x);
    }
    n->first = n->last = 0;
    n->count = 0;
}

static bool is_done(const struct dag_node *n)
{
    return __atomic_load_n(&n->done, __ATOMIC_ACQUIRE);
}

static bool has_events(const struct dag_node *n)
{
    return n->kind == LPF_DAG_WAIT && (n->event || n->after[0]);
}

/* Sums of these are equal for equal sets of events, and hardly for others. */
static uint64_t weight(uint32_t event)
{
    uint64_t x = event * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93ull;
    return x ^ (x >> 32);
}

void dagrec_note(enum dagrec_hidden why)
{
    __atomic_fetch_add(&shared.hidden[why], 1, __ATOMIC_RELAXED);
}

/* ---- lengths ---- */

/* Where a task's strand is, along its list: cost of the longest path from its start (rel), and from the program's (abs), which
 * knows what was waited for; work; and the ends of what has not been joined. */
struct course {
    uint64_t rel, abs, work, tasks;
    uint64_t all_rel, all_abs;  /* the last end of anything */
    uint32_t open_count;
    bool crowded;               /* open[OPEN] is of several scopes */
    struct { uint32_t scope; uint64_t rel, abs; } open[OPEN + 1];
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void course_start(struct course *c, uint64_t birth)
{
    c->rel = c->work = c->tasks = c->all_rel = 0;
    c->abs = c->all_abs = birth;
    c->open_count = 0;
    c->crowded = false;
}

static void course_end_at(struct course *c, uint32_t scope, uint64_t rel, uint64_t abs)
{
    c->all_rel = larger(c->all_rel, rel);
    c->all_abs = larger(c->all_abs, abs);
    uint32_t i = 0;
    while (i < c->open_count && c->open[i].scope != scope)
        i++;
    if (i == c->open_count) {
        if (i == OPEN) {
            if (!c->crowded)
                c->open[OPEN].rel = c->open[OPEN].abs = 0;
            c->crowded = true;
        } else {
            c->open_count++;
            c->open[i].scope = scope;
            c->open[i].rel = c->open[i].abs = 0;
        }
    }
    c->open[i].rel = larger(c->open[i].rel, rel);
    c->open[i].abs = larger(c->open[i].abs, abs);
}

/* False: nothing of SCOPE is open. */
static bool course_join(struct course *c, uint32_t scope)
{
    uint32_t i = 0;
    while (i < c->open_count && c->open[i].scope != scope)
        i++;
    if (i == c->open_count && !c->crowded)
        return false;
    if (i == c->open_count) {
        dagrec_note(DAGREC_SCOPES);
        i = OPEN;
    }
    c->rel = larger(c->rel, c->open[i].rel);
    c->abs = larger(c->abs, c->open[i].abs);
    if (i < OPEN)
        c->open[i] = c->open[--c->open_count];
    return true;
}

/* Past N. False: N is a task that is not finished, or a join of nothing that is open. */
static bool course_pass(struct course *c, const struct dag_node *n)
{
    uint64_t rel = c->rel, abs = c->abs;
    c->rel += n->before;
    c->abs += n->before;
    c->work += n->before + n->work;
    c->tasks += n->tasks;
    switch (n->kind) {
    case LPF_DAG_TASK:
        if (!is_done(n))
            return false;
        if (n->ready)            /* it was counted from the program's start */
            course_end_at(c, n->scope, n->span, larger(n->span, n->not_before));
        else
            course_end_at(c, n->scope, c->rel + n->span, larger(c->abs + n->span, n->not_before));
        return true;
    case LPF_DAG_BUNDLE:
        course_end_at(c, n->scope, rel + n->span, larger(abs + n->span, n->not_before));
        return true;
    case LPF_DAG_JOIN:
        return course_join(c, n->scope);
    case LPF_DAG_BLOCK:
        c->rel += n->span;
        c->abs = larger(c->abs + n->span, n->not_before);
        return true;
    default:
        c->abs = larger(c->abs, n->not_before);
        return true;
    }
}

/* What N, in T's list, has of T's subtree's events. */
static void sum_up_events(struct dag_node *t, const struct dag_node *n)
{
    if (has_events(n)) {
        t->tied = true;
        t->balance += n->event ? weight(n->event) : 0;
        for (unsigned i = 0; i < 2; i++)
            t->balance -= n->after[i] ? weight(n->after[i]) : 0;
        t->timed |= n->not_before && !n->after[0];
    } else if (n->kind == LPF_DAG_TASK && n->tied) {
        t->tied = true;
        t->balance += n->balance;
        t->timed |= n->timed;
    } else {
        t->timed |= n->not_before != 0;
    }
}

/* Work, span and number of T's subtree, which is finished. */
static __attribute__((noinline)) void sum_up(struct dag_node *t)
{
    if (__builtin_expect(!t->first, 1)) {
        t->work = t->span = t->mark;
        t->tasks = t->children;
        return;
    }
    struct course c;
    course_start(&c, t->birth);
    t->timed = t->ready;
    for (const struct dag_node *n = t->first; n; n = n->next) {
        course_pass(&c, n);
        sum_up_events(t, n);
    }
    t->work = c.work + t->mark;
    t->tasks = t->children + c.tasks;
    t->span = larger(c.rel + t->mark, c.all_rel);
    uint64_t end = larger(c.abs + t->mark, c.all_abs);
    t->not_before = end > t->birth + t->span ? end : 0;
}

/* ---- contraction ---- */

/* N, a finished task without a list, becomes a bundle of one. */
static void bundle_make(struct dag_node *n)
{
    n->kind = LPF_DAG_BUNDLE;
    n->children = 1;
    n->spans = n->span;
    n->longest_at = n->before;
    n->mark = n->work;
    n->span += n->before;
}

/* B follows A and is of the same scope. */
static void bundle_merge(struct dag_node *a, const struct dag_node *b)
{
    if (a->before + b->span > a->span) {
        a->span = a->before + b->span;
        a->longest_at = a->before + b->longest_at;
        a->mark = b->mark;
    }
    a->before += b->before;
    a->work += b->work;
    a->tasks += b->tasks;
    a->children += b->children;
    a->spans += b->spans;
    a->not_before = larger(a->not_before, b->not_before);
}

static void contract(struct thread *th, struct dag_node *t, uint64_t below, int depth);

/* N is tied, but to nothing outside of its subtree, and nothing in there waits for what is no arc. */
static bool is_enclosed(const struct dag_node *n)
{
    return n->tied && !n->timed && !n->balance;
}

static bool is_small(const struct dag_node *n, uint64_t below, uint64_t tied)
{
    return n->work < (n->tied && !is_enclosed(n) ? tied : below);
}

/* N, a finished task, becomes work and span. */
static void contract_subtree(struct thread *th, struct dag_node *n)
{
    list_free(th, n);
    if (is_enclosed(n) && n->not_before) {
        n->span = n->not_before - n->birth;
        n->not_before = 0;
    } else if (n->tied && !is_enclosed(n)) {
        dagrec_note(DAGREC_LOST);
    }
    n->tied = n->timed = n->ready = false;
}

/* N's events are old, and there is no room for them. */
static bool forget(struct dag_node *n)
{
    uint32_t newest = n->event > n->after[0] ? n->event : n->after[0], now = __atomic_load_n(&shared.events, __ATOMIC_RELAXED);
    if (!has_events(n) || !tied_grain_now() || now - newest <= budget / 8)
        return false;
    n->event = n->after[0] = n->after[1] = 0;
    dagrec_note(DAGREC_LOST);
    return true;
}

static void contract_tasks(struct thread *th, struct dag_node *t, uint64_t below, int depth)
{
    struct dag_node *before = 0, *next;
    uint64_t tied = tied_grain_now(), pressure = pressure_now();
    t->unfinished = 0;
    for (struct dag_node *n = t->first; n; n = next) {
        next = n->next;
        if (n->kind == LPF_DAG_WAIT && forget(n) && !n->not_before && before && before->kind == LPF_DAG_BUNDLE) {
            before->before += n->before;
            before->next = next;
            node_free(th, n);
            t->count--;
            if (!next)
                t->last = before;
            continue;
        }
        if (n->kind == LPF_DAG_TASK && is_done(n)) {
            if (is_small(n, below, tied)) {
                contract_subtree(th, n);
                bundle_make(n);
            } else if (n->first && n->grain < pressure && depth) {
                contract(th, n, below, depth - 1);
            }
        } else {
            t->unfinished += n->kind == LPF_DAG_TASK;
        }
        if (before && n->kind == LPF_DAG_BUNDLE && before->kind == LPF_DAG_BUNDLE && n->scope == before->scope) {
            bundle_merge(before, n);
            before->next = next;
            node_free(th, n);
            t->count--;
            if (!next)
                t->last = before;
        } else {
            before = n;
        }
    }
}

/* What stands between BEFORE (NULL: the start) and LAST, with LAST, becomes one block. */
static struct dag_node *fold(struct thread *th, struct dag_node *t, struct dag_node *before, struct dag_node *last,
                             const struct course *c, uint64_t not_before)
{
    struct dag_node *block = before ? before->next : t->first, *end = last->next, *next;
    for (struct dag_node *n = block->next; block != last && n != end; n = next) {
        next = n->next;
        node_free(th, n);
        t->count--;
    }
    block->kind = LPF_DAG_BLOCK;
    block->scope = 0;
    block->before = 0;
    block->work = c->work;
    block->span = c->rel;
    block->tasks = c->tasks;
    block->not_before = not_before;
    block->next = end;
    if (!end)
        t->last = block;
    return block;
}

static __attribute__((noinline)) void contract_blocks(struct thread *th, struct dag_node *t, uint64_t below)
{
    struct course all, part, outside;   /* outside: open scopes that were spawned into before the part */
    struct dag_node *start = 0, *block = 0;     /* the element before the part; it, if it is a block of this pass */
    bool waits = false;
    course_start(&all, t->birth);
    course_start(&part, 0);
    course_start(&outside, 0);
    for (struct dag_node *n = t->first; n && !outside.crowded; n = n->next) {
        course_pass(&all, n);
        waits |= n->not_before != 0;
        bool joins_more = n->kind == LPF_DAG_JOIN && course_join(&outside, n->scope);
        bool closed = n->kind != LPF_DAG_TASK && !has_events(n) && course_pass(&part, n) && !joins_more;
        if (closed && (part.open_count || part.crowded))
            continue;
        if (closed && part.work < below) {
            n = fold(th, t, start, n, &part, waits ? all.abs : 0);
            if (block && block->work + n->work < below) {
                block->work += n->work;
                block->span += n->span;
                block->tasks += n->tasks;
                block->not_before = n->not_before ? n->not_before : block->not_before ? block->not_before + n->span : 0;
                block->next = n->next;
                if (!n->next)
                    t->last = block;
                node_free(th, n);
                t->count--;
                n = block;
            } else {
                block = n;
            }
        } else {
            block = 0;
            for (uint32_t i = 0; i < part.open_count; i++)
                course_end_at(&outside, part.open[i].scope, 0, 0);
            if (n->kind == LPF_DAG_TASK)
                course_end_at(&outside, n->scope, 0, 0);
            outside.crowded |= part.crowded;
        }
        start = n;
        waits = false;
        course_start(&part, 0);
    }
}

/* T's list is the caller's. */
static __attribute__((noinline)) void contract(struct thread *th, struct dag_node *t, uint64_t below, int depth)
{
    contract_tasks(th, t, below, depth);
    if (below)
        contract_blocks(th, t, below);
    t->grain = pressure_now();
    t->limit = t->count < FIRST_LIMIT / 2 ? FIRST_LIMIT : 2 * t->count;
}

/* N, and what it was the last of. */
static void finish(struct thread *th, struct dag_node *n)
{
    for (;;) {
        uint64_t below = grain_now(), tied = tied_grain_now();
        lock_take(&n->lock);
        ASSERT_WALK(dag_list_is_valid(n));
        sum_up(n);
        /* what is tied to a neighbour may be enclosed in what is above both: its arcs are lost to the last room only */
        if (n->first && is_small(n, below, tied == UINT64_MAX ? tied : 0))
            contract_subtree(th, n);
        else if (n->first)
            contract(th, n, below, DEPTH);
        n->limit = 0;           /* it is summed up */
        lock_release(&n->lock);
        struct dag_node *parent = n->parent;
        __atomic_store_n(&n->done, 1, __ATOMIC_RELEASE);
        if (parent == &top || __atomic_sub_fetch(&parent->pending, 1, __ATOMIC_ACQ_REL))
            return;
        n = parent;
    }
}

/* ---- hooks ---- */

static uint64_t own_rest;       /* of a hook's own time, what its two readings of the clock do not have between them; ticks */
static uint64_t own_rest_cost;  /* the same in units of the clock */

static inline struct own own_start(struct thread *th)
{
    return own_from(th);
}

static inline void own_stop(struct thread *th, struct own from)
{
    own_until_now(th, from, own_rest, own_rest_cost);
}

static void own_calibrate(struct thread *th)
{
    enum { TRIES = 64, EACH = 16 };
    uint64_t t0 = th->t0, least = UINT64_MAX;
    own_rest = own_rest_cost = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t start = __rdtsc(), before = th->measured_tsc;
        struct task *cur = th->cur;
        th->cur = 0;
        for (unsigned k = 0; k < EACH; k++)
            own_stop(th, own_start(th));
        th->cur = cur;
        uint64_t all = __rdtsc() - start, told = th->measured_tsc - before;
        if (all - told < least)
            least = all - told;
    }
    own_rest = least / EACH;
    own_rest_cost = clock_kind == CLOCK_TSC || clock_kind == CLOCK_WALL ? own_rest : 0;
    th->measured_tsc = 0;
    th->t0 = t0;
}

/* Own cost of T since its last operation. */
static uint64_t since_mark(const struct task *t, struct dag_node *n)
{
    uint64_t cost = t->own - n->mark;
    n->mark = t->own;
    return cost;
}

/* N goes to the end of T's list, which is locked. */
static void append(struct thread *th, struct dag_node *t, struct dag_node *n)
{
    if (t->last)
        t->last->next = n;
    else
        t->first = n;
    t->last = n;
    t->unfinished += n->kind == LPF_DAG_TASK;
    uint64_t pressure = pressure_now();
    if (++t->count >= t->limit || (__builtin_expect(pressure != t->grain, 0) && pressure > t->grain))
        contract(th, t, grain_now(), DEPTH);
    ASSERT_ALL(dag_list_is_valid(t));
}

/* A number that a thread has been given from *SHARED_: so many at a time, or all threads of a program of small tasks would wait
 * for one counter. */
struct numbers {
    uint32_t next, end;
};

static inline uint32_t number_next(struct numbers *mine, uint32_t *shared_)
{
    enum { EACH = 1024 };
    do {
        if (mine->next == mine->end) {
            mine->next = __atomic_fetch_add(shared_, EACH, __ATOMIC_RELAXED);
            mine->end = mine->next + EACH;
        }
    } while (!mine->next++);    /* 0 is none */
    return mine->next - 1;
}

static uint32_t scope_id(struct scope *s)
{
    static __thread struct numbers mine __attribute__((tls_model("initial-exec")));
    if (!s->dag_id)
        s->dag_id = number_next(&mine, &shared.scope_ids);
    return s->dag_id;
}

static void born(struct thread *th, struct task *from, struct task *t, struct scope *scope, bool ready)
{
    struct dag_node *parent = from ? from->node : &top;
    if (!parent)
        return;                 /* its own is missing, and counted */
    struct dag_node *n = node_new(th, LPF_DAG_TASK);
    if (!n)
        return;
    n->parent = parent;
    n->birth = t->S;
    n->task = t;
    n->children = !(t->flags & TASK_ROOT);
    n->pending = 1;
    n->limit = FIRST_LIMIT;
    n->grain = pressure_now();
    t->node = n;
    lock_take(&parent->lock);
    if (scope) {                /* a strand that spawned it is in OWNER's scope, or it is not known when what it spawns is joined */
        n->scope = scope_id(scope);
        if (scope->owner != from && parent->scope != n->scope)
            dagrec_note(DAGREC_SCOPE);
    }
    n->ready = from && ready;
    if (from && !ready)
        n->before = since_mark(from, parent);
    __atomic_add_fetch(&parent->pending, 1, __ATOMIC_RELAXED);
    append(th, parent, n);
    lock_release(&parent->lock);
}

void dagrec_spawn(struct thread *th, struct task *from, struct task *t, struct scope *scope)
{
    struct own own = own_start(th);
    born(th, from, t, scope, false);
    own_stop(th, own);
}

void dagrec_ready(struct thread *th, struct task *owner, struct task *t, struct scope *scope)
{
    struct own own = own_start(th);
    born(th, owner, t, scope, true);
    own_stop(th, own);
}

void dagrec_join(struct thread *th, struct task *t, struct scope *s)
{
    struct dag_node *node = t->node, *n;
    if (s->rest)
        dagrec_note(DAGREC_LOOSE);
    if (!node || !s->dag_id)
        return;
    struct own own = own_start(th);
    if ((n = node_new(th, LPF_DAG_JOIN))) {
        lock_take(&node->lock);
        n->scope = s->dag_id;
        n->before = since_mark(t, node);
        append(th, node, n);
        if (node->unfinished > FIRST_LIMIT && node->unfinished >= node->count / 2)
            contract(th, node, grain_now(), DEPTH);     /* most of them are finished now; paid for by their spawns */
        lock_release(&node->lock);
    }
    s->dag_id = 0;
    own_stop(th, own);
}

static void wait_until(struct thread *th, struct task *t, uint64_t S, enum dagrec_hidden why)
{
    struct dag_node *node = t->node, *n;
    dagrec_note(why);
    if (!node)
        return;
    struct own own = own_start(th);
    if ((n = node_new(th, LPF_DAG_WAIT))) {
        lock_take(&node->lock);
        n->before = since_mark(t, node);
        n->not_before = S;
        append(th, node, n);
        lock_release(&node->lock);
    }
    own_stop(th, own);
}

void dagrec_wait(struct thread *th, struct task *t, enum dagrec_hidden why)
{
    wait_until(th, t, t->S, why);
}

/* ---- events ---- */

static uint32_t event_new(void)
{
    /* A number that comes again would be an arc to somebody else; threads take no more than some thousand at once. Numbers of scopes
     * may: two of one task, both open, do not meet by chance. */
    enum { LEFT = 1 << 28 };
    static __thread struct numbers mine __attribute__((tls_model("initial-exec")));
    if (mine.next == mine.end && __atomic_load_n(&shared.events, __ATOMIC_RELAXED) > UINT32_MAX - LEFT) {
        dagrec_note(DAGREC_LOST);
        return 0;
    }
    return number_next(&mine, &shared.events);
}

/* The last operation of T, whose record NODE is locked, if it is a wait and T has not gone on since. */
static struct dag_node *last_wait(const struct task *t, const struct dag_node *node)
{
    return node->last && node->last->kind == LPF_DAG_WAIT && t->own == node->mark ? node->last : 0;
}

uint32_t dagrec_put(struct thread *th, const struct task *t)
{
    struct dag_node *node = t->node, *n;
    uint32_t event = 0;
    if (!node || tied_grain_now() == UINT64_MAX)
        return 0;
    struct own own = own_start(th);
    lock_take(&node->lock);
    if ((n = last_wait(t, node))) {
        if (!n->event)
            n->event = event_new();
        event = n->event;
    } else if ((n = node_new(th, LPF_DAG_WAIT))) {
        n->before = since_mark(t, node);
        event = n->event = event_new();
        append(th, node, n);
    }
    lock_release(&node->lock);
    own_stop(th, own);
    return event;
}

uint32_t dagrec_both(struct thread *th, uint32_t a, uint32_t b)
{
    if (!a || !b || a == b)
        return a ? a : b;
    struct own own = own_start(th);
    bool room = tied_grain_now() != UINT64_MAX;
    struct dag_node *t = room ? node_new(th, LPF_DAG_TASK) : 0, *n = t ? node_new(th, LPF_DAG_WAIT) : 0;
    uint32_t event = b;
    if (n) {                    /* a task of nothing, which nobody joins */
        event = n->event = event_new();
        n->after[0] = a;
        n->after[1] = b;
        t->parent = &top;
        t->first = t->last = n;
        t->count = 1;
        t->tied = t->timed = true;
        t->done = 1;
        lock_take(&top.lock);
        append(th, &top, t);
        lock_release(&top.lock);
    } else {
        dagrec_note(DAGREC_LOST);
        if (t)
            node_free(th, t);
    }
    own_stop(th, own);
    return event;
}

/* T goes on after EVENT; S: with that, 0: it was there anyhow. */
static void get(struct thread *th, struct task *t, uint32_t event, uint64_t S, enum dagrec_hidden why)
{
    struct dag_node *node = t->node, *n;
    if (!event && S)
        wait_until(th, t, S, why);
    if (!event || !node)
        return;
    struct own own = own_start(th);
    lock_take(&node->lock);
    n = last_wait(t, node);
    if (n && !n->event && n->after[0] && (!n->after[1] || n->after[0] == event)) {
        n->after[n->after[0] != event] = event;
        n->not_before = larger(n->not_before, S);
    } else if ((n = node_new(th, LPF_DAG_WAIT))) {
        n->before = since_mark(t, node);
        n->not_before = S;
        n->after[0] = event;
        append(th, node, n);
    }
    lock_release(&node->lock);
    own_stop(th, own);
}

void dagrec_get(struct thread *th, struct task *t, uint32_t event, bool later, enum dagrec_hidden why)
{
    get(th, t, event, later ? t->S : 0, why);
}

void dagrec_join_kept(struct thread *th, struct task *t, struct dag_node *child, uint32_t event, uint64_t S)
{
    struct dag_node *node = t->node;
    if (!node || !child || node->last != child || child->kind != LPF_DAG_TASK) {
        get(th, t, event, S, DAGREC_DEPEND);
        return;
    }
    struct scope alone = { .dag_id = 0 };
    child->scope = scope_id(&alone);
    dagrec_join(th, t, &alone);
}

void dagrec_end(struct thread *th, struct task *t)
{
    struct dag_node *n = t->node;
    t->self.dag_id = 0;
    if (!n)
        return;
    struct own own = own_start(th);
    lock_take(&n->lock);
    n->mark = t->own - n->mark;
    n->task = 0;
    if (t->flags & TASK_CANCELLED)
        n->children = 0;
    lock_release(&n->lock);
    t->node = 0;
    if (!__atomic_sub_fetch(&n->pending, 1, __ATOMIC_ACQ_REL))
        finish(th, n);
    own_stop(th, own);
}

/* ---- the setting ---- */

static bool number(const char **p, uint64_t *v)
{
    const char *c = *p;
    for (*v = 0; *c >= '0' && *c <= '9'; c++)
        if ((*v = *v * 10 + (*c - '0')) > 1ull << 50)
            return false;
    bool ok = c != *p;
    *p = c;
    return ok;
}

void dagrec_setup(const char *setting)
{
    const char *p = setting;
    uint64_t bytes, ns = clock_kind == CLOCK_VIRTUAL ? 0 : GRAIN_NS, num, den;
    if (!*p)
        return;
    bool ok = number(&p, &bytes);
    if (ok && (*p == 'k' || *p == 'm'))
        bytes <<= *p++ == 'k' ? 10 : 20;
    if (ok && *p == ',')
        ok = (p++, number(&p, &ns));
    if (!ok || *p) {
        message(MESSAGE_WARNING, "PROF_DAG=%s is not BYTES[k|m][,GRAIN]: the dag is not recorded", setting);
        return;
    }
    clock_unit(&num, &den);
    budget_bytes = bytes;
    budget = bytes / (sizeof(struct block) + sizeof(struct dag_node));
    first_grain = num ? (uint64_t)((__uint128_t)ns * den / num) : ns;
}

static void reset(void)
{
    memset(&top, 0, sizeof top);
    top.kind = LPF_DAG_TASK;
    top.pending = 1;
    top.limit = FIRST_LIMIT;
    memset(shared.hidden, 0, sizeof shared.hidden);
    shared.nodes = 0;
    shared.full = false;
    tied_grain = 0;
    top.grain = grain = shared.finite_grain = first_grain;
    shared.next_at = budget / 2;
}

void dagrec_start(struct thread *th, struct task *root)
{
    if (!budget_bytes)
        return;
    reset();
    born(th, 0, root, 0, false);
    dagrec_on = root->node != 0;
    if (!dagrec_on)
        return;
    engine_extras = true;
    root->node->mark = root->own;
    own_calibrate(th);
}

void dagrec_forked(struct thread *th, struct task *root)
{
    if (!dagrec_on)
        return;
    reset();
    for (struct thread *other = engine_threads; other; other = other->next)
        other->dag_nodes = other->measured_tsc = 0;
    if (root) {
        root->node = 0;
        root->self.dag_id = 0;
        born(th, 0, root, 0, false);
    }
}

/* ---- the writer's view ---- */

/* Lists of tasks that have not ended stay locked until all is written; what else there is does not change under a locked
 * list. A list whose owner died inside a hook is left out, and the
 * one that this thread itself was changing when a handler ended the program. */
enum { LOCKED = 4096, PATIENCE_NS = 100000000 };

/* Where in the file events are put: a hash table, half full at most. */
struct places {
    uint64_t size;              /* a power of two */
    struct { uint32_t event, op; } *at;
};

static uint64_t place_of(const struct places *p, uint32_t event)
{
    uint64_t i = weight(event) & (p->size - 1);
    while (p->at[i].event && p->at[i].event != event)
        i = (i + 1) & (p->size - 1);
    return i;
}

/* The arcs that end at X, entry TO of the file. */
static void emit_arcs(const struct dag_node *x, uint64_t to, const struct places *p, const struct dagrec_emit *emit, void *closure)
{
    if (x->kind == LPF_DAG_TASK && x->ready && x->first)
        emit->arc(closure, &(struct lpf_dag_arc){ 0, to });
    for (unsigned i = 0; x->kind == LPF_DAG_WAIT && i < 2 && x->after[i]; i++) {
        uint64_t from = place_of(p, x->after[i]);
        if (p->at[from].event)
            emit->arc(closure, &(struct lpf_dag_arc){ p->at[from].op, to });
        else
            dagrec_note(DAGREC_LOST);
    }
}

bool dagrec_emit(struct lpf_dag *head, const struct dagrec_emit *emit, void *closure)
{
    static struct lock *locked[LOCKED];
    uint32_t locks = 0;
    if (!dagrec_on)
        return false;
    int64_t count = __atomic_load_n(&shared.nodes, __ATOMIC_RELAXED) + 1;
    for (const struct thread *th = engine_threads; th; th = th->next)
        count += th->dag_nodes;
    uint64_t room = (count > 0 ? count : 0) + 65536, n = 1;
    struct dag_node **queue = memory_map(room * sizeof *queue);
    struct places places = { .size = 64 };
    while (places.size < 2 * room)
        places.size *= 2;
    places.at = memory_map(places.size * sizeof *places.at);
    if (!queue || !places.at) {
        if (queue)
            memory_unmap(queue, room * sizeof *queue);
        if (places.at)
            memory_unmap(places.at, places.size * sizeof *places.at);
        return false;
    }
    queue[0] = &top;
    for (uint64_t i = 0; i < n; i++) {
        struct dag_node *x = queue[i];
        struct lpf_dag_op op = { .kind = x->kind, .scope = x->scope, .before_cost = x->before, .not_before_cost = x->not_before,
                                 .tasks = x->tasks };
        if (x->kind == LPF_DAG_TASK) {
            bool readable = is_done(x);
            if (!readable && locks < LOCKED && (readable = lock_take_within(&x->lock, PATIENCE_NS))) {
                locked[locks++] = &x->lock;
                if (thread_self_)
                    contract(thread_self_, x, grain_now(), 0);
            }
            op.first = n;
            struct dag_node *y = readable ? x->first : 0;
            for (; y && n < room; y = y->next, op.count++)
                queue[n++] = y;
            if (!readable || y)
                dagrec_note(DAGREC_MEMORY);
            bool over = is_done(x) || !x->limit;
            const struct task *t = x->task;
            op.after_cost = x == &top ? 0 : t ? t->own - x->mark : x->mark;
            op.tasks = x->children;
            op.not_before_cost = 0;
            if (!op.count) {
                op.work_cost = over ? x->work : op.after_cost;
                op.span_cost = over ? x->span : op.after_cost;
                op.tasks = over ? x->tasks : x->children;
                op.not_before_cost = x->not_before;
                op.after_cost = 0;
            }
        } else {
            op.work_cost = x->work;
            op.span_cost = x->span;
            if (x->kind == LPF_DAG_BUNDLE) {
                op.count = x->children;
                op.first = x->longest_at;
                op.after_cost = x->mark;
                op.spans_cost = x->spans;
            } else if (x->kind == LPF_DAG_WAIT && x->event) {
                uint64_t at = place_of(&places, x->event);
                places.at[at].event = x->event;
                places.at[at].op = i;
            }
        }
        emit->op(closure, &op);
    }
    for (uint64_t i = 0; i < n; i++)
        emit_arcs(queue[i], i, &places, emit, closure);
    while (locks)
        lock_release(locked[--locks]);
    memory_unmap(queue, room * sizeof *queue);
    memory_unmap(places.at, places.size * sizeof *places.at);
    *head = (struct lpf_dag){ .budget_bytes = budget_bytes, .grain_cost = grain_now(), .first_grain_cost = first_grain,
                              .records = n, .lost = dagrec_hidden_count(DAGREC_MEMORY) };
    return true;
}

uint64_t dagrec_hidden_count(enum dagrec_hidden why)
{
    return __atomic_load_n(&shared.hidden[why], __ATOMIC_RELAXED);
}

const char *dagrec_hidden_name(enum dagrec_hidden why)
{
    switch (why) {
    case DAGREC_EDGE: return "edges between tasks";
    case DAGREC_PIPELINE: return "paths of a pipeline's items or of a loop's chunks";
    case DAGREC_DEPEND: return "dependences between tasks";
    case DAGREC_JOIN: return "joins of what another strand spawned";
    case DAGREC_SCOPE: return "tasks spawned into a group from inside another construct";
    case DAGREC_LOOSE: return "a taskwait that leaves its tasks' own tasks running";
    case DAGREC_SCOPES: return "more than 64 groups at once in one task";
    case DAGREC_MEMORY: return "tasks without a record";
    case DAGREC_LOST: return "dependences for which there was no room (PROF_DAG)";
    default: return "";
    }
}
