/* test_engine_calls.c - the engine by hand: calls by their short way (engine_spawn_call), and the
 * same calls spawned, interrupted and joined like other tasks. All figures are the same. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <string.h>
#include "by_hand.h"
#include "dag.h"
#include "engine/rules.h"

enum { SITES = 4, ROUNDS = 200 };
static struct context *site[SITES];
static uint64_t luck;
static bool direct;
static unsigned returned, left;

/* The running strand, a call of CREATOR's in SCOPE, ends, as agents/openmp/model_task.c does it. */
static void call_end(struct thread *th, struct task *creator, struct scope *scope)
{
    struct task *t = th->cur;
    struct kept kept;
    if (t->flags & TASK_DIRECT && engine_return_call(th, creator)) {
        returned++;
        return;
    }
    left++;
    engine_pause(th);
    kept_take(th, t, &kept);
    engine_end_loose_paused(th, t);
    engine_join_kept(th, creator, &kept, scope);
    kept_drop(th, &kept);
    engine_resume(th, creator);
}

static void strand(struct thread *th, unsigned depth);

static void call(struct thread *th, unsigned depth)
{
    struct task *creator = th->cur;
    struct scope *scope = scope_own(th, creator);
    struct context *ctx = site[dag_random(&luck) % SITES];
    if (direct) {
        struct task *t = engine_spawn_call(th, scope, ctx, 0);
        th->clock.virtual_now += 3;     /* the creator's: the call has not begun */
        cr_assert(t->flags & TASK_DIRECT);
        engine_begin_call(th, t);
    } else {
        th->clock.virtual_now += 3;
        engine_interrupt(th, engine_spawn(th, scope, ctx, TASK_CALL));
    }
    strand(th, depth);
    call_end(th, creator, scope);
}

/* A deferred task, which runs at once. */
static void task(struct thread *th, unsigned depth)
{
    struct task *creator = th->cur;
    struct scope *scope = scope_own(th, creator);
    struct task *t = engine_spawn(th, scope, site[dag_random(&luck) % SITES], 0);
    engine_interrupt(th, t);
    strand(th, depth);
    engine_end_into(th, creator);
}

static void strand(struct thread *th, unsigned depth)
{
    unsigned steps = 1 + dag_random(&luck) % 4;
    for (unsigned i = 0; i < steps; i++) {
        th->clock.virtual_now += dag_random(&luck) % 3 * 10;
        switch (depth ? dag_random(&luck) % 4 : 3) {
        case 0:
        case 1: call(th, depth - 1); break;
        case 2: task(th, depth - 1); break;
        default: engine_cut(th); engine_join_own(th);
        }
    }
}

struct figures {
    uint64_t S, work, D, L, K, T;
    uint64_t tasks[SITES], local[SITES], longest[SITES], span[SITES], on_span[SITES], on[SITES];
};

/* What a round adds. */
static struct figures round_of(struct thread *th, uint64_t seed, bool directly)
{
    static struct snapshot before, after;
    struct task *root = th->cur;
    cr_assert_eq(snapshot_take(&before, true), 0);
    struct task was = *root;
    luck = seed;
    direct = directly;
    for (unsigned i = 0; i < SITES; i++) {
        const struct metrics *m = thread_metrics(th, site[i]->id);
        if (m)
            ((struct metrics *)m)->longest = 0;
    }
    strand(th, 3);
    engine_cut(th);
    engine_join_group(th, scope_own(th, root));
    cr_assert_eq(snapshot_take(&after, true), 0);
    struct figures f = {
        .S = root->S - was.S, .work = root->own + root->joined - was.own - was.joined,
        .D = root->len.D - was.len.D, .L = root->len.L - was.len.L,
        .K = root->len.K - was.len.K, .T = root->len.T - was.len.T
    };
    for (unsigned i = 0; i < SITES; i++) {
        uint32_t id = site[i]->id;
        f.tasks[i] = after.metrics[id].tasks - before.metrics[id].tasks;
        f.local[i] = after.metrics[id].work_local - before.metrics[id].work_local;
        f.span[i] = after.metrics[id].span - before.metrics[id].span;
        f.longest[i] = after.metrics[id].longest;
        f.on_span[i] = after.on_span[id].span_local - before.on_span[id].span_local;
        f.on[i] = after.on_span[id].count - before.on_span[id].count;
    }
    cr_assert_eq(span_sum(&after), after.span);
    snapshot_free(&before);
    snapshot_free(&after);
    return f;
}

Test(engine, calls_are_as_other_tasks_joined_at_once)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    for (unsigned i = 0; i < SITES; i++)
        site[i] = context_of(context_root, i);
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct figures other = round_of(th, seed, false), direct = round_of(th, seed, true);
        cr_assert_eq(memcmp(&other, &direct, sizeof other), 0, "seed %lu", seed);
    }
    cr_expect_gt(returned, ROUNDS);     /* both ways were taken */
    cr_expect_gt(left, ROUNDS);
}

/* A call that another strand's body interrupts, and one that never runs. */
Test(engine, calls_that_begin_otherwise)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *scope = scope_own(th, root);
    child_begin(th, scope, 0);          /* else there is no block yet, and no short way */
    child_end(th, root, 0);
    engine_join(th, scope);
    struct task *t = engine_spawn_call(th, scope, context_of(context_root, 1), 0);
    cr_assert(t->flags & TASK_DIRECT);
    th->clock.virtual_now += 5;
    engine_pause(th);
    engine_begin_call(th, t);
    cr_assert(!(t->flags & TASK_DIRECT));
    cr_assert_eq(t->birth, 5);
    child_end(th, root, 10);
    struct task *never = engine_spawn_call(th, scope, context_of(context_root, 2), 0);
    engine_discard(th, never);
    engine_cut(th);
    engine_join(th, scope);
    cr_assert(scope_is_empty(scope));
    cr_assert_eq(root->S, 15);
    cr_assert_eq(root->joined, 10);
}
