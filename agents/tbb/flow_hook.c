/* flow_hook.c - the nodes of flow graphs call these in place of what they call for themselves. See flow.c.
 *
 * Each calls the program's function once, with what it was called with; exceptions pass (cleanups).
 */
#include "flow_parts.h"
#include "process/thread.h"
#include "extras/whatif.h"
#include "base/forbid.h"

/* ---- what nodes do ---- */

/* A put that is under way: on the hook's stack, for its cleanup. */
struct putting {
    struct thread *th;
    struct flow_node *locked, *flying, *placing;
    const struct flow_node *courier;
    struct mail mail;
    struct flight flight;
    bool light;
};

static void flight_leave(struct flow_node *n, struct flight *f)
{
    lock_take(&n->lock);
    for (struct flight **at = &n->flights; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    lock_release(&n->lock);
}

static void flight_enter(struct flow_node *n, struct flight *f, const void *item)
{
    f->item = item;
    lock_take(&n->lock);
    f->next = n->flights;
    n->flights = f;
    lock_release(&n->lock);
}

static struct flight *flight_find(struct flow_node *n, const void *item)
{
    lock_take(&n->lock);
    struct flight *f = n->flights;
    while (f && f->item != item)
        f = f->next;
    lock_release(&n->lock);
    return f;
}

static void putting_cleanup(struct putting *w)
{
    if (w->locked)
        lock_release(&w->locked->order);
    if (w->flying)
        flight_leave(w->flying, &w->flight);
    if (w->light)
        flow_here.courier = w->courier;
    struct thread *th = engine_self();
    if (th && w->placing)
        flow_place_leave(th, w->placing, false);
    if (th)
        engine_trail_drop(th, w->mail.a.trail);
}

/* The running strand is a body of limited concurrency that puts its result into a node which runs its own body at once: its
 * place has been free since before. */
static void give_early(struct thread *th, struct flow_graph *g, const struct arrival *a)
{
    struct flow_node *from = place_in(g, th->cur);
    if (!from || !from->class_->puts_late || th->cur->flags & GAVE_SLOT || class_of(th->cur)->flow != FLOW_TASK_BODY ||
        !is_limited(from))
        return;
    th->cur->flags |= GAVE_SLOT;
    flow_slot_give(th, from, a);
}

/* A body runs inside this put: the strand goes on after what the body waits for. */
static void run_inside(struct thread *th, struct putting *w)
{
    engine_running_after(th, &w->mail.a);
    w->courier = flow_here.courier;
    w->light = true;
    flow_here.courier = 0;
}

/* The last message of N's round: M becomes what its body waits for. Under N's lock. */
static void round_over(struct thread *th, struct flow_node *n, const struct tbb_continue_receiver *c, struct mail *m)
{
    flow_mail_read(th, n->graph, &n->mail, m);
    flow_mail_drop(th, &n->mail);
    if ((int)n->seen < c->predecessors)
        flow_in_doubt(n, m);
    n->seen = 0;
}

struct tbb_task *flow_hook_put(void *receiver, const void *item)
{
    struct tbb_task *(*original)(void *, const void *) = shadow_of(receiver)->original[VTABLE_RECEIVER_PUT];
    struct thread *th = engine_self();
    struct port *p = th && th->cur ? flow_port_find(receiver) : 0;
    if (!p)
        return original(receiver, item);
    struct flow_node *n = p->node;
    struct flow_graph *g = n->graph;
    struct putting w __attribute__((cleanup(putting_cleanup))) = { .th = th };
    struct tbb_task *t;
    uint32_t flags = 0;
    if (n->class_->kind == FLOW_INDEXER) {
        /* or another thread might hand it on in our place */
        lock_take(&n->order);
        w.locked = n;
        return original(receiver, item);
    }
    struct flow_node *from = place_in(g, th->cur);
    bool plain = n->class_->kind == FLOW_CONTINUE && from && from->class_->kind == FLOW_CONTINUE && !flow_here.pulled.trail &&
                 !flow_here.doubt && !flow_here.place.trail;
    if (plain) {                /* what most continue_nodes get: see below */
        w.mail.epoch = __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE);
        engine_cut(th);
    } else {
        flow_mail_source(th, g, &w.mail);
        note_outside(th, n);
        if ((n->class_->kind == FLOW_CONTINUE || n->class_->kind == FLOW_FUNCTION) && is_light(n))
            give_early(th, g, &w.mail.a);
    }
    switch (n->class_->kind) {
    case FLOW_CONTINUE: {
        const struct tbb_continue_receiver *c = receiver;
        bool light = is_light(n), fires = false;
        if (!light) {
            lock_take(&n->order);
            w.locked = n;
        }
        lock_take(&n->lock);
        if (n->mail.epoch != g->epoch)
            n->seen = (uint32_t)c->current;
        if (plain && !WHATIF_ON && n->mail.epoch == g->epoch && n->mail.a.trail && n->mail.a.trail->S > th->cur->S)
            w.mail.a = (struct arrival){ .L = th->cur->L, .K = th->cur->K }; /* it cannot be the longest */
        else if (plain)
            flow_mail_now(th, g, &w.mail);
        flow_mail_add(th, g, &n->mail, &w.mail);
        n->seen++;
        if (light && (fires = c->current + 1 >= c->predecessors))
            round_over(th, n, c, &w.mail);
        lock_release(&n->lock);
        if (fires)
            run_inside(th, &w);
        t = original(receiver, item);
        if (!light && is_new(t)) {
            lock_take(&n->lock);
            round_over(th, n, c, &w.mail);
            lock_release(&n->lock);
        }
        break;
    }
    case FLOW_FUNCTION: {
        const struct tbb_function_input *f = receiver;
        bool light = is_light(n), limited = f->max_concurrency;
        if (limited)
            flags = NEEDS_SLOT;
        if (light) {
            uint64_t tail = f->queue ? f->queue->tail : 0;
            bool inside = !limited || (f->concurrency < f->max_concurrency && flow_slot_take(th, n, &w.mail.a));
            if (inside)
                run_inside(th, &w);
            t = original(receiver, item);
            th = engine_self();
            if (!th || !th->cur)
                return t;
            if (inside && limited) {
                struct mail m = { .epoch = g->epoch };
                uint32_t state = th->cur->flags & GAVE_SLOT;
                flow_mail_now(th, g, &m);
                flow_slot_give(th, n, &m.a);
                th->cur->flags = (th->cur->flags & ~GAVE_SLOT) | state;
                engine_trail_drop(th, m.a.trail);
            } else if (t == TBB_ENQUEUED && f->queue && f->queue->tail != tail) {
                lock_take(&n->lock);
                flow_box_put(th, g, &p->box, f->queue->head, f->queue->tail - 1, &w.mail);
                lock_release(&n->lock);
            }
        } else if (limited && f->queue) {
            lock_take(&n->order);
            w.locked = n;
            /* before it is there: a body that ends may take it out at once */
            uint64_t tail = __atomic_load_n(&f->queue->tail, __ATOMIC_ACQUIRE), head = f->queue->head;
            lock_take(&n->lock);
            flow_box_put(th, g, &p->box, head > f->max_concurrency ? head - f->max_concurrency : 0, tail, &w.mail);
            lock_release(&n->lock);
            t = original(receiver, item);
            if (t != TBB_ENQUEUED) {
                lock_take(&n->lock);
                flow_box_drop(th, &p->box, tail);
                lock_release(&n->lock);
            }
        } else {
            t = original(receiver, item);
        }
        break;
    }
    case FLOW_LIMITER: {
        if (p == &n->port[1]) {
            flow_place_take(th, n);
            w.placing = n;
            t = original(receiver, item);
            w.placing = 0;
            if (t && !flow_here.placed && n->class_->counts)
                engine_lower_bound("flow::limiter_node (a decrement that was not seen)");
            flow_place_leave(th, n, t != 0);
            break;
        }
        const struct tbb_continue_receiver *c = receiver;
        bool fires = !n->class_->counts;
        if (!fires) {
            lock_take(&n->lock);
            flow_mail_add(th, g, &n->mail, &w.mail);
            fires = c->current + 1 >= c->predecessors;
            if (fires) {
                flow_mail_read(th, g, &n->mail, &w.mail);
                flow_mail_drop(th, &n->mail);
            }
            lock_release(&n->lock);
        }
        if (fires) {
            flow_slot_give(th, n, &w.mail.a);
            flow_here.limiter = n;   /* what it lets through comes after this strand anyway */
            w.placing = n;
        }
        t = original(receiver, item);
        w.placing = 0;
        if (fires)
            flow_place_leave(th, n, true);
        break;
    }
    case FLOW_JOIN: {
        const struct tbb_queueing_port *q = receiver;
        lock_take(&n->order);
        w.locked = n;
        lock_take(&n->lock);
        flow_box_put(th, g, &p->box, q->buffer.head, q->buffer.tail, &w.mail);
        lock_release(&n->lock);
        t = original(receiver, item);
        break;
    }
    case FLOW_BUFFER:
        w.flight.mail = w.mail;
        w.flying = n;
        flight_enter(n, &w.flight, item);
        t = original(receiver, item);
        break;
    case FLOW_OVERWRITE:
        lock_take(&n->lock);
        flow_mail_drop(th, &n->mail);
        flow_mail_add(th, g, &n->mail, &w.mail);
        lock_release(&n->lock);
        /* fall through */
    default:
        t = original(receiver, item);
    }
    if (is_new(t)) {
        const struct task_class *k = task_class_of(t->vptr);
        struct tbb_graph_task *gt = (struct tbb_graph_task *)t;
        if (k->flow == FLOW_TASK_BODY && gt->node == receiver)
            flow_ready(th, n, gt, k, &w.mail, flags, false);
        else if (k->flow == FLOW_TASK_FORWARD)
            flow_ready(th, n, gt, k, &w.mail, 0, false);
    }
    return t;
}

/* ---- buffers: what happens inside their operations, on whichever thread handles them ---- */

static const struct tbb_item_buffer *buffer_of(const struct flow_node *n)
{
    return (const void *)((const char *)n->top + n->class_->buffer);
}

struct couriering {
    const struct flow_node *before;
};
static void couriering_cleanup(struct couriering *c)
{
    flow_here.courier = c->before;
}

void flow_hook_buffer_forward(void *buffer, struct tbb_buffer_operation *op)
{
    void (*original)(void *, struct tbb_buffer_operation *) = shadow_of(buffer)->original[VTABLE_BUFFER_FORWARD];
    struct port *p = engine_self() ? flow_port_find(buffer) : 0;
    struct couriering c __attribute__((cleanup(couriering_cleanup))) = { flow_here.courier };
    if (p)
        flow_here.courier = p->node;
    original(buffer, op);
}

/* OP stands on the stack of who wants it done. */
static bool is_mine(const void *op)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    return (uintptr_t)op - frame < 64 << 10;
}

bool flow_hook_buffer_push(void *buffer, struct tbb_buffer_operation *op)
{
    bool (*original)(void *, struct tbb_buffer_operation *) = shadow_of(buffer)->original[VTABLE_BUFFER_PUSH];
    struct thread *th = engine_self();
    struct port *p = th && th->cur ? flow_port_find(buffer) : 0;
    if (!p)
        return original(buffer, op);
    struct flow_node *n = p->node;
    const struct tbb_item_buffer *b = buffer_of(n);
    struct flight *f = flight_find(n, op->item);
    struct mail m = { .epoch = n->graph->epoch };
    if (f)
        flow_mail_read(th, n->graph, &f->mail, &m);
    else if (is_mine(op))
        flow_mail_source(th, n->graph, &m);
    else
        flow_in_doubt(n, &m);
    uint64_t tail = b->tail;
    flow_here.tagged = false;
    bool result = original(buffer, op);
    if (b->tail > tail)
        flow_box_put(th, n->graph, &n->port[1].box, b->head, b->tail - 1, &m);
    else if (flow_here.tagged && flow_here.tag >= b->head && flow_here.tag < b->tail)
        flow_box_put(th, n->graph, &n->port[1].box, b->head, flow_here.tag, &m);
    if (n->class_->order == FLOW_PRIORITY && b->tail > 1)
        engine_lower_bound(n->class_->name);
    engine_trail_drop(th, m.a.trail);
    return result;
}

static void take(void *buffer, struct tbb_buffer_operation *op, bool last)
{
    struct thread *th = engine_self();
    struct port *p = th ? flow_port_find(buffer) : 0;
    struct flow_node *n = p ? p->node : 0;
    struct flight *f = n ? flight_find(n, op->item) : 0;
    if (!f)
        return;
    const struct tbb_item_buffer *b = buffer_of(n);
    if (b->tail == b->head)
        return;
    f->found = true;
    flow_box_read(th, n->graph, &n->port[1], last ? b->tail - 1 : b->head, &f->mail);
}

void flow_hook_buffer_pop(void *buffer, struct tbb_buffer_operation *op)
{
    const struct shadow *s = shadow_of(buffer);
    void (*original)(void *, struct tbb_buffer_operation *) = s->original[VTABLE_BUFFER_POP];
    struct port *p = flow_port_find(buffer);
    take(buffer, op, p && p->node->class_->order == FLOW_LIFO);
    original(buffer, op);
}

void flow_hook_buffer_reserve(void *buffer, struct tbb_buffer_operation *op)
{
    const struct shadow *s = shadow_of(buffer);
    void (*original)(void *, struct tbb_buffer_operation *) = s->original[VTABLE_BUFFER_RESERVE];
    take(buffer, op, false);
    original(buffer, op);
}

size_t flow_hook_tag(void *sequencer, const void *item)
{
    size_t (*original)(void *, const void *) = shadow_of(sequencer)->original[VTABLE_BODY_CALL];
    flow_here.tag = original(sequencer, item);
    flow_here.tagged = true;
    return flow_here.tag;
}

/* ---- senders: what is pulled ---- */

struct pulling {
    struct flow_node *n;
    struct flight flight;
};
static void pulling_cleanup(struct pulling *w)
{
    if (w->n)
        flight_leave(w->n, &w->flight);
    struct thread *th = engine_self();
    if (th)
        engine_trail_drop(th, w->flight.mail.a.trail);
}

static bool pull(void *sender, void *item, unsigned slot)
{
    bool (*original)(void *, void *) = shadow_of(sender)->original[slot];
    struct thread *th = engine_self();
    struct port *p = th && th->cur ? flow_port_find(sender) : 0;
    if (!p)
        return original(sender, item);
    struct flow_node *n = p->node;
    struct pulling w __attribute__((cleanup(pulling_cleanup))) = { .flight = { .mail = { .epoch = n->graph->epoch } } };
    if (n->class_->kind == FLOW_BUFFER) {
        w.n = n;
        flight_enter(n, &w.flight, item);
    } else {
        lock_take(&n->lock);
        w.flight.found = n->mail.a.trail != 0;
        flow_mail_read(th, n->graph, &n->mail, &w.flight.mail);
        lock_release(&n->lock);
    }
    bool result = original(sender, item);
    if (result && place_in(n->graph, th->cur)) {
        engine_arrival_max(th, &flow_here.pulled, &w.flight.mail.a);
        flow_here.doubt |= w.flight.mail.doubt || !w.flight.found;
    }
    return result;
}

bool flow_hook_get(void *sender, void *item)
{
    return pull(sender, item, VTABLE_SENDER_GET);
}

bool flow_hook_reserve(void *sender, void *item)
{
    return pull(sender, item, VTABLE_SENDER_RESERVE);
}

static bool settle(void *sender, unsigned slot)
{
    bool (*original)(void *) = shadow_of(sender)->original[slot];
    bool result = original(sender);     /* it may spawn what comes next, which is after what was pulled */
    struct thread *th = engine_self();
    if (th)
        flow_pulled_drop(th);
    return result;
}

bool flow_hook_release(void *sender)
{
    return settle(sender, VTABLE_SENDER_RELEASE);
}

bool flow_hook_consume(void *sender)
{
    if (flow_here.limiter) {
        struct thread *th = engine_self();
        if (th)
            flow_place_use(th, flow_here.limiter);
    }
    return settle(sender, VTABLE_SENDER_CONSUME);
}
