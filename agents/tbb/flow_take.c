/* flow_take.c - our functions in the vtables of buffers and senders of flow graphs. See flow.c.
 *
 * Each calls the program's function once, with the program's arguments. Exceptions pass through
 * (cleanups).
 */
#include "lifecycle/thread.h"
#include "flow_private.h"
#include "base/forbid.h"

/* ---- operations under way ---- */

void flow_flight_leave(struct flow_node *n, struct flight *f)
{
    lock_take(&n->lock);
    for (struct flight **at = &n->flights; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    lock_release(&n->lock);
}

void flow_flight_enter(struct flow_node *n, struct flight *f, const void *item)
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

/* ---- buffers: inside their operations, on whichever thread handles them ---- */

static const struct tbb_item_buffer *buffer_of(const struct flow_node *n)
{
    return (const void *)((const char *)n->top + n->class_->buffer);
}

typedef void buffer_function(void *buffer, struct tbb_buffer_operation *op);

/* This thread hands on a buffer's messages. The struct is on the hook's stack, for its cleanup. */
struct couriering {
    const struct flow_node *before;
};
static void couriering_cleanup(struct couriering *c)
{
    flow_here.courier = c->before;
}

void flow_hook_buffer_forward(void *buffer, struct tbb_buffer_operation *op)
{
    buffer_function *original =
        (buffer_function *)shadow_of(buffer)->original[VTABLE_BUFFER_FORWARD];
    struct port *p = thread_self() ? flow_port_find(buffer) : 0;
    struct couriering c __attribute__((cleanup(couriering_cleanup))) = { flow_here.courier };
    if (p)
        flow_here.courier = p->node;
    original(buffer, op);
}

/* Is OP on the stack of this thread? Then this thread has requested the operation. */
static bool is_mine(const void *op)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    return (uintptr_t)op - frame < 64 << 10;
}

bool flow_hook_buffer_push(void *buffer, struct tbb_buffer_operation *op)
{
    bool (*original)(void *, struct tbb_buffer_operation *);
    original = shadow_of(buffer)->original[VTABLE_BUFFER_PUSH];
    struct thread *th = thread_self();
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
        run_lower_bound(n->class_->name);
    trail_drop(th, m.a.trail);
    return result;
}

/* The operation OP takes the first message, or the last. */
static void take(void *buffer, struct tbb_buffer_operation *op, bool last)
{
    struct thread *th = thread_self();
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

/* The state of a get that is under way. It is on the hook's stack, for its cleanup. */
struct pulling {
    struct flow_node *n;
    struct flight flight;
};
static void pulling_cleanup(struct pulling *w)
{
    if (w->n)
        flow_flight_leave(w->n, &w->flight);
    struct thread *th = thread_self();
    if (th)
        trail_drop(th, w->flight.mail.a.trail);
}

static bool pull(void *sender, void *item, unsigned slot)
{
    bool (*original)(void *, void *) = shadow_of(sender)->original[slot];
    struct thread *th = thread_self();
    struct port *p = th && th->cur ? flow_port_find(sender) : 0;
    if (!p)
        return original(sender, item);
    struct flow_node *n = p->node;
    struct pulling w __attribute__((cleanup(pulling_cleanup))) = { .n = 0 };
    w.flight.mail.epoch = n->graph->epoch;
    if (n->class_->kind == FLOW_BUFFER) {
        w.n = n;
        flow_flight_enter(n, &w.flight, item);
    } else {
        lock_take(&n->lock);
        w.flight.found = n->mail.a.trail != 0;
        flow_mail_read(th, n->graph, &n->mail, &w.flight.mail);
        lock_release(&n->lock);
    }
    bool result = original(sender, item);
    if (result && node_in(n->graph, th->cur)) {
        arrival_max(th, &flow_here.pulled, &w.flight.mail.a);
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

/* A reserved message is given back, or used. */
static bool settle(void *sender, unsigned slot)
{
    bool (*original)(void *) = shadow_of(sender)->original[slot];
    /* The call may spawn the next task, which starts after the pulled message. */
    bool result = original(sender);
    struct thread *th = thread_self();
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
        struct thread *th = thread_self();
        if (th)
            flow_limiter_use(th, flow_here.limiter);
    }
    return settle(sender, VTABLE_SENDER_CONSUME);
}
