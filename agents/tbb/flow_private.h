/* flow_private.h - what the files of the flow graph share. flow.c has the model and the rules,
 * tbb.h the layers. No other file includes it.
 */
#ifndef AGENTS_TBB_FLOW_PRIVATE_H
#define AGENTS_TBB_FLOW_PRIVATE_H

#include "dag/block.h"
#include "flow_node_class.h"
#include "task.h"
#include "task_classes.h"

extern const char flow_inlined[];       /* the name of a lower bound */

/* A task's own state, until it has begun or ended. */
enum { NEEDS_SLOT = TASK_AGENT_1, IN_DOUBT = TASK_AGENT_2, GAVE_SLOT = TASK_AGENT_3 };

/* The path of a message that has arrived. DOUBT: another message, which we did not see, may also
 * have arrived. */
struct mail {
    struct arrival a;
    uint64_t epoch;
    uint64_t index;             /* in a queue, + 1; 0: the place is empty */
    bool doubt;
};

/* The messages in a queue of the node's, by their index there. */
struct box {
    struct mail *mail;          /* a block; a ring */
    uint32_t capacity;          /* a power of two, or 0 */
};

/* A put or get of a buffer that is under way. The thread that handles the operation finds the
 * flight by the address of the item. */
struct flight {
    struct flight *next;
    const void *item;
    struct mail mail;
    bool found;
};

/* A slot that was given back: a body's in a node of limited concurrency, or a message's in a
 * limiter. */
struct slot {
    struct slot *next;          /* earliest first */
    struct arrival a;
};

/* An object of the node that we find again by its address. */
struct port {
    struct port *next;          /* of the bucket */
    const void *address;
    struct flow_node *node;
    uint64_t known_from;        /* index of the first message in the queue that we may have seen */
    struct box box;
};

struct flow_node {
    const struct flow_node_class *class_;
    struct flow_graph *graph;
    /* Makes our order of puts TBB's. It is held across the program's try_put. A thread that may be
     * inside an operation of this node does not take it. */
    struct lock order;
    struct lock lock; /* protects all below, but not a buffer's box, which is its handler's */
    uint32_t seen;              /* continue_node: messages of this round */
    uint32_t seq;
    /* continue_node: this round's; input_node, overwrite_node: what the node holds */
    struct mail mail;
    uint64_t outside; /* the last epoch + 1 in which a strand from outside put into the node */
    struct tbb_graph_node *top;
    struct context *context; /* of the node's bodies, under graph->context; NULL: not known yet */
    struct flight *flights;
    struct slot *slots;
    uint64_t slots_fresh, slots_epoch;
    /* slots used before anybody gave them back: a put holds one until it is rejected */
    uint64_t slots_owed;
    bool uncounted;             /* we have miscounted the node's slots */
    bool reused;                /* flow_slot_reused has noted the node; atomic */
    uint64_t latest;            /* serial node: the longest path of a message so far */
    bool overtaken;             /* a message with a shorter path came after it: that was noted */
    uint64_t taken;             /* messages taken out of the queue, as far as we saw */
    struct mail before;         /* sequencer_node: the latest message that the node has handed on */
    struct flow_node *next;     /* of the graph */
    uint32_t port_count;
    struct port port[];         /* the top; the receiver or the ports; the sender */
};

struct flow_graph {
    struct flow_graph *next;    /* of the context */
    const struct tbb_graph *address;
    uint32_t shift;             /* TBB_SHIFT_*, for the headers that the graph was compiled with */
    /* of the strand that put first from outside: contexts of bodies hang on it */
    struct context *context;
    /* One for each strand that put from outside. It only grows, under lock: anyone may walk it. The
     * scope of a strand that has ended becomes another one's (flow_scope_own). */
    struct scope *scopes;
    struct flow_node *nodes;    /* under lock */
    /* nodes whose object is gone, but whose tasks may not have ended; under lock */
    struct flow_node *gone;
    const struct tbb_graph_node *last; /* the end of the graph's list at the last walk */
    uint64_t epoch;             /* waits that have returned */
    uint64_t doubt; /* the earliest start of a body that something unseen might have delayed */
    struct sponsors *sponsors;  /* NULL: no async_node's body has begun; under lock */
    bool had_guests;            /* in a scope that is another's; under joining, never cleared */
    struct lock lock;
    struct lock joining;        /* a scope is emptied, or a guest spawns into it */
    uint32_t seq;
    struct flow_node other;     /* for tasks that belong to no node */
};

/* The thread's state between two events. */
struct flow_state {
    const struct flow_node *courier;    /* the thread hands on messages of this node */
    struct arrival pulled;      /* got from a sender, not yet put */
    bool doubt;                 /* of `pulled` */
    struct arrival slot;        /* the path that the limiter's slot, which is in use, waits for */
    bool has_slot;
    struct flow_node *limiter;  /* it hands on what it gets from a sender */
    bool tagged;
    uint64_t tag;               /* of the sequencer's last call */
    /* Tasks that were made ready and wait in the graph's queue: for each of them a
     * priority_task_selector comes to the entry point. */
    uint32_t prioritized;
};
extern __thread struct flow_state flow_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define flow_here THREAD_LOCAL(flow_here)

static inline const struct task_class *class_of(const struct task *t)
{
    return t->agent_class;
}

/* The node that strand T belongs to. NULL: T is none of G's tasks. */
static inline struct flow_node *node_in(const struct flow_graph *g, const struct task *t)
{
    struct flow_node *n = t->agent_class && class_of(t)->flow ? t->agent_flow : 0;
    return n && n->graph == g ? n : 0;
}

/* The graph's own fields, in the program's memory. */
static inline struct tbb_graph_rest *graph_rest(const struct flow_graph *g)
{
    return (struct tbb_graph_rest *)((char *)g->address + TBB_GRAPH_REST + g->shift);
}

/* The node that T, a task of G, belongs to: the address of one of its bases. */
static inline const void *task_node(const struct flow_graph *g, const struct tbb_graph_task *t)
{
    return *(void *const *)((const char *)t + TBB_TASK_NODE + g->shift);
}

static inline bool is_new(const struct tbb_task *t)
{
    return t && t != TBB_ENQUEUED && !tbb_task_seen(t);
}

/* Does the path of the running strand alone make up a message that it puts? */
static inline bool is_plain_here(void)
{
    return !flow_here.courier && !flow_here.pulled.trail && !flow_here.doubt &&
           !flow_here.slot.trail;
}

static inline const struct tbb_function_input *function_input(const struct flow_node *n)
{
    return (const void *)((const char *)n->top + n->class_->receiver);
}

static inline bool is_limited(const struct flow_node *n)
{
    return n->class_->kind == FLOW_FUNCTION && function_input(n)->max_concurrency;
}

/* Does a put into N run N's body at once? */
static inline bool is_light(const struct flow_node *n)
{
    return n->class_->light && (n->class_->kind == FLOW_CONTINUE || function_input(n)->no_throw);
}

/* The running strand puts into N. */
static inline void note_outside(struct thread *th, struct flow_node *n)
{
    if (!node_in(n->graph, th->cur))
        __atomic_store_n(&n->outside, n->graph->epoch + 1, __ATOMIC_RELAXED);
}

/* ---- flow_mail.c: all [hook] ---- */

void flow_mail_drop(struct thread *th, struct mail *m);
/* Adds M to INTO, if M is of this epoch. */
void flow_mail_read(struct thread *th, const struct flow_graph *g, const struct mail *m,
                    struct mail *into);
/* Adds MORE to M. First empties M if it is of an earlier epoch. */
void flow_mail_add(struct thread *th, const struct flow_graph *g, struct mail *m,
                   const struct mail *more);
/* Adds the running strand's path, as it is now, to M. */
void flow_mail_now(struct thread *th, struct flow_graph *g, struct mail *m);
/* M becomes the path of a message that this thread puts now. */
void flow_mail_source(struct thread *th, struct flow_graph *g, struct mail *m);
/* M had to wait for a message that was put into N unseen by us. */
void flow_in_doubt(const struct flow_node *n, struct mail *m);

/* The message at INDEX comes into a queue whose first message is HEAD. */
void flow_box_put(struct thread *th, struct flow_graph *g, struct box *b, uint64_t head,
                  uint64_t index, const struct mail *mail);
/* Adds the message at INDEX to INTO. */
void flow_box_read(struct thread *th, struct flow_graph *g, const struct port *p, uint64_t index,
                   struct mail *into);
void flow_box_drop(struct thread *th, struct box *b, uint64_t index);
void flow_box_free(struct thread *th, struct box *b);

/* The scope of the running strand for messages into G. own: a scope that the strand owns. known:
 * the strand is a task of it or owns it; NULL: there is none yet. */
struct scope *flow_scope_of(struct thread *th, struct flow_graph *g);
struct scope *flow_scope_known(const struct thread *th, const struct flow_graph *g);
struct scope *flow_scope_own(struct thread *th, struct flow_graph *g);
/* The running strand puts into S, a scope of a graph: is it a guest there? */
static inline bool flow_is_guest(const struct thread *th, const struct scope *s)
{
    return th->cur->scope != s && __atomic_load_n(&s->owner, __ATOMIC_RELAXED) != th->cur;
}

/* Slots of a node of limited concurrency, or of a limiter. give: a strand with path A gives one
 * back. */
void flow_slot_give(struct thread *th, struct flow_node *n, const struct arrival *a);
/* Takes a free slot of N, and adds the path that it waits for to A. False: no slot is free. */
bool flow_slot_take(struct thread *th, struct flow_node *n, struct arrival *a);
void flow_slots_drop(struct thread *th, struct flow_node *n);
/* A message waits for a slot of N that another one had. If N has several slots, which of them is
 * free first is this run's. */
void flow_slot_reused(struct flow_node *n);

/* A limiter may let a message through. For a put: takes the slot at once. */
void flow_limiter_take(struct thread *th, struct flow_node *n);
/* For a message that the limiter gets itself, if there is one: only reads the slot. */
void flow_limiter_expect(struct thread *th, struct flow_node *n);
/* Takes that slot, when the message has gone through. */
void flow_limiter_use(struct thread *th, struct flow_node *n);
/* The limiter has finished. USED: a message went through. */
void flow_limiter_leave(struct thread *th, struct flow_node *n, bool used);
void flow_pulled_drop(struct thread *th);

/* ---- flow_task.c ---- */

/* [hook] Message M makes T ready, a task of node N that has no record yet. SPAWNED: as in
 * tbb_task_see. */
bool flow_ready(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                const struct mail *m, uint32_t flags, bool spawned);

/* [hook] A message that the running strand puts makes a body of N ready, and the body waits for
 * nothing else. Its record, for flow_ready_is; NULL: not possible here, take flow_ready's way. */
struct task *flow_ready_along(struct thread *th, struct flow_node *n);
/* [hook] REC, from flow_ready_along, is the record of T, which has no record yet. SPAWNED: as in
 * tbb_task_see. */
void flow_ready_is(struct flow_node *n, struct tbb_graph_task *t, struct task *rec, bool spawned);

/* ---- flow_guest.c: all [hook] ---- */

/* T, a body of an async_node, is about to begin, or ends. */
void flow_sponsor_begin(struct thread *th, struct flow_graph *g, const struct task *t);
void flow_sponsor_end(struct thread *th, struct flow_graph *g, const struct task *t);
void flow_sponsors_free(struct thread *th, struct flow_graph *g);
/* The scope that the running strand, none of G's tasks and no owner of a scope of G, puts into as a
 * guest; NULL: none. */
struct scope *flow_guest_scope(struct thread *th, struct flow_graph *g);
/* R, new, is the running strand's path, as if the strand were a task of R's scope. Makes R a true
 * path of that scope. */
void flow_guest_path(struct thread *th, struct flow_graph *g, struct trail *r);
/* The running strand joins S, a scope of G, where guests may spawn meanwhile. */
void flow_guest_join(struct thread *th, struct flow_graph *g, struct scope *s);

/* ---- flow_address.c: all [hook] ---- */

/* Our record of the object at ADDRESS. NULL: there is none. */
struct port *flow_port_find(const void *address);
bool flow_port_add(struct port *p);
void flow_port_remove(struct port *p);

/* ---- flow_vtable.c: copies of vtables; all [hook] ---- */

enum { SHADOW_WORDS = 32 };
enum role { ROLE_RECEIVER, ROLE_SENDER, ROLE_BUFFER, ROLE_TAG };

/* A copy of a vtable with some functions of ours. All objects of the class share it, and it is
 * never freed. */
struct shadow {
    struct shadow *next;
    void *const *original;
    enum role role;
    void *word[2 + SHADOW_WORDS];       /* offset to top, type_info, functions */
};

static inline const struct shadow *shadow_at(void *const *vptr)
{
    return (const struct shadow *)((const char *)(vptr - 2) - offsetof(struct shadow, word));
}

static inline const struct shadow *shadow_of(const void *object)
{
    return shadow_at(__atomic_load_n((void *const *const *)object, __ATOMIC_RELAXED));
}

bool flow_vtable_is_ours(const void *vptr);
/* Gives OBJECT a copy of its vtable, for ROLE. */
bool flow_vtable_put_on(void *object, enum role role);
/* The program's vtable of OBJECT, whether OBJECT has a copy or not. */
void *const *flow_vtable_original(const void *object);
/* The program's vtable, if VPTR is a copy; else VPTR. */
void *const *flow_vtable_original_of(void *const *vptr);
/* Code was unloaded: other vtables may be at known addresses. */
void flow_vtable_forget(void);

/* ---- flow_node.c: all [hook] ---- */

/* The node that has OBJECT as a base. NULL: not understood, or another graph's. */
struct flow_node *flow_node_of(struct thread *th, struct flow_graph *g, const void *object);
void flow_node_empty(struct thread *th, struct flow_node *n);
void flow_node_free(struct thread *th, struct flow_node *n);
/* Removes N from the table of ports: nobody finds N again. */
void flow_node_hide(struct flow_node *n);
/* Has every task of G ended, for us? A wait may return a moment earlier. */
bool flow_graph_over(const struct flow_graph *g);
/* The graph at REAL, whose tasks run in CTX. NULL: no memory, or REAL has not the layout of a
 * graph of any headers that we know. */
struct flow_graph *flow_graph_of(struct thread *th, const struct tbb_graph *real,
                                 struct tbb_context *ctx);
/* The same, if it is known already. */
struct flow_graph *flow_graph_find(const struct tbb_context *ctx, const void *real);
/* The known graph in CTX whose wait_context is at WC. */
struct flow_graph *flow_graph_waited(const struct tbb_context *ctx, const void *wc);
/* The graph whose queue of tasks with priorities is at QUEUE. NULL: not understood. */
const struct tbb_graph *flow_graph_at_queue(const char *queue);

/* ---- flow_put.c, flow_take.c: in vtables, in place of the program's functions; all [hook] ---- */

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

/* flow_take.c, for puts into buffers: F is under way, with ITEM, until it leaves. */
void flow_flight_enter(struct flow_node *n, struct flight *f, const void *item);
void flow_flight_leave(struct flow_node *n, struct flight *f);

#endif
