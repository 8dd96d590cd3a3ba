/* snapshot_path.c - which contexts the longest path comes from: the bags along it, and the strands
 * of its tasks that have not ended. See snapshot_private.h. */
#include "dag/bag.h"
#include "dag/block.h"
#include "output/snapshot_private.h"
#include "base/forbid.h"

static struct on_span *on_span(struct snapshot *s, uint32_t context)
{
    return &s->on_span[snapshot_index(s, context)];
}

static void add_node(struct snapshot *s, uint32_t node, uint64_t weight, uint64_t squares)
{
    if (node >= s->node_count)
        return;
    s->samples[node].on_span += weight;
    s->samples[node].on_span_squares += squares;
}

/* COUNT, or less: the entries of SIZE bytes that P's block has room for after HEADER bytes. */
static uint32_t within(const void *p, uint32_t header, uint32_t size, uint32_t count)
{
    size_t most = (block_capacity(((const struct block *)p - 1)->class_) - header) / size;
    return count < most ? count : most;
}

/* B's thread may free B, use it again and write to it meanwhile. But B's block stays a bag
 * (dag/slab.h), and b->fresh always points to a block of samples. So a count that is read once, and
 * bounded by its block, is safe. */
static void add_bag(struct snapshot *s, const struct bag *b, uint64_t until)
{
    if (!b)
        return;
    const struct bag_sample *fresh = __atomic_load_n(&b->fresh, __ATOMIC_RELAXED);
    uint32_t n = fresh ? within(fresh, 0, sizeof *fresh,
                                __atomic_load_n(&b->fresh_count, __ATOMIC_RELAXED))
                       : 0;
    for (uint32_t i = 0; i < n && fresh[i].S <= until; i++)
        add_node(s, __atomic_load_n(&fresh[i].node, __ATOMIC_RELAXED), fresh[i].weight,
                 fresh[i].squares);
    n = within(b, sizeof *b, sizeof b->e[0], __atomic_load_n(&b->count, __ATOMIC_RELAXED));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t context = __atomic_load_n(&b->e[i].context, __ATOMIC_RELAXED);
        if (context & BAG_NODE) {
            add_node(s, context & ~BAG_NODE, b->e[i].v.count, b->e[i].v.work);
            continue;
        }
        struct on_span *v = on_span(s, context);
        v->count += b->e[i].v.count;
        v->work_local += b->e[i].v.work_local;
        v->span_local += b->e[i].v.span_local;
        v->work += b->e[i].v.work;
        v->span += b->e[i].v.span;
    }
}

/* A task on the path that has not ended counts with what it has done so far. */
static void add_running(struct snapshot *s, const struct task *t)
{
    if (t->flags & (TASK_INHERIT | TASK_ROOT))
        return;
    struct on_span *v = on_span(s, context_of(t));
    v->count++;
    v->work_local += t->own + t->inherited_work;
    v->work += t->own + t->joined;
    v->span += t->S - t->birth;
}

/* Adds the path from the start of the program to point FROM of the owner of SCOPE: the owner's own
 * path, then each ancestor's up to the birth of the one below. If an ancestor is gone, the rest
 * counts for the program's strands. */
static void add_prefix(struct snapshot *s, const struct scope *scope, uint64_t from)
{
    const struct task *t;
    uint32_t tasks = 0;
    for (; scope && (t = __atomic_load_n(&scope->owner, __ATOMIC_RELAXED)) && tasks < CHAIN_MOST;
         from = t->birth, scope = __atomic_load_n(&t->scope, __ATOMIC_RELAXED), tasks++) {
        const struct bag *bag = __atomic_load_n(&t->bag, __ATOMIC_RELAXED);
        uint64_t blk = t->blk, loc = t->loc;
        if (from < blk) {
            const struct prefix *p = scope->prefixes;
            uint32_t prefixes = 0;
            while (p && (from < p->blk || from > p->end) && prefixes++ < CHAIN_MOST)
                p = __atomic_load_n(&p->next, __ATOMIC_RELAXED);
            if (!p)
                break;
            bag = p->bag;
            blk = p->blk;
            loc = p->loc;
        }
        add_bag(s, bag, from);
        on_span(s, context_of(t))->span_local += loc + (from - blk);
        add_running(s, t);
    }
    on_span(s, 0)->span_local += from;
    s->approximate += from != 0;
}

void snapshot_add_live_path(struct snapshot *s, const struct task *t, uint64_t open)
{
    add_bag(s, t->bag, t->S);
    on_span(s, context_of(t))->span_local += t->loc + (t->S - t->blk) + open;
    add_running(s, t);
    add_prefix(s, t->scope, t->birth);
}

void snapshot_add_ended_path(struct snapshot *s, const struct task *t, const struct scope *scope)
{
    add_bag(s, t->bag, t->S);
    on_span(s, context_of(t))->span_local += t->loc;
    add_running(s, t);
    add_prefix(s, t->flags & TASK_FOREIGN ? 0 : scope, t->birth);
}
