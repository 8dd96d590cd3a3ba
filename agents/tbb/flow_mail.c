/* flow_mail.c - messages of flow graphs: their paths, their queues, and the slots that they wait
 * for. See flow.c.
 */
#include "flow_private.h"
#include <string.h>
#include "base/forbid.h"

const char flow_inlined[] = "flow graph (puts that the compiler inlined)";
#undef flow_here
__thread struct flow_state flow_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define flow_here THREAD_LOCAL(flow_here)

void flow_mail_drop(struct thread *th, struct mail *m)
{
    trail_drop(th, m->a.trail);
    *m = (struct mail){ .index = 0 };
}

void flow_mail_read(struct thread *th, const struct flow_graph *g, const struct mail *m,
                    struct mail *into)
{
    if (m->epoch != __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE))
        return;
    arrival_max(th, &into->a, &m->a);
    into->doubt |= m->doubt;
}

void flow_mail_add(struct thread *th, const struct flow_graph *g, struct mail *m,
                   const struct mail *more)
{
    uint64_t epoch = __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE);
    if (m->epoch != epoch)
        flow_mail_drop(th, m);
    m->epoch = epoch;
    arrival_max(th, &m->a, &more->a);
    m->doubt |= more->doubt;
}

void flow_box_free(struct thread *th, struct box *b)
{
    for (uint32_t i = 0; i < b->capacity; i++)
        trail_drop(th, b->mail[i].a.trail);
    if (b->mail)
        block_free(th, b->mail);
    *b = (struct box){ .capacity = 0 };
}

/* Makes room for the message at INDEX, in a queue whose first message is HEAD. Returns why that is
 * impossible, or NULL. */
static const char *box_reserve(struct thread *th, struct box *b, uint64_t head, uint64_t index)
{
    uint32_t capacity = b->capacity ? b->capacity : 8;
    while (index - head >= capacity && capacity < 1u << 17)
        capacity *= 2;
    if (index < head || index - head >= capacity)
        return "flow graph (queue of more than 131072 messages)";
    if (capacity == b->capacity)
        return 0;
    struct box wider = { block_new(th, block_class(capacity * sizeof *b->mail)), capacity };
    if (!wider.mail)
        return "flow graph (queue without memory)";
    memset(wider.mail, 0, capacity * sizeof *b->mail);
    for (uint32_t i = 0; i < b->capacity; i++) {
        struct mail *m = &b->mail[i];
        if (m->index > head) {
            wider.mail[(m->index - 1) & (capacity - 1)] = *m;
            m->a.trail = 0;
        }
    }
    flow_box_free(th, b);
    *b = wider;
    return 0;
}

void flow_box_put(struct thread *th, struct flow_graph *g, struct box *b, uint64_t head,
                  uint64_t index, const struct mail *mail)
{
    const char *why = box_reserve(th, b, head, index);
    if (why) {
        run_lower_bound(why);
        return;
    }
    struct mail *m = &b->mail[index & (b->capacity - 1)];
    flow_mail_drop(th, m);
    flow_mail_add(th, g, m, mail);
    m->index = index + 1;
}

void flow_in_doubt(const struct flow_node *n, struct mail *m)
{
    if (n->outside == __atomic_load_n(&n->graph->epoch, __ATOMIC_RELAXED) + 1)
        m->doubt = true;
    else
        run_lower_bound(flow_inlined);
}

void flow_box_drop(struct thread *th, struct box *b, uint64_t index)
{
    struct mail *m = b->capacity ? &b->mail[index & (b->capacity - 1)] : 0;
    if (m && m->index == index + 1)
        flow_mail_drop(th, m);
}

/* A message from before we knew the graph does not count: it was put before all bodies that we know
 * began, and delays none of them. */
void flow_box_read(struct thread *th, struct flow_graph *g, const struct port *p, uint64_t index,
                   struct mail *into)
{
    const struct box *b = &p->box;
    const struct mail *m = b->capacity ? &b->mail[index & (b->capacity - 1)] : 0;
    if (m && m->index == index + 1)
        flow_mail_read(th, g, m, into);
    else if (index >= p->known_from)
        flow_in_doubt(p->node, into);
}

/* ---- strands ---- */

struct scope *flow_scope_known(const struct thread *th, const struct flow_graph *g)
{
    const struct task *cur = th->cur;
    if (node_in(g, cur))
        return cur->scope;
    for (struct scope *s = cur->scopes; s; s = s->owner_next)
        if (s->key == g)
            return s;
    return 0;
}

/* A task of G puts into its own scope. A strand from outside has a scope for G, or is a guest in
 * another's. */
struct scope *flow_scope_of(struct thread *th, struct flow_graph *g)
{
    struct scope *s = flow_scope_known(th, g);
    if (!s)
        s = flow_guest_scope(th, g);
    return s ? s : flow_scope_own(th, g);
}

struct scope *flow_scope_own(struct thread *th, struct flow_graph *g)
{
    lock_take(&g->lock);
    struct scope *s = g->scopes;
    while (s && (__atomic_load_n(&s->owner, __ATOMIC_RELAXED) || !scope_adopt(th, s)))
        s = s->key_next;
    if (!s && (s = scope_new(th, g))) {
        s->key_next = g->scopes;
        __atomic_store_n(&g->scopes, s, __ATOMIC_RELEASE);
    }
    if (!g->context)
        g->context = th->cur->ctx;
    lock_release(&g->lock);
    return s;
}

static const struct tbb_limiter *limiter(const struct flow_node *n)
{
    return (const void *)((const char *)n->top + n->class_->sender);
}

/* The number of free slots if nothing is under way. */
static uint64_t slots_free(const struct flow_node *n)
{
    if (n->class_->kind != FLOW_LIMITER)
        return function_input(n)->max_concurrency;
    const struct tbb_limiter *l = limiter(n);
    return l->threshold > l->count ? l->threshold - l->count : 0;
}

void flow_slot_reused(struct flow_node *n)
{
    if (__atomic_load_n(&n->reused, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&n->reused, true, __ATOMIC_RELAXED);
    if (n->class_->kind == FLOW_LIMITER) {
        if (limiter(n)->threshold > 1)
            run_as_executed("flow::limiter_node with a threshold above 1");
    } else if (function_input(n)->max_concurrency > 1) {
        run_as_executed("flow graph node with a concurrency limit above 1");
    }
}

void flow_slot_give(struct thread *th, struct flow_node *n, const struct arrival *a)
{
    struct slot *slot = a->trail ? block_new(th, block_class(sizeof *slot)) : 0;
    if (slot) {
        *slot = (struct slot){ .next = 0 };
        arrival_max(th, &slot->a, a);
    }
    lock_take(&n->lock);
    if (n->slots_owed) {
        n->slots_owed--;
    } else if (slot) {
        struct slot **at = &n->slots;
        while (*at && (*at)->a.trail->S <= a->trail->S)
            at = &(*at)->next;
        slot->next = *at;
        *at = slot;
        slot = 0;
    } else {
        n->slots_fresh++;
    }
    lock_release(&n->lock);
    if (slot) {
        trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
}

void flow_slots_drop(struct thread *th, struct flow_node *n)
{
    while (n->slots) {
        struct slot *slot = n->slots;
        n->slots = slot->next;
        trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
}

/* Takes a slot that was never used, else the one that was given back first. */
bool flow_slot_take(struct thread *th, struct flow_node *n, struct arrival *a)
{
    bool taken = true;
    struct slot *slot = 0;
    lock_take(&n->lock);
    uint64_t epoch = __atomic_load_n(&n->graph->epoch, __ATOMIC_RELAXED);
    if (n->slots_epoch != epoch + 1) {
        flow_slots_drop(th, n);
        n->slots_epoch = epoch + 1;
        n->slots_fresh = slots_free(n);
        n->slots_owed = 0;
    }
    if (n->slots_fresh)
        n->slots_fresh--;
    else if ((slot = n->slots))
        n->slots = slot->next;
    else
        taken = false;
    lock_release(&n->lock);
    if (slot) {
        flow_slot_reused(n);
        arrival_delay(th, a, &slot->a);
        trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
    return taken;
}


void flow_mail_now(struct thread *th, struct flow_graph *g, struct mail *m)
{
    struct scope *s = flow_scope_of(th, g);
    struct arrival a = { 0 };
    if (s)
        arrival_now(th, s, &a);
    if (!a.trail)
        return;
    if (__builtin_expect(flow_is_guest(th, a.trail->scope), 0))
        flow_guest_path(th, g, a.trail);
    arrival_max(th, &m->a, &a);
    trail_drop(th, a.trail);
}

/* N hands on one of its messages. M gets that message's path. */
static void courier_mail(struct thread *th, struct flow_node *n, struct mail *m)
{
    const struct flow_node_class *c = n->class_;
    struct flow_graph *g = n->graph;
    if (c->kind == FLOW_BUFFER) {
        const struct tbb_item_buffer *b = (const void *)((const char *)n->top + c->buffer);
        flow_box_read(th, g, &n->port[1], c->order == FLOW_LIFO ? b->tail - 1 : b->head, m);
        if (c->sequences) {
            flow_mail_add(th, g, &n->before, m);
            arrival_delay(th, &m->a, &n->before.a);
            m->doubt |= n->before.doubt;
        }
    } else if (c->join == FLOW_QUEUEING) {
        lock_take(&n->lock);
        for (uint32_t i = 1; i <= c->ports; i++)
            flow_box_read(th, g, &n->port[i],
                          ((const struct tbb_queueing_port *)n->port[i].address)->buffer.head, m);
        lock_release(&n->lock);
    }
    if (!m->a.trail && c->join != FLOW_RESERVING)
        flow_mail_now(th, g, m);
}

void flow_pulled_drop(struct thread *th)
{
    trail_drop(th, flow_here.pulled.trail);
    flow_here.pulled = (struct arrival){ .trail = 0 };
    flow_here.doubt = false;
}


void flow_limiter_take(struct thread *th, struct flow_node *n)
{
    flow_here.has_slot = flow_slot_take(th, n, &flow_here.slot);
}

void flow_limiter_expect(struct thread *th, struct flow_node *n)
{
    flow_here.limiter = n;
    flow_here.has_slot = false;
    lock_take(&n->lock);
    if (!n->slots_fresh && n->slots && n->slots_epoch == n->graph->epoch + 1)
        arrival_max(th, &flow_here.slot, &n->slots->a);
    lock_release(&n->lock);
}

void flow_limiter_use(struct thread *th, struct flow_node *n)
{
    struct arrival a = { 0 };
    if (!flow_slot_take(th, n, &a)) {
        lock_take(&n->lock);
        n->slots_owed++;
        lock_release(&n->lock);
    }
    trail_drop(th, a.trail);
}

void flow_limiter_leave(struct thread *th, struct flow_node *n, bool used)
{
    if (flow_here.has_slot && !used)
        flow_slot_give(th, n, &flow_here.slot);
    trail_drop(th, flow_here.slot.trail);
    flow_here.slot = (struct arrival){ .trail = 0 };
    flow_here.has_slot = false;
    flow_here.limiter = 0;
}


/* Does A belong to G? (A body may put into another graph.) */
static bool is_of(const struct flow_graph *g, const struct arrival *a)
{
    return a->trail && a->trail->scope->key == g;
}

void flow_mail_source(struct thread *th, struct flow_graph *g, struct mail *m)
{
    *m = (struct mail){ .epoch = __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE) };
    if (__builtin_expect(flow_here.courier && flow_here.courier->graph == g, 0))
        courier_mail(th, (struct flow_node *)flow_here.courier, m);
    else
        flow_mail_now(th, g, m);
    if (__builtin_expect(flow_here.pulled.trail || flow_here.doubt, 0)) {
        /* the message is the one that was pulled, and the strand that hands it on delays it */
        struct arrival strand = m->a;
        m->a = (struct arrival){ .trail = 0 };
        if (is_of(g, &flow_here.pulled))
            arrival_max(th, &m->a, &flow_here.pulled);
        arrival_delay(th, &m->a, &strand);
        trail_drop(th, strand.trail);
        m->doubt |= flow_here.doubt;
    }
    if (__builtin_expect(is_of(g, &flow_here.slot), 0))
        arrival_delay(th, &m->a, &flow_here.slot);
}
