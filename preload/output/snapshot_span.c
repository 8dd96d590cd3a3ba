/* snapshot_span.c - which path is the longest at this moment: that of a strand that runs, or of a
 * task that ended and that nobody has joined. See snapshot_private.h. */
#include <string.h>
#include "engine/publish.h"
#include "output/snapshot_private.h"
#include "whatif/whatif.h"
#include "base/forbid.h"

/* The longest path so far: of strands that run, of detached tasks that ended, and of tasks that
 * ended in a scope that nobody has joined. The program's end counts as the join of that scope. */
struct longest {
    uint64_t S, burden, open, *scaled;
    struct lengths len;
    const struct task *live, *ended; /* one of them has S */
    const struct scope *scope;  /* where `ended` ended */
};

enum { WAITING_MOST = 4096 };   /* ancestors of a strand that consider_waiting asks */

static void consider(struct longest *l, const struct task *live, uint64_t open,
                     const struct task *ended, const struct scope *scope)
{
    const struct task *t = live ? live : ended;
    if (t && t->S + open > l->S) {
        l->S = t->S + open;
        l->open = open;
        l->live = live;
        l->ended = ended;
        l->scope = scope;
    }
}

/* As lengths_max, with the burden that the whole snapshot uses. */
static void lengths_consider(struct lengths *a, const struct lengths *b, uint64_t burden)
{
    if (b->L + b->K * burden > a->L + a->K * burden) {
        a->L = b->L;
        a->K = b->K;
    }
    if (b->D > a->D)
        a->D = b->D;
    if (b->T > a->T)
        a->T = b->T;
}

/* Restores L + K * burden >= S: the path may have been chosen with an earlier burden. Restores
 * D <= S and T <= S: a running strand may have gone on after we read S and before we read D, T. */
static void lengths_bound(struct lengths *a, uint64_t S, uint64_t burden)
{
    if (a->L + a->K * burden < S) {
        a->L = S;
        a->K = 0;
    }
    lengths_at_most(a, S);
}

static void consider_task(struct longest *l, const struct task *t, uint64_t open)
{
    if (!t || !t->ctx)
        return;
    consider(l, t, open, 0, 0);
    struct lengths len = lengths_plus(&t->len, open);
    lengths_consider(&l->len, &len, l->burden);
    whatif_longest(l->scaled, t->scaled, t, open);
    uint32_t scopes = 0;
    for (const struct scope *sc = task_scopes(t); sc && scopes++ < CHAIN_MOST;
         sc = task_scopes_next(t, sc)) {
        /* of equal paths, the earlier spawned one, as at a join */
        const struct task *best = __atomic_load_n(&sc->local.best, __ATOMIC_RELAXED);
        const struct task *r = __atomic_load_n(&sc->remote.best, __ATOMIC_RELAXED);
        if (r && (!best || r->S > best->S || (r->S == best->S && r->seq < best->seq)))
            best = r;
        consider(l, 0, 0, best, sc);
        half_sums(&sc->local, &len);
        lengths_consider(&l->len, &len, l->burden);
        half_sums(&sc->remote, &len);
        lengths_consider(&l->len, &len, l->burden);
        whatif_longest(l->scaled, sc->local.scaled, 0, 0);
        whatif_longest(l->scaled, sc->remote.scaled, 0, 0);
    }
}

/* Considers the strands that wait for T: their paths may be longer than T's. */
static void consider_waiting(struct longest *l, const struct task *t)
{
    for (unsigned n = 0; t && t->ctx && !(t->flags & TASK_ROOT) && n < WAITING_MOST; n++) {
        const struct scope *in = __atomic_load_n(&t->scope, __ATOMIC_RELAXED);
        t = in ? __atomic_load_n(&in->owner, __ATOMIC_RELAXED) : 0;
        consider_task(l, t, 0);
    }
}

void snapshot_span(struct snapshot *s)
{
    struct longest l = { .burden = s->burden, .scaled = s->scaled_span };
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *running = th == thread_self_ ? th->cur : th->open_task;
        consider_task(&l, th->root, running == th->root ? th->open : 0);
        if (running != th->root) {
            consider_task(&l, running, th->open);
            consider_waiting(&l, running);
        }
        consider(&l, 0, 0, th->detached, 0);
        lengths_consider(&l.len, &th->detached_len, l.burden);
        whatif_longest(l.scaled, th->detached_scaled, 0, 0);
    }
    if (l.live)
        snapshot_add_live_path(s, l.live, l.open);
    else if (l.ended)
        snapshot_add_ended_path(s, l.ended, l.scope);
    lengths_bound(&l.len, l.S, l.burden);
    s->span = l.S;
    s->len = l.len;
}

/* For a checkpoint while the main strand waits: the longest strand that runs now may be longer than
 * the published path. Its path before its birth counts for the program's strands. */
static void longest_open_strand(struct snapshot *s)
{
    for (struct thread *th = engine_threads; th; th = th->next) {
        const struct task *t = th->open_task;
        if (!t)
            continue;
        uint64_t S = t->S + th->open, birth = t->birth;
        struct lengths len = lengths_plus(&t->len, th->open);
        struct context *ctx = t->ctx;
        if (__atomic_load_n(&th->cur, __ATOMIC_ACQUIRE) != t || !ctx || birth > S || S <= s->span)
            continue;
        memset(s->on_span, 0, s->context_count * sizeof s->on_span[0]);
        struct on_span *v = &s->on_span[snapshot_index(s, ctx->id)];
        v->span_local = S - birth;
        v->count = ctx != context_root;
        s->on_span[0].span_local += birth;
        s->span = S;
        whatif_longest(s->scaled_span, t->scaled, t, th->open);
        lengths_consider(&s->len, &len, s->burden);
    }
    lengths_bound(&s->len, s->span, s->burden);
}

/* For a checkpoint before a join: tasks that have ended are on no path yet. But the strands of one
 * task follow one another, so the span is at least the most own work of a task. Where loops divide,
 * this is no bound for D. Outliers in that task stay in T. */
static void longest_ended_task(struct snapshot *s)
{
    uint32_t longest = 0;
    for (uint32_t i = 1; i < s->context_count; i++)
        if (s->metrics[i].longest > s->metrics[longest].longest)
            longest = i;
    uint64_t S = s->metrics[longest].longest;
    if (S <= s->span)
        return;
    memset(s->on_span, 0, s->context_count * sizeof s->on_span[0]);
    s->on_span[longest] = (struct on_span){ .count = longest != 0, .work_local = S,
                                            .span_local = S, .work = S, .span = S };
    s->span = S;
    if (!s->chunks_divided)
        s->len.D = S;
    s->len.T = S;
    lengths_bound(&s->len, s->span, s->burden);
}

void snapshot_span_so_far(struct snapshot *s)
{
    publish_take(s);
    longest_open_strand(s);
    longest_ended_task(s);
}
