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
    struct task *a = child_begin(th, &root->self, 1);
    struct context *below = context_of(a->ctx, 2), *above = a->ctx;
    child_begin(th, &a->self, 2);
    child_end(th, a, 100);
    engine_join(th, &a->self);
    engine_edge_put(th, &e);
    child_end(th, root, 5);
    child_begin(th, &root->self, 1);
    engine_edge_get(th, &e);
    child_end(th, root, 7);
    engine_join(th, &root->self);
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
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

static void messages(uint64_t seed)
{
    engine_fresh(BURDEN);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct at now = { 0 };
    uint64_t work = 0, spawns = 0;
    for (unsigned wave = 0; wave < 20; wave++) {
        struct scope *scope = engine_scope_new(th);
        struct arrival sent[MESSAGES] = { 0 };
        struct at truth[MESSAGES], latest = now;
        unsigned count = 0;
        while (count + 2 < MESSAGES) {
            uint64_t cost = 1 + dag_random(&seed) % 100000;
            if (!count || dag_random(&seed) % 5 == 0) {
                /* the root works, may join a task of its own, and sends a message */
                th->clock.virtual_now += cost;
                at_work(&now, 0, cost);
                work += cost;
                if (dag_random(&seed) % 2) {
                    child_begin(th, &root->self, 6);
                    child_end(th, root, 3 * cost);
                    engine_join(th, &root->self);
                    work += 3 * cost;
                    spawns++;
                    now.S += 3 * cost;
                    now.B += 3 * cost + BURDEN;
                    now.split[6] += 3 * cost;
                }
                truth[count] = now;
                engine_arrival_now(th, scope, &sent[count++]);
                continue;
            }
            uint32_t site = 1 + dag_random(&seed) % 4;
            struct at a = { 0 };
            struct arrival in = { 0 };
            for (unsigned k = 1 + dag_random(&seed) % 3; k; k--) {
                unsigned from = dag_random(&seed) % count;
                engine_arrival_max(th, &in, &sent[from]);
                at_after(&a, &truth[from], BURDEN);
            }
            struct context *ctx = context_of(context_root, site);
            struct task *t = engine_spawn_after(th, scope, ctx, count, 0);
            engine_task_after(th, t, &in, 1);
            engine_trail_drop(th, in.trail);
            spawns++;
            engine_pause(th);
            engine_begin(th, t);
            th->clock.virtual_now += cost;
            at_work(&a, site, cost);
            work += cost;
            if (dag_random(&seed) % 3 == 0) {            /* a message under way, then a child */
                truth[count] = a;
                engine_arrival_now(th, scope, &sent[count++]);
                child_begin(th, &t->self, 5);
                child_end(th, t, cost);
                work += cost;
                spawns++;
                engine_join(th, &t->self);
                a.S += cost;
                a.B += cost + BURDEN;
                a.split[5] += cost;
            }
            truth[count] = a;
            engine_arrival_now(th, scope, &sent[count++]);
            at_after(&latest, &a, 0);
            engine_end(th);
            engine_resume(th, root);
        }
        at_after(&now, &latest, 0);
        engine_join(th, scope);
        engine_scope_free(th, scope);
        for (unsigned i = 0; i < count; i++)
            engine_trail_drop(th, sent[i].trail);
        cr_assert_eq(root->S, now.S, "wave %u: %lu for %lu", wave, root->S, now.S);
    }
    struct snapshot s;
    cr_assert_eq(engine_snapshot(&s, true), 0);
    cr_expect_eq(s.work, work);
    cr_expect_eq(s.spawns, spawns);
    cr_expect_eq(s.span, now.S);
    cr_expect_eq(s.len.L + s.len.K * BURDEN, now.B);
    cr_expect_eq(s.approximate, 0);
    cr_expect_eq(span_sum(&s), s.span);
    uint64_t split[WORDS] = { 0 };
    for (const struct context *c = context_list; c; c = c->next) {
        uint64_t site = c->site ? (c->site->address[0] - SITE_BASE) / SITE_STEP : 0;
        split[site] += s.on_span[c->id].span_local;
    }
    for (unsigned i = 0; i < WORDS; i++)
        cr_expect_eq(split[i], now.split[i], "site %u: %lu for %lu", i, split[i], now.split[i]);
}

Test(engine, messages_1) { messages(1); }
Test(engine, messages_2) { messages(2); }
Test(engine, messages_3) { messages(3); }
