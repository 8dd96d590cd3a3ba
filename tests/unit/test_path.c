/* test_path.c - the automaton of spawn paths never takes one stack for another; deep stacks are
 * compared, not walked. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <alloca.h>
#include <string.h>
#include "clock/clock.h"
#include "dag.h"
#include "dag/thread.h"
#include "callsite/here.h"
#include "stacks.h"
#include "unwind/cfi.h"
#include "unwind/path.h"
#include "unwind/stack.h"
#include "unwind/walk.h"

static void setup(void)
{
    if (!stacks_setup())
        cr_skip_test("no libunwind");
}

static const struct segment *found;
static uintptr_t truth[512];
static size_t truth_count;
static unsigned wrong, spawns;

static __attribute__((noinline)) void spawn(void)
{
    struct path_point p = PATH_POINT();
    enum walk_end end;
    found = path_here(&p, top);
    truth_count = walk((struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp }, top, truth,
                       512, &end);
    cr_assert(found);
    spawns++;
    /* without recursion nothing folds: the segment is the stack */
    bool same = found->count == truth_count;
    for (size_t i = 0; same && i < truth_count; i++)
        same = found->address[i] == truth[i];
    wrong += !same;
}

#define LAYER(name, next)                                                       \
    static __attribute__((noinline)) void name(size_t bytes, size_t other)      \
    {                                                                           \
        volatile char *p = alloca(bytes);                                       \
        p[0] = 1;                                                               \
        next;                                                                   \
        sink += p[0];                                                           \
    }
/* Same return address at the end, same depth, other callers: a and b swap their frames' sizes. */
LAYER(last, spawn())
LAYER(inner_a, last(16, 0))
LAYER(inner_b, last(16, 0))
LAYER(outer_ab, inner_a(other, 0))
LAYER(outer_ba, inner_b(other, 0))

Test(path, frames_of_variable_size, .init = setup)
{
    top = (uintptr_t)__builtin_frame_address(0);
    clock_kind = CLOCK_VIRTUAL;
    for (unsigned i = 0; i < 20000; i++) {
        size_t a = 16 * (1 + dag_random(&seed) % 8), b = 16 * (1 + dag_random(&seed) % 8);
        if (dag_random(&seed) % 2)
            outer_ab(a, b);
        else
            outer_ba(a, b);
    }
    cr_assert_eq(wrong, 0, "%u of %u", wrong, spawns);
    cr_assert_lt(path_statistics.walks, spawns / 4, "most are found");
    /* more ways a start than it keeps chains of: some spawns took one, others the states */
    cr_assert_gt(path_statistics.chains, 4);
    cr_assert_lt(path_statistics.chains, path_statistics.states);
}

static __attribute__((noinline)) void random_frames(unsigned depth)
{
    if (!depth) {
        spawn();
        return;
    }
    switch (dag_random(&seed) % 3) {
    case 0: {
        volatile char *p = alloca(16 + 16 * (dag_random(&seed) % 4));
        p[0] = 0;
        random_frames(depth - 1);
        sink += p[0];
        break;
    }
    case 1: random_frames(depth - 1); sink++; break;
    default: random_frames(depth - 1); sink += 2;
    }
}

/* Recursion: what the automaton finds is what a fresh walk folds to. */
static size_t fold(uintptr_t *pc, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < kept && cfi_function(pc[j] - 1) != cfi_function(pc[i] - 1))
            j++;
        if (j < kept)
            kept = j + 1;
        else
            pc[kept++] = pc[i];
    }
    return kept;
}

Test(path, recursion_folds, .init = setup)
{
    top = (uintptr_t)__builtin_frame_address(0);
    unsigned bad = 0;
    for (unsigned i = 0; i < 20000; i++) {
        random_frames(1 + i % 6);
        size_t n = fold(truth, truth_count);
        bad += n != found->count || memcmp(truth, found->address, n * sizeof truth[0]);
    }
    cr_assert_eq(bad, 0);
}

static unsigned deep_depth;
static __attribute__((noinline)) void deep(unsigned n)
{
    volatile char here[64];
    here[0] = n;
    if (n)
        deep(n - 1);
    else
        spawn();
    deep_depth += here[0];
}

Test(path, ten_thousand_frames, .init = setup)
{
    top = (uintptr_t)__builtin_frame_address(0);
    deep(10000);
    cr_assert_leq(found->count, 4);
    cr_assert(found->cut, "more than a segment holds, and it says so");
}

/* ---- deep stacks ---- */

/* Spawns there, too deep for the automaton, from more places than are compared at once, and from
 * the same again and again. */
static struct thread spawner;
static unsigned deep_spawns, deep_wrong, cut_short;

static __attribute__((noinline)) void deep_spawn(void)
{
    struct path_point p = PATH_POINT();
    static uintptr_t pc[100000];
    enum walk_end end;
    thread_self_ = &spawner;
    const struct segment *segment = path_slow(p.from, p.cfa, p.fp, top);
    thread_self_ = 0;
    size_t n = fold(pc, walk((struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp }, top,
                             pc, 100000, &end));
    deep_wrong += n != segment->count || memcmp(pc, segment->address, n * sizeof pc[0]);
    cut_short += segment->cut;
    deep_spawns++;
}

static __attribute__((noinline)) void spawn_again(void) { deep_spawn(); sink++; }
static __attribute__((noinline)) void spawn_somewhere(void)
{
    switch (dag_random(&seed) % 12) {
    case 0: deep_spawn(); sink++; break;
    case 1: deep_spawn(); sink += 2; break;
    case 2: deep_spawn(); sink += 3; break;
    case 3: deep_spawn(); sink += 4; break;
    case 4: spawn_again(); break;
    default: deep_spawn(); sink += 5;
    }
}

static void spawner_setup(void)
{
    const char *why;
    if (!stacks_setup_runtime())
        cr_skip_test("no libunwind");
    cr_assert_eq(clock_setup("virtual", &why), 0);
    clock_thread_start(&spawner.clock);
}

Test(path, deep_stacks_are_compared, .init = spawner_setup, .timeout = 120)
{
    visit = spawn_somewhere;
    for (unsigned i = 0; i < 8; i++) {
        seed = i;
        wanders();
    }
    const struct stack *s = (const struct stack *)spawner.deep_spawns;
    cr_assert_eq(deep_wrong, 0, "%u of %u", deep_wrong, deep_spawns);
    cr_assert_eq(cut_short, 0);
    cr_assert_gt(path_statistics.uncacheable, deep_spawns / 2);
    cr_assert_gt(s->compared, 4 * s->walked, "%lu frames compared, %lu walked", s->compared,
                 s->walked);
}

/* As deep as they come, from far below and back: the cost is counted in frames. Where the list ends
 * early, it has a mark of that. */
static __attribute__((noinline)) void straight(unsigned n)
{
    volatile char here[16];
    here[0] = n;
    if (n % 512 == 0)
        spawn_again();
    if (n)
        straight(n - 1);
    sink += here[0];
}

Test(path, too_deep_to_compare, .init = spawner_setup, .timeout = 120)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    straight(60000);
    const struct stack *s = (const struct stack *)spawner.deep_spawns;
    cr_assert_eq(cut_short, 0);
    cr_assert_lt(s->walked, 130000, "%lu frames walked", s->walked);
    straight(80000);
    cr_assert_gt(cut_short, 0);
    cut_short = 0;
    straight(60000);
    cr_assert_eq(cut_short, 0);
}

/* The same for spawns, and two ways from the deep stack to them. */
static __attribute__((noinline)) void by_one_way(void) { spawn_again(); sink++; }
static __attribute__((noinline)) void by_another(void) { spawn_again(); sink += 2; }
static void at_the_bottom(void)
{
    spawn_again();
    by_one_way();
    by_another();
    by_one_way();
}

/* A second spawn, which nothing looks up while the stack changes. */
static void other_spawn_at_the_bottom(void) { deep_spawn(); sink++; }

Test(path, either_end_of_a_deep_stack_differs, .init = spawner_setup)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    visit = at_the_bottom;
    for (unsigned i = 0; i < 100; i++)
        one_of_two(i % 2);
    const struct stack *s = (const struct stack *)spawner.deep_spawns;
    cr_assert_eq(deep_wrong, 0, "%u of %u", deep_wrong, deep_spawns);
    cr_assert_eq(deep_spawns, 400);
    cr_assert_gt(s->compared, 390 * 1900);
    for (unsigned i = 0; i < 100; i++) {
        visit = i / 2 % 2 ? other_spawn_at_the_bottom : at_the_bottom;
        one_of_two((i + 1) / 2 % 2);
    }
    cr_assert_eq(deep_wrong, 0, "%u of %u", deep_wrong, deep_spawns);
}
