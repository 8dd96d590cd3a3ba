/* snapshot.c - what the engine knows, summed for the writer.
 *
 * The final snapshot runs on the thread that ends the program; other threads may still run, their
 * words are read as they are (each is one aligned 64-bit load). A checkpoint runs on the writer's
 * thread while everything runs: it must not follow pointers that the hooks change, so it takes the
 * span and the on-span profile from what the main strand last published.
 */
#include <string.h>
#include <time.h>
#include "bag.h"
#include "block.h"
#include "calibrate.h"
#include "engine.h"
#include "libprof_format.h"
#include "thread.h"


/* The main strand's path as of its last join, for checkpoints. published_lock protects all of it. */
static uint32_t published_lock;
static struct on_span *published;
static uint32_t published_count;
static uint64_t published_span, published_root, published_L, published_K;
bool engine_publish_wanted;     /* set by a checkpoint, taken by the main strand at its next join */

void engine_publish(struct task *t)
{
    spin_lock(&published_lock);
    if (published) {
        memset(published, 0, published_count * sizeof published[0]);
        published_root = t->loc + (t->S - t->blk);
        for (uint32_t i = 0; t->bag && i < t->bag->count; i++) {
            const struct bag_entry *e = &t->bag->e[i];
            if (e->context < published_count)
                published[e->context] = e->v;
            else
                published_root += e->v.span_local;
        }
        published_span = t->S;
        published_L = t->L;
        published_K = t->K;
        engine_publish_wanted = false;
    }
    spin_unlock(&published_lock);
}

/* Entry of CONTEXT in the snapshot; contexts made after it was sized share the root's. */
static struct on_span *at(struct snapshot *s, uint32_t context)
{
    return &s->on_span[context < s->context_count ? context : 0];
}

static void add_bag(struct snapshot *s, const struct bag *b)
{
    for (uint32_t i = 0; b && i < b->count; i++) {
        struct on_span *v = at(s, b->e[i].context);
        v->count += b->e[i].v.count;
        v->work_local += b->e[i].v.work_local;
        v->span_local += b->e[i].v.span_local;
        v->work += b->e[i].v.work;
        v->span += b->e[i].v.span;
    }
}

/* The path of T, which has not ended, from the start of the program: its own, then its ancestors'
 * up to where it was born. An ancestor that is gone leaves the rest to the program's strands. */
static void add_live_path(struct snapshot *s, const struct task *t)
{
    uint64_t from = t->blk, loc = t->loc + (t->S - t->blk);
    const struct bag *bag = t->bag;
    for (;;) {
        add_bag(s, bag);
        at(s, t->ctx->id)->span_local += loc;
        if (!(t->flags & (TASK_INHERIT | TASK_ROOT))) {
            struct on_span *v = at(s, t->ctx->id);
            v->count++;
            v->work_local += t->own + t->inherited_work;
            v->work += t->own + t->joined;
            v->span += t->S - t->birth;
        }
        const struct scope *scope = t->scope;
        const struct task *owner = scope ? scope->owner : 0;
        if (!owner) {
            at(s, 0)->span_local += t->birth;
            return;
        }
        from = t->birth;
        if (from >= owner->blk) {
            bag = owner->bag;
            loc = owner->loc + (from - owner->blk);
        } else {
            const struct prefix *p = scope->prefixes;
            while (p && (from < p->blk || from > p->end))
                p = p->next;
            if (!p) {
                at(s, 0)->span_local += from;
                return;
            }
            bag = p->bag;
            loc = p->loc + (from - p->blk);
        }
        t = owner;
    }
}

static void add_detached_path(struct snapshot *s, const struct candidate *c)
{
    add_bag(s, c->bag);
    struct on_span *v = at(s, c->ctx->id);
    v->span_local += c->loc;
    if (!(c->flags & TASK_ROOT)) {
        v->count++;
        v->work_local += c->invocation_work;
        v->work += c->work;
        v->span += c->S - c->birth;
    }
    at(s, 0)->span_local += c->birth;   /* what led to the spawn is not known any more */
    s->approximate += c->birth != 0;
}

/* Work that no completed task has reported: of live roots and of strands that run now. */
static void add_live_work(struct snapshot *s, const struct task *t)
{
    s->metrics[t->ctx->id < s->context_count ? t->ctx->id : 0].work_local += t->own;
}

static void sum_threads(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        for (uint32_t i = 0; i < s->context_count; i++) {
            const struct metrics *m = &th->metrics[i];
            struct metrics *to = &s->metrics[i];
            to->tasks += m->tasks;
            to->invocations += m->invocations;
            to->steals += m->steals;
            to->work_local += m->work_local;
            to->span_local += m->span_local;
            to->work += m->work;
            to->span += m->span;
        }
        s->tasks += th->tasks;
        s->spawns += th->spawns;
        s->syncs += th->syncs;
        s->steals += th->steals;
        s->events += th->events;
        s->busy_tsc += th->busy_tsc;
        if (th->cur && __rdtsc() > th->strand_tsc)
            s->busy_tsc += __rdtsc() - th->strand_tsc;
        s->approximate += th->approximate;
        for (unsigned i = 0; i < 8; i++)
            s->lost[i] += th->lost[i];
    }
}

static void choose_burden(struct snapshot *s)
{
    static uint32_t h[128];
    uint64_t n = 0;
    memset(h, 0, sizeof h);
    for (struct thread *th = engine_threads; th; th = th->next) {
        for (unsigned i = 0; i < 128; i++)
            h[i] += th->steal_histogram[i];
        n += th->steal_samples;
    }
    s->burden_source = LPF_BURDEN_SETTING;
    s->burden = engine_burden;
    if (!burden_measured)
        return;
    s->burden_source = n ? LPF_BURDEN_MEASURED : LPF_BURDEN_DEFAULT;
    s->burden_steals = n;
    if (n)
        s->burden = histogram_median(h, n);
}

/* Tasks that ended in scopes nobody has joined yet count as joined by the end of the program. */
static void join_rest(struct thread *th, struct task *t)
{
    for (struct scope *sc = t->scopes; sc; sc = sc->owner_next)
        if (!scope_is_empty(sc) && sc->local.done + sc->remote.done == scope_spawned(sc))
            engine_join(th, sc);
    if (!scope_is_empty(&t->self) && t->self.local.done + t->self.remote.done == scope_spawned(&t->self))
        engine_join(th, &t->self);
}

static void longest_path(struct snapshot *s)
{
    const struct task *live = 0;
    const struct candidate *ended = 0;
    uint64_t S = 0, L = 0, K = 0;
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *t[2] = { th->cur, th->root };
        for (int i = 0; i < 2; i++) {
            if (!t[i] || !t[i]->ctx)
                continue;
            if (t[i]->S > S) {
                S = t[i]->S;
                live = t[i];
                ended = 0;
            }
            if (t[i]->L + t[i]->K * s->burden > L + K * s->burden) {
                L = t[i]->L;
                K = t[i]->K;
            }
        }
        if (th->detached.S > S) {
            S = th->detached.S;
            ended = &th->detached;
            live = 0;
        }
        if (th->detached_L + th->detached_K * s->burden > L + K * s->burden) {
            L = th->detached_L;
            K = th->detached_K;
        }
    }
    if (live)
        add_live_path(s, live);
    else if (ended)
        add_detached_path(s, ended);
    s->span = S;
    s->burdened_len = L;
    s->burdened_edges = K;
}

int engine_snapshot(struct snapshot *s, bool final)
{
    memset(s, 0, sizeof *s);
    s->final = final;
    s->context_count = context_count();
    s->metrics = memory_map(s->context_count * sizeof s->metrics[0]);
    s->on_span = memory_map(s->context_count * sizeof s->on_span[0]);
    if (!s->metrics || !s->on_span) {
        engine_snapshot_free(s);
        return -12; /* ENOMEM */
    }
    struct thread *me = thread_self_;
    if (final && me && me->cur) {
        engine_cut(me);
        join_rest(me, me->cur);
    }
    choose_burden(s);
    sum_threads(s);
    for (struct thread *th = engine_threads; th; th = th->next) {
        struct task *root = th->root, *cur = th->cur;
        if (root)
            add_live_work(s, root);
        if (cur && cur != root)
            add_live_work(s, cur);
    }
    if (final) {
        longest_path(s);
    } else {
        spin_lock(&published_lock);
        if (published) {
            uint32_t n = published_count < s->context_count ? published_count : s->context_count;
            memcpy(s->on_span, published, n * sizeof s->on_span[0]);
            s->on_span[0].span_local += published_root;
            s->span = published_span;
            s->burdened_len = published_L;
            s->burdened_edges = published_K;
        }
        if (!published) {
            published_count = 2 * context_budget;
            published = memory_map(published_count * sizeof published[0]);
        }
        engine_publish_wanted = true;
        spin_unlock(&published_lock);
        if (!s->span && engine_main && engine_main->root) {
            s->span = s->burdened_len = s->on_span[0].span_local = engine_main->root->S;
        }
    }
    for (uint32_t i = 0; i < s->context_count; i++)
        s->work += s->metrics[i].work_local;
    s->root_work = s->metrics[0].work_local;
    s->root_span = s->on_span[0].span_local;
    s->own_tsc = s->events * calibrated.event;
    uint64_t elapsed = __rdtsc() - engine_start_tsc;
    uint64_t slots = (uint64_t)engine_worker_slots * elapsed;
    s->idle_tsc = slots > s->busy_tsc ? slots - s->busy_tsc : 0;
    return 0;
}

void engine_snapshot_free(struct snapshot *s)
{
    memory_unmap(s->metrics, s->context_count * sizeof s->metrics[0]);
    memory_unmap(s->on_span, s->context_count * sizeof s->on_span[0]);
    s->metrics = 0;
    s->on_span = 0;
}
