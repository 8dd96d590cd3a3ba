/* test_context.c - recursion folds, and the top-call-site and top-caller flags are Cilkprof's
 * (section 6): no executed call site of the same site / of the same function is an ancestor.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "clock/clock.h"
#include "contexts/context.h"
#include "libprof_format.h"
#include "dag.h"        /* dag_random */
#include "engine/engine.h"
#include "lifecycle/thread.h"
#include "unwind/call_tree.h"
#include "unwind/function_at.h"

/* Functions of the test program that "spawn": a site is a place in one of them. */
static volatile int sink;
#define SPAWNER(name) \
    static __attribute__((noinline)) void name(void) \
    { for (int i = 0; i < sink; i++) sink += i * sink + (sink << 3) - sink / (i + 3); }
SPAWNER(f0) SPAWNER(f1) SPAWNER(f2) SPAWNER(f3) SPAWNER(f4) SPAWNER(f5) SPAWNER(f6) SPAWNER(f7)
static void (*const functions[8])(void) = { f0, f1, f2, f3, f4, f5, f6, f7 };

struct place {
    unsigned function;
    unsigned line;
};

static uintptr_t address_of(struct place p)
{
    return (uintptr_t)functions[p.function] + 3 + 4 * p.line;
}

static struct context *spawn_at(struct context *parent, struct place p)
{
    struct site_key key = { .address = { address_of(p) }, .runtime = "test", .construct = "spawn" };
    const struct segment *segment = path_single(key.address[0]);
    struct context *c = context_child(parent, segment, END_TASK);
    if (!c)
        c = context_child_slow(parent, 0, segment, END_TASK, &key);
    cr_assert(c);
    cr_assert_eq(c->site->address[0], key.address[0]);
    return c;
}

static void setup(uint32_t budget)
{
    clock_kind = CLOCK_VIRTUAL;
    cr_assert_eq(cct_setup(1 << 20), 0);
    context_setup(budget);
    cr_assert_eq(threads_setup(), 0);
}

/* The definition, on the explicit list of ancestors. */
static void check_flags(const struct context *c, const struct place *stack, unsigned depth)
{
    bool top = true, topcaller = true;
    struct place p = stack[depth];
    for (unsigned i = 0; i < depth; i++) {
        if (stack[i].function == p.function)
            topcaller = false;
        if (stack[i].function == p.function && stack[i].line == p.line)
            top = false;
    }
    cr_assert_eq(c->top, top, "top at depth %u", depth);
    cr_assert_eq(c->topcaller, topcaller, "topcaller at depth %u", depth);
    cr_assert(!c->overflow);
}

/* All of the invocation tree of fib(n), lines 4 and 5 of Cilkprof's figure 5. */
static void fib(struct context *c, struct place *stack, unsigned depth, unsigned n)
{
    if (n < 2)
        return;
    for (unsigned line = 0; line < 2; line++) {
        stack[depth] = (struct place){ 1, line };
        struct context *child = spawn_at(c, stack[depth]);
        check_flags(child, stack, depth);
        fib(child, stack, depth + 1, n - 1 - line);
    }
}

/* Under ThreadSanitizer there is no libunwind, and so no function's start
 * (unwind/function_at.c). */
static void needs_functions(void)
{
#ifdef __SANITIZE_THREAD__
    cr_skip_test("no libunwind under ThreadSanitizer");
#endif
}


Test(context, functions_are_found)
{
    needs_functions();
    setup(64);
    for (unsigned i = 0; i < 8; i++) {
        struct context *c = spawn_at(context_root, (struct place){ i, i % 3 });
        cr_assert_eq(c->site->function, (uintptr_t)functions[i]);
    }
}

/* libunwind's first use has a stack of its own, which libprof unmaps after it. What is mapped there
 * next is plain memory, also for a sanitizer. */
Test(context, first_use_leaves_nothing)
{
    needs_functions();
    enum { BYTES = 256 << 10 };
    uint64_t mapped = memory_mapped();
    cr_assert_eq(unwind_function_start(address_of((struct place){ 0, 0 })),
                 (uintptr_t)functions[0]);
    cr_assert_eq(memory_mapped(), mapped);
    for (unsigned i = 0; i < 8; i++) {
        char *p = memory_map(BYTES);
        cr_assert(p);
        memset(p, 1, BYTES);
    }
}

Test(context, fib_folds)
{
    needs_functions();
    struct place stack[64] = { { 0, 0 } };      /* main's line 13 */
    setup(64);
    struct context *from_main = spawn_at(context_root, stack[0]);
    check_flags(from_main, stack, 0);
    fib(from_main, stack, 1, 6);
    uint32_t small = context_count();
    fib(from_main, stack, 1, 20);
    cr_assert_eq(context_count(), small, "depth makes no contexts");
    /* root, main's, and each line: on the path main, line: first, recursive before and after the
     * other line; on the path main, other, line: first and recursive */
    cr_assert_eq(small, 2 + 2 * 5);
}

/* The flags of a whole random walk; PLACES functions of LINES sites call each other. */
static void walk(uint64_t seed, unsigned places, unsigned lines, unsigned steps,
                 unsigned depth_limit)
{
    struct place stack[64];
    struct context *at[65] = { context_root };
    unsigned depth = 0;
    for (unsigned i = 0; i < steps; i++) {
        if (depth == depth_limit || (depth && dag_random(&seed) % 5 < 2)) {
            depth -= 1 + dag_random(&seed) % depth;
            continue;
        }
        stack[depth] = (struct place){ dag_random(&seed) % places, dag_random(&seed) % lines };
        at[depth + 1] = spawn_at(at[depth], stack[depth]);
        check_flags(at[depth + 1], stack, depth);
        depth++;
    }
}

Test(context, mutual_recursion_is_bounded)
{
    needs_functions();
    enum { BUDGET = 8192 };
    setup(BUDGET);
    walk(3, 8, 1, 300000, 60);
    cr_assert_leq(
        context_count(), BUDGET / 2 + 8 * 128 * 2,
        "where paths are shared, a site has a context for each set of the others, top and not");
    walk(4, 8, 1, 300000, 60);
    walk(5, 8, 1, 300000, 60);
    cr_assert_leq(context_count(), BUDGET / 2 + 8 * 128 * 2);
    cr_assert_gt(context_lost_paths, 0);
}

Test(context, several_sites_a_function)
{
    needs_functions();
    setup(16384);
    walk(9, 3, 3, 300000, 60);
}

/* Straight chains, as deep as they come: 8 sites in turn, 10^6 levels, 8 + 8 contexts. */
Test(context, deep_chain)
{
    setup(256);
    struct context *c = context_root;
    for (unsigned i = 0; i < 1000000; i++)
        c = spawn_at(c, (struct place){ i % 8, 0 });
    cr_assert_eq(context_count(), 1 + 8 + 8);
    uint64_t mapped = memory_mapped();
    for (unsigned i = 0; i < 1000000; i++)
        c = spawn_at(c, (struct place){ i % 8, 0 });
    cr_assert_eq(memory_mapped(), mapped);
}

/* More keys than a memo has room for still give one context each. */
Test(context, memo_collisions)
{
    setup(256);
    struct context *first[8][3];
    for (unsigned round = 0; round < 3; round++)
        for (unsigned f = 0; f < 8; f++)
            for (unsigned line = 0; line < 3; line++) {
                struct context *c = spawn_at(context_root, (struct place){ f, line });
                if (round == 0)
                    first[f][line] = c;
                cr_assert_eq(c, first[f][line]);
            }
    cr_assert_eq(context_count(), 1 + 8 * 3);
}

/* Histories beyond the budget share one context a site, which is marked. The loss is counted. */
Test(context, budget_overflow)
{
    enum { BUDGET = 32 };
    setup(BUDGET);
    uint64_t r = 11;
    struct context *shared[8] = {0};
    bool seen_overflow = false;
    struct context *at[21] = { context_root };
    for (unsigned i = 0; i < 100000; i++) {
        unsigned depth = dag_random(&r) % 20;
        unsigned from = depth;
        while (!at[from])
            from--;
        unsigned f = dag_random(&r) % 8;
        struct context *c = spawn_at(at[from], (struct place){ f, 0 });
        at[from + 1] = c;
        for (unsigned k = from + 2; k < 21; k++)
            at[k] = 0;
        if (c->overflow) {
            seen_overflow = true;
            cr_assert(!c->top && !c->topcaller);
            cr_assert(!shared[f] || shared[f] == c, "one overflow context a site");
            shared[f] = c;
        } else {
            cr_assert_lt(c->id, BUDGET);
        }
        cr_assert(!at[from]->overflow || c->overflow, "below the unknown all is unknown");
    }
    cr_assert(seen_overflow);
    cr_assert_leq(context_count(), BUDGET + 8);
    cr_assert_gt(context_lost_contexts, 0);
    cr_assert_eq(context_budget, BUDGET);
}

/* Threads' metrics have room for 2 * budget contexts, so no id may reach that. */
Test(context, ids_fit_the_metrics)
{
    enum { BUDGET = 4 };
    setup(BUDGET);
    for (unsigned f = 0; f < 8; f++)
        for (unsigned line = 0; line < 3; line++) {
            /* beyond all budgets, the parent's context serves */
            struct site_key key = { .address = { address_of((struct place){ f, line }) } };
            cr_assert(
                context_child_slow(context_root, 0, path_single(key.address[0]), END_TASK, &key));
        }
    for (struct context *c = context_list; c; c = c->next)
        cr_expect_lt(c->id, 2 * BUDGET);
}

/* What two entry points do at one place is two contexts, known and new, and each is found again. */
Test(context, ends_are_told_apart)
{
    setup(16384);
    struct site_key task = { .address = { address_of((struct place){ 0, 0 }) },
                             .runtime = "test",
                             .construct = "task" };
    struct site_key lock = task;
    lock.construct = "lock";
    lock.flags = LPF_SITE_WAIT;
    const struct segment *segment = path_single(task.address[0]);
    struct context *a = context_child_slow(context_root, 0, segment, END_TASK, &task);
    cr_assert_null(context_child(context_root, segment, END_WAIT));
    struct context *b = context_child_slow(context_root, 0, segment, END_WAIT, &lock);
    cr_assert_neq(a, b);
    cr_assert_str_eq(b->site->construct, "lock");
    cr_assert_eq(context_child(context_root, segment, END_TASK), a);
    cr_assert_eq(context_child(context_root, segment, END_WAIT), b);
    cr_assert_eq(context_find(context_root, context_way(segment, END_WAIT)), b);
}

/* Sites have no end: of 10,000, each is a context of its own, below the root and below one of the
 * last. */
Test(context, thousands_of_sites)
{
    enum { SITES = 10000 };
    setup(65536);
    static struct context *c[SITES];
    for (unsigned i = 0; i < SITES; i++) {
        struct site_key key = { .address = { 0x1000 + 16 * i },
                                .runtime = "test",
                                .construct = "spawn" };
        const struct segment *segment = path_single(key.address[0]);
        c[i] = context_child_slow(context_root, 0, segment, END_TASK, &key);
        cr_assert(c[i]->top && !c[i]->overflow);
        struct context *below = context_child_slow(c[i], 0, segment, END_TASK, &key);
        cr_assert(!below->top && !below->overflow, "the site is its own ancestor");
    }
    for (unsigned i = 0; i < SITES; i++)
        cr_assert_eq(context_find(context_root, path_single(0x1000 + 16 * i)), c[i]);
    cr_assert_eq(context_lost_contexts, 0);
}
