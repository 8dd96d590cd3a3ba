/* test_engine_edges.c - the engine by hand: edges between strands, and strands that messages make
 * ready.
 */
#include <criterion/criterion.h>
#include "by_hand.h"
#include "dag.h"

/* The path over an edge leads through other contexts than the putter's own. The split is exact, or
 * the snapshot counts it as approximate, although both tasks have the same context. */
Test(engine, edge_between_equal_contexts)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    static struct edge e;
    struct task *a = child_begin(th, scope_own(th, root), 1);
    struct context *below = context_of(a->ctx, 2), *above = a->ctx;
    child_begin(th, scope_own(th, a), 2);
    child_end(th, a, 100);
    engine_join(th, scope_own(th, a));
    edge_put(th, &e);
    child_end(th, root, 5);
    child_begin(th, scope_own(th, root), 1);
    edge_get(th, &e);
    child_end(th, root, 7);
    engine_join(th, scope_own(th, root));
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.span, 107);
    cr_assert_eq(span_sum(&s), 107);
    if (!s.approximate) {
        cr_expect_eq(on_span_of(&s, below), 100, "claims to be exact, but is %lu",
                     on_span_of(&s, below));
        cr_expect_eq(on_span_of(&s, above), 7);
    }
}

/* Messages make strands ready; the strand that waits sends some of them. The path, the burdened
 * path and the split are compared with the same, computed here. */
enum { WORDS = 8, MESSAGES = 64 };
struct at {
    uint64_t S, B, split[WORDS];        /* B: burdened. By site, 0 the root's own */
};

static void at_work(struct at *a, uint32_t site, uint64_t cost)
{
    a->S += cost;
    a->B += cost;
    a->split[site] += cost;
}

static void at_after(struct at *a, const struct at *m, uint64_t burden)
{
    uint64_t B = m->B + burden > a->B ? m->B + burden : a->B;
    if (m->S > a->S)
        *a = *m;
    a->B = B;
}

/* What a run of messages must measure. */
struct expected {
    struct at now;              /* at the root */
    uint64_t work, spawns;
};

/* The messages of a wave, and where each was sent. */
struct wave {
    struct scope *scope;
    struct arrival sent[MESSAGES];
    struct at truth[MESSAGES], latest;
    unsigned count;
};

static void wave_send(struct thread *th, struct wave *w, const struct at *a)
{
    w->truth[w->count] = *a;
    arrival_now(th, w->scope, &w->sent[w->count++]);
}

/* A child of T at SITE, which costs COST; T, at A, joins it. */
static void child_joined(struct thread *th, struct task *t, struct expected *x, struct at *a,
                         uint32_t site, uint64_t cost)
{
    child_begin(th, scope_own(th, t), site);
    child_end(th, t, cost);
    engine_join(th, scope_own(th, t));
    x->work += cost;
    x->spawns++;
    a->S += cost;
    a->B += cost + BURDEN;
    a->split[site] += cost;
}

/* The root works, may join a task of its own, and sends a message. */
static void root_sends(struct thread *th, struct task *root, struct wave *w, struct expected *x,
                       uint64_t cost, uint64_t *seed)
{
    th->clock.virtual_now += cost;
    at_work(&x->now, 0, cost);
    x->work += cost;
    if (dag_random(seed) % 2)
        child_joined(th, root, x, &x->now, 6, 3 * cost);
    wave_send(th, w, &x->now);
}

/* A task starts after some of the messages, and sends one at its end; or one under way, too. */
static void task_sends(struct thread *th, struct task *root, struct wave *w, struct expected *x,
                       uint64_t cost, uint64_t *seed)
{
    uint32_t site = 1 + dag_random(seed) % 4;
    struct at a = { 0 };
    struct arrival in = { 0 };
    for (unsigned k = 1 + dag_random(seed) % 3; k; k--) {
        unsigned from = dag_random(seed) % w->count;
        arrival_max(th, &in, &w->sent[from]);
        at_after(&a, &w->truth[from], BURDEN);
    }
    struct context *ctx = context_of(context_root, site);
    struct task *t = engine_spawn_after(th, w->scope, ctx, w->count, 0, &in);
    engine_task_after(th, t, &in, 1);
    trail_drop(th, in.trail);
    x->spawns++;
    engine_pause(th);
    engine_begin(th, t);
    th->clock.virtual_now += cost;
    at_work(&a, site, cost);
    x->work += cost;
    if (dag_random(seed) % 3 == 0) {
        wave_send(th, w, &a);
        child_joined(th, t, x, &a, 5, cost);
    }
    wave_send(th, w, &a);
    at_after(&w->latest, &a, 0);
    engine_end(th);
    engine_resume(th, root);
}

static void one_wave(struct thread *th, struct task *root, struct expected *x, uint64_t *seed)
{
    struct wave w = { .scope = scope_new(th, 0), .latest = x->now };
    while (w.count + 2 < MESSAGES) {
        uint64_t cost = 1 + dag_random(seed) % 100000;
        if (!w.count || dag_random(seed) % 5 == 0)
            root_sends(th, root, &w, x, cost, seed);
        else
            task_sends(th, root, &w, x, cost, seed);
    }
    at_after(&x->now, &w.latest, 0);
    engine_join(th, w.scope);
    scope_free(th, w.scope);
    for (unsigned i = 0; i < w.count; i++)
        trail_drop(th, w.sent[i].trail);
}

static void measured(const struct expected *x)
{
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_expect_eq(s.work, x->work);
    cr_expect_eq(s.spawns, x->spawns);
    cr_expect_eq(s.span, x->now.S);
    cr_expect_eq(s.len.L + s.len.K * BURDEN, x->now.B);
    cr_expect_eq(s.approximate, 0);
    cr_expect_eq(span_sum(&s), s.span);
    uint64_t split[WORDS] = { 0 };
    for (const struct context *c = context_list; c; c = c->next) {
        uint64_t site = c->site ? (c->site->address[0] - SITE_BASE) / SITE_STEP : 0;
        split[site] += s.on_span[c->id].span_local;
    }
    for (unsigned i = 0; i < WORDS; i++)
        cr_expect_eq(split[i], x->now.split[i], "site %u: %lu for %lu", i, split[i],
                     x->now.split[i]);
}

static void messages(uint64_t seed)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct expected x = { 0 };
    for (unsigned wave = 0; wave < 20; wave++) {
        one_wave(th, root, &x, &seed);
        cr_assert_eq(root->S, x.now.S, "wave %u: %lu for %lu", wave, root->S, x.now.S);
    }
    measured(&x);
}

Test(engine, messages_1) { messages(1); }
Test(engine, messages_2) { messages(2); }
Test(engine, messages_3) { messages(3); }
