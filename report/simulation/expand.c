/* expand.c - see expand.h. */
#include "simulation/expand.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "profile/profile.h"
#include "simulation/expand_private.h"

#define MAX_TASKS (1u << 28)

static uint32_t add_task(struct expanded *s, uint32_t parent, uint32_t slot)
{
    if (s->task_count == s->task_room) {
        s->task_room = s->task_room ? 2 * s->task_room : 1024;
        s->tasks = format_memory(realloc(s->tasks, s->task_room * sizeof *s->tasks));
    }
    s->tasks[s->task_count] = (struct task){ NONE, parent, slot, false };
    return s->task_count++;
}

static void add_op(struct expanded *s, uint32_t kind, uint64_t before, uint32_t arg,
                   uint64_t not_before)
{
    if (s->op_count == s->op_room) {
        s->op_room = s->op_room ? 2 * s->op_room : 1024;
        s->ops = format_memory(realloc(s->ops, s->op_room * sizeof *s->ops));
    }
    s->ops[s->op_count++] = (struct op){ before, not_before, kind, arg };
    s->work += before;
}

/* The number of tasks, beside one of length SPAN, that share the rest of the work W. */
static uint64_t fillers(const struct expanded *s, uint64_t w, uint64_t span)
{
    if (w <= span)
        return 0;
    uint64_t each = larger(span, s->piece);
    return each ? (w - span + each - 1) / each : 1;
}

/* A task that stands for a subtree (work, span). It gets its operations later, because the
 * operations of one task must be contiguous. */
struct later {
    uint32_t task;
    uint64_t work, span, not_before;
};
struct laters {
    struct later *l;
    size_t count, room;
};

static void later(struct laters *all, uint32_t task, uint64_t work, uint64_t span,
                  uint64_t not_before)
{
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 1024;
        all->l = format_memory(realloc(all->l, all->room * sizeof *all->l));
    }
    all->l[all->count++] = (struct later){ task, work, span, not_before };
}

/* Gives each task of ALL its operations, and the tasks beside it. Empties ALL. */
static void give_shape(struct expanded *s, struct laters *all)
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

/* The overhead of TASKS tasks. */
static uint64_t overhead(const struct expanded *s, uint64_t tasks)
{
    return (uint64_t)(s->overhead * tasks + 0.5);
}

/* Adds the overhead of its TASKS to a subtree (W, SPAN). The longest path gets a share in
 * proportion to its part of the work. */
static void with_overhead(const struct expanded *s, uint64_t tasks, uint64_t *w, uint64_t *span)
{
    uint64_t o = overhead(s, tasks);
    if (!o)
        return;
    *span += *w ? (uint64_t)((double)o * *span / *w) : o;
    *w += o;
}

static uint32_t slot_of(struct expanded *s, struct opens *opens, uint32_t scope)
{
    if (!scope)
        return NONE;
    struct open *o = open_make(opens, scope);
    if (o->slot == NONE)
        o->slot = s->slot_count++;
    return o->slot;
}

/* The number of average tasks that bundle O becomes. *EACH: how many of its tasks each stands
 * for. */
static uint64_t bundle_parts(const struct expanded *s, const struct lpf_dag_op *o, uint64_t *each)
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

/* Adds the operations of bundle O to TASK. *CARRY is TASK's own cost since its last operation. */
static void expand_bundle(struct expanded *s, const struct lpf_dag_op *o, uint32_t task,
                          uint32_t slot, uint64_t *carry, struct laters *laters)
{
    uint64_t each, parts = bundle_parts(s, o, &each), n = o->count - 1;
    uint64_t work = o->work_cost - o->after_cost, spans = o->spans_cost - (o->span_cost - o->first);
    uint64_t span = each > 1 ? 0 : n ? (spans + n - 1) / n : 0, latest = o->before_cost;
    if (each > 1)
        span = parts ? (work + parts - 1) / parts : 0;
    if (n && work && !span)
        span = 1;
    s->coarse |= each > 1 && span > o->span_cost;
    /* each task is spawned early enough that it is not the last to end */
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
        uint64_t from = (uint64_t)((unsigned __int128)work * i / parts),
                 to = (uint64_t)((unsigned __int128)work * (i + 1) / parts);
        uint64_t w = to - from, l = w < span ? w : span;
        uint64_t tasks = (uint64_t)((unsigned __int128)(o->tasks - o->tasks / o->count) * (i + 1) /
                                    parts) -
                         (uint64_t)((unsigned __int128)(o->tasks - o->tasks / o->count) * i /
                                    parts);
        with_overhead(s, tasks, &w, &l);
        uint32_t t = add_task(s, task, slot);
        add_op(s, SPAWN, *carry + (next - at), t, 0);
        *carry = 0;
        at = next;
        later(laters, t, w, l, 0);
    }
    *carry += o->before_cost - at;
}

/* Adds the operations of block O to TASK. TASK executes the block's longest path itself, and joins
 * tasks with the rest. *CARRY: as above. */
static void expand_block(struct expanded *s, const struct lpf_dag_op *o, uint32_t task,
                         uint64_t *carry, struct laters *laters)
{
    uint64_t w = o->work_cost, l = o->span_cost, n;
    with_overhead(s, o->tasks, &w, &l);
    *carry += o->before_cost;
    if ((n = fillers(s, w, l))) {
        s->coarse |= l < s->piece;
        uint32_t slot = s->slot_count++;
        for (uint64_t k = 0; k < n; k++) {
            uint32_t child = add_task(s, task, slot);
            uint64_t each = (w - l) / n + (k < (w - l) % n);
            add_op(s, SPAWN, *carry, child, 0);
            *carry = 0;
            later(laters, child, each, each, 0);
        }
        add_op(s, JOIN, l, slot, o->not_before_cost);
        return;
    }
    *carry += l;
    if (o->not_before_cost) {
        add_op(s, WAIT, *carry, 0, o->not_before_cost);
        *carry = 0;
    }
}

/* Adds the operations of the task at entry OP of the recorded dag, which is TASK in the expanded
 * one. TASKS maps entries to tasks of the expanded dag. */
static void expand(struct expanded *s, const struct profile *p, size_t op, uint32_t task,
                   uint32_t *tasks, struct laters *laters)
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
        case LPF_DAG_BLOCK: expand_block(s, o, task, &carry, laters); break;
        default:
            if (o->before_cost || i != t->first + waits) {
                before = carry + o->before_cost;
                carry = 0;
            } else {
                waits++;        /* the task is dispatched once this wait is over */
                before = 0;
            }
            add_op(s, WAIT, before, s->gate_of ? s->gate_of[i] : NONE,
                   s->exact ? 0 : o->not_before_cost);
        }
    }
    add_op(s, END, carry + t->after_cost, 0, 0);
    free(opens.o);
    give_shape(s, laters);
}

/* Makes gates of the waits that P's arcs begin or end at. */
static void add_gates(struct expanded *s, const struct profile *p)
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
    s->readies = dag_ready(p);
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

/* A lower bound of the number of tasks in the expanded dag; it stops at MAX_TASKS. */
static uint64_t count_tasks(const struct expanded *s, const struct profile *p)
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
                         (1 + (each > 1 || o->count < 2
                                   ? 0
                                   : fillers(s, (o->work_cost - o->after_cost) / (o->count - 1),
                                             larger(o->spans_cost / o->count, 1))));
    }
    return n;
}

struct expanded *expanded_new(const struct profile *p, double overhead_, size_t limit)
{
    struct expanded *s = format_memory(calloc(1, sizeof *s));
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

void expanded_free(struct expanded *s)
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

size_t expanded_tasks(const struct expanded *s)
{
    return s->task_count;
}

uint64_t expanded_work(const struct expanded *s)
{
    return s->work;
}

bool expanded_coarse(const struct expanded *s)
{
    return s->coarse;
}
