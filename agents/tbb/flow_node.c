/* flow_node.c - flow graphs in the program's memory: finding their nodes, and being called by them. See flow.c.
 *
 * Objects are known by their address. One that was destroyed and made anew has its own vtable again: it is met as a new one.
 * Copies of vtables are a class's, not an object's, and are never freed: an object that wears one may outlive all that we
 * know of its graph, and its calls then pass through.
 */
#define _GNU_SOURCE
#include "flow_parts.h"
#include <link.h>
#include <string.h>
#include "scopes.h"
#include "base/forbid.h"

/* ---- objects by address ---- */

enum { BUCKET_BITS = 19, BUCKETS = 1 << BUCKET_BITS }; /* mapped, not touched, until used */
static struct bucket {
    struct port *first;
    struct lock lock;           /* nests in graph.lock */
} *buckets;                     /* set once, under buckets_lock */
LOCK_DEFINE(buckets_lock, LOCK_AGENT);

static inline struct bucket *bucket_of(const void *address)
{
    struct bucket *b = __atomic_load_n(&buckets, __ATOMIC_ACQUIRE);
    return b ? &b[((uintptr_t)address * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS)] : 0;
}

struct port *flow_port_find(const void *address)
{
    struct bucket *b = bucket_of(address);
    if (!b)
        return 0;
    lock_take(&b->lock);
    struct port *p = b->first;
    while (p && p->address != address)
        p = p->next;
    lock_release(&b->lock);
    return p;
}

static bool port_add(struct port *p)
{
    struct bucket *b = bucket_of(p->address);
    if (!b) {
        lock_take(&buckets_lock);
        if (!buckets)
            __atomic_store_n(&buckets, memory_keep(BUCKETS * sizeof *buckets), __ATOMIC_RELEASE);
        lock_release(&buckets_lock);
        b = bucket_of(p->address);
        if (!b)
            return false;
    }
    lock_take(&b->lock);
    p->next = b->first;
    b->first = p;
    lock_release(&b->lock);
    return true;
}

static void port_remove(struct port *p)
{
    struct bucket *b = bucket_of(p->address);
    if (!b)
        return;
    lock_take(&b->lock);
    for (struct port **at = &b->first; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    lock_release(&b->lock);
}

/* ---- vtables ---- */

enum { SHADOWS = 4096, SHADOW_BUCKETS = 256 };

static struct shadow *shadows;          /* all there are, one array: that is how they are recognised */
static uint32_t shadow_count;
static struct shadow *shadow_table[SHADOW_BUCKETS];
LOCK_DEFINE(shadow_lock, LOCK_AGENT);   /* of the three; memory.c's nests in it */

static inline bool is_shadow(const void *vptr)
{
    uintptr_t base = (uintptr_t)__atomic_load_n(&shadows, __ATOMIC_ACQUIRE);
    return base && (uintptr_t)vptr - base < SHADOWS * sizeof(struct shadow);
}

static struct shadow *shadow_make(void *const *vptr, enum role role)
{
    static const uint8_t needed[] = { VTABLE_RECEIVER_SLOTS, VTABLE_SENDER_SLOTS, VTABLE_BUFFER_SLOTS, VTABLE_BODY_CALL + 1 };
    struct shadow **bucket = &shadow_table[((uintptr_t)vptr >> 3) % SHADOW_BUCKETS], *s;
    lock_take(&shadow_lock);
    for (s = *bucket; s && (s->original != vptr || s->role != role); s = s->next)
        ;
    if (s)
        goto out;
    if (!shadows)
        __atomic_store_n(&shadows, memory_keep(SHADOWS * sizeof *s), __ATOMIC_RELEASE);
    if (!shadows || shadow_count == SHADOWS)
        goto out;
    s = &shadows[shadow_count];
    if (!flow_peek(vptr - 2, s->word, sizeof s->word) && !flow_peek(vptr - 2, s->word, (2 + needed[role]) * sizeof s->word[0])) {
        s = 0;
        goto out;
    }
    shadow_count++;
    s->original = vptr;
    s->role = role;
    void **slot = s->word + 2;
    switch (role) {
    case ROLE_RECEIVER:
        slot[VTABLE_RECEIVER_PUT] = (void *)flow_hook_put;
        break;
    case ROLE_SENDER:
        slot[VTABLE_SENDER_GET] = (void *)flow_hook_get;
        slot[VTABLE_SENDER_RESERVE] = (void *)flow_hook_reserve;
        slot[VTABLE_SENDER_RELEASE] = (void *)flow_hook_release;
        slot[VTABLE_SENDER_CONSUME] = (void *)flow_hook_consume;
        break;
    case ROLE_BUFFER:
        slot[VTABLE_BUFFER_FORWARD] = (void *)flow_hook_buffer_forward;
        slot[VTABLE_BUFFER_PUSH] = (void *)flow_hook_buffer_push;
        slot[VTABLE_BUFFER_POP] = (void *)flow_hook_buffer_pop;
        slot[VTABLE_BUFFER_RESERVE] = (void *)flow_hook_buffer_reserve;
        break;
    case ROLE_TAG:
        slot[VTABLE_BODY_CALL] = (void *)flow_hook_tag;
        break;
    }
    s->next = *bucket;
    *bucket = s;
out:
    lock_release(&shadow_lock);
    return s;
}

static bool shadow_put_on(void *object, enum role role)
{
    void *const *vptr = *(void *const **)object;
    if (is_shadow(vptr))
        return true;
    struct shadow *s = shadow_make(vptr, role);
    if (s)
        __atomic_store_n((void *const **)object, s->word + 2, __ATOMIC_RELEASE);
    return s != 0;
}

static inline void *const *original_vptr(const void *object)
{
    void *const *vptr = *(void *const *const *)object;
    return is_shadow(vptr) ? shadow_of(object)->original : vptr;
}

/* ---- nodes and graphs ---- */

void flow_node_empty(struct thread *th, struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        flow_box_free(th, &n->port[i].box);
    flow_mail_drop(th, &n->mail);
    flow_mail_drop(th, &n->before);
    flow_slots_drop(th, n);
}

/* N's object is gone, or another. */
void flow_node_free(struct thread *th, struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        port_remove(&n->port[i]);
    flow_node_empty(th, n);
    block_free(th, n);
}

/* Is the node at TOP one that we know, and the same object still? */
static struct flow_node *node_known(const struct tbb_graph_node *top)
{
    struct port *p = flow_port_find(top);
    struct flow_node *n = p ? p->node : 0;
    if (!n)
        return 0;
    for (uint32_t i = 1; i < n->port_count; i++)
        if (!is_shadow(*(void *const *)n->port[i].address))
            return 0;
    return n->class_->vptr == original_vptr(top) ? n : 0;
}

static bool node_add(struct thread *th, struct flow_graph *g, struct tbb_graph_node *top)
{
    const struct flow_class *c = flow_class_of(top, original_vptr(top));
    if (!c)
        return false;
    struct port *old = flow_port_find(top);
    if (old) {                  /* another object at its address, maybe of a graph that is gone */
        struct flow_graph *of = old->node->graph;
        if (of != g)
            lock_take(&of->lock);
        struct flow_node **at = &of->nodes;
        while (*at && *at != old->node)
            at = &(*at)->next;
        if (*at)
            *at = old->node->next;
        if (of != g)
            lock_release(&of->lock);
        flow_node_free(th, old->node);
    }
    const char *base = (const char *)top;
    const void *object[1 + FLOW_PORTS_MAX + 1] = { top };
    uint32_t count = 1;
    bool senders = false;
    switch (c->kind) {
    case FLOW_BUFFER:
    case FLOW_OVERWRITE:
        senders = true;         /* fall through */
    case FLOW_CONTINUE:
    case FLOW_FUNCTION:
        object[count++] = base + c->receiver;
        break;
    case FLOW_JOIN:
        if (c->join != FLOW_QUEUEING)
            break;              /* fall through */
    case FLOW_INDEXER:
        for (uint32_t i = 0; i < c->ports; i++)
            object[count++] = base + c->port[i];
        break;
    case FLOW_LIMITER:
        object[count++] = base + c->receiver;
        if (c->ports)
            object[count++] = base + c->port[0];
        break;
    case FLOW_INPUT:
        senders = true;
        break;
    case FLOW_PASS:
    case FLOW_UNKNOWN:
        break;
    }
    uint32_t receivers = count;
    if (senders)
        object[count++] = base + c->sender;
    struct flow_node *n = block_new(th, block_class(sizeof *n + count * sizeof n->port[0]));
    if (!n)
        return false;
    memset(n, 0, sizeof *n);
    *n = (struct flow_node){ .class_ = c, .top = top, .graph = g, .seq = g->seq++, .port_count = count };
    for (uint32_t i = 0; i < count; i++) {
        n->port[i] = (struct port){ .address = object[i], .node = n };
        if (!port_add(&n->port[i]))
            return false;
    }
    n->next = g->nodes;
    g->nodes = n;
    for (uint32_t i = 1; i < count; i++)
        if (!shadow_put_on((void *)object[i], i < receivers ? ROLE_RECEIVER : ROLE_SENDER))
            return false;
    if (c->kind == FLOW_BUFFER) {
        if (!shadow_put_on(top, ROLE_BUFFER))
            return false;
        void *sequencer = c->body ? *(void **)(base + c->body) : 0;
        if (sequencer)
            shadow_put_on(sequencer, ROLE_TAG);
    }
    if (c->kind == FLOW_FUNCTION && function_input(n)->queue)
        n->taken = function_input(n)->queue->head, n->port[1].known_from = function_input(n)->queue->tail;
    for (uint32_t i = 1; c->kind == FLOW_JOIN && i < receivers; i++)
        n->port[i].known_from = ((const struct tbb_queueing_port *)object[i])->buffer.tail;
    if (c->kind == FLOW_UNKNOWN || c->join == FLOW_MATCHING || (c->kind == FLOW_LIMITER && !(c->counts && c->ports)))
        engine_lower_bound(c->name ? c->name : "flow graph");
    return true;
}

/* Nodes that have been made since the last walk stand at the list's end. */
static void graph_walk(struct thread *th, struct flow_graph *g)
{
    struct tbb_graph *real = (struct tbb_graph *)g->address;
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
        for (struct tbb_graph_node *n = real->nodes; n && n->graph == real; n = n->next)
            if (!node_known(n))
                node_add(th, g, n);
    } else {
        for (struct tbb_graph_node *n = real->last; n && n->graph == real && !node_known(n); n = n->prev)
            node_add(th, g, n);
    }
    g->last = real->last;
    __atomic_store_n(&real->nodes_lock, 0, __ATOMIC_RELEASE);
    lock_release(&g->lock);
}

/* Code was unloaded: vtables may be others at the same address. */
static int unloads_so_far(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1;
}

static void forget_unloaded(void)
{
    static unsigned long long known;
    unsigned long long now = 0;
    dl_iterate_phdr(unloads_so_far, &now);
    if (__atomic_exchange_n(&known, now, __ATOMIC_RELAXED) == now)
        return;
    flow_class_forget();
    lock_take(&shadow_lock);
    memset(shadow_table, 0, sizeof shadow_table);       /* the shadows stay: objects may wear them */
    lock_release(&shadow_lock);
}

struct flow_graph *flow_graph_find(const struct tbb_context *ctx, const void *real)
{
    struct flow_graph *g = __atomic_load_n(&ctx->graphs, __ATOMIC_ACQUIRE);
    while (g && g->address != real)
        g = g->next;
    return g;
}

/* The graph at REAL, whose tasks run in CTX; NULL: it is not what we think. */
struct flow_graph *flow_graph_of(struct thread *th, const struct tbb_graph *real, struct tbb_context *ctx)
{
    scopes_context_own(ctx);
    struct flow_graph *g = flow_graph_find(ctx, real);
    if (__builtin_expect(g != 0, 1)) {
        if (__builtin_expect(g->last != real->last, 0))
            graph_walk(th, g);
        return g;
    }
    struct tbb_graph copy = { 0 };
    if (!flow_peek(real, &copy, sizeof copy) || copy.context != ctx || copy.active > 1 || copy.nodes_lock > 1)
        return 0;
    forget_unloaded();
    g = block_new(th, block_class(sizeof *g));
    if (!g)
        return 0;
    static const struct flow_class none = { .kind = FLOW_PASS, .name = "flow graph" };
    memset(g, 0, sizeof *g);
    g->address = real;
    g->doubt = UINT64_MAX;
    g->epoch = 1;
    g->other = (struct flow_node){ .class_ = &none, .graph = g };
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
        g->last = 0;            /* whatever has happened to the list: all of it */
        graph_walk(th, g);
        n = node_known(top);
    }
    return n && n->graph == g ? n : 0;
}
