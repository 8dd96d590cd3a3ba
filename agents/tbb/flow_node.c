/* flow_node.c - flow graphs and their nodes in the program's memory. See flow.c. */
#define _GNU_SOURCE
#include "flow_private.h"
#include <link.h>
#include <string.h>
#include "scopes.h"
#include "base/lookup.h"
#include "base/forbid.h"

/* ---- nodes ---- */

void flow_node_empty(struct thread *th, struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        flow_box_free(th, &n->port[i].box);
    flow_mail_drop(th, &n->mail);
    flow_mail_drop(th, &n->before);
    flow_slots_drop(th, n);
}

void flow_node_hide(struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        flow_port_remove(&n->port[i]);
}

/* Frees N, which is hidden and not used any more. */
void flow_node_free(struct thread *th, struct flow_node *n)
{
    flow_node_empty(th, n);
    block_free(th, n);
}

bool flow_graph_over(const struct flow_graph *g)
{
    for (struct scope *s = __atomic_load_n(&g->scopes, __ATOMIC_ACQUIRE); s; s = s->key_next)
        if (!scope_done(s))
            return false;
    return true;
}

/* Our record of the node at TOP, if we know the node and its object is still the same. */
static struct flow_node *node_known(const struct tbb_graph_node *top)
{
    struct port *p = flow_port_find(top);
    struct flow_node *n = p ? p->node : 0;
    if (!n)
        return 0;
    if (n->class_->vptr != flow_vtable_original(top))
        return 0;               /* a smaller object may be there now: do not read on */
    for (uint32_t i = 1; i < n->port_count; i++)
        if (!flow_vtable_is_ours(*(void *const *)n->port[i].address))
            return 0;
    return n;
}

/* OLD's object is gone, and another one of G is at its address. OLD may be of another graph. Under
 * G's lock. */
static void node_replace(struct thread *th, struct flow_graph *g, struct flow_node *old)
{
    struct flow_graph *of = old->graph;
    if (of != g)
        lock_take(&of->lock);
    struct flow_node **at = &of->nodes;
    while (*at && *at != old)
        at = &(*at)->next;
    if (*at)
        *at = old->next;
    flow_node_hide(old);
    old->next = of->gone;
    of->gone = old;
    if (flow_graph_over(of))
        for (struct flow_node *n; (n = of->gone);) {
            of->gone = n->next;
            flow_node_free(th, n);
        }
    if (of != g)
        lock_release(&of->lock);
}

/* The objects of a node that get a vtable of ours: its top (which is no port), its receivers, its
 * sender. */
struct objects {
    const void *object[1 + FLOW_PORTS_MAX + 1];
    uint32_t count;
    uint32_t receivers;         /* index of the first object after the receivers */
};

static void objects_find(struct objects *o, const struct flow_node_class *c, const char *base)
{
    bool senders = false;
    *o = (struct objects){ { base }, 1, 0 };
    switch (c->kind) {
    case FLOW_BUFFER:
    case FLOW_OVERWRITE:
        senders = true;         /* fall through */
    case FLOW_CONTINUE:
    case FLOW_FUNCTION:
        o->object[o->count++] = base + c->receiver;
        break;
    case FLOW_JOIN:
        if (c->join != FLOW_QUEUEING)
            break;              /* fall through */
    case FLOW_INDEXER:
        for (uint32_t i = 0; i < c->ports; i++)
            o->object[o->count++] = base + c->port[i];
        break;
    case FLOW_LIMITER:
        o->object[o->count++] = base + c->receiver;
        if (c->ports)
            o->object[o->count++] = base + c->port[0];
        break;
    case FLOW_INPUT:
        senders = true;
        break;
    case FLOW_PASS:
    case FLOW_UNKNOWN:
        break;
    }
    o->receivers = o->count;
    if (senders)
        o->object[o->count++] = base + c->sender;
}

/* Gives the objects vtables of ours. False: no room for a vtable. */
static bool objects_watch(const struct objects *o, const struct flow_node_class *c)
{
    for (uint32_t i = 1; i < o->count; i++)
        if (!flow_vtable_put_on((void *)o->object[i],
                                i < o->receivers ? ROLE_RECEIVER : ROLE_SENDER))
            return false;
    if (c->kind == FLOW_BUFFER) {
        if (!flow_vtable_put_on((void *)o->object[0], ROLE_BUFFER))
            return false;
        void *sequencer = c->body ? *(void **)((const char *)o->object[0] + c->body) : 0;
        if (sequencer)
            flow_vtable_put_on(sequencer, ROLE_TAG);
    }
    return true;
}

/* Notes which messages are already in N's queues: we have not seen their puts. */
static void queues_note(struct flow_node *n, const struct objects *o)
{
    const struct flow_node_class *c = n->class_;
    if (c->kind == FLOW_FUNCTION && function_input(n)->queue) {
        n->taken = function_input(n)->queue->head;
        n->port[1].known_from = function_input(n)->queue->tail;
    }
    for (uint32_t i = 1; c->kind == FLOW_JOIN && i < o->receivers; i++)
        n->port[i].known_from = ((const struct tbb_queueing_port *)o->object[i])->buffer.tail;
}

static bool node_add(struct thread *th, struct flow_graph *g, struct tbb_graph_node *top)
{
    const struct flow_node_class *c = flow_node_class_of(top, flow_vtable_original(top));
    if (!c)
        return false;
    struct port *old = flow_port_find(top);
    if (old)
        node_replace(th, g, old->node);
    struct objects o;
    objects_find(&o, c, (const char *)top);
    struct flow_node *n = block_new(th, block_class(sizeof *n + o.count * sizeof n->port[0]));
    if (!n)
        return false;
    memset(n, 0, sizeof *n);
    *n = (struct flow_node){
        .class_ = c, .top = top, .graph = g, .seq = g->seq++, .port_count = o.count
    };
    for (uint32_t i = 0; i < o.count; i++) {
        n->port[i] = (struct port){ .address = o.object[i], .node = n };
        if (!flow_port_add(&n->port[i]))
            return false;
    }
    n->next = g->nodes;
    g->nodes = n;
    if (!objects_watch(&o, c))
        return false;
    queues_note(n, &o);
    if (c->kind == FLOW_UNKNOWN || c->join == FLOW_MATCHING ||
        (c->kind == FLOW_LIMITER && !(c->counts && c->ports)))
        run_lower_bound(c->name ? c->name : "flow graph");
    return true;
}

/* ---- graphs ---- */

/* Adds the nodes that were made since the last walk: they are at the end of the list. */
static void graph_walk(struct thread *th, struct flow_graph *g)
{
    const struct tbb_graph *address = g->address;
    struct tbb_graph_rest *real = graph_rest(g);
    lock_take(&g->lock);
    uint32_t tries = 0;
    while (__atomic_exchange_n(&real->nodes_lock, 1, __ATOMIC_ACQUIRE)) {
        if (tries > LOCK_TURNS_MOST) {
            lock_release(&g->lock);
            return;
        }
        lock_turn(&tries);
    }
    if (!g->last) {
        for (struct tbb_graph_node *n = real->nodes; n && n->graph == address; n = n->next)
            if (!node_known(n))
                node_add(th, g, n);
    } else {
        for (struct tbb_graph_node *n = real->last;
             n && n->graph == address && !node_known(n); n = n->prev)
            node_add(th, g, n);
    }
    g->last = real->last;
    __atomic_store_n(&real->nodes_lock, 0, __ATOMIC_RELEASE);
    lock_release(&g->lock);
}

static int unloads_so_far(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1;
}

/* If code was unloaded since the last call, other vtables may be at known addresses. */
static void forget_unloaded(void)
{
    static unsigned long long known;
    unsigned long long now = 0;
    lookup_objects(unloads_so_far, &now);
    if (__atomic_exchange_n(&known, now, __ATOMIC_RELAXED) == now)
        return;
    flow_node_class_forget();
    flow_vtable_forget();
}

struct flow_graph *flow_graph_find(const struct tbb_context *ctx, const void *real)
{
    struct flow_graph *g = __atomic_load_n(&ctx->graphs, __ATOMIC_ACQUIRE);
    while (g && g->address != real)
        g = g->next;
    return g;
}

struct flow_graph *flow_graph_waited(const struct tbb_context *ctx, const void *wc)
{
    struct flow_graph *g = __atomic_load_n(&ctx->graphs, __ATOMIC_ACQUIRE);
    while (g && (const char *)g->address + TBB_GRAPH_WAIT + g->shift != (const char *)wc)
        g = g->next;
    return g;
}

/* The shift of the graph that begins at REAL and has REST; -1: none that we know. */
static int shift_of(const struct tbb_graph *real, const void *rest)
{
    ptrdiff_t shift = (const char *)rest - (const char *)real - TBB_GRAPH_REST;
    return shift == TBB_SHIFT_2021 || shift == TBB_SHIFT_2022 ? (int)shift : -1;
}

const struct tbb_graph *flow_graph_at_queue(const char *queue)
{
    const struct tbb_graph_rest *rest = (const void *)(queue - TBB_REST_QUEUE);
    struct tbb_graph_rest copy = { 0 };
    struct tbb_graph_node first = { 0 };        /* it knows where the graph begins */
    if (!flow_peek(rest, &copy, sizeof copy) || !copy.nodes ||
        !flow_peek(copy.nodes, &first, sizeof first) || shift_of(first.graph, rest) < 0)
        return 0;
    return first.graph;
}

/* Is this the rest of a graph whose tasks run in CTX? */
static bool rest_fits(const struct tbb_graph *real, uint32_t shift, const struct tbb_context *ctx)
{
    struct tbb_graph_rest copy = { 0 };
    return flow_peek((const char *)real + TBB_GRAPH_REST + shift, &copy, sizeof copy) &&
           copy.context == ctx && copy.active <= 1 && copy.nodes_lock <= 1;
}

/* A graph that we do not know yet. NULL: no memory. */
static struct flow_graph *graph_new(struct thread *th, const struct tbb_graph *real,
                                    uint32_t shift)
{
    static const struct flow_node_class none = { .kind = FLOW_PASS, .name = "flow graph" };
    struct flow_graph *g = block_new(th, block_class(sizeof *g));
    if (!g)
        return 0;
    memset(g, 0, sizeof *g);
    g->address = real;
    g->shift = shift;
    g->doubt = UINT64_MAX;
    g->epoch = 1;
    g->other = (struct flow_node){ .class_ = &none, .graph = g };
    return g;
}

struct flow_graph *flow_graph_of(struct thread *th, const struct tbb_graph *real,
                                 struct tbb_context *ctx)
{
    scopes_context_own(ctx);
    struct flow_graph *g = flow_graph_find(ctx, real);
    if (__builtin_expect(g != 0, 1)) {
        if (__builtin_expect(g->last != graph_rest(g)->last, 0))
            graph_walk(th, g);
        return g;
    }
    bool is_2021 = rest_fits(real, TBB_SHIFT_2021, ctx);
    if (!is_2021 && !rest_fits(real, TBB_SHIFT_2022, ctx))
        return 0;
    forget_unloaded();
    g = graph_new(th, real, is_2021 ? TBB_SHIFT_2021 : TBB_SHIFT_2022);
    if (!g)
        return 0;
    lock_take(&ctx->lock);
    struct flow_graph *other = ctx->graphs;
    while (other && other->address != real)
        other = other->next;
    if (!other) {
        g->next = ctx->graphs;
        __atomic_store_n(&ctx->graphs, g, __ATOMIC_RELEASE);
    }
    lock_release(&ctx->lock);
    if (other) {                /* another thread was faster */
        block_free(th, g);
        return other;
    }
    graph_walk(th, g);
    return g;
}

struct flow_node *flow_node_of(struct thread *th, struct flow_graph *g, const void *object)
{
    void *const *vptr = *(void *const *const *)object;
    const void *top = (const char *)object + (intptr_t)vptr[VTABLE_OFFSET_TO_TOP];
    struct flow_node *n = node_known(top);
    if (__builtin_expect(!n, 0)) {
        g->last = 0;            /* walk the whole list, whatever has happened to it */
        graph_walk(th, g);
        n = node_known(top);
    }
    return n && n->graph == g ? n : 0;
}
