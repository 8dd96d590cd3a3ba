/* simulate.c - see simulate.h. Both simulations handle discrete events: a worker's strand runs up
 * to its next operation, which is an event. Events of equal time happen in the order in which they
 * were made.
 *
 * Order of the file: events, workers, the two schedulers.
 */
#include "simulation/simulate.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "simulation/expand_private.h"

/* ---- events ---- */

enum event_kind { RUN, STEAL, WAKE };  /* WHO is a worker, a worker, a task */

struct event {
    uint64_t time, order;       /* order: a number that counts up, times 4, and the kind */
    uint32_t who;
};

struct events {
    struct event *e;            /* a binary heap */
    size_t count, room;
    uint64_t number;            /* of events so far */
};

static bool earlier(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

/* Adds an event. Returns its order, which is never 0. */
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
    uint32_t task;              /* the task that it runs, or NONE */
    /* stealing: */
    uint32_t top;               /* the task that waits on top of its stack, or NONE */
    uint32_t oldest, newest;    /* the ends of its deque, or NONE */
    uint32_t having;            /* its index in run.having; NONE: its deque is empty */
    uint32_t idle;              /* its index in run.idle; NONE: it is not there */
    uint64_t steal;             /* the order of the event at which it steals; 0: there is none */
};

struct run {
    struct expanded *s;
    struct events events;
    struct worker *workers;
    uint32_t *idle;             /* workers that only a new task can wake; the last is woken first */
    uint32_t idle_count;
    uint64_t now, end;
    bool stealing, circle;
    uint32_t *owner;            /* by task that waits: its worker */
    uint32_t *released;         /* a stack of tasks that may pass their gates */
    size_t released_count;
    bool releasing;             /* a caller empties the stack of released tasks */
    /* greedy: */
    uint32_t *ready;            /* the tasks that could run: a ring with room for all tasks */
    size_t mask, head, count;
    /* stealing: */
    uint64_t latency, random, steals;
    uint32_t *older, *newer;    /* by task: its neighbours in the deque; older: also the one below
                                 * it on the stack */
    uint32_t *having;           /* the workers whose deque is not empty */
    uint32_t having_count;
};

/* A flag in expanded.at: the task has run up to the operation. */
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

/* Wakes the idle worker that became idle last, if there is one: it looks for work from now on. */
static void wake_one(struct run *r)
{
    if (!r->idle_count)
        return;
    uint32_t w = r->idle[r->idle_count - 1];
    idle_remove(r, w);
    r->workers[w].steal = event_add(&r->events, r->now + r->latency, r->stealing ? STEAL : RUN, w);
}

/* Removes T from worker W's deque. */
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

/* Makes T the newest task of worker W's deque. */
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

/* Lets worker W go on with a task of its own, if it is idle or about to steal. */
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

/* T can run now. WAITED: T has been running before, and waited; else worker W has spawned it. */
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

/* All tasks that T's join waits for have ended. */
static void joined(struct run *r, uint32_t t)
{
    if (!r->stealing)
        ready(r, 0, t, true);
    else if (r->workers[r->owner[t]].top == t && r->workers[r->owner[t]].task == NONE)
        resume(r, r->owner[t]);
}

static struct op *op_of(struct expanded *s, uint32_t t)
{
    return &s->ops[s->at[t] & ~ARRIVED];
}

/* Takes worker W's next task. NONE: there is none; W becomes idle or will steal. */
static uint32_t next_task(struct run *r, uint32_t w)
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

/* T's body is over. T ends now, or with the last of the tasks below it. */
static void task_over(struct run *r, uint32_t t)
{
    struct expanded *s = r->s;
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

/* Must T, a task of worker W, wait at its next operation, a WAIT? If so, a gate or a WAKE event
 * lets it go on later. If not, T has passed the operation. */
static bool wait_or_pass(struct run *r, uint32_t w, uint32_t t);

/* T can continue on worker W. If T has nothing more to do, it ends. */
static void go_on(struct run *r, uint32_t w, uint32_t t)
{
    struct expanded *s = r->s;
    struct op *o;
    bool waited = s->at[t] & ARRIVED;   /* a worker has run it before */
    while (o = op_of(s, t), o->kind == WAIT && (!o->before || s->at[t] & ARRIVED))
        if (wait_or_pass(r, w, t))
            return;
    if (o->kind == END && !o->before && !o->not_before)
        task_over(r, t);
    else
        ready(r, w, t, waited);
}

/* A task of worker W passes G. Lets those go on that wait for nothing more. */
static void gate_pass(struct run *r, uint32_t w, const struct gate *g)
{
    struct expanded *s = r->s;
    for (uint32_t i = 0; i < g->outs; i++) {
        struct gate *to = &s->gates[s->outs[g->first_out + i]];
        if (to->missing && !--to->missing && to->waiter != NONE) {
            r->released[r->released_count++] = to->waiter;
            to->waiter = NONE;
        }
    }
    if (r->releasing)
        return;
    r->releasing = true;        /* these may pass gates, too; the flag avoids a recursion */
    while (r->released_count)
        go_on(r, w, r->released[--r->released_count]);
    r->releasing = false;
}

static bool wait_or_pass(struct run *r, uint32_t w, uint32_t t)
{
    struct expanded *s = r->s;
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

/* Worker W has spawned T. T can run, unless it begins with a WAIT that it must wait at. */
static void spawned(struct run *r, uint32_t w, uint32_t t)
{
    if (op_of(r->s, t)->kind == WAIT && !op_of(r->s, t)->before)
        go_on(r, w, t);
    else
        ready(r, w, t, false);
}

/* Counts T, a new task, for its parent and for its join. */
static void count_new(struct expanded *s, uint32_t t)
{
    s->pending[s->tasks[t].parent]++;
    if (s->tasks[t].slot != NONE)
        s->open[s->tasks[t].slot]++;
}

/* Runs worker W until another event comes before W's next operation, or until W has no task. */
static void step(struct run *r, uint32_t w)
{
    struct expanded *s = r->s;
    struct worker *x = &r->workers[w];
    for (;;) {
        uint32_t t = x->task;
        if (t == NONE && (x->task = t = next_task(r, w)) == NONE)
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
            if (wait_or_pass(r, w, t))
                x->task = NONE;
        } else if (o->not_before > r->now) {
            x->task = NONE;
            r->owner[t] = w;
            event_add(&r->events, o->not_before, WAKE, t);
        } else if (o->kind == END) {
            x->task = NONE;
            task_over(r, t);
        } else {
            s->at[t] = (s->at[t] & ~ARRIVED) + 1;
            if (o->kind == SPAWN && !s->tasks[o->arg].ready) {
                count_new(s, o->arg);
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
    uint32_t victim = r->having[next_random(r) * r->having_count >> 32],
             t = r->workers[victim].oldest;
    deque_remove(r, victim, t);
    x->task = t;
    r->steals++;
    if (r->having_count)
        wake_one(r);
    step(r, w);
}

/* No event is left. A task may wait on a stack on top of one that it joins, because it had waited
 * elsewhere before. Neither could ever go on. So a task whose join is over leaves the stack from
 * below. False: there is no such task. */
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

/* No event is left. If tasks wait at gates, they wait for one another. Lets them go on, and ignores
 * all arcs from now on. False: no task waits. */
static bool cut_circles(struct run *r)
{
    struct expanded *s = r->s;
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
    struct expanded *s = r->s;
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
            count_new(s, i);
            spawned(r, 0, i);
        }
    event_add(&r->events, 0, RUN, 0);
    /* This ends, because every round takes a task further. */
    while (r->events.count || dig_out(r, p) || cut_circles(r)) {
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

struct simulated simulate_greedy(struct expanded *s, unsigned p)
{
    size_t room = 64;
    while (room < s->task_count)
        room *= 2;
    struct run r = { .s = s,
                     .mask = room - 1,
                     .ready = format_memory(malloc(room * sizeof *r.ready)) };
    struct simulated result = simulate(&r, p);
    free(r.ready);
    return result;
}

struct simulated simulate_stealing(struct expanded *s, unsigned p, uint64_t latency, uint64_t seed)
{
    struct run r = { .s = s,
                     .stealing = true,
                     .latency = latency,
                     .random = (seed + 1) * 0x9e3779b97f4a7c15ull | 1 };
    uint32_t *by_task = format_memory(malloc(2 * s->task_count * sizeof *by_task));
    r.older = by_task;
    r.newer = by_task + s->task_count;
    r.having = format_memory(malloc(p * sizeof *r.having));
    struct simulated result = simulate(&r, p);
    free(by_task);
    free(r.having);
    return result;
}
