/* flow.c - the flow graph as the dag that the program wrote: strands that wait for messages.
 *
 * Only the tasks of a graph pass an entry point of libtbb. The rest, from try_put to the queues and
 * counters of the nodes, is header code inside the program. Spawns do not show which task carries
 * which message: the previous body spawns the task of a queued message, and the last put spawns the
 * task of a join. So we follow the messages from node to node. The first task leads to the nodes
 * (task -> graph -> its list of nodes). Their type information leads to their receivers and senders
 * (flow_node_class.c). These get copies of their vtables, in which try_put_task and a few more
 * functions are ours.
 *
 * The dag. A message carries the path of the strand that put it, as it was then (struct trail). A
 * body starts after
 *   continue_node       all messages of its round
 *   function_node etc.  its message. With limited concurrency, if no slot was free, also the body
 *                       that gave one back first. A queued message also waits for the body that
 *                       took it out. Queues are FIFO, so an index in the queue identifies a message
 *   input_node          the body before it
 *   behind a join       the messages that its ports held at the same index (queueing), or that the
 *                       join has reserved
 *   behind a buffer     the message that was put, whichever task hands it on. Its index identifies
 *                       it. Behind a sequencer also the messages before it in sequence
 *   behind a limiter    its message. If no slot was free, also the decrement that came first
 * A lightweight body is a part of the strand that puts. The strand that waits for the graph goes on
 * after all its bodies. Tasks that hand on messages (forwarders) are strands of the waiter's own
 * invocation. Their messages have the paths of the original puts, not those of the forwarders.
 *
 * All bodies are tasks of one scope, whose owner is the strand that put the first message from
 * outside. A chain of 10^6 bodies is 10^6 tasks that come and go, not a tree. Other strands outside
 * that put messages are guests in that scope, or have a scope each (flow_guest.c).
 *
 * Puts that we do not see. If the compiler knows the class of a node, an optimised put is no
 * virtual call. We see such a put if it makes a task. If the message is queued, our record of its
 * body starts when its other messages allow it. If the put came from a strand outside, the result
 * is exact, with one exception: by the time that strand waits, its path is longer than the body's
 * start (doubt in struct flow_graph). Then, and where a body seems to make such puts, the span is a
 * lower bound.
 *
 * Rules. A node's `order` is held around the program's try_put, but only where TBB also serialises
 * the puts. So our order is TBB's. A message from before a wait_for_all that has returned cannot
 * delay a body that starts after the wait. So arrivals carry the number of the wait (epoch), and
 * older arrivals do not count. We join after the wait has returned. Meanwhile other threads may
 * put, and may hold trails of the epoch before. So a scope lives as long as its graph
 * (flow_guest.c). A graph and its nodes live until all their tasks and puts have ended here.
 *
 * Locks. The handlers of a node take node.order inside all that they hold. TBB's lock of its node
 * list nests in graph.lock. No other lock of the graph nests in graph.joining. node.lock and bucket
 * locks nest in all others, and nothing nests in them but memory's.
 */
#include <string.h>
#include "flow.h"
#include "flow_private.h"
#include "dag/own_overhead.h"
#include "scopes.h"
#include "base/forbid.h"

/* ---- tasks ---- */

/* A message has left N's queue. M gets the message's path. */
static void take_out(struct thread *th, struct flow_node *n, struct mail *m)
{
    const struct tbb_function_input *f = function_input(n);
    if (!f->queue) {            /* the message came from a sender */
        if (!flow_here.pulled.trail)
            flow_in_doubt(n, m);
        arrival_max(th, &m->a, &flow_here.pulled);
        m->doubt |= flow_here.doubt;
        flow_pulled_drop(th);
        return;
    }
    lock_take(&n->lock);
    uint64_t head = __atomic_load_n(&f->queue->head, __ATOMIC_ACQUIRE), limit = f->max_concurrency,
             index = n->taken;
    if (index >= head)
        index = head - 1;
    if (head - index > limit)
        index = head - limit;
    n->taken = index + 1;
    flow_box_read(th, n->graph, &n->port[1], index, m);
    lock_release(&n->lock);
}

/* flow_ready for T, a body of N that waits for the running strand, and for M if M is less. False:
 * not possible here. */
static bool adopt_along(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                        const struct mail *m, uint32_t flags)
{
    if (m->a.trail && m->a.trail->S >= th->cur->S)
        return false;
    struct task *rec = flow_ready_along(th, n);
    if (!rec)
        return false;
    if (m->a.trail)
        engine_task_after(th, rec, &m->a, 1);
    rec->flags |= flags | (m->doubt ? IN_DOUBT : 0);
    flow_ready_is(n, t, rec, true);
    return true;
}

/* T is a body for message M, from the queue of N, and takes over the slot of the running body. So
 * it starts after both. */
static bool adopt_slot(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                       struct mail *m)
{
    struct mail mine = { .epoch = m->epoch };
    if (th->cur->flags & GAVE_SLOT && flow_slot_take(th, n, &mine.a)) {
        /* A put of the body's own gave the slot back, too early. */
        trail_drop(th, mine.a.trail);
        mine.a = (struct arrival){ .trail = 0 };
    }
    th->cur->flags |= GAVE_SLOT;
    flow_slot_reused(n);
    if (adopt_along(th, n, t, m, 0))
        return true;
    flow_mail_now(th, n->graph, &mine);
    arrival_delay(th, &m->a, &mine.a);
    trail_drop(th, mine.a.trail);
    return flow_ready(th, n, t, m, 0, true);
}

/* T has a message that the running strand hands on. M becomes the message's path. True: T has its
 * record. */
static bool adopt_handed_on(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                            const struct task_class *k, struct mail *m, uint32_t flags)
{
    bool round = k->flow == FLOW_TASK_BODY && n->class_->kind == FLOW_CONTINUE;
    note_outside(th, n);
    if (k->flow == FLOW_TASK_BODY && !round && adopt_along(th, n, t, m, flags))
        return true;
    flow_mail_source(th, n->graph, m);
    if (round) {
        lock_take(&n->lock);
        flow_mail_read(th, n->graph, &n->mail, m);
        flow_mail_drop(th, &n->mail);
        n->seen = 0;
        lock_release(&n->lock);
    }
    return flow_ready(th, n, t, m, flags, true);
}

/* A task T of N that no put of ours returned: finds its message and gives T a record. */
static bool adopt(struct thread *th, struct flow_node *n, struct tbb_graph_task *t,
                  const struct task_class *k)
{
    struct mail m = { .epoch = n->graph->epoch };
    bool limited = k->flow == FLOW_TASK_BODY && is_limited(n), done;
    if (limited && node_in(n->graph, th->cur) == n) {
        take_out(th, n, &m);
        done = class_of(th->cur)->flow == FLOW_TASK_BODY
                   ? adopt_slot(th, n, t, &m)
                   : flow_ready(th, n, t, &m, NEEDS_SLOT, true);
    } else {
        done = adopt_handed_on(th, n, t, k, &m, limited ? NEEDS_SLOT : 0);
    }
    trail_drop(th, m.a.trail);
    return done;
}

/* A task of some priority waits in the graph's queue, and SELECTOR will run the first task there.
 * The selector is a strand of its own: the first task may be one that we have not seen. */
static bool adopt_selector(struct thread *th, struct tbb_selector *selector,
                           const struct task_class *k, struct tbb_context *ctx)
{
    const struct tbb_graph *real = flow_graph_at_queue(selector->queue);
    bool known = real && flow_graph_find(ctx, real);
    struct flow_graph *g = real ? flow_graph_of(th, real, ctx) : 0;
    if (!g)
        return false;
    if (!flow_here.prioritized) {
        /* If this is the graph's first task, no other has ever been in the queue, and no thread
         * takes it out yet. */
        struct tbb_graph_task **queue[2], *first = 0;
        memcpy(queue, selector->queue + TBB_QUEUE_DATA, sizeof queue);
        const struct task_class *of = 0;
        if (!known && queue[1] == queue[0] + 1 && flow_peek(queue[0], &first, sizeof first) &&
            is_new(&first->task))
            of = task_class_of(first->task.vptr);
        struct flow_node *n = of && of->flow == FLOW_TASK_BODY
                                  ? flow_node_of(th, g, task_node(g, first))
                                  : 0;
        if (!n || !adopt(th, n, first, of))
            run_lower_bound(k->construct);
    }
    flow_here.prioritized -= flow_here.prioritized != 0;
    return adopt(th, &g->other, (struct tbb_graph_task *)selector, k);
}

bool flow_spawn(struct thread *th, struct tbb_task *task, const struct task_class *k,
                struct tbb_context *ctx)
{
    if (ctx)
        scopes_context_own(ctx);
    if (k->flow == FLOW_TASK_SELECTOR)
        return ctx && adopt_selector(th, (struct tbb_selector *)task, k, ctx);
    struct tbb_graph_task *t = (struct tbb_graph_task *)task;
    struct flow_graph *g = ctx ? flow_graph_of(th, t->graph, ctx) : 0;
    struct flow_node *n = !g                           ? 0
                          : k->flow == FLOW_TASK_OTHER ? &g->other
                                                       : flow_node_of(th, g, task_node(g, t));
    if (!n || n->class_->kind == FLOW_UNKNOWN)
        return false;
    return adopt(th, n, t, k);
}

/* REC, a task of N that is about to begin, takes a slot of N. */
static void begin_slot(struct thread *th, struct flow_node *n, struct task *rec)
{
    struct arrival a = { 0 };
    /* The body that gave up the slot reports this a few instructions later. */
    for (uint32_t turns = 0; !flow_slot_take(th, n, &a) && !n->uncounted; lock_turn(&turns)) {
        if (turns > LOCK_TURNS_MOST) {
            /* That body was preempted for long, or we have miscounted. From now on no body of N
             * waits for a slot. */
            n->uncounted = true;
            run_lower_bound("flow graph (concurrency limit)");
            break;
        }
    }
    engine_task_after(th, rec, &a, 1);
    trail_drop(th, a.trail);
}

/* By itself, so that flow_begin saves no registers. */
static __attribute__((noinline)) void begin_long(struct thread *th, struct flow_node *n,
                                                 struct task *rec)
{
    struct flow_graph *g = n->graph;
    uint32_t state = rec->flags & (NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    rec->flags &= ~(NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    if (state & NEEDS_SLOT)
        begin_slot(th, n, rec);
    if (__builtin_expect(state & IN_DOUBT, 0)) {
        uint64_t was = __atomic_load_n(&g->doubt, __ATOMIC_RELAXED);
        while (rec->S < was && !__atomic_compare_exchange_n(&g->doubt, &was, rec->S, true,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
    if (n->class_->kind == FLOW_JOIN)
        flow_here.courier = n;
    else if (n->class_->kind == FLOW_LIMITER)
        flow_limiter_expect(th, n);
    else if (n->class_->sponsors && class_of(rec)->flow == FLOW_TASK_BODY)
        flow_sponsor_begin(th, g, rec);
}

void flow_begin(struct thread *th, struct task *rec)
{
    struct flow_node *n = rec->agent_flow;
    const struct flow_node_class *c = n->class_;
    if (rec->flags & (NEEDS_SLOT | IN_DOUBT | GAVE_SLOT) || c->kind == FLOW_JOIN ||
        c->kind == FLOW_LIMITER || c->sponsors)
        begin_long(th, n, rec);
}

/* Does REC hold a slot of N until it ends? */
static inline bool gives_at_end(const struct flow_node *n, const struct task *rec)
{
    return is_limited(n) && !(rec->flags & GAVE_SLOT) && class_of(rec)->flow == FLOW_TASK_BODY;
}

bool flow_end_is_long(const struct task *rec)
{
    const struct flow_node *n = rec->agent_flow;
    return class_of(rec)->flow == FLOW_TASK_INPUT || n->class_->sponsors ||
           n->class_->kind == FLOW_LIMITER || flow_here.pulled.trail || gives_at_end(n, rec);
}

/* What N notes at the end of REC. */
static void node_end(struct thread *th, struct flow_node *n, struct task *rec)
{
    if (gives_at_end(n, rec)) {
        struct mail m = { .epoch = 0 };
        flow_mail_now(th, n->graph, &m);
        flow_slot_give(th, n, &m.a);
        trail_drop(th, m.a.trail);
    } else if (class_of(rec)->flow == FLOW_TASK_INPUT) {
        struct mail m = { .epoch = n->graph->epoch };
        flow_mail_now(th, n->graph, &m);
        lock_take(&n->lock);
        flow_mail_drop(th, &n->mail);
        flow_mail_add(th, n->graph, &n->mail, &m);
        lock_release(&n->lock);
        trail_drop(th, m.a.trail);
    }
    if (n->class_->sponsors)
        flow_sponsor_end(th, n->graph, rec);
    if (n->class_->kind == FLOW_LIMITER)
        flow_limiter_leave(th, n, true);
    flow_pulled_drop(th);
}

void flow_end(struct thread *th, struct task *rec, bool is_long)
{
    if (is_long || flow_here.pulled.trail)
        node_end(th, rec->agent_flow, rec);
    rec->flags &= ~(NEEDS_SLOT | IN_DOUBT | GAVE_SLOT);
    flow_here.courier = 0;
    flow_here.doubt = false;
}

void flow_thrown(struct thread *th)
{
    flow_here.courier = 0;
    flow_pulled_drop(th);
}

/* ---- waits ---- */

void flow_join(struct thread *th, const void *wc, struct tbb_context *ctx)
{
    struct flow_graph *g = flow_graph_waited(ctx, wc);
    struct task *cur = th->cur;
    if (!g || !cur)
        return;
    uint64_t doubt = __atomic_exchange_n(&g->doubt, UINT64_MAX, __ATOMIC_RELAXED);
    if (doubt < cur->S)
        run_lower_bound(flow_inlined);
    __atomic_add_fetch(&g->epoch, 1, __ATOMIC_SEQ_CST);
    for (struct scope *s = __atomic_load_n(&g->scopes, __ATOMIC_ACQUIRE); s; s = s->key_next)
        flow_guest_join(th, g, s);
}

/* Have all puts left the nodes of G? Last of all a put releases the node's order, or takes its
 * flight out. It may still have to do this when its message has been handled already. */
static bool puts_over(const struct flow_graph *g)
{
    for (struct flow_node *n = g->nodes; n; n = n->next) {
        if (!lock_take_within(&n->order, LOCK_LOADER_NS))
            return false;
        lock_release(&n->order);
        if (__atomic_load_n(&n->flights, __ATOMIC_ACQUIRE))
            return false;
    }
    return true;
}

static void nodes_free(struct thread *th, struct flow_node *n)
{
    for (struct flow_node *next; n; n = next) {
        next = n->next;
        flow_node_free(th, n);
    }
}

/* Leaves the scopes of a graph that is gone: nobody will join them. */
static void scopes_leave(struct thread *th, struct scope *s)
{
    for (struct scope *next; s; s = next) {
        next = s->key_next;
        if (__atomic_load_n(&s->owner, __ATOMIC_RELAXED) == th->cur && scope_is_empty(s))
            scope_free(th, s);
        else
            scope_leave(th, s);
    }
}

void flow_context_destroy(struct thread *th, struct tbb_context *ctx)
{
    struct flow_graph *g = ctx->graphs, *next;
    for (ctx->graphs = 0; g; g = next) {
        next = g->next;
        for (struct flow_node *n = g->nodes; n; n = n->next)
            flow_node_hide(n);
        bool over = flow_graph_over(g) && puts_over(g);
        scopes_leave(th, g->scopes);
        if (!over)
            continue;           /* G stays: a task or a put that has not ended still uses it */
        nodes_free(th, g->nodes);
        nodes_free(th, g->gone);
        flow_node_empty(th, &g->other);
        flow_sponsors_free(th, g);
        block_free(th, g);
    }
}
