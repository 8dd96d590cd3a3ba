/* flow_parts.h - what the files of the flow graph share; flow.c has the model and the rules. Nobody else includes it.
 *
 *   flow.c        tasks: what a body starts after; waits
 *   flow_mail.c   messages, and the queues and places that they wait in
 *   flow_node.c   graphs and nodes in the program's memory; copies of vtables
 *   flow_hook.c   what happens at the nodes: puts, buffers, gets
 *   flow_class.c  type information
 */
#ifndef AGENTS_TBB_FLOW_PARTS_H
#define AGENTS_TBB_FLOW_PARTS_H

#include "model/block.h"
#include "flow.h"
#include "flow_class.h"

extern const char flow_inlined[];       /* the name of a lower bound */

/* A task's own state, until it has begun or ended. */
enum { NEEDS_SLOT = TASK_AGENT_1, IN_DOUBT = TASK_AGENT_2, GAVE_SLOT = TASK_AGENT_3 };

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
    struct flow_graph *graph;
    struct lock order;          /* lock: our order of puts is TBB's. Held across the program's try_put; nobody who may be
                                   inside an operation of this node takes it */
    struct lock lock;           /* of all below, but a buffer's box: that is its handler's */
    uint32_t seen;              /* continue_node: messages of this round */
    uint32_t seq;
    struct mail mail;           /* continue_node: this round's; input_node, overwrite_node: what it holds */
    uint64_t outside;           /* the last epoch + 1 in which a strand from outside put into it */
    struct tbb_graph_node *top;
    struct context *context;    /* of its bodies, under graph->context; NULL: not known yet */
    struct flight *flights;
    struct slot *slots;
    uint64_t slots_fresh, slots_epoch;
    uint64_t slots_owed;        /* used before anybody had given them back: a put holds one until it is rejected */
    bool uncounted;             /* its places are not what we think they are */
    uint64_t taken;             /* messages taken out of the queue, as far as we saw */
    struct mail before;         /* sequencer_node: the latest of what it has handed on */
    struct flow_node *next;     /* of the graph */
    uint32_t port_count;
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
    struct lock lock;
    uint32_t seq;
    struct flow_node other;     /* stands for what is no node */
};

/* What this thread does between two events. */
struct flow_here {
    const struct flow_node *courier;    /* hands on messages of this node */
    struct arrival pulled;      /* got from a sender, not yet put */
    bool doubt;
    struct arrival place;       /* what the limiter's place that is being used waits for */
    bool placed;
    struct flow_node *limiter;  /* that hands on what it gets from a sender */
    bool tagged;
    uint64_t tag;               /* of the sequencer's last call */
    uint32_t prioritized;       /* seen to, but what comes to the entry point is a priority_task_selector for them */
};
extern __thread struct flow_here flow_here __attribute__((tls_model("initial-exec"), visibility("hidden")));

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
    return t && t != TBB_ENQUEUED && !tbb_task_seen(t);
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

static inline void note_outside(struct thread *th, struct flow_node *n)
{
    if (!place_in(n->graph, th->cur))
        __atomic_store_n(&n->outside, n->graph->epoch + 1, __ATOMIC_RELAXED);
}

/* ---- flow_mail.c: all [hook] ---- */

void flow_mail_drop(struct thread *th, struct mail *m);
/* What M holds, as far as it still counts, on top of INTO. */
void flow_mail_read(struct thread *th, const struct flow_graph *g, const struct mail *m, struct mail *into);
/* MORE on top of what M holds; what is too old there goes. */
void flow_mail_add(struct thread *th, const struct flow_graph *g, struct mail *m, const struct mail *more);
/* On top of M: what the running strand is, as a message; what a put by this thread carries. */
void flow_mail_now(struct thread *th, struct flow_graph *g, struct mail *m);
void flow_mail_source(struct thread *th, struct flow_graph *g, struct mail *m);
/* Something put into N was not seen, which M had to wait for. */
void flow_in_doubt(const struct flow_node *n, struct mail *m);

/* Messages in a queue whose first is HEAD. */
void flow_box_put(struct thread *th, struct flow_graph *g, struct box *b, uint64_t head, uint64_t index, const struct mail *mail);
void flow_box_read(struct thread *th, struct flow_graph *g, const struct port *p, uint64_t index, struct mail *into);
void flow_box_drop(struct thread *th, struct box *b, uint64_t index);
void flow_box_free(struct thread *th, struct box *b);

struct scope *flow_scope_of(struct thread *th, struct flow_graph *g);

/* Places in a node of limited concurrency, in a limiter. */
void flow_slot_give(struct thread *th, struct flow_node *n, const struct arrival *a);
bool flow_slot_take(struct thread *th, struct flow_node *n, struct arrival *a);
void flow_slots_drop(struct thread *th, struct flow_node *n);
void flow_place_take(struct thread *th, struct flow_node *n);
void flow_place_expect(struct thread *th, struct flow_node *n);
void flow_place_use(struct thread *th, struct flow_node *n);
void flow_place_leave(struct thread *th, struct flow_node *n, bool used);
void flow_pulled_drop(struct thread *th);

/* ---- flow_node.c: all [hook] ---- */

/* What we keep of the object at ADDRESS; NULL: nothing. */
struct port *flow_port_find(const void *address);
/* The node that OBJECT, a base of it, belongs to; NULL: not understood, or another graph's. */
struct flow_node *flow_node_of(struct thread *th, struct flow_graph *g, const void *object);
void flow_node_empty(struct thread *th, struct flow_node *n);
void flow_node_free(struct thread *th, struct flow_node *n);
/* The graph at REAL, whose tasks run in CTX; NULL: it is not what we think. find: if it is known. */
struct flow_graph *flow_graph_of(struct thread *th, const struct tbb_graph *real, struct tbb_context *ctx);
struct flow_graph *flow_graph_find(const struct tbb_context *ctx, const void *real);

enum { SHADOW_WORDS = 32 };
enum role { ROLE_RECEIVER, ROLE_SENDER, ROLE_BUFFER, ROLE_TAG };

/* A copy of a vtable with some functions of ours; shared by all objects of the class. Never freed. */
struct shadow {
    struct shadow *next;
    void *const *original;
    enum role role;
    void *word[2 + SHADOW_WORDS];       /* offset to top, type_info, functions */
};

static inline const struct shadow *shadow_of(const void *object)
{
    void *const *vptr = __atomic_load_n((void *const *const *)object, __ATOMIC_RELAXED);
    return (const struct shadow *)((const char *)(vptr - 2) - offsetof(struct shadow, word));
}

/* ---- flow.c, flow_hook.c ---- */

/* T, a task of node N that nobody has seen yet, is made ready by M. SPAWNED: as in tbb_task_see. */
bool flow_ready(struct thread *th, struct flow_node *n, struct tbb_graph_task *t, const struct task_class *k,
                const struct mail *m, uint32_t flags, bool spawned);

/* In vtables, in place of the program's. */
struct tbb_task *flow_hook_put(void *receiver, const void *item);
bool flow_hook_get(void *sender, void *item);
bool flow_hook_reserve(void *sender, void *item);
bool flow_hook_release(void *sender);
bool flow_hook_consume(void *sender);
void flow_hook_buffer_forward(void *buffer, struct tbb_buffer_operation *op);
bool flow_hook_buffer_push(void *buffer, struct tbb_buffer_operation *op);
void flow_hook_buffer_pop(void *buffer, struct tbb_buffer_operation *op);
void flow_hook_buffer_reserve(void *buffer, struct tbb_buffer_operation *op);
size_t flow_hook_tag(void *sequencer, const void *item);

#endif
