/* flow.c - the flow graph as the dag that the program wrote: strands that wait for messages.
 *
 * Only the tasks of a graph pass an entry point of libtbb. The rest, from try_put to the queues and counters of the nodes,
 * is header code inside the program, and which task carries which message cannot be told from spawns: a queued
 * message's task is spawned by the body that ran before it, a join's by whoever was last. So the messages are followed
 * from node to node. Nodes are found from the first task (task -> graph -> its list of nodes), their receivers and
 * senders from their type information (flow_class.c), and these get copies of their vtables in which try_put_task and a
 * few more are ours.
 *
 * The dag. A message carries the path of the strand that put it, as it was then (struct trail); a body starts after
 *   continue_node       all messages of its round
 *   function_node etc.  its message; limited concurrency: and, when none was left, the body that gave it back first;
 *                       a message that was queued: the body that took it out. Queues are FIFO: messages are known by
 *                       their index in the queue
 *   input_node          the body before it
 *   behind a join       the messages that its ports held at the same index (queueing), or that it has reserved
 *   behind a buffer     the message that was put, whichever task hands it on: by its index, too; behind a sequencer also
 *                       those that are before it in sequence
 *   behind a limiter    its message, and, when none was left, the decrement that came first
 * A lightweight body is a part of the strand that puts. The strand that waits for the graph goes on after all its bodies.
 * Tasks that hand on messages (forwarders) are strands of the waiter's own invocation; what they put is as old as the
 * messages, not as they are.
 *
 * All bodies are tasks of one scope, of the strand that put the first message from outside; a chain of 10^6 bodies is 10^6
 * tasks that come and go, not a tree. Strands outside that put messages have a scope each. What the program
 * puts into a node whose class it knows is no virtual call any more when it is optimised. Such puts are seen where they
 * make a task; where they are queued, the body that they belong to starts, here, when its others let it. If it is a
 * strand outside that puts into that node, this is exact unless that strand had come further, when it waits, than the body's
 * start (struct flow_graph's doubt); then, and if bodies seem to put so, the graph is a named lower bound.
 *
 * Rules: a node's `order` is held around the program's try_put, only where TBB serialises that, too, so that our order
 * is TBB's. What was put before a wait_for_all that has returned cannot delay what starts after it: arrivals carry the
 * number of the wait (epoch) and older ones count as nothing; that is also what keeps a scope alive as long as trails
 * name it. Locks nest: node.order in whatever the node's
 * handlers take; TBB's node list lock in graph.lock; node.lock, bucket locks: in all, and nothing in them but memory.
 */
#define _GNU_SOURCE
#include "flow.h"
#include <link.h>
#include <string.h>
#include "block.h"
#include "entry.h"
#include "flow_class.h"
#include "lifecycle.h"
#include "scopes.h"
#include "site.h"
#include "forbid.h"

static const char INLINED[] = "flow graph (puts that the compiler inlined)";

/* A task's own state, until it has begun or ended. */
enum { NEEDS_SLOT = TASK_AGENT_AWAY, IN_DOUBT = TASK_AGENT_UNTIED, GAVE_SLOT = TASK_AGENT_OVER };

/* Something arrived; DOUBT: something else may have, unseen. */
struct mail {
    struct arrival a;
    uint64_t epoch;
    uint64_t index;             /* in a queue, + 1; 0: empty place */
    bool doubt;
};

/* Messages in a queue of the node's, by their index there. */
struct box {
    struct mail *mail;          /* a block; a ring */
    uint32_t capacity;          /* a power of two, or 0 */
};

/* A put or get of BUFFER's that is under way: whoever handles the operation finds it by the address of the item. */
struct flight {
    struct flight *next;
    const void *item;
    struct mail mail;
    bool found;
};

/* A body's place in a node of limited concurrency, a limiter's place for a message: given back. */
struct slot {
    struct slot *next;          /* earliest first */
    struct arrival a;
};

/* An object of the node that we find again by its address. */
struct port {
    struct port *next;          /* of the bucket */
    const void *address;
    struct flow_node *node;
    uint64_t known_from;        /* index of the first message in the queue that we can have seen */
    struct box box;
};

struct flow_node {
    const struct flow_class *class_;
    struct tbb_graph_node *top;
    struct flow_graph *graph;
    struct flow_node *next;     /* of the graph */
    struct context *context;    /* of its bodies, under graph->context; NULL: not known yet */
    uint32_t seq;
    uint32_t port_count;
    uint32_t order;             /* lock: our order of puts is TBB's. Held across the program's try_put; nobody who may be
                                   inside an operation of this node takes it */
    uint32_t lock;              /* of all below, but a buffer's box: that is its handler's */
    uint32_t seen;              /* continue_node: messages of this round */
    uint64_t outside;           /* the last epoch + 1 in which a strand from outside put into it */
    struct mail mail;           /* continue_node: this round's; input_node, overwrite_node: what it holds */
    struct flight *flights;
    struct slot *slots;
    uint64_t slots_fresh, slots_epoch;
    uint64_t slots_owed;        /* used before anybody had given them back: a put holds one until it is rejected */
    uint64_t taken;             /* messages taken out of the queue, as far as we saw */
    struct mail before;         /* sequencer_node: the latest of what it has handed on */
    struct port port[];         /* the top; the receiver or the ports; the sender */
};

struct flow_graph {
    struct flow_graph *next;    /* of the context */
    const struct tbb_graph *address;
    struct context *context;    /* of the strand that put first from outside: bodies' contexts hang on it */
    struct scope *scopes;       /* one a strand that put from outside; under lock */
    struct flow_node *nodes;    /* under lock */
    const struct tbb_graph_node *last; /* as of the last walk */
    uint64_t epoch;             /* waits that have returned */
    uint64_t doubt;             /* earliest start of a body that something unseen might have delayed */
    uint32_t lock;
    uint32_t seq;
    struct flow_node other;     /* stands for what is no node */
};

/* What this thread does between two events. */
static __thread struct {
    const struct flow_node *courier;    /* hands on messages of this node */
    struct arrival pulled;      /* got from a sender, not yet put */
    bool doubt;
    struct arrival place;       /* what the limiter's place that is being used waits for */
    bool placed;
    struct flow_node *limiter;  /* that hands on what it gets from a sender */
    bool tagged;
    uint64_t tag;               /* of the sequencer's last call */
    uint32_t prioritized;       /* seen to, but what comes to the entry point is a priority_task_selector for them */
} here __attribute__((tls_model("initial-exec")));

static inline const struct task_class *class_of(const struct task *t)
{
    return t->agent_class;
}

/* The node that strand T belongs to, if it is one of G's tasks. */
static inline struct flow_node *place_in(const struct flow_graph *g, const struct task *t)
{
    struct flow_node *n = t->agent_class && class_of(t)->flow ? t->agent_place : 0;
    return n && n->graph == g ? n : 0;
}

static inline bool is_new(const struct tbb_task *t)
{
    return t && t != TBB_ENQUEUED && !tbb_task_armed(t);
}

/* ---- objects by address ---- */

enum { BUCKET_BITS = 19, BUCKETS = 1 << BUCKET_BITS }; /* mapped, not touched, until used */
static struct bucket {
    struct port *first;
    uint32_t lock;              /* nests in graph.lock */
} *buckets;                     /* set once */

static inline struct bucket *bucket_of(const void *address)
{
    struct bucket *b = __atomic_load_n(&buckets, __ATOMIC_ACQUIRE);
    return b ? &b[((uintptr_t)address * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS)] : 0;
}

static struct port *port_find(const void *address)
{
    struct bucket *b = bucket_of(address);
    if (!b)
        return 0;
    spin_lock(&b->lock);
    struct port *p = b->first;
    while (p && p->address != address)
        p = p->next;
    spin_unlock(&b->lock);
    return p;
}

static bool port_add(struct port *p)
{
    static uint32_t lock;
    struct bucket *b = bucket_of(p->address);
    if (!b) {
        spin_lock(&lock);
        if (!buckets)
            __atomic_store_n(&buckets, memory_keep(BUCKETS * sizeof *buckets), __ATOMIC_RELEASE);
        spin_unlock(&lock);
        b = bucket_of(p->address);
        if (!b)
            return false;
    }
    spin_lock(&b->lock);
    p->next = b->first;
    b->first = p;
    spin_unlock(&b->lock);
    return true;
}

static void port_remove(struct port *p)
{
    struct bucket *b = bucket_of(p->address);
    if (!b)
        return;
    spin_lock(&b->lock);
    for (struct port **at = &b->first; *at; at = &(*at)->next)
        if (*at == p) {
            *at = p->next;
            break;
        }
    spin_unlock(&b->lock);
}

/* ---- mail ---- */

static void mail_drop(struct thread *th, struct mail *m)
{
    engine_trail_drop(th, m->a.trail);
    *m = (struct mail){ .index = 0 };
}

/* What M holds, as far as it still counts, on top of A. */
static void mail_read(struct thread *th, const struct flow_graph *g, const struct mail *m, struct mail *into)
{
    if (m->epoch != __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE))
        return;
    engine_arrival_max(th, &into->a, &m->a);
    into->doubt |= m->doubt;
}

/* On top of what M holds; what is too old there goes. */
static void mail_add(struct thread *th, const struct flow_graph *g, struct mail *m, const struct mail *more)
{
    uint64_t epoch = __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE);
    if (m->epoch != epoch)
        mail_drop(th, m);
    m->epoch = epoch;
    engine_arrival_max(th, &m->a, &more->a);
    m->doubt |= more->doubt;
}

static void box_free(struct thread *th, struct box *b)
{
    for (uint32_t i = 0; i < b->capacity; i++)
        engine_trail_drop(th, b->mail[i].a.trail);
    if (b->mail)
        block_free(th, b->mail);
    *b = (struct box){ .capacity = 0 };
}

/* Room for INDEX in a queue whose first is HEAD. */
static bool box_reserve(struct thread *th, struct box *b, uint64_t head, uint64_t index)
{
    uint32_t capacity = b->capacity ? b->capacity : 8;
    while (index - head >= capacity && capacity < 1u << 17)
        capacity *= 2;
    if (index < head || index - head >= capacity)
        return false;
    if (capacity == b->capacity)
        return true;
    struct box wider = { block_new(th, block_class(capacity * sizeof *b->mail)), capacity };
    if (!wider.mail)
        return false;
    memset(wider.mail, 0, capacity * sizeof *b->mail);
    for (uint32_t i = 0; i < b->capacity; i++) {
        struct mail *m = &b->mail[i];
        if (m->index > head) {
            wider.mail[(m->index - 1) & (capacity - 1)] = *m;
            m->a.trail = 0;
        }
    }
    box_free(th, b);
    *b = wider;
    return true;
}

static void box_put(struct thread *th, struct flow_graph *g, struct box *b, uint64_t head, uint64_t index, const struct mail *mail)
{
    if (!box_reserve(th, b, head, index)) {
        engine_lower_bound("flow graph (queue of more than 131072 messages)");
        return;
    }
    struct mail *m = &b->mail[index & (b->capacity - 1)];
    mail_drop(th, m);
    mail_add(th, g, m, mail);
    m->index = index + 1;
}

/* Something put into N was not seen, which M had to wait for. */
static void in_doubt(const struct flow_node *n, struct mail *m)
{
    if (n->outside == __atomic_load_n(&n->graph->epoch, __ATOMIC_RELAXED) + 1)
        m->doubt = true;
    else
        engine_lower_bound(INLINED);
}

/* The message at INDEX, on top of INTO. One that was there before we knew the graph was put before all that we
 * know of it began, and delays none of it. */
static void box_read(struct thread *th, struct flow_graph *g, const struct port *p, uint64_t index, struct mail *into)
{
    const struct box *b = &p->box;
    const struct mail *m = b->capacity ? &b->mail[index & (b->capacity - 1)] : 0;
    if (m && m->index == index + 1)
        mail_read(th, g, m, into);
    else if (index >= p->known_from)
        in_doubt(p->node, into);
}

/* ---- strands ---- */

/* The scope of the running strand for what it puts into G: that of a task of G is its own, a strand outside has one. */
static struct scope *scope_of(struct thread *th, struct flow_graph *g)
{
    struct task *cur = th->cur;
    if (place_in(g, cur))
        return cur->scope;
    for (struct scope *s = cur->scopes; s; s = s->owner_next)
        if (s->key == g)
            return s;
    struct scope *s = engine_scope_new(th);
    if (!s)
        return 0;
    s->key = g;
    spin_lock(&g->lock);
    s->key_next = g->scopes;
    g->scopes = s;
    if (!g->context)
        g->context = cur->ctx;
    spin_unlock(&g->lock);
    return s;
}

static inline const struct tbb_function_input *function_input(const struct flow_node *n)
{
    return (const void *)((const char *)n->top + n->class_->receiver);
}

static inline bool is_limited(const struct flow_node *n)
{
    return n->class_->kind == FLOW_FUNCTION && function_input(n)->max_concurrency;
}

/* Does a put into N run its body at once? */
static inline bool is_light(const struct flow_node *n)
{
    return n->class_->light && (n->class_->kind == FLOW_CONTINUE || function_input(n)->no_throw);
}

/* How many are free when nothing is under way that we know of. */
static uint64_t slots_free(const struct flow_node *n)
{
    if (n->class_->kind != FLOW_LIMITER)
        return function_input(n)->max_concurrency;
    const struct tbb_limiter *l = (const void *)((const char *)n->top + n->class_->sender);
    return l->threshold > l->count ? l->threshold - l->count : 0;
}

static void slot_give(struct thread *th, struct flow_node *n, const struct arrival *a)
{
    struct slot *slot = a->trail ? block_new(th, block_class(sizeof *slot)) : 0;
    if (slot) {
        *slot = (struct slot){ .next = 0 };
        engine_arrival_max(th, &slot->a, a);
    }
    spin_lock(&n->lock);
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
    spin_unlock(&n->lock);
    if (slot) {
        engine_trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
}

static void slots_drop(struct thread *th, struct flow_node *n)
{
    while (n->slots) {
        struct slot *slot = n->slots;
        n->slots = slot->next;
        engine_trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
}

/* A slot of N that is free: one never used, or the one that was given back first. False: none. */
static bool slot_take(struct thread *th, struct flow_node *n, struct arrival *a)
{
    bool taken = true;
    struct slot *slot = 0;
    spin_lock(&n->lock);
    uint64_t epoch = __atomic_load_n(&n->graph->epoch, __ATOMIC_RELAXED);
    if (n->slots_epoch != epoch + 1) {
        slots_drop(th, n);
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
    spin_unlock(&n->lock);
    if (slot) {
        engine_arrival_max(th, a, &slot->a);
        engine_trail_drop(th, slot->a.trail);
        block_free(th, slot);
    }
    return taken;
}

/* What the running strand is, as a message: its path as it is now. */
static void running_mail(struct thread *th, struct flow_graph *g, struct mail *m)
{
    struct scope *s = scope_of(th, g);
    struct arrival a = { 0 };
    if (s)
        engine_arrival_now(th, s, &a);
    if (!a.trail)
        return;
    engine_arrival_max(th, &m->a, &a);
    struct flow_node *n = place_in(g, th->cur);
    if (n && n->class_->puts_late && !(th->cur->flags & GAVE_SLOT) && class_of(th->cur)->flow == FLOW_TASK_BODY && is_limited(n)) {
        th->cur->flags |= GAVE_SLOT;
        slot_give(th, n, &a);
    }
    engine_trail_drop(th, a.trail);
}

/* Which message of its own does N hand on now? */
static void courier_mail(struct thread *th, struct flow_node *n, struct mail *m)
{
    const struct flow_class *c = n->class_;
    struct flow_graph *g = n->graph;
    if (c->kind == FLOW_BUFFER) {
        const struct tbb_item_buffer *b = (const void *)((const char *)n->top + c->buffer);
        box_read(th, g, &n->port[1], c->order == FLOW_LIFO ? b->tail - 1 : b->head, m);
        if (c->sequences) {
            mail_add(th, g, &n->before, m);
            mail_read(th, g, &n->before, m);
        }
    } else if (c->join == FLOW_QUEUEING) {
        spin_lock(&n->lock);
        for (uint32_t i = 1; i <= c->ports; i++)
            box_read(th, g, &n->port[i], ((const struct tbb_queueing_port *)n->port[i].address)->buffer.head, m);
        spin_unlock(&n->lock);
    }
    if (!m->a.trail && c->join != FLOW_RESERVING)
        running_mail(th, g, m);
}

static void pulled_drop(struct thread *th)
{
    engine_trail_drop(th, here.pulled.trail);
    here.pulled = (struct arrival){ .L = 0 };
    here.doubt = false;
}

/* N, a limiter, may be about to let a message through: a put has its place from the start, what N gets for itself only
 * when it has gone (place_use), for it may get nothing. */
static void place_take(struct thread *th, struct flow_node *n)
{
    here.placed = slot_take(th, n, &here.place);
}

static void place_expect(struct thread *th, struct flow_node *n)
{
    here.limiter = n;
    here.placed = false;
    spin_lock(&n->lock);
    if (!n->slots_fresh && n->slots && n->slots_epoch == n->graph->epoch + 1)
        engine_arrival_max(th, &here.place, &n->slots->a);
    spin_unlock(&n->lock);
}

static void place_use(struct thread *th, struct flow_node *n)
{
    struct arrival a = { 0 };
    if (!slot_take(th, n, &a)) {
        spin_lock(&n->lock);
        n->slots_owed++;
        spin_unlock(&n->lock);
    }
    engine_trail_drop(th, a.trail);
}

static void place_leave(struct thread *th, struct flow_node *n, bool used)
{
    if (here.placed && !used)
        slot_give(th, n, &here.place);
    engine_trail_drop(th, here.place.trail);
    here.place = (struct arrival){ .L = 0 };
    here.placed = false;
    here.limiter = 0;
}

/* What a put by this thread carries. */
static void source(struct thread *th, struct flow_graph *g, struct mail *m)
{
    *m = (struct mail){ .epoch = __atomic_load_n(&g->epoch, __ATOMIC_ACQUIRE) };
    if (__builtin_expect(here.courier && here.courier->graph == g, 0))
        courier_mail(th, (struct flow_node *)here.courier, m);
    else
        running_mail(th, g, m);
    if (__builtin_expect(here.pulled.trail || here.doubt, 0)) {
        engine_arrival_max(th, &m->a, &here.pulled);
        m->doubt |= here.doubt;
    }
    if (__builtin_expect(here.place.trail != 0, 0))
        engine_arrival_max(th, &m->a, &here.place);
}

/* The context of N's bodies: a site of their own, the body's function. */
static struct context *context_of(struct flow_node *n, const struct tbb_task *t)
{
    struct context *c = __atomic_load_n(&n->context, __ATOMIC_RELAXED);
    if (__builtin_expect(c != 0, 1))
        return c;
    struct context *parent = n->graph->context ? n->graph->context : context_root;
    uintptr_t address = (uintptr_t)t->vptr[VTABLE_EXECUTE];
    if (n->class_->body) {
        void *const *const *body = *(void *const *const *const *)((const char *)n->top + n->class_->body);
        address = (uintptr_t)(*body)[VTABLE_BODY_CALL];
    }
    struct task spawner = { .ctx = parent };
    c = site_context(&spawner, path_single(address + 1), &tbb_site_style, n->class_->name, 0);
    __atomic_store_n(&n->context, c, __ATOMIC_RELAXED);
    return c;
}

/* T, a task of node N that nobody has seen yet, is made ready by M. */
static bool ready(struct thread *th, struct flow_node *n, struct tbb_graph_task *t, const struct task_class *k,
                  const struct mail *m, uint32_t flags)
{
    struct flow_graph *g = n->graph;
    struct scope *s = m->a.trail ? m->a.trail->scope : scope_of(th, g);
    bool body = k->flow == FLOW_TASK_BODY || k->flow == FLOW_TASK_INPUT;
    struct context *ctx = body ? context_of(n, &t->task) : g->context;
    if (!body)
        flags |= TASK_CALL | TASK_INHERIT;
    struct task *rec = s ? engine_spawn_after(th, s, ctx ? ctx : context_root, n->seq, flags) : 0;
    if (!rec)
        return false;
    engine_task_after(th, rec, &m->a, body);
    if (m->doubt)
        rec->flags |= IN_DOUBT;
    rec->agent_class = k;
    rec->agent_place = n;
    tbb_task_arm(&t->task, rec);
    if (body && t->priority)
        here.prioritized++;
    lifecycle_start_checkpoints();
    return true;
}

/* ---- vtables ---- */

enum role { ROLE_RECEIVER, ROLE_SENDER, ROLE_BUFFER, ROLE_TAG };
enum { SHADOW_WORDS = 32, SHADOWS = 4096, SHADOW_BUCKETS = 256 };

/* A copy of a vtable with some functions of ours; shared by all objects of the class. Never freed. */
struct shadow {
    struct shadow *next;
    void *const *original;
    enum role role;
    void *word[2 + SHADOW_WORDS];       /* offset to top, type_info, functions */
};
static struct shadow *shadows;          /* all there are, one array: that is how they are recognised */
static uint32_t shadow_count;
static struct shadow *shadow_table[SHADOW_BUCKETS];
static uint32_t shadow_lock;            /* of the three; nests nothing but memory */

static inline bool is_shadow(const void *vptr)
{
    uintptr_t base = (uintptr_t)__atomic_load_n(&shadows, __ATOMIC_ACQUIRE);
    return base && (uintptr_t)vptr - base < SHADOWS * sizeof(struct shadow);
}

static inline const struct shadow *shadow_of(const void *object)
{
    void *const *vptr = __atomic_load_n((void *const *const *)object, __ATOMIC_RELAXED);
    return (const struct shadow *)((const char *)(vptr - 2) - offsetof(struct shadow, word));
}

static struct tbb_task *hook_put(void *receiver, const void *item);
static bool hook_get(void *sender, void *item);
static bool hook_reserve(void *sender, void *item);
static bool hook_release(void *sender);
static bool hook_consume(void *sender);
static void hook_buffer_forward(void *buffer, struct tbb_buffer_operation *op);
static bool hook_buffer_push(void *buffer, struct tbb_buffer_operation *op);
static void hook_buffer_pop(void *buffer, struct tbb_buffer_operation *op);
static void hook_buffer_reserve(void *buffer, struct tbb_buffer_operation *op);
static size_t hook_tag(void *sequencer, const void *item);

static struct shadow *shadow_make(void *const *vptr, enum role role)
{
    static const uint8_t needed[] = { VTABLE_RECEIVER_SLOTS, VTABLE_SENDER_SLOTS, VTABLE_BUFFER_SLOTS, VTABLE_BODY_CALL + 1 };
    struct shadow **bucket = &shadow_table[((uintptr_t)vptr >> 3) % SHADOW_BUCKETS], *s;
    spin_lock(&shadow_lock);
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
        slot[VTABLE_RECEIVER_PUT] = (void *)hook_put;
        break;
    case ROLE_SENDER:
        slot[VTABLE_SENDER_GET] = (void *)hook_get;
        slot[VTABLE_SENDER_RESERVE] = (void *)hook_reserve;
        slot[VTABLE_SENDER_RELEASE] = (void *)hook_release;
        slot[VTABLE_SENDER_CONSUME] = (void *)hook_consume;
        break;
    case ROLE_BUFFER:
        slot[VTABLE_BUFFER_FORWARD] = (void *)hook_buffer_forward;
        slot[VTABLE_BUFFER_PUSH] = (void *)hook_buffer_push;
        slot[VTABLE_BUFFER_POP] = (void *)hook_buffer_pop;
        slot[VTABLE_BUFFER_RESERVE] = (void *)hook_buffer_reserve;
        break;
    case ROLE_TAG:
        slot[VTABLE_BODY_CALL] = (void *)hook_tag;
        break;
    }
    s->next = *bucket;
    *bucket = s;
out:
    spin_unlock(&shadow_lock);
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

static void node_empty(struct thread *th, struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        box_free(th, &n->port[i].box);
    mail_drop(th, &n->mail);
    mail_drop(th, &n->before);
    slots_drop(th, n);
}

/* N's object is gone, or another. */
static void node_free(struct thread *th, struct flow_node *n)
{
    for (uint32_t i = 0; i < n->port_count; i++)
        port_remove(&n->port[i]);
    node_empty(th, n);
    block_free(th, n);
}

/* Is the node at TOP one that we know, and the same object still? */
static struct flow_node *node_known(const struct tbb_graph_node *top)
{
    struct port *p = port_find(top);
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
    struct port *old = port_find(top);
    if (old) {
        struct flow_node **at = &g->nodes;
        while (*at && *at != old->node)
            at = &(*at)->next;
        if (!*at)
            return false;       /* of another graph, which is gone but does not know it */
        *at = old->node->next;
        node_free(th, old->node);
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
    spin_lock(&g->lock);
    uint32_t tries = 0;
    while (__atomic_exchange_n(&real->nodes_lock, 1, __ATOMIC_ACQUIRE)) {
        if (++tries > 100000) {
            spin_unlock(&g->lock);
            return;
        }
        sched_yield();
    }
    if (!g->last) {
        for (struct tbb_graph_node *n = real->nodes; n && n->graph == real; n = n->next)
            node_add(th, g, n);
    } else {
        for (struct tbb_graph_node *n = real->last; n && n->graph == real && !node_known(n); n = n->prev)
            node_add(th, g, n);
    }
    g->last = real->last;
    __atomic_store_n(&real->nodes_lock, 0, __ATOMIC_RELEASE);
    spin_unlock(&g->lock);
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
    spin_lock(&shadow_lock);
    memset(shadow_table, 0, sizeof shadow_table);       /* the shadows stay: objects may wear them */
    spin_unlock(&shadow_lock);
}

static struct flow_graph *graphs_find(const struct tbb_context *ctx, const void *real)
{
    struct flow_graph *g = __atomic_load_n(&ctx->graphs, __ATOMIC_ACQUIRE);
    while (g && g->address != real)
        g = g->next;
    return g;
}

/* The graph at REAL, whose tasks run in CTX; NULL: it is not what we think. */
static struct flow_graph *graph_of(struct thread *th, const struct tbb_graph *real, struct tbb_context *ctx)
{
    scopes_context_own(ctx);
    struct flow_graph *g = graphs_find(ctx, real);
    if (__builtin_expect(g != 0, 1)) {
        if (__builtin_expect(g->last != real->last, 0))
            graph_walk(th, g);
        return g;
    }
    struct tbb_graph copy;
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
    spin_lock(&ctx->lock);
    struct flow_graph *other = ctx->graphs;
    while (other && other->address != real)
        other = other->next;
    if (!other) {
        g->next = ctx->graphs;
        __atomic_store_n(&ctx->graphs, g, __ATOMIC_RELEASE);
    }
    spin_unlock(&ctx->lock);
    if (other) {                /* another thread was faster */
        block_free(th, g);
        return other;
    }
    graph_walk(th, g);
    return g;
}

static struct flow_node *node_of(struct thread *th, struct flow_graph *g, const void *object)
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

/* ---- tasks ---- */

/* A message has left N's queue: which one? */
static void take_out(struct thread *th, struct flow_node *n, struct mail *m)
{
    const struct tbb_function_input *f = function_input(n);
    if (!f->queue) {            /* it came from a sender */
        if (!here.pulled.trail)
            in_doubt(n, m);
        engine_arrival_max(th, &m->a, &here.pulled);
        m->doubt |= here.doubt;
        pulled_drop(th);
        return;
    }
    spin_lock(&n->lock);
    uint64_t head = __atomic_load_n(&f->queue->head, __ATOMIC_ACQUIRE), limit = f->max_concurrency, index = n->taken;
    if (index >= head)
        index = head - 1;
    if (head - index > limit)
        index = head - limit;
    n->taken = index + 1;
    box_read(th, n->graph, &n->port[1], index, m);
    spin_unlock(&n->lock);
}

static inline void note_outside(struct thread *th, struct flow_node *n)
{
    if (!place_in(n->graph, th->cur))
        __atomic_store_n(&n->outside, n->graph->epoch + 1, __ATOMIC_RELAXED);
}

/* A task of N that no put of ours returned. */
static bool adopt(struct thread *th, struct flow_node *n, struct tbb_graph_task *t, const struct task_class *k)
{
    struct flow_graph *g = n->graph;
    struct mail m = { .epoch = g->epoch };
    uint32_t flags = 0;
    bool here_before = place_in(g, th->cur) == n, limited = k->flow == FLOW_TASK_BODY && is_limited(n);
    if (limited && here_before) {
        take_out(th, n, &m);
        if (class_of(th->cur)->flow == FLOW_TASK_BODY) {
            /* its slot goes to the next one, which starts after it */
            struct mail mine = { .epoch = g->epoch };
            th->cur->flags |= GAVE_SLOT;
            running_mail(th, g, &mine);
            engine_arrival_max(th, &m.a, &mine.a);
            engine_trail_drop(th, mine.a.trail);
        } else {
            flags = NEEDS_SLOT;
        }
    } else {
        source(th, g, &m);
        note_outside(th, n);
        if (limited)
            flags = NEEDS_SLOT;
        if (k->flow == FLOW_TASK_BODY && n->class_->kind == FLOW_CONTINUE) {
            spin_lock(&n->lock);
            mail_read(th, g, &n->mail, &m);
            mail_drop(th, &n->mail);
            n->seen = 0;
            spin_unlock(&n->lock);
        }
    }
    bool done = ready(th, n, t, k, &m, flags);
    engine_trail_drop(th, m.a.trail);
    return done;
}

/* A task of some priority waits in the graph's queue, and SELECTOR will run the first of those. It is a strand of its own:
 * the first may be one that we have not seen. */
static bool adopt_selector(struct thread *th, struct tbb_selector *selector, const struct task_class *k, struct tbb_context *ctx)
{
    const struct tbb_graph *real = (const void *)(selector->queue - TBB_GRAPH_QUEUE);
    bool known = graphs_find(ctx, real);
    struct flow_graph *g = graph_of(th, real, ctx);
    if (!g)
        return false;
    if (!here.prioritized) {
        /* None but it has ever been in the queue if this is the graph's first task; nobody takes it out yet. */
        struct tbb_graph_task **queue[2], *first = 0;
        memcpy(queue, selector->queue + TBB_QUEUE_DATA, sizeof queue);
        const struct task_class *of = 0;
        if (!known && queue[1] == queue[0] + 1 && flow_peek(queue[0], &first, sizeof first) && is_new(&first->task))
            of = task_class_of(first->task.vptr);
        struct flow_node *n = of && of->flow == FLOW_TASK_BODY ? node_of(th, g, first->node) : 0;
        if (!n || !adopt(th, n, first, of))
            engine_lower_bound(k->construct);
    }
    here.prioritized -= here.prioritized != 0;
    return adopt(th, &g->other, (struct tbb_graph_task *)selector, k);
}

bool flow_spawn(struct thread *th, struct tbb_task *task, const struct task_class *k, struct tbb_context *ctx)
{
    if (ctx)
        scopes_context_own(ctx);
    if (k->flow == FLOW_TASK_SELECTOR)
        return ctx && adopt_selector(th, (struct tbb_selector *)task, k, ctx);
    struct tbb_graph_task *t = (struct tbb_graph_task *)task;
    struct flow_graph *g = ctx ? graph_of(th, t->graph, ctx) : 0;
    struct flow_node *n = !g ? 0 : k->flow == FLOW_TASK_OTHER ? &g->other : node_of(th, g, t->node);
    if (!n || n->class_->kind == FLOW_UNKNOWN)
        return false;
    return adopt(th, n, t, k);
}

void flow_begin(struct thread *th, struct task *rec)
{
    struct flow_node *n = rec->agent_place;
    struct flow_graph *g = n->graph;
    uint32_t state = rec->flags & (NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    rec->flags &= ~(NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    if (state & NEEDS_SLOT) {
        struct arrival a = { 0 };
        /* who has left it is a few instructions from saying so */
        for (uint32_t i = 0; !slot_take(th, n, &a); i++) {
            if (i > 100000) {
                th->lost[LOSS_LATE_JOIN]++;
                break;
            }
            if (i < 1000)
                __builtin_ia32_pause();
            else
                sched_yield();
        }
        engine_task_after(th, rec, &a, 1);
        engine_trail_drop(th, a.trail);
    }
    if (__builtin_expect(state & IN_DOUBT, 0)) {
        uint64_t was = __atomic_load_n(&g->doubt, __ATOMIC_RELAXED);
        while (rec->S < was && !__atomic_compare_exchange_n(&g->doubt, &was, rec->S, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
    if (n->class_->kind == FLOW_JOIN)
        here.courier = n;
    else if (n->class_->kind == FLOW_LIMITER)
        place_expect(th, n);
}

void flow_end(struct thread *th, struct task *rec)
{
    struct flow_node *n = rec->agent_place;
    if (is_limited(n) && !(rec->flags & GAVE_SLOT) && class_of(rec)->flow == FLOW_TASK_BODY) {
        struct mail m = { .epoch = 0 };
        rec->flags |= GAVE_SLOT;
        running_mail(th, n->graph, &m);
        slot_give(th, n, &m.a);
        engine_trail_drop(th, m.a.trail);
    } else if (class_of(rec)->flow == FLOW_TASK_INPUT) {
        struct mail m = { .epoch = n->graph->epoch };
        running_mail(th, n->graph, &m);
        spin_lock(&n->lock);
        mail_drop(th, &n->mail);
        mail_add(th, n->graph, &n->mail, &m);
        spin_unlock(&n->lock);
        engine_trail_drop(th, m.a.trail);
    }
    rec->flags &= ~(NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    here.courier = 0;
    if (n->class_->kind == FLOW_LIMITER)
        place_leave(th, n, true);
    pulled_drop(th);
}

void flow_thrown(struct thread *th)
{
    here.courier = 0;
    pulled_drop(th);
}

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
    spin_lock(&n->lock);
    for (struct flight **at = &n->flights; *at; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            break;
        }
    spin_unlock(&n->lock);
}

static void flight_enter(struct flow_node *n, struct flight *f, const void *item)
{
    f->item = item;
    spin_lock(&n->lock);
    f->next = n->flights;
    n->flights = f;
    spin_unlock(&n->lock);
}

static struct flight *flight_find(struct flow_node *n, const void *item)
{
    spin_lock(&n->lock);
    struct flight *f = n->flights;
    while (f && f->item != item)
        f = f->next;
    spin_unlock(&n->lock);
    return f;
}

static void putting_cleanup(struct putting *w)
{
    if (w->locked)
        spin_unlock(&w->locked->order);
    if (w->flying)
        flight_leave(w->flying, &w->flight);
    if (w->light)
        here.courier = w->courier;
    struct thread *th = engine_self();
    if (th && w->placing)
        place_leave(th, w->placing, false);
    if (th)
        engine_trail_drop(th, w->mail.a.trail);
}

/* A body runs inside this put: the strand goes on after what the body waits for. */
static void run_inside(struct thread *th, struct putting *w)
{
    engine_running_after(th, &w->mail.a);
    w->courier = here.courier;
    w->light = true;
    here.courier = 0;
}

/* The last message of N's round: M becomes what its body waits for. Under N's lock. */
static void round_over(struct thread *th, struct flow_node *n, const struct tbb_continue_receiver *c, struct mail *m)
{
    mail_read(th, n->graph, &n->mail, m);
    mail_drop(th, &n->mail);
    if ((int)n->seen < c->predecessors)
        in_doubt(n, m);
    n->seen = 0;
}

static struct tbb_task *hook_put(void *receiver, const void *item)
{
    struct tbb_task *(*original)(void *, const void *) = shadow_of(receiver)->original[VTABLE_RECEIVER_PUT];
    struct thread *th = engine_self();
    struct port *p = th && th->cur ? port_find(receiver) : 0;
    if (!p)
        return original(receiver, item);
    struct flow_node *n = p->node;
    struct flow_graph *g = n->graph;
    struct putting w __attribute__((cleanup(putting_cleanup))) = { .th = th };
    struct tbb_task *t;
    uint32_t flags = 0;
    if (n->class_->kind == FLOW_INDEXER) {
        /* or another thread might hand it on in our place */
        spin_lock(&n->order);
        w.locked = n;
        return original(receiver, item);
    }
    source(th, g, &w.mail);
    note_outside(th, n);
    switch (n->class_->kind) {
    case FLOW_CONTINUE: {
        const struct tbb_continue_receiver *c = receiver;
        bool light = is_light(n), fires = false;
        if (!light) {
            spin_lock(&n->order);
            w.locked = n;
        }
        spin_lock(&n->lock);
        if (n->mail.epoch != g->epoch)
            n->seen = (uint32_t)c->current;
        mail_add(th, g, &n->mail, &w.mail);
        n->seen++;
        if (light && (fires = c->current + 1 >= c->predecessors))
            round_over(th, n, c, &w.mail);
        spin_unlock(&n->lock);
        if (fires)
            run_inside(th, &w);
        t = original(receiver, item);
        if (!light && is_new(t)) {
            spin_lock(&n->lock);
            round_over(th, n, c, &w.mail);
            spin_unlock(&n->lock);
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
            bool inside = !limited || (f->concurrency < f->max_concurrency && slot_take(th, n, &w.mail.a));
            if (inside)
                run_inside(th, &w);
            t = original(receiver, item);
            th = engine_self();
            if (!th || !th->cur)
                return t;
            if (inside && limited) {
                struct mail m = { .epoch = g->epoch };
                uint32_t state = th->cur->flags & GAVE_SLOT;
                running_mail(th, g, &m);
                slot_give(th, n, &m.a);
                th->cur->flags = (th->cur->flags & ~GAVE_SLOT) | state;
                engine_trail_drop(th, m.a.trail);
            } else if (t == TBB_ENQUEUED && f->queue && f->queue->tail != tail) {
                spin_lock(&n->lock);
                box_put(th, g, &p->box, f->queue->head, f->queue->tail - 1, &w.mail);
                spin_unlock(&n->lock);
            }
        } else if (limited && f->queue) {
            spin_lock(&n->order);
            w.locked = n;
            t = original(receiver, item);
            if (t == TBB_ENQUEUED) {
                spin_lock(&n->lock);
                uint64_t tail = __atomic_load_n(&f->queue->tail, __ATOMIC_RELAXED);
                uint64_t head = __atomic_load_n(&f->queue->head, __ATOMIC_RELAXED);
                box_put(th, g, &p->box, head > f->max_concurrency && head - f->max_concurrency < tail ? head - f->max_concurrency : 0,
                        tail - 1, &w.mail);
                spin_unlock(&n->lock);
            }
        } else {
            t = original(receiver, item);
        }
        break;
    }
    case FLOW_LIMITER: {
        if (p == &n->port[1]) {
            place_take(th, n);
            w.placing = n;
            t = original(receiver, item);
            w.placing = 0;
            if (t && !here.placed && n->class_->counts)
                engine_lower_bound("flow::limiter_node (a decrement that was not seen)");
            place_leave(th, n, t != 0);
            break;
        }
        const struct tbb_continue_receiver *c = receiver;
        bool fires = !n->class_->counts;
        if (!fires) {
            spin_lock(&n->lock);
            mail_add(th, g, &n->mail, &w.mail);
            fires = c->current + 1 >= c->predecessors;
            if (fires) {
                mail_read(th, g, &n->mail, &w.mail);
                mail_drop(th, &n->mail);
            }
            spin_unlock(&n->lock);
        }
        if (fires) {
            slot_give(th, n, &w.mail.a);
            here.limiter = n;   /* what it lets through comes after this strand anyway */
            w.placing = n;
        }
        t = original(receiver, item);
        w.placing = 0;
        if (fires)
            place_leave(th, n, true);
        break;
    }
    case FLOW_JOIN: {
        const struct tbb_queueing_port *q = receiver;
        spin_lock(&n->order);
        w.locked = n;
        t = original(receiver, item);
        spin_lock(&n->lock);
        box_put(th, g, &p->box, q->buffer.head, q->buffer.tail - 1, &w.mail);
        spin_unlock(&n->lock);
        break;
    }
    case FLOW_BUFFER:
        w.flight.mail = w.mail;
        w.flying = n;
        flight_enter(n, &w.flight, item);
        t = original(receiver, item);
        break;
    case FLOW_OVERWRITE:
        spin_lock(&n->lock);
        mail_drop(th, &n->mail);
        mail_add(th, g, &n->mail, &w.mail);
        spin_unlock(&n->lock);
        /* fall through */
    default:
        t = original(receiver, item);
    }
    if (is_new(t)) {
        const struct task_class *k = task_class_of(t->vptr);
        struct tbb_graph_task *gt = (struct tbb_graph_task *)t;
        if (k->flow == FLOW_TASK_BODY && gt->node == receiver)
            ready(th, n, gt, k, &w.mail, flags);
        else if (k->flow == FLOW_TASK_FORWARD)
            ready(th, n, gt, k, &w.mail, 0);
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
    here.courier = c->before;
}

static void hook_buffer_forward(void *buffer, struct tbb_buffer_operation *op)
{
    void (*original)(void *, struct tbb_buffer_operation *) = shadow_of(buffer)->original[VTABLE_BUFFER_FORWARD];
    struct port *p = engine_self() ? port_find(buffer) : 0;
    struct couriering c __attribute__((cleanup(couriering_cleanup))) = { here.courier };
    if (p)
        here.courier = p->node;
    original(buffer, op);
}

/* OP stands on the stack of who wants it done. */
static bool is_mine(const void *op)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    return (uintptr_t)op - frame < 64 << 10;
}

static bool hook_buffer_push(void *buffer, struct tbb_buffer_operation *op)
{
    bool (*original)(void *, struct tbb_buffer_operation *) = shadow_of(buffer)->original[VTABLE_BUFFER_PUSH];
    struct thread *th = engine_self();
    struct port *p = th && th->cur ? port_find(buffer) : 0;
    if (!p)
        return original(buffer, op);
    struct flow_node *n = p->node;
    const struct tbb_item_buffer *b = buffer_of(n);
    struct flight *f = flight_find(n, op->item);
    struct mail m = { .epoch = n->graph->epoch };
    if (f)
        mail_read(th, n->graph, &f->mail, &m);
    else if (is_mine(op))
        source(th, n->graph, &m);
    else
        in_doubt(n, &m);
    uint64_t tail = b->tail;
    here.tagged = false;
    bool result = original(buffer, op);
    if (b->tail > tail)
        box_put(th, n->graph, &n->port[1].box, b->head, b->tail - 1, &m);
    else if (here.tagged && here.tag >= b->head && here.tag < b->tail)
        box_put(th, n->graph, &n->port[1].box, b->head, here.tag, &m);
    if (n->class_->order == FLOW_PRIORITY && b->tail > 1)
        engine_lower_bound(n->class_->name);
    engine_trail_drop(th, m.a.trail);
    return result;
}

static void take(void *buffer, struct tbb_buffer_operation *op, bool last)
{
    struct thread *th = engine_self();
    struct port *p = th ? port_find(buffer) : 0;
    struct flow_node *n = p ? p->node : 0;
    struct flight *f = n ? flight_find(n, op->item) : 0;
    if (!f)
        return;
    const struct tbb_item_buffer *b = buffer_of(n);
    if (b->tail == b->head)
        return;
    f->found = true;
    box_read(th, n->graph, &n->port[1], last ? b->tail - 1 : b->head, &f->mail);
}

static void hook_buffer_pop(void *buffer, struct tbb_buffer_operation *op)
{
    const struct shadow *s = shadow_of(buffer);
    void (*original)(void *, struct tbb_buffer_operation *) = s->original[VTABLE_BUFFER_POP];
    struct port *p = port_find(buffer);
    take(buffer, op, p && p->node->class_->order == FLOW_LIFO);
    original(buffer, op);
}

static void hook_buffer_reserve(void *buffer, struct tbb_buffer_operation *op)
{
    const struct shadow *s = shadow_of(buffer);
    void (*original)(void *, struct tbb_buffer_operation *) = s->original[VTABLE_BUFFER_RESERVE];
    take(buffer, op, false);
    original(buffer, op);
}

static size_t hook_tag(void *sequencer, const void *item)
{
    size_t (*original)(void *, const void *) = shadow_of(sequencer)->original[VTABLE_BODY_CALL];
    here.tag = original(sequencer, item);
    here.tagged = true;
    return here.tag;
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
    struct port *p = th && th->cur ? port_find(sender) : 0;
    if (!p)
        return original(sender, item);
    struct flow_node *n = p->node;
    struct pulling w __attribute__((cleanup(pulling_cleanup))) = { .flight = { .mail = { .epoch = n->graph->epoch } } };
    if (n->class_->kind == FLOW_BUFFER) {
        w.n = n;
        flight_enter(n, &w.flight, item);
    } else {
        spin_lock(&n->lock);
        w.flight.found = n->mail.a.trail != 0;
        mail_read(th, n->graph, &n->mail, &w.flight.mail);
        spin_unlock(&n->lock);
    }
    bool result = original(sender, item);
    if (result && place_in(n->graph, th->cur)) {
        engine_arrival_max(th, &here.pulled, &w.flight.mail.a);
        here.doubt |= w.flight.mail.doubt || !w.flight.found;
    }
    return result;
}

static bool hook_get(void *sender, void *item)
{
    return pull(sender, item, VTABLE_SENDER_GET);
}

static bool hook_reserve(void *sender, void *item)
{
    return pull(sender, item, VTABLE_SENDER_RESERVE);
}

static bool settle(void *sender, unsigned slot)
{
    bool (*original)(void *) = shadow_of(sender)->original[slot];
    bool result = original(sender);     /* it may spawn what comes next, which is after what was pulled */
    struct thread *th = engine_self();
    if (th)
        pulled_drop(th);
    return result;
}

static bool hook_release(void *sender)
{
    return settle(sender, VTABLE_SENDER_RELEASE);
}

static bool hook_consume(void *sender)
{
    if (here.limiter) {
        struct thread *th = engine_self();
        if (th)
            place_use(th, here.limiter);
    }
    return settle(sender, VTABLE_SENDER_CONSUME);
}

/* ---- waits ---- */

/* S is empty; it goes with G's next use of its owner, or now. */
static void scope_release(struct thread *th, struct flow_graph *g, struct scope *s)
{
    spin_lock(&g->lock);
    for (struct scope **at = &g->scopes; *at; at = &(*at)->key_next)
        if (*at == s) {
            *at = s->key_next;
            break;
        }
    spin_unlock(&g->lock);
    engine_scope_free(th, s);
}

void flow_join(struct thread *th, const void *wc, struct tbb_context *ctx)
{
    struct flow_graph *g = graphs_find(ctx, (const char *)wc - TBB_GRAPH_WAIT);
    struct task *cur = th->cur;
    if (!g || !cur)
        return;
    uint64_t doubt = __atomic_exchange_n(&g->doubt, UINT64_MAX, __ATOMIC_RELAXED);
    if (doubt < cur->S)
        engine_lower_bound(INLINED);
    __atomic_add_fetch(&g->epoch, 1, __ATOMIC_ACQ_REL);
    spin_lock(&g->lock);
    struct scope *s = g->scopes, *next;
    spin_unlock(&g->lock);
    for (; s; s = next) {
        next = s->key_next;
        if (s->owner == cur)
            engine_join(th, s);
        else
            engine_join_foreign(th, s);
        if (scope_is_empty(s) && !s->owner)
            scope_release(th, g, s);
    }
}

void flow_context_destroy(struct thread *th, struct tbb_context *ctx)
{
    struct flow_graph *g = ctx->graphs, *next;
    for (ctx->graphs = 0; g; g = next) {
        next = g->next;
        for (struct flow_node *n = g->nodes, *following; n; n = following) {
            following = n->next;
            node_free(th, n);
        }
        node_empty(th, &g->other);
        for (struct scope *s = g->scopes, *following; s; s = following) {
            following = s->key_next;
            s->key = 0;
            s->key_next = 0;
            if (scope_is_empty(s) && (!s->owner || s->owner == th->cur))
                engine_scope_free(th, s);
        }
        block_free(th, g);
    }
}
