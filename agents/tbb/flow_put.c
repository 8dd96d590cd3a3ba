/* flow_put.c - a message is put into a node of a flow graph: our function in the vtables of
 * receivers, for each kind of node. See flow.c.
 *
 * It calls the program's function once, with the program's arguments. Exceptions pass through it
 * (cleanups).
 */
#include "lifecycle/thread.h"
#include "flow_private.h"
#include "dag/own_overhead.h"
#include "whatif/whatif.h"
#include "base/forbid.h"

typedef struct tbb_task *put_function(void *receiver, const void *item);

/* A put that has arrived at PORT. */
struct arrived {
    struct port *port;
    put_function *original;
    void *receiver;
    const void *item;
};

/* The state of a put that is under way. It is on the hook's stack, for its cleanup. */
struct putting {
    struct thread *th;          /* NULL: nothing is recorded any more */
    struct port *port;
    struct flow_node *node;
    struct flow_graph *graph;
    put_function *original;
    void *receiver;
    const void *item;
    uint32_t flags;             /* of the task that the put makes ready */
    bool plain; /* one continue_node puts into another, and no other path plays a part */
    bool light;                 /* the node's body runs inside the put */
    struct flow_node *locked;   /* its `order` is held */
    struct flow_node *flying;   /* `flight` is under way in it */
    struct flow_node *limiter;  /* a slot of this limiter is taken */
    struct flow_state before;    /* with `light`: this thread's, before the body */
    struct mail mail;           /* what the put carries */
    struct flight flight;
    struct own own;             /* with `held`: the strand is held */
    bool held;
};

/* Our part of a put costs about as much as the put itself. It must not be the strand's cost. */
static void hold(struct putting *w)
{
    w->own = own_begin(w->th);
    w->held = true;
}

static void let_go(struct putting *w)
{
    if (w->held)
        own_end(w->th, &w->own);
    w->held = false;
}

/* The body is the program's, and may wait, throw, or go to another thread. */
static void here_save(struct putting *w)
{
    w->before = flow_here;
    w->light = true;
    flow_here = (struct flow_state){ .prioritized = w->before.prioritized };
}

static void here_restore(struct putting *w)
{
    w->before.prioritized = flow_here.prioritized;
    flow_here = w->before;
}

static void putting_cleanup(struct putting *w)
{
    if (w->locked)
        lock_release(&w->locked->order);
    if (w->flying)
        flow_flight_leave(w->flying, &w->flight);
    if (w->light)
        here_restore(w);
    struct thread *th = thread_self();
    if (th && w->limiter)
        flow_limiter_leave(th, w->limiter, false);
    if (th)
        trail_drop(th, w->mail.a.trail);
}

static struct tbb_task *call(struct putting *w)
{
    let_go(w);
    struct tbb_task *t = w->original(w->receiver, w->item);
    struct thread *th = thread_self(), *before = w->th;
    w->th = th && th->cur ? th : 0;     /* a light body may go on on another thread */
    if (is_new(t) && w->th == before)
        hold(w);
    return t;
}

/* From here to the end of the put, our order of puts is TBB's. */
static void order_take(struct putting *w)
{
    lock_take(&w->node->order);
    w->locked = w->node;
}

/* The running strand is a body of limited concurrency that puts its result into a node which runs
 * its own body at once: the strand's slot has been free since before that. */
static void give_early(struct thread *th, struct flow_graph *g, const struct arrival *a)
{
    struct flow_node *from = node_in(g, th->cur);
    if (!from || !from->class_->puts_late || th->cur->flags & GAVE_SLOT ||
        class_of(th->cur)->flow != FLOW_TASK_BODY || !is_limited(from))
        return;
    th->cur->flags |= GAVE_SLOT;
    flow_slot_give(th, from, a);
}

/* A body runs inside this put. So the strand goes on after all that the body waits for. */
static void run_inside(struct thread *th, struct putting *w)
{
    engine_running_after(th, &w->mail.a);
    here_save(w);
}

/* ---- continue_node ---- */

/* The last message of N's round: M becomes what N's body waits for. Under N's lock. */
static void round_over(struct thread *th, struct flow_node *n,
                       const struct tbb_continue_receiver *c, struct mail *m)
{
    flow_mail_read(th, n->graph, &n->mail, m);
    flow_mail_drop(th, &n->mail);
    if ((int)n->seen < c->predecessors)
        flow_in_doubt(n, m);
    n->seen = 0;
}

static struct tbb_task *put_continue(struct putting *w)
{
    struct thread *th = w->th;
    struct flow_node *n = w->node;
    struct flow_graph *g = w->graph;
    const struct tbb_continue_receiver *c = w->receiver;
    bool light = is_light(n), fires = false;
    if (!light)
        order_take(w);
    lock_take(&n->lock);
    if (n->mail.epoch != g->epoch)
        n->seen = (uint32_t)c->current;
    if (w->plain && !WHATIF_ON && n->mail.epoch == g->epoch && n->mail.a.trail &&
        n->mail.a.trail->S > th->cur->S)
        /* this message's path cannot be the longest of the round */
        w->mail.a = (struct arrival){ .len = th->cur->len };
    else if (w->plain)
        flow_mail_now(th, g, &w->mail);
    flow_mail_add(th, g, &n->mail, &w->mail);
    n->seen++;
    if (light && (fires = c->current + 1 >= c->predecessors))
        round_over(th, n, c, &w->mail);
    lock_release(&n->lock);
    if (fires)
        run_inside(th, w);
    struct tbb_task *t = call(w);
    if (!light && is_new(t) && w->th) {
        lock_take(&n->lock);
        round_over(th, n, c, &w->mail);
        lock_release(&n->lock);
    }
    return t;
}

/* ---- function_node and its like ---- */

/* The body that ran inside the put gives its slot back. The strand, which runs it, may be a body
 * with a slot of its own. */
static void light_gives_back(struct thread *th, struct flow_node *n)
{
    struct mail m = { .epoch = n->graph->epoch };
    uint32_t state = th->cur->flags & GAVE_SLOT;
    flow_mail_now(th, n->graph, &m);
    flow_slot_give(th, n, &m.a);
    th->cur->flags = (th->cur->flags & ~GAVE_SLOT) | state;
    trail_drop(th, m.a.trail);
}

/* The body runs at once, if there is a slot for it; else the message is queued, or rejected. */
static struct tbb_task *put_light(struct putting *w)
{
    struct flow_node *n = w->node;
    const struct tbb_function_input *f = w->receiver;
    bool limited = f->max_concurrency;
    uint64_t tail = f->queue ? f->queue->tail : 0;
    bool inside = !limited ||
                  (f->concurrency < f->max_concurrency && flow_slot_take(w->th, n, &w->mail.a));
    if (inside)
        run_inside(w->th, w);
    struct tbb_task *t = call(w);
    struct thread *th = w->th;
    if (th && inside && limited) {
        light_gives_back(th, n);
    } else if (th && t == TBB_ENQUEUED && f->queue && f->queue->tail != tail) {
        lock_take(&n->lock);
        flow_box_put(th, w->graph, &w->port->box, f->queue->head, f->queue->tail - 1, &w->mail);
        lock_release(&n->lock);
    }
    return t;
}

/* A serial node executes its messages in the order of their arrival. Where strands put that are not
 * in series, this order is the run's: it may not be that of the messages' paths. Under W's node's
 * lock. */
static void note_order(const struct putting *w)
{
    struct flow_node *n = w->node;
    uint64_t S = w->mail.a.trail ? w->mail.a.trail->S : n->latest;
    if (S >= n->latest) {
        n->latest = S;
    } else if (!n->overtaken) {
        n->overtaken = true;
        run_as_executed("serial flow graph node with messages of several strands");
    }
}

/* The message may be queued. We keep it before it is there: a body that ends may take it out at
 * once. */
static struct tbb_task *put_queued(struct putting *w)
{
    struct flow_node *n = w->node;
    const struct tbb_function_input *f = w->receiver;
    order_take(w);
    uint64_t tail = __atomic_load_n(&f->queue->tail, __ATOMIC_ACQUIRE), head = f->queue->head;
    lock_take(&n->lock);
    if (f->max_concurrency == 1)
        note_order(w);
    flow_box_put(w->th, w->graph, &w->port->box,
                 head > f->max_concurrency ? head - f->max_concurrency : 0, tail, &w->mail);
    lock_release(&n->lock);
    struct tbb_task *t = call(w);
    if (t != TBB_ENQUEUED && w->th) {
        lock_take(&n->lock);
        flow_box_drop(w->th, &w->port->box, tail);
        lock_release(&n->lock);
    }
    return t;
}

static struct tbb_task *put_function_node(struct putting *w)
{
    const struct tbb_function_input *f = w->receiver;
    if (f->max_concurrency)
        w->flags = NEEDS_SLOT;
    return is_light(w->node)                ? put_light(w)
           : f->max_concurrency && f->queue ? put_queued(w)
                                            : call(w);
}

/* ---- limiter_node ---- */

/* A message takes a slot, or is rejected. */
static struct tbb_task *put_limited(struct putting *w)
{
    struct flow_node *n = w->node;
    flow_limiter_take(w->th, n);
    w->limiter = n;
    struct tbb_task *t = call(w);
    w->limiter = 0;
    if (!w->th)
        return t;
    if (t && !flow_here.has_slot && n->class_->counts)
        run_lower_bound("flow::limiter_node (a decrement that was not seen)");
    flow_limiter_leave(w->th, n, t != 0);
    return t;
}

/* A message of the decrementer, which is a receiver of continue_msg: its last one gives a slot
 * back. */
static struct tbb_task *put_decrement(struct putting *w)
{
    struct thread *th = w->th;
    struct flow_node *n = w->node;
    const struct tbb_continue_receiver *c = w->receiver;
    bool fires = !n->class_->counts;
    if (!fires) {
        lock_take(&n->lock);
        flow_mail_add(th, w->graph, &n->mail, &w->mail);
        fires = c->current + 1 >= c->predecessors;
        if (fires) {
            flow_mail_read(th, w->graph, &n->mail, &w->mail);
            flow_mail_drop(th, &n->mail);
        }
        lock_release(&n->lock);
    }
    if (fires) {
        flow_slot_give(th, n, &w->mail.a);
        flow_here.limiter = n;  /* a message that it lets through comes after this strand anyway */
        w->limiter = n;
    }
    struct tbb_task *t = call(w);
    w->limiter = 0;
    if (fires && w->th)
        flow_limiter_leave(w->th, n, true);
    return t;
}

/* ---- nodes that hold messages ---- */

/* A put into a port of a join_node (queueing). */
static struct tbb_task *put_join(struct putting *w)
{
    struct flow_node *n = w->node;
    const struct tbb_queueing_port *q = w->receiver;
    order_take(w);
    lock_take(&n->lock);
    flow_box_put(w->th, w->graph, &w->port->box, q->buffer.head, q->buffer.tail, &w->mail);
    lock_release(&n->lock);
    return call(w);
}

/* The thread that handles the operation finds our message by the address of the item. */
static struct tbb_task *put_buffer(struct putting *w)
{
    w->flight.mail = w->mail;
    w->flying = w->node;
    flow_flight_enter(w->node, &w->flight, w->item);
    return call(w);
}

static struct tbb_task *put_overwrite(struct putting *w)
{
    struct flow_node *n = w->node;
    lock_take(&n->lock);
    flow_mail_drop(w->th, &n->mail);
    flow_mail_add(w->th, w->graph, &n->mail, &w->mail);
    lock_release(&n->lock);
    return call(w);
}

/* ---- all kinds ---- */

static struct tbb_task *put(struct putting *w)
{
    switch (w->node->class_->kind) {
    case FLOW_CONTINUE:
        return put_continue(w);
    case FLOW_FUNCTION:
        return put_function_node(w);
    case FLOW_LIMITER:
        return w->port == &w->node->port[1] ? put_limited(w) : put_decrement(w);
    case FLOW_JOIN:
        return put_join(w);
    case FLOW_BUFFER:
        return put_buffer(w);
    case FLOW_OVERWRITE:
        return put_overwrite(w);
    default:
        return call(w);
    }
}

/* Computes the path of the message. Most continue_nodes get their messages from other
 * continue_nodes. Then put_continue computes the path later, under the node's lock, because most
 * messages are not the longest of their round. */
static void message(struct putting *w)
{
    struct thread *th = w->th;
    struct flow_node *n = w->node, *from = node_in(w->graph, th->cur);
    w->plain = n->class_->kind == FLOW_CONTINUE && from && from->class_->kind == FLOW_CONTINUE &&
               !flow_here.pulled.trail && !flow_here.doubt && !flow_here.slot.trail;
    if (w->plain) {
        w->mail.epoch = __atomic_load_n(&w->graph->epoch, __ATOMIC_ACQUIRE);
        engine_cut(th);
        return;
    }
    flow_mail_source(th, w->graph, &w->mail);
    note_outside(th, n);
    if ((n->class_->kind == FLOW_CONTINUE || n->class_->kind == FLOW_FUNCTION) && is_light(n))
        give_early(th, w->graph, &w->mail.a);
}

/* The put has made a task. */
static void made(struct putting *w, struct tbb_task *t)
{
    const struct task_class *k = task_class_of(t->vptr);
    struct tbb_graph_task *gt = (struct tbb_graph_task *)t;
    if (k->flow == FLOW_TASK_BODY && task_node(w->graph, gt) == w->receiver)
        flow_ready(w->th, w->node, gt, &w->mail, w->flags, false);
    else if (k->flow == FLOW_TASK_FORWARD)
        flow_ready(w->th, w->node, gt, &w->mail, 0, false);
}

/* The strand is held for OWN. Out of line, so that the other way saves no registers for it. */
static __attribute__((noinline)) struct tbb_task *put_long(const struct arrived *at,
                                                           struct thread *th, struct own own)
{
    struct putting w __attribute__((cleanup(putting_cleanup))) = {
        .th = th,
        .port = at->port,
        .node = at->port->node,
        .graph = at->port->node->graph,
        .original = at->original,
        .receiver = at->receiver,
        .item = at->item,
        .own = own,
        .held = true,
    };
    if (w.node->class_->kind == FLOW_INDEXER) {
        order_take(&w);         /* else another thread might hand on the message for us */
        struct tbb_task *t = call(&w);
        let_go(&w);
        return t;
    }
    message(&w);
    struct tbb_task *t = put(&w);
    if (w.th && is_new(t))
        made(&w, t);
    let_go(&w);
    return t;
}

/* ---- puts that make a body ready, whatever other strands do ---- */

/* Does a message that is put into N make a body ready that waits for this message alone? */
static inline bool fires_alone(const struct flow_node *n, const void *receiver)
{
    if (n->class_->light)
        return false;
    if (n->class_->kind == FLOW_FUNCTION)
        return !((const struct tbb_function_input *)receiver)->max_concurrency;
    if (n->class_->kind != FLOW_CONTINUE)
        return false;
    const struct tbb_continue_receiver *c = receiver;
    return c->predecessors <= 1 && !c->current &&
           !__atomic_load_n(&n->seen, __ATOMIC_RELAXED);
}

/* The body's record, until its task is there. It is on the hook's stack, for its cleanup. */
struct firing {
    struct task *rec;
};

static void firing_cleanup(struct firing *f)
{
    struct thread *th = f->rec ? thread_self() : 0;
    if (th)
        engine_discard(th, f->rec);
}

/* The put has made no body's task: the graph is cancelled, or an edge to N was made meanwhile and
 * the message belongs to a round. */
static __attribute__((noinline, cold)) void fired_nothing(const struct arrived *at)
{
    struct flow_node *n = at->port->node;
    struct thread *th = thread_self();
    const struct tbb_continue_receiver *c = at->receiver;
    if (!th || !th->cur || n->class_->kind != FLOW_CONTINUE || !c->current)
        return;
    struct mail m = { .epoch = n->graph->epoch };
    flow_mail_now(th, n->graph, &m);
    lock_take(&n->lock);
    flow_mail_add(th, n->graph, &n->mail, &m);
    n->seen++;
    lock_release(&n->lock);
    trail_drop(th, m.a.trail);
}

/* REC, made before the put, is the record of the body that it makes ready. So the strand is held
 * once, and not before and after the put. */
static struct tbb_task *put_firing(const struct arrived *at, struct task *rec)
{
    struct firing f __attribute__((cleanup(firing_cleanup))) = { rec };
    struct tbb_task *t = at->original(at->receiver, at->item);
    struct tbb_graph_task *gt = (struct tbb_graph_task *)t;
    if (__builtin_expect(!is_new(t) || task_node(at->port->node->graph, gt) != at->receiver, 0)) {
        fired_nothing(at);
        return t;
    }
    f.rec = 0;
    flow_ready_is(at->port->node, gt, rec, false);
    return t;
}

struct tbb_task *flow_hook_put(void *receiver, const void *item)
{
    put_function *original = (put_function *)shadow_of(receiver)->original[VTABLE_RECEIVER_PUT];
    struct thread *th = thread_self();
    if (!th || !th->cur)
        return original(receiver, item);
    struct own own = own_begin(th);
    struct arrived at = { flow_port_find(receiver), original, receiver, item };
    struct flow_node *n = at.port ? at.port->node : 0;
    if (__builtin_expect(!n, 0)) {
        own_end(th, &own);
        return original(receiver, item);
    }
    struct task *rec = fires_alone(n, receiver) ? flow_ready_along(th, n) : 0;
    if (!rec)
        return put_long(&at, th, own);
    note_outside(th, n);
    own_end(th, &own);
    return put_firing(&at, rec);
}
