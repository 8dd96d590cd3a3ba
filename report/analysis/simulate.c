/* simulate.c - see simulate.h. Both simulations are of discrete events: a worker's strand runs to its next operation, which
 * happens at that time. Events of one time happen in the order in which they were made.
 *
 * Order of the file: the recorded dag, schedules from it, events, workers.
 */
#include "analysis/simulate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"

#define NONE UINT32_MAX
#define MAX_TASKS (1u << 28)

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- the recorded dag ---- */

/* What is open in a list: the scopes that something was spawned into. Few at a time. */
struct open {
    uint32_t scope, slot;
    uint64_t end;
};
struct opens {
    struct open *o;
    size_t count, room;
};

static struct open *open_find(struct opens *all, uint32_t scope)
{
    for (size_t i = all->count; i-- > 0;)
        if (all->o[i].scope == scope)
            return &all->o[i];
    return 0;
}

static struct open *open_make(struct opens *all, uint32_t scope)
{
    struct open *o = open_find(all, scope);
    if (o)
        return o;
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 16;
        all->o = format_memory(realloc(all->o, all->room * sizeof *all->o));
    }
    all->o[all->count] = (struct open){ .scope = scope, .slot = NONE };
    return &all->o[all->count++];
}

static void open_close(struct opens *all, struct open *o)
{
    *o = all->o[--all->count];
}

/* A task's spans depend on those of what it spawns, which stand behind it, and on where it starts, which what stands before it
 * decides. So: starts and ends are found in one walk in depth first order. */
struct walk {
    uint32_t op;                /* the task's entry */
    uint64_t at, until;         /* its next operation, and their end */
    uint64_t now, last;         /* its strand's time; the last end of anything below */
    struct opens opens;
};

/* By entry: tasks that no strand spawns; NULL: there are none. */
static bool *find_ready(const struct profile *p)
{
    bool *ready = 0;
    for (size_t i = 0; i < p->dag_arc_count; i++)
        if (!p->dag_arcs[i].from) {
            if (!ready)
                ready = format_memory(calloc(p->dag_op_count, sizeof *ready));
            ready[p->dag_arcs[i].to] = true;
        }
    return ready;
}

/* T_inf: the time at which everything has ended when nobody ever waits for a worker, by the times of waits. */
static uint64_t longest(const struct profile *p, const bool *ready)
{
    size_t depth = 0, room = 64;
    struct walk *stack = format_memory(calloc(room, sizeof *stack));
    const struct lpf_dag_op *ops = p->dag_ops;
    uint64_t ended = 0;         /* when the task that was left last had ended, with all below */
    stack[0] = (struct walk){ .at = ops[0].first, .until = ops[0].first + ops[0].count };
    for (;;) {
        struct walk *w = &stack[depth];
        if (w->at == w->until) {
            const struct lpf_dag_op *o = &ops[w->op];
            w->now += o->after_cost;
            ended = larger(w->now, w->last);
            free(w->opens.o);
            if (!depth--)
                break;
            w = &stack[depth];
            if (o->scope)
                open_make(&w->opens, o->scope)->end = larger(open_make(&w->opens, o->scope)->end, ended);
            w->last = larger(w->last, ended);
            continue;
        }
        const struct lpf_dag_op *o = &ops[w->at++];
        uint64_t start = w->now, end = 0;
        struct open *x;
        w->now += o->before_cost;
        switch (o->kind) {
        case LPF_DAG_TASK:
            if (o->count) {
                if (++depth == room) {
                    stack = format_memory(realloc(stack, 2 * room * sizeof *stack));
                    room *= 2;
                    w = &stack[depth - 1];
                }
                stack[depth] = (struct walk){ .op = o - ops, .at = o->first, .until = o->first + o->count,
                                                .now = ready && ready[o - ops] ? 0 : w->now };
                continue;
            }
            end = larger(w->now + o->span_cost, o->not_before_cost);
            break;
        case LPF_DAG_BUNDLE: end = larger(start + o->span_cost, o->not_before_cost); break;
        case LPF_DAG_JOIN:
            if ((x = open_find(&w->opens, o->scope))) {
                w->now = larger(w->now, x->end);
                open_close(&w->opens, x);
            }
            continue;
        case LPF_DAG_BLOCK: w->now = larger(w->now + o->span_cost, o->not_before_cost); continue;
        default: w->now = larger(w->now, o->not_before_cost); continue;
        }
        w->last = larger(w->last, end);
        if (o->scope) {
            x = open_make(&w->opens, o->scope);
            x->end = larger(x->end, end);
        }
    }
    free(stack);
    return ended;
}

struct recorded recorded_of(const struct profile *p)
{
    bool *ready = find_ready(p);
    struct recorded r = { .records = p->dag_op_count, .arcs = p->dag_arc_count, .span = longest(p, ready) };
    free(ready);
    for (size_t i = 0; i < p->dag_op_count; i++) {
        const struct lpf_dag_op *o = &p->dag_ops[i];
        r.work += o->before_cost + o->work_cost + (o->kind == LPF_DAG_TASK ? o->after_cost : 0);
        r.tasks += o->tasks;
    }
    return r;
}

/* ---- schedules ---- */

enum kind { SPAWN, JOIN, WAIT, END };

struct op {
    uint64_t before;
    uint64_t not_before;
    uint32_t kind, arg;         /* SPAWN: the task; JOIN: the slot; WAIT: where arcs begin and end, or NONE */
};

/* A WAIT that arcs begin or end at. */
struct gate {
    uint32_t in, first_out, outs;       /* arcs to it; those from it are outs[first_out ..] */
    uint32_t missing;           /* of a simulation: arcs to it whose begin nobody has passed yet */
    uint32_t waiter;            /* the task that has come to it too early; NONE */
};

/* A task's operations are first .. the next END. */
struct task {
    uint32_t first, parent, slot;       /* what counts it for its join; NONE: no join does */
    bool ready;                 /* no strand spawns it: it starts with the program, where its waits keep it */
};

struct schedule {
    struct op *ops;
    struct task *tasks;
    size_t op_count, op_room, task_count, task_room;
    uint32_t slot_count;
    struct gate *gates;
    uint32_t *outs;             /* gates that arcs lead to */
    uint32_t *gate_of;          /* by entry of the dag, while the schedule is made; NONE */
    bool *readies;              /* the same: tasks that no strand spawns */
    uint32_t gate_count;
    bool exact;                 /* the dag has all dependences: its times are the same said twice */
    uint64_t work;
    bool coarse;
    double overhead;
    uint64_t piece;             /* small tasks are taken together up to this; 0: none are */
    /* of a simulation */
    uint32_t *at;               /* by task: its next operation */
    uint32_t *pending;          /* by task: 1 for its body, and what it spawned that has not ended */
    uint32_t *open;             /* by slot: tasks that have not ended */
    uint32_t *waiter;           /* by slot: the task that waits for it */
};

static uint32_t add_task(struct schedule *s, uint32_t parent, uint32_t slot)
{
    if (s->task_count == s->task_room) {
        s->task_room = s->task_room ? 2 * s->task_room : 1024;
        s->tasks = format_memory(realloc(s->tasks, s->task_room * sizeof *s->tasks));
    }
    s->tasks[s->task_count] = (struct task){ NONE, parent, slot, false };
    return s->task_count++;
}

static void add_op(struct schedule *s, uint32_t kind, uint64_t before, uint32_t arg, uint64_t not_before)
{
    if (s->op_count == s->op_room) {
        s->op_room = s->op_room ? 2 * s->op_room : 1024;
        s->ops = format_memory(realloc(s->ops, s->op_room * sizeof *s->ops));
    }
    s->ops[s->op_count++] = (struct op){ before, not_before, kind, arg };
    s->work += before;
}

/* Tasks beside the one of span S that have the rest of W. */
static uint64_t fillers(const struct schedule *s, uint64_t w, uint64_t span)
{
    if (w <= span)
        return 0;
    uint64_t each = larger(span, s->piece);
    return each ? (w - span + each - 1) / each : 1;
}

/* What is to be given operations when the lists of those before it are complete: subtrees of (work, span). */
struct later {
    uint32_t task;
    uint64_t work, span, not_before;
};
struct laters {
    struct later *l;
    size_t count, room;
};

static void later(struct laters *all, uint32_t task, uint64_t work, uint64_t span, uint64_t not_before)
{
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->l = format_memory(realloc(all->l, all->room * sizeof *all->l));
    }
    all->l[all->count++] = (struct later){ task, work, span, not_before };
}

/* The operations of subtrees of ALL, which are tasks of their own. */
static void give_shape(struct schedule *s, struct laters *all)
{
    for (size_t i = 0; i < all->count; i++) {
        struct later l = all->l[i];
        uint64_t n = fillers(s, l.work, l.span), rest = l.work > l.span ? l.work - l.span : 0;
        uint32_t first = s->task_count;
        s->coarse |= n && l.span < s->piece;
        for (uint64_t k = 0; k < n; k++)
            add_task(s, l.task, NONE);
        s->tasks[l.task].first = s->op_count;
        for (uint64_t k = 0; k < n; k++)
            add_op(s, SPAWN, 0, first + k, 0);
        add_op(s, END, l.span, 0, l.not_before);
        for (uint64_t k = 0; k < n; k++) {
            s->tasks[first + k].first = s->op_count;
            add_op(s, END, rest / n + (k < rest % n), 0, 0);
        }
    }
    all->count = 0;
}

/* Cost of TASKS tasks beside their own. */
static uint64_t overhead(const struct schedule *s, uint64_t tasks)
{
    return (uint64_t)(s->overhead * tasks + 0.5);
}

/* A subtree (W, SPAN) with the overhead of its TASKS, in proportion on its longest path. */
static void with_overhead(const struct schedule *s, uint64_t tasks, uint64_t *w, uint64_t *span)
{
    uint64_t o = overhead(s, tasks);
    if (!o)
        return;
    *span += *w ? (uint64_t)((double)o * *span / *w) : o;
    *w += o;
}

static uint32_t slot_of(struct schedule *s, struct opens *opens, uint32_t scope)
{
    if (!scope)
        return NONE;
    struct open *o = open_make(opens, scope);
    if (o->slot == NONE)
        o->slot = s->slot_count++;
    return o->slot;
}

/* Average tasks of bundle O, and how many of it each stands for. */
static uint64_t bundle_parts(const struct schedule *s, const struct lpf_dag_op *o, uint64_t *each)
{
    uint64_t n = o->count - 1, w = o->work_cost - o->after_cost;
    *each = 1;
    if (!n)
        return 0;
    if (s->piece > w / n)
        *each = w ? (uint64_t)((double)s->piece * n / w) : n;
    if (*each > n)
        *each = n;
    return (n + *each - 1) / *each;
}

/* Bundle O in TASK's list, *CARRY of whose own cost has not been put down. */
static void expand_bundle(struct schedule *s, const struct lpf_dag_op *o, uint32_t task, uint32_t slot, uint64_t *carry,
                          struct laters *laters)
{
    uint64_t each, parts = bundle_parts(s, o, &each), n = o->count - 1;
    uint64_t work = o->work_cost - o->after_cost, spans = o->spans_cost - (o->span_cost - o->first);
    uint64_t span = each > 1 ? 0 : n ? (spans + n - 1) / n : 0, latest = o->before_cost;
    if (each > 1)
        span = parts ? (work + parts - 1) / parts : 0;
    if (n && work && !span)
        span = 1;
    s->coarse |= each > 1 && span > o->span_cost;
    /* each is spawned early enough for it not to be the last to end */
    if (latest > (o->span_cost > span ? o->span_cost - span : 0))
        latest = o->span_cost > span ? o->span_cost - span : 0;
    uint64_t at = 0;
    bool last = false;
    for (uint64_t i = 0; i <= parts; i++) {
        uint64_t next = i < parts ? (uint64_t)((double)latest * (i + 1) / parts) : UINT64_MAX;
        if (next > latest && i < parts)
            next = latest;
        if (!last && (next >= o->first || i == parts)) {
            last = true;
            uint32_t t = add_task(s, task, slot);
            add_op(s, SPAWN, *carry + (o->first - at), t, 0);
            *carry = 0;
            at = o->first;
            uint64_t w = o->after_cost, l = o->span_cost - o->first;
            with_overhead(s, o->tasks / o->count, &w, &l);
            later(laters, t, w, l, o->not_before_cost);
        }
        if (i == parts)
            break;
        uint64_t from = (uint64_t)((unsigned __int128)work * i / parts), to = (uint64_t)((unsigned __int128)work * (i + 1) / parts);
        uint64_t w = to - from, l = w < span ? w : span;
        uint64_t tasks = (uint64_t)((unsigned __int128)(o->tasks - o->tasks / o->count) * (i + 1) / parts) -
                         (uint64_t)((unsigned __int128)(o->tasks - o->tasks / o->count) * i / parts);
        with_overhead(s, tasks, &w, &l);
        uint32_t t = add_task(s, task, slot);
        add_op(s, SPAWN, *carry + (next - at), t, 0);
        *carry = 0;
        at = next;
        later(laters, t, w, l, 0);
    }
    *carry += o->before_cost - at;
}

/* The operations of the kept task of entry OP, TASK in the schedule; TASKS[i]: the schedule's for entry i. */
static void expand(struct schedule *s, const struct profile *p, size_t op, uint32_t task, uint32_t *tasks, struct laters *laters)
{
    const struct lpf_dag_op *t = &p->dag_ops[op];
    struct opens opens = { 0 };
    uint64_t carry = overhead(s, t->tasks), waits = 0, before;
    s->tasks[task].first = s->op_count;
    for (uint64_t i = t->first; i < t->first + t->count; i++) {
        const struct lpf_dag_op *o = &p->dag_ops[i];
        uint32_t slot, child;
        struct open *x;
        switch (o->kind) {
        case LPF_DAG_TASK:
            slot = slot_of(s, &opens, o->scope);
            tasks[i] = child = add_task(s, task, slot);
            s->tasks[child].ready = s->readies && s->readies[i];
            add_op(s, SPAWN, carry + o->before_cost, child, 0);
            carry = 0;
            if (!o->count) {
                uint64_t w = o->work_cost, l = o->span_cost;
                with_overhead(s, o->tasks, &w, &l);
                later(laters, child, w, l, o->not_before_cost);
            }
            break;
        case LPF_DAG_BUNDLE:
            slot = slot_of(s, &opens, o->scope);
            expand_bundle(s, o, task, slot, &carry, laters);
            break;
        case LPF_DAG_JOIN:
            carry += o->before_cost;
            if ((x = open_find(&opens, o->scope))) {
                add_op(s, JOIN, carry, x->slot, 0);
                carry = 0;
                open_close(&opens, x);
            }
            break;
        case LPF_DAG_BLOCK: {
            /* the task does the block's longest path itself and waits for the rest */
            uint64_t w = o->work_cost, l = o->span_cost, n;
            with_overhead(s, o->tasks, &w, &l);
            carry += o->before_cost;
            if ((n = fillers(s, w, l))) {
                s->coarse |= l < s->piece;
                slot = s->slot_count++;
                for (uint64_t k = 0; k < n; k++) {
                    child = add_task(s, task, slot);
                    add_op(s, SPAWN, carry, child, 0);
                    carry = 0;
                    later(laters, child, (w - l) / n + (k < (w - l) % n), (w - l) / n + (k < (w - l) % n), 0);
                }
                add_op(s, JOIN, l, slot, o->not_before_cost);
            } else {
                carry += l;
                if (o->not_before_cost) {
                    add_op(s, WAIT, carry, 0, o->not_before_cost);
                    carry = 0;
                }
            }
            break;
        }
        default:
            if (o->before_cost || i != t->first + waits) {
                before = carry + o->before_cost;
                carry = 0;
            } else {
                waits++;        /* it is dispatched when it can start */
                before = 0;
            }
            add_op(s, WAIT, before, s->gate_of ? s->gate_of[i] : NONE, s->exact ? 0 : o->not_before_cost);
        }
    }
    add_op(s, END, carry + t->after_cost, 0, 0);
    free(opens.o);
    give_shape(s, laters);
}

/* The arcs of P, by the waits that they begin at. */
static void add_gates(struct schedule *s, const struct profile *p)
{
    s->exact = true;
    for (size_t i = 0; i < p->note_count; i++)
        s->exact &= p->notes[i].kind != LPF_NOTE_DAG;
    if (!p->dag_arc_count) {
        s->exact = false;       /* an older file may have waits without arcs */
        return;
    }
    size_t n = p->dag_op_count;
    s->gate_of = format_memory(malloc(n * sizeof *s->gate_of));
    s->readies = find_ready(p);
    memset(s->gate_of, 0xff, n * sizeof *s->gate_of);
    for (size_t i = 0; i < p->dag_arc_count; i++) {
        const struct lpf_dag_arc *a = &p->dag_arcs[i];
        for (unsigned k = 0; a->from && k < 2; k++) {
            uint32_t *gate = &s->gate_of[k ? a->to : a->from];
            if (*gate == NONE)
                *gate = s->gate_count++;
        }
    }
    s->gates = format_memory(calloc(s->gate_count + 1, sizeof *s->gates));
    s->outs = format_memory(malloc(p->dag_arc_count * sizeof *s->outs));
    for (size_t i = 0; i < p->dag_arc_count; i++)
        if (p->dag_arcs[i].from) {
            s->gates[s->gate_of[p->dag_arcs[i].from]].outs++;
            s->gates[s->gate_of[p->dag_arcs[i].to]].in++;
        }
    for (uint32_t g = 0, at = 0; g < s->gate_count; g++) {
        s->gates[g].first_out = at;
        at += s->gates[g].outs;
        s->gates[g].outs = 0;
    }
    for (size_t i = 0; i < p->dag_arc_count; i++)
        if (p->dag_arcs[i].from) {
            struct gate *g = &s->gates[s->gate_of[p->dag_arcs[i].from]];
            s->outs[g->first_out + g->outs++] = s->gate_of[p->dag_arcs[i].to];
        }
}

/* Tasks that the schedule would have, at the least. */
static uint64_t count_tasks(const struct schedule *s, const struct profile *p)
{
    uint64_t n = 1;
    for (size_t i = 1; i < p->dag_op_count && n < MAX_TASKS; i++) {
        const struct lpf_dag_op *o = &p->dag_ops[i];
        uint64_t each;
        if (o->kind == LPF_DAG_TASK)
            n += 1 + (o->count ? 0 : fillers(s, o->work_cost, o->span_cost));
        else if (o->kind == LPF_DAG_BLOCK)
            n += fillers(s, o->work_cost, o->span_cost);
        else if (o->kind == LPF_DAG_BUNDLE)
            n += 1 + bundle_parts(s, o, &each) *
                 (1 + (each > 1 || o->count < 2 ? 0 : fillers(s, (o->work_cost - o->after_cost) / (o->count - 1),
                                                              larger(o->spans_cost / o->count, 1))));
    }
    return n;
}

struct schedule *schedule_new(const struct profile *p, double overhead_, size_t limit)
{
    struct schedule *s = format_memory(calloc(1, sizeof *s));
    s->overhead = overhead_;
    uint64_t n = count_tasks(s, p), records = 0;
    for (size_t i = 0; i < p->dag_op_count; i++)
        records += p->dag_ops[i].kind <= LPF_DAG_BUNDLE;
    if (limit < 2 * records)
        limit = 2 * records;
    for (s->piece = 1; n > limit && s->piece < 1ull << 60; s->piece *= 2)
        n = count_tasks(s, p);
    s->piece = s->piece > 1 ? s->piece / 2 : 0;
    if (n >= MAX_TASKS) {
        fprintf(stderr, "prof: %s: the dag has too many tasks to be simulated\n", p->path);
        free(s);
        return 0;
    }
    struct laters laters = { 0 };
    add_gates(s, p);
    uint32_t *tasks = format_memory(malloc(p->dag_op_count * sizeof *tasks));
    tasks[0] = add_task(s, NONE, NONE);
    for (size_t i = 0; i < p->dag_op_count; i++)
        if (p->dag_ops[i].kind == LPF_DAG_TASK && (p->dag_ops[i].count || !i))
            expand(s, p, i, tasks[i], tasks, &laters);
    free(tasks);
    free(laters.l);
    free(s->gate_of);
    free(s->readies);
    s->gate_of = 0;
    s->readies = 0;
    s->at = format_memory(malloc(s->task_count * sizeof *s->at));
    s->pending = format_memory(malloc(s->task_count * sizeof *s->pending));
    s->open = format_memory(malloc((s->slot_count + 1) * sizeof *s->open));
    s->waiter = format_memory(malloc((s->slot_count + 1) * sizeof *s->waiter));
    return s;
}

void schedule_free(struct schedule *s)
{
    if (!s)
        return;
    free(s->ops);
    free(s->tasks);
    free(s->gates);
    free(s->outs);
    free(s->at);
    free(s->pending);
    free(s->open);
    free(s->waiter);
    free(s);
}

size_t schedule_tasks(const struct schedule *s)
{
    return s->task_count;
}

uint64_t schedule_work(const struct schedule *s)
{
    return s->work;
}

bool schedule_coarse(const struct schedule *s)
{
    return s->coarse;
}

/* ---- events ---- */

enum event_kind { RUN, STEAL, WAKE };  /* of a worker, of a worker, of a task */

struct event {
    uint64_t time, order;       /* order: 2 bits of kind below a number that counts up */
    uint32_t who;
};

struct events {
    struct event *e;            /* a binary heap */
    size_t count, room;
    uint64_t number;
};

static bool earlier(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Returns the event's order, which is not 0. */
static uint64_t event_add(struct events *h, uint64_t time, uint32_t kind, uint32_t who)
{
    if (h->count == h->room) {
        h->room = h->room ? 2 * h->room : 64;
        h->e = format_memory(realloc(h->e, h->room * sizeof *h->e));
    }
    struct event e = { time, ++h->number << 2 | kind, who };
    size_t i = h->count++;
    for (; i && earlier(&e, &h->e[(i - 1) / 2]); i = (i - 1) / 2)
        h->e[i] = h->e[(i - 1) / 2];
    h->e[i] = e;
    return e.order;
}

static struct event event_take(struct events *h)
{
    struct event first = h->e[0], last = h->e[--h->count];
    size_t i = 0, c;
    for (; (c = 2 * i + 1) < h->count; i = c) {
        if (c + 1 < h->count && earlier(&h->e[c + 1], &h->e[c]))
            c++;
        if (!earlier(&h->e[c], &last))
            break;
        h->e[i] = h->e[c];
    }
    h->e[i] = last;
    return first;
}

/* ---- workers ---- */

struct worker {
    uint32_t task;              /* that it runs; NONE: none */
    /* stealing: */
    uint32_t top;               /* the strand that waits on top of its stack; NONE */
    uint32_t oldest, newest;    /* of its tasks; NONE */
    uint32_t having;            /* its place in run.having; NONE: it has no tasks */
    uint32_t idle;              /* its place in run.idle; NONE */
    uint64_t steal;             /* order of the event at which it steals; 0: it does not look for work */
};

struct run {
    struct schedule *s;
    struct events events;
    struct worker *workers;
    uint32_t *idle;             /* workers that nothing will wake but a task; the last first */
    uint32_t idle_count;
    uint64_t now, end;
    bool stealing, circle;
    uint32_t *owner;            /* by task that waits: its worker */
    uint32_t *released;         /* a stack of tasks that have been let past a gate */
    size_t released_count;
    bool releasing;
    /* greedy: strands that could run, a ring with room for all tasks */
    uint32_t *ready;
    size_t mask, head, count;
    /* stealing */
    uint64_t latency, random, steals;
    uint32_t *older, *newer;    /* by task: its neighbours among its worker's; older: below it on the stack */
    uint32_t *having;           /* workers that have tasks */
    uint32_t having_count;
};

/* Set in schedule.at: what is before the operation has run. */
#define ARRIVED (1u << 31)

static void idle_add(struct run *r, uint32_t w)
{
    r->workers[w].idle = r->idle_count;
    r->idle[r->idle_count++] = w;
}

static void idle_remove(struct run *r, uint32_t w)
{
    uint32_t last = r->idle[--r->idle_count];
    r->idle[r->workers[w].idle] = last;
    r->workers[last].idle = r->workers[w].idle;
    r->workers[w].idle = NONE;
}

/* An idle worker looks for work from now. */
static void wake_one(struct run *r)
{
    if (!r->idle_count)
        return;
    uint32_t w = r->idle[r->idle_count - 1];
    idle_remove(r, w);
    r->workers[w].steal = event_add(&r->events, r->now + r->latency, r->stealing ? STEAL : RUN, w);
}

/* Worker W's tasks, as a deque. */
static void deque_remove(struct run *r, uint32_t w, uint32_t t)
{
    struct worker *x = &r->workers[w];
    uint32_t o = r->older[t], n = r->newer[t];
    *(o == NONE ? &x->oldest : &r->newer[o]) = n;
    *(n == NONE ? &x->newest : &r->older[n]) = o;
    if (x->oldest == NONE) {
        uint32_t last = r->having[--r->having_count];
        r->having[x->having] = last;
        r->workers[last].having = x->having;
        x->having = NONE;
    }
}

static void deque_push(struct run *r, uint32_t w, uint32_t t)
{
    struct worker *x = &r->workers[w];
    r->older[t] = x->newest;
    r->newer[t] = NONE;
    if (x->newest == NONE) {
        x->oldest = t;
        x->having = r->having_count;
        r->having[r->having_count++] = w;
    } else {
        r->newer[x->newest] = t;
    }
    x->newest = t;
}

/* Worker W, which does nothing, has something of its own to do. */
static void resume(struct run *r, uint32_t w)
{
    struct worker *x = &r->workers[w];
    if (x->idle != NONE)
        idle_remove(r, w);
    else if (!x->steal)
        return;
    x->steal = 0;
    event_add(&r->events, r->now, RUN, w);
}

/* T, which worker W spawned, or which has waited for a time, could run. */
static void ready(struct run *r, uint32_t w, uint32_t t, bool waited)
{
    if (r->stealing) {
        deque_push(r, w, t);
        if (waited && r->workers[w].task == NONE)
            resume(r, w);
        else
            wake_one(r);
        return;
    }
    r->ready[waited ? --r->head & r->mask : (r->head + r->count) & r->mask] = t;
    r->count++;
    wake_one(r);
}

/* What T waits for at its join has ended. */
static void joined(struct run *r, uint32_t t)
{
    if (!r->stealing)
        ready(r, 0, t, true);
    else if (r->workers[r->owner[t]].top == t && r->workers[r->owner[t]].task == NONE)
        resume(r, r->owner[t]);
}

static struct op *op_of(struct schedule *s, uint32_t t)
{
    return &s->ops[s->at[t] & ~ARRIVED];
}

/* Worker W's next strand; NONE: it has none and will be told. */
static uint32_t take(struct run *r, uint32_t w)
{
    struct worker *x = &r->workers[w];
    uint32_t t = NONE;
    if (!r->stealing) {
        if (r->count) {
            r->count--;
            return r->ready[r->head++ & r->mask];
        }
    } else if (x->top != NONE && !r->s->open[op_of(r->s, x->top)->arg]) {
        t = x->top;
        x->top = r->older[t];
        return t;
    } else if ((t = x->newest) != NONE) {
        deque_remove(r, w, t);
        return t;
    } else if (r->having_count) {
        x->steal = event_add(&r->events, r->now + r->latency, STEAL, w);
        return NONE;
    }
    idle_add(r, w);
    return NONE;
}

/* T's body is over: it has ended with what it spawned, or the last of that will end it. */
static void over(struct run *r, uint32_t t)
{
    struct schedule *s = r->s;
    r->end = r->now;
    while (t != NONE && !--s->pending[t]) {
        uint32_t slot = s->tasks[t].slot;
        t = s->tasks[t].parent;
        if (slot != NONE && !--s->open[slot] && s->waiter[slot] != NONE) {
            uint32_t waiter = s->waiter[slot];
            s->waiter[slot] = NONE;
            joined(r, waiter);
        }
    }
}

/* Is T kept at its next operation, a WAIT? Then what keeps it will set it going, as of worker W. Otherwise T is past it. */
static bool waits(struct run *r, uint32_t w, uint32_t t);

/* T can go on: on worker W, or nowhere if there is nothing to do up to its end. */
static void go_on(struct run *r, uint32_t w, uint32_t t)
{
    struct schedule *s = r->s;
    struct op *o;
    bool waited = s->at[t] & ARRIVED;   /* somebody has worked on it */
    while (o = op_of(s, t), o->kind == WAIT && (!o->before || s->at[t] & ARRIVED))
        if (waits(r, w, t))
            return;
    if (o->kind == END && !o->before && !o->not_before)
        over(r, t);
    else
        ready(r, w, t, waited);
}

/* The strand of worker W is past G. */
static void gate_pass(struct run *r, uint32_t w, const struct gate *g)
{
    struct schedule *s = r->s;
    for (uint32_t i = 0; i < g->outs; i++) {
        struct gate *to = &s->gates[s->outs[g->first_out + i]];
        if (to->missing && !--to->missing && to->waiter != NONE) {
            r->released[r->released_count++] = to->waiter;
            to->waiter = NONE;
        }
    }
    if (r->releasing)
        return;
    r->releasing = true;        /* these may pass gates, too: no recursion */
    while (r->released_count)
        go_on(r, w, r->released[--r->released_count]);
    r->releasing = false;
}

static bool waits(struct run *r, uint32_t w, uint32_t t)
{
    struct schedule *s = r->s;
    struct op *o = op_of(s, t);
    struct gate *g = o->arg == NONE ? 0 : &s->gates[o->arg];
    if (g && g->missing) {
        g->waiter = t;
        r->owner[t] = w;
        return true;
    }
    if (o->not_before > r->now) {
        r->owner[t] = w;
        event_add(&r->events, o->not_before, WAKE, t);
        return true;
    }
    s->at[t] = (s->at[t] & ~ARRIVED) + 1;
    if (g)
        gate_pass(r, w, g);
    return false;
}

/* T is there: run by worker W, or where somebody takes it, or when what it waits for has happened. */
static void spawned(struct run *r, uint32_t w, uint32_t t)
{
    if (op_of(r->s, t)->kind == WAIT && !op_of(r->s, t)->before)
        go_on(r, w, t);
    else
        ready(r, w, t, false);
}

/* Its parent has spawned T. */
static void count(struct schedule *s, uint32_t t)
{
    s->pending[s->tasks[t].parent]++;
    if (s->tasks[t].slot != NONE)
        s->open[s->tasks[t].slot]++;
}

/* Worker W goes on, up to the next operation that something else comes before. */
static void step(struct run *r, uint32_t w)
{
    struct schedule *s = r->s;
    struct worker *x = &r->workers[w];
    for (;;) {
        uint32_t t = x->task;
        if (t == NONE && (x->task = t = take(r, w)) == NONE)
            return;
        struct op *o = op_of(s, t);
        if (!(s->at[t] & ARRIVED)) {
            s->at[t] |= ARRIVED;
            uint64_t time = r->now + o->before;
            if (o->before && r->events.count && time >= r->events.e[0].time) {
                event_add(&r->events, time, RUN, w);
                return;
            }
            r->now = time;
        }
        if (o->kind == JOIN && s->open[o->arg]) {
            s->waiter[o->arg] = t;
            x->task = NONE;
            if (r->stealing) {
                r->owner[t] = w;
                r->older[t] = x->top;
                x->top = t;
            }
        } else if (o->kind == WAIT) {
            if (waits(r, w, t))
                x->task = NONE;
        } else if (o->not_before > r->now) {
            x->task = NONE;
            r->owner[t] = w;
            event_add(&r->events, o->not_before, WAKE, t);
        } else if (o->kind == END) {
            x->task = NONE;
            over(r, t);
        } else {
            s->at[t] = (s->at[t] & ~ARRIVED) + 1;
            if (o->kind == SPAWN && !s->tasks[o->arg].ready) {
                count(s, o->arg);
                spawned(r, w, o->arg);
            }
        }
    }
}

static uint64_t next_random(struct run *r)
{
    uint64_t x = r->random;     /* xorshift64* */
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    r->random = x;
    return x * 0x2545f4914f6cdd1dull >> 32;
}

static void steal(struct run *r, uint32_t w)
{
    struct worker *x = &r->workers[w];
    x->steal = 0;
    if (!r->having_count) {
        idle_add(r, w);
        return;
    }
    uint32_t victim = r->having[next_random(r) * r->having_count >> 32], t = r->workers[victim].oldest;
    deque_remove(r, victim, t);
    x->task = t;
    r->steals++;
    if (r->having_count)
        wake_one(r);
    step(r, w);
}

/* Nothing happens any more. A strand that has waited for a time may have come to lie on top of one that it then joins: on a
 * stack that is for ever. The one below leaves it. False: there is none, all has ended. */
static bool dig_out(struct run *r, unsigned p)
{
    for (uint32_t w = 0; r->stealing && w < p; w++) {
        struct worker *x = &r->workers[w];
        for (uint32_t *at = &x->top; *at != NONE; at = &r->older[*at])
            if (!r->s->open[op_of(r->s, *at)->arg]) {
                uint32_t t = *at;
                *at = r->older[t];
                if (x->idle != NONE)
                    idle_remove(r, w);
                x->task = t;
                event_add(&r->events, r->now, RUN, w);
                return true;
            }
    }
    return false;
}

/* Nothing happens any more, and strands wait at gates: for one another. No arc counts from now. False: none waits. */
static bool cut_circles(struct run *r)
{
    struct schedule *s = r->s;
    for (uint32_t i = 0; i < s->gate_count; i++) {
        s->gates[i].missing = 0;
        if (s->gates[i].waiter != NONE)
            r->released[r->released_count++] = s->gates[i].waiter;
        s->gates[i].waiter = NONE;
    }
    if (!r->released_count)
        return false;
    r->circle = r->releasing = true;
    while (r->released_count)
        go_on(r, 0, r->released[--r->released_count]);
    r->releasing = false;
    return true;
}

static struct simulated simulate(struct run *r, unsigned p)
{
    struct schedule *s = r->s;
    r->owner = format_memory(malloc(2 * s->task_count * sizeof *r->owner));
    r->released = r->owner + s->task_count;
    r->workers = format_memory(malloc(p * sizeof *r->workers));
    r->idle = format_memory(malloc(p * sizeof *r->idle));
    for (unsigned i = p; i-- > 0;) {
        r->workers[i] = (struct worker){ NONE, NONE, NONE, NONE, NONE, NONE, 0 };
        if (i)
            idle_add(r, i);
    }
    for (size_t i = 0; i < s->task_count; i++) {
        s->at[i] = s->tasks[i].first;
        s->pending[i] = 1;
    }
    memset(s->open, 0, s->slot_count * sizeof *s->open);
    memset(s->waiter, 0xff, s->slot_count * sizeof *s->waiter);
    for (uint32_t i = 0; i < s->gate_count; i++) {
        s->gates[i].missing = s->gates[i].in;
        s->gates[i].waiter = NONE;
    }
    r->workers[0].task = 0;
    for (size_t i = 0; i < s->task_count; i++)
        if (s->tasks[i].ready) {
            count(s, i);
            spawned(r, 0, i);
        }
    event_add(&r->events, 0, RUN, 0);
    while (r->events.count || dig_out(r, p) || cut_circles(r)) {     /* each takes a strand further: it ends */
        if (!r->events.count)
            continue;
        struct event e = event_take(&r->events);
        r->now = e.time;
        switch (e.order & 3) {
        case RUN: step(r, e.who); break;
        case WAKE: ready(r, r->stealing ? r->owner[e.who] : 0, e.who, true); break;
        default:
            if (r->workers[e.who].steal == e.order)
                steal(r, e.who);
        }
    }
    free(r->events.e);
    free(r->workers);
    free(r->idle);
    free(r->owner);
    return (struct simulated){ r->end, r->steals, r->circle };
}

struct simulated simulate_greedy(struct schedule *s, unsigned p)
{
    size_t room = 64;
    while (room < s->task_count)
        room *= 2;
    struct run r = { .s = s, .mask = room - 1, .ready = format_memory(malloc(room * sizeof *r.ready)) };
    struct simulated result = simulate(&r, p);
    free(r.ready);
    return result;
}

struct simulated simulate_stealing(struct schedule *s, unsigned p, uint64_t latency, uint64_t seed)
{
    struct run r = { .s = s, .stealing = true, .latency = latency, .random = (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
    uint32_t *by_task = format_memory(malloc(2 * s->task_count * sizeof *by_task));
    r.older = by_task;
    r.newer = by_task + s->task_count;
    r.having = format_memory(malloc(p * sizeof *r.having));
    struct simulated result = simulate(&r, p);
    free(by_task);
    free(r.having);
    return result;
}
