/* valid.c - see valid.h. Empty unless assertions are built. */
#include "dag/valid.h"
#if LIBPROF_DEBUG
#include <string.h>
#include "dag/bag.h"
#include "dag/block.h"
#include "dag/edge.h"
#include "dag/scope.h"
#include "dag/strand.h"
#include "dag/task.h"
#include "dag/region.h"
#include "dag/run.h"
#include "libprof_format.h"
#include "dag/thread.h"
#include "unwind/call_tree.h"
#include "base/forbid.h"

bool memory_was_lost(void)
{
    for (const struct thread *th = __atomic_load_n(&engine_threads, __ATOMIC_ACQUIRE); th;
         th = th->next)
        if (__atomic_load_n(&th->lost[LOSS_MEMORY], __ATOMIC_RELAXED))
            return true;
    return false;
}

/* ---- blocks ---- */

static const struct block *block_of(const void *object)
{
    return (const struct block *)object - 1;
}

bool block_is_live(const void *object)
{
    const struct block *b = block_of(object);
    uint32_t magic = __atomic_load_n(&b->magic, __ATOMIC_RELAXED);
    ASSERT(magic != BLOCK_FREE);
    ASSERT(magic == BLOCK_LIVE);
    ASSERT(b->class_ < BLOCK_CLASSES && b->home);
    return true;
}

static bool half_is_zero(const struct scope_half *h)
{
    ASSERT(!h->done && !h->alone);
    ASSERT(!h->best && lengths_zero(&h->len) && !h->scaled && !h->work && !h->inherited_work);
    return true;
}

bool scope_is_zero(const struct scope *s)
{
    ASSERT(!s->spawned && !s->spawned_foreign && !s->taken_work);
    ASSERT(half_is_zero(&s->local) && half_is_zero(&s->remote));
    ASSERT(!s->prefixes && !s->prefix_count && !s->born_block);
    ASSERT(!s->rest && !s->dag_id && !s->left && !s->taking && !s->lock.word);
    return true;
}

bool block_is_clean(const struct block *b)
{
    if (b->class_ == BLOCK_SCOPE)
        return scope_is_zero((const struct scope *)(b + 1));
    if (b->class_ == BLOCK_TASK) {
        const struct task *t = (const struct task *)(b + 1);
        ASSERT(!t->bag && !t->scopes && !t->own_scope && !t->regions);  /* or they are lost */
    }
    return true;
}

bool block_poison(struct block *b)
{
    if (b->class_ < BLOCK_TASK)
        memset(b + 1, 0xdf, block_capacity(b->class_));
    return true;
}

/* ---- bags and the paths that they are part of ---- */

bool bag_is_valid(const struct bag *b)
{
    if (!b)
        return true;
    ASSERT(block_is_live(b));
    uint32_t class_ = block_of(b)->class_, contexts = context_count(), nodes = cct_count();
    ASSERT(class_ >= BLOCK_BAG && class_ < BLOCK_SAMPLES);
    ASSERT(b->capacity == (block_capacity(class_) - sizeof *b) / sizeof b->e[0]);
    ASSERT(b->count <= b->capacity);
    ASSERT(b->fresh_count <= b->fresh_capacity && !b->fresh == !b->fresh_capacity);
    ASSERT(!b->fresh || block_is_live(b->fresh));
    for (uint32_t i = 0; i < b->count; i++) {
        const struct bag_entry *e = &b->e[i];
        ASSERT(!i || e[-1].context < e->context);
        if (e->context & BAG_NODE) {
            ASSERT(!nodes || (e->context & ~BAG_NODE) < nodes);
            ASSERT(e->v.work >= e->v.count);    /* the squares of the weights */
            ASSERT(!e->v.work_local && !e->v.span && !e->v.span_local);
        } else {
            ASSERT(!contexts || e->context < contexts);
        }
    }
    for (uint32_t i = 0; i < b->fresh_count; i++) {
        ASSERT(!i || b->fresh[i - 1].S <= b->fresh[i].S);
        ASSERT(!nodes || b->fresh[i].node < nodes);
    }
    return true;
}

/* The parts of a path sum to its length: sum(bag.span_local) + LOC == LENGTH. */
static bool parts_sum(const struct bag *b, uint64_t loc, uint64_t length)
{
    ASSERT(loc <= length);
    ASSERT(bag_span(b) + loc == length || memory_was_lost());
    return true;
}

bool critical_put_is_valid(const struct task *t, const struct critical *p)
{
    ASSERT(p->thread && p->S == t->S);
    ASSERT(bag_is_valid(p->bag));
    return parts_sum(p->bag, p->loc, t->S - t->birth);
}

bool trail_is_valid(const struct trail *r)
{
    ASSERT(block_is_live(r));
    ASSERT(__atomic_load_n(&r->references, __ATOMIC_RELAXED));
    if (!r->ctx)
        return true;            /* a point of the scope's owner */
    ASSERT(r->birth <= r->S && r->late <= r->S - r->birth);
    ASSERT(bag_is_valid(r->bag));
    return parts_sum(r->bag, r->loc, r->S - r->birth);
}

bool kept_is_valid(const struct kept *k)
{
    ASSERT(k->ctx);
    ASSERT(k->birth <= k->S && k->late <= k->S - k->birth);
    ASSERT(bag_is_valid(k->bag));
    ASSERT(bag_span(k->bag) <= k->S - k->birth);
    return true;
}

bool edge_is_valid(const struct edge *e)
{
    ASSERT(e->lock.word);
    ASSERT(e->ctx ? context_is_valid(e->ctx) : !e->S && lengths_zero(&e->len));
    return true;
}

/* ---- tasks ---- */

static bool regions_are_valid(const struct task *t)
{
    for (const struct region_instance *i = t->regions; i; i = i->next) {
        ASSERT(block_is_live(i));
        ASSERT(i->total && i->depth);
        ASSERT(i->S <= t->S);
        for (const struct region_instance *k = i->next; k; k = k->next)
            ASSERT(k->total != i->total);
    }
    return true;
}

static bool task_path_is_valid(const struct task *t)
{
    ASSERT(block_is_live(t));
    ASSERT(t->birth <= t->blk && t->blk <= t->S);
    ASSERT(t->late <= t->S - t->birth);
    ASSERT(t->ctx);
    ASSERT_WALK(context_is_valid(t->ctx));
    ASSERT_WALK(bag_is_valid(t->bag));
    ASSERT_WALK(parts_sum(t->bag, t->loc, t->blk - t->birth));  /* and S - blk is its own */
    return true;
}

bool task_is_valid(const struct task *t)
{
    ASSERT(task_path_is_valid(t));
    /* S is the length of a path, and the burdened length is the maximum over all paths. A measured
     * burden has changed, so earlier choices may not be the maximum. */
    ASSERT(burden_measured || lengths_burdened(&t->len) >= t->S);
    ASSERT(t->len.D <= t->S);
    ASSERT(t->len.T <= t->S);
    ASSERT_WALK(regions_are_valid(t));
    return true;
}

/* T->fresh counts the scopes that T has spawned into in this block and not joined. */
static bool fresh_is_right(const struct task *t)
{
    uint32_t fresh = 0;
    for (const struct scope *s = task_scopes(t); s; s = task_scopes_next(t, s)) {
        ASSERT(block_is_live(s) && s->owner == t);
        fresh += s->born_block == t->block + 1;
    }
    ASSERT(fresh == t->fresh);
    return true;
}

bool strand_is_valid(const struct task *t)
{
    ASSERT(task_is_valid(t));
    ASSERT(!t->own_scope || t->own_scope->owner == t);
    ASSERT(!(t->flags & (TASK_CLOSED | TASK_REST)));
    ASSERT_WALK(fresh_is_right(t));
    return true;
}

bool task_is_complete(const struct task *t)
{
    ASSERT(task_is_valid(t));
    ASSERT(t->blk == t->S);
    ASSERT(!t->bag || !t->bag->fresh_count);    /* all its samples are settled */
    ASSERT(!t->regions && !t->scopes && !t->own_scope);
    return true;
}

/* ---- scopes ---- */

static bool half_is_valid(const struct scope_half *h)
{
    if (!h->done)
        return half_is_zero(h);
    ASSERT(!h->best || h->best->S);
    ASSERT_WALK(!h->best || task_is_complete(h->best));
    ASSERT(!h->alone || (h->best && h->done == 1 && !h->work && lengths_zero(&h->len)));
    struct lengths len;
    half_sums(h, &len);
    ASSERT(!h->best || burden_measured || lengths_burdened(&len) >= h->best->S);
    return true;
}

static bool prefixes_are_valid(const struct scope *s)
{
    uint32_t count = 0;
    for (const struct prefix *p = s->prefixes; p; p = p->next, count++) {
        ASSERT(block_is_live(p));
        ASSERT(s->owner->birth <= p->blk && p->blk <= p->end && p->end <= s->owner->S);
        ASSERT(!p->next || p->next->end <= p->blk);
        ASSERT(bag_is_valid(p->bag));
        ASSERT(parts_sum(p->bag, p->loc, p->blk - s->owner->birth));
    }
    ASSERT(count == s->prefix_count);
    return true;
}

bool scope_credit_is_valid(const struct scope *s)
{
    /* Read taken_work first: work only grows until the owner empties S. */
    uint64_t taken_work = __atomic_load_n(&s->taken_work, __ATOMIC_ACQUIRE);
    struct lengths len;
    uint64_t work = half_sums(&s->local, &len) + half_sums(&s->remote, &len);
    ASSERT(taken_work <= work);
    return true;
}

bool scope_is_valid(const struct thread *th, const struct scope *s)
{
    /* Read done before spawned: a spawn counts before its task can end, and only the caller empties
     * S. */
    uint64_t done = __atomic_load_n(&s->local.done, __ATOMIC_ACQUIRE) +
                    __atomic_load_n(&s->remote.done, __ATOMIC_ACQUIRE);
    ASSERT(done <= scope_spawned(s));
    ASSERT(s->owner);
    ASSERT(scope_credit_is_valid(s));
    if (__atomic_load_n(&s->thread, __ATOMIC_RELAXED) == th)
        ASSERT(half_is_valid(&s->local));
    ASSERT_WALK(prefixes_are_valid(s));
    return true;
}

bool scope_is_over(const struct scope *s)
{
    ASSERT(half_is_valid(&s->local) && half_is_valid(&s->remote));
    ASSERT(s->local.done + s->remote.done == scope_spawned(s));
    return true;
}

/* ---- contexts, paths, the calling context tree ---- */

bool node_is_valid(uint32_t node)
{
    ASSERT(node < cct_count());
    const struct cct_node *n = cct_node(node);
    ASSERT(node == CCT_ROOT ? n->parent == LPF_NONE && n->kind == LPF_NODE_ROOT
                            : n->parent < node && n->kind != LPF_NODE_ROOT);
    ASSERT(n->next < cct_count());
    return true;
}

bool segment_is_valid(const struct segment *s)
{
    ASSERT(s->count);
    return true;
}

bool path_is_valid(const struct logical_path *p)
{
    ASSERT(!p->up == !p->segment);
    ASSERT(p->up ? p->depth == p->up->depth + 1 : !p->depth && p->node == CCT_ROOT);
    ASSERT(!cct_budget || node_is_valid(p->node));
    ASSERT(!p->segment || segment_is_valid(p->segment));
    ASSERT_ALL(!p->up || path_is_valid(p->up));
    return true;
}

bool context_is_valid(const struct context *c)
{
    ASSERT(c->id < context_count() && c->id < 2 * context_budget);
    ASSERT(!c->site == (c == context_root));
    ASSERT(c->set && c->path);
    ASSERT(!c->parent == (c == context_root));
    /* an ancestor of the same site is also one of the same function */
    ASSERT(c->top || !c->topcaller || !c->site->function);
    ASSERT(path_is_valid(c->path));
    for (unsigned i = 0; i < CONTEXT_MEMO; i++) {
        uint16_t tag = __atomic_load_n(&c->tag[i], __ATOMIC_ACQUIRE);
        ASSERT(!tag || (c->memo[i] && context_tag((const void *)c->memo[i]->key) == tag));
    }
    return true;
}

/* ---- threads ---- */

#if LIBPROF_DEBUG >= 3
static bool free_lists_are_valid(const struct thread *th)
{
    for (uint32_t c = 0; c < BLOCK_CLASSES; c++)
        for (const struct block *b = th->free_blocks[c]; b; b = b->next) {
            ASSERT(b->magic == BLOCK_FREE && b->class_ == c && b->home == th);
            ASSERT(block_is_clean(b));
        }
    return true;
}
#endif

bool thread_is_valid(const struct thread *th)
{
    ASSERT(th->live && th->metrics[0]);
    ASSERT(th->slab <= th->slab_end && th->slab_end <= th->slab_limit);
    ASSERT(!th->cur || strand_is_valid(th->cur));
    /* not task_is_valid: the lengths of detached tasks are in detached_len */
    ASSERT(!th->detached ||
           (task_path_is_valid(th->detached) && th->detached->blk == th->detached->S));
    for (uint32_t c = 0; c < BLOCK_CLASSES; c++) {
        const struct block *b = th->free_blocks[c];
        ASSERT(!b || (b->magic == BLOCK_FREE && b->class_ == c && b->home == th));
    }
    ASSERT_ALL(free_lists_are_valid(th));
    return true;
}
#else
typedef int no_predicates;      /* ISO C wants something in a file */
#endif
