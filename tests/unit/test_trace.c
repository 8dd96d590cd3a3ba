/* test_trace.c - traces of samples: what is known of the last stack never leads to another path
 * than a fresh walk. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include "callsite/here.h"
#include "stacks.h"
#include "unwind/call_tree.h"
#include "unwind/trace.h"

/* A trace that knows the last deep stack, and one that is asked anew each time: the same node,
 * however the stack changed in between. */
static struct trace remembers, forgets;
static struct logical_path traced = { 0, 0, 0, 0 };
static unsigned traces, differ, cuts;
static uint32_t last_node;

static void trace_here(struct walk_frame f)
{
    bool cut, fresh_cut;
    uint64_t lost = 0;
    forgets.stack.known = 0;
    uint32_t expect = trace_node(&forgets, f, top, &traced, &fresh_cut, &lost);
    uint32_t node = trace_node(&remembers, f, top, &traced, &cut, &lost);
    differ += node != expect || cut != fresh_cut;
    last_node = node;
    cuts += cut;
    cr_assert_eq(lost, 0);
    traces++;
}

static __attribute__((noinline)) void trace(void)
{
    struct path_point p = PATH_POINT();
    trace_here((struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp });
}

static void trace_setup(void)
{
    if (!stacks_setup_runtime())
        cr_skip_test("no libunwind");
    cr_assert(trace_new(&remembers) && trace_new(&forgets));
    visit = trace;
}

Test(trace, same_as_a_fresh_walk, .init = trace_setup, .timeout = 120)
{
    for (unsigned i = 0; i < 8; i++) {
        seed = i;
        wanders();
    }
    cr_assert_eq(differ, 0, "%u of %u", differ, traces);
    cr_assert_eq(cuts, 0);
    cr_assert_eq(traces, 8 * 3000);
    cr_assert_gt(remembers.stack.compared, 4 * remembers.stack.walked,
                 "%lu frames compared, %lu walked", remembers.stack.compared,
                 remembers.stack.walked);
}

Test(trace, only_the_outermost_differs, .init = trace_setup)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    for (unsigned i = 0; i < 100; i++)
        one_of_two(i % 3);
    cr_assert_eq(differ, 0, "%u of %u", differ, traces);
    cr_assert_gt(remembers.stack.compared, 100 * 1900);
}

/* The runtime's frames at a task's entry are not on its path; recursion is folded, from outside
 * in. */
static __attribute__((noinline)) void traced_body(unsigned n) { descend(n); sink++; }
static RUNTIME void traced_b(unsigned n) { traced_body(n); sink++; }
static RUNTIME void traced_a(unsigned n)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    traced_b(n);
    sink++;
}

Test(trace, what_is_on_the_path, .init = trace_setup)
{
    static const unsigned deep[] = { 20, 1000, 1000, 20, 3000, 200, 1000 };
    for (unsigned i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        unsigned n = 0, folds = deep[i] > TRACE_UNFOLDED;
        traced_a(deep[i]);
        for (uint32_t at = last_node; at != CCT_ROOT; at = cct_node(at)->parent, n++)
            cr_assert(!runtime_has(cct_node(at)->address));
        /* where traced_body calls descend, where descend calls itself, and the leaf */
        cr_assert_eq(n, folds ? 3 : deep[i] + 2, "%u nodes of %u frames", n, deep[i]);
    }
    cr_assert_eq(differ, 0);
}

static volatile unsigned hits;

/* What is deep stays, while signals come: most frames are not walked again, and the paths are those
 * of a fresh walk. */
static void trace_at_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    trace_here((struct walk_frame){
        .pc = r[REG_RIP], .sp = r[REG_RSP], .fp = r[REG_RBP], .exact = true });
    hits++;
}

static __attribute__((noinline)) void deep_and_busy(unsigned n)
{
    volatile char here[64];
    here[0] = n;
    if (n) {
        deep_and_busy(n - 1);
    } else {
        long sum = 0;
        while (hits < 500)
            sum += busy(hits % 20);
        sink += sum;
    }
    sink += here[0];
}

Test(trace, from_any_instruction, .init = trace_setup, .timeout = 60)
{
#ifdef __SANITIZE_THREAD__
    cr_skip_test("signals come at system calls only");
#endif
    struct sigaction a = { .sa_sigaction = trace_at_signal, .sa_flags = SA_SIGINFO };
    sigaction(SIGALRM, &a, 0);
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
    setitimer(ITIMER_REAL, &every, 0);
    deep_and_busy(10000);
    every = (struct itimerval){ { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &every, 0);
    cr_assert_eq(differ, 0, "%u of %u", differ, traces);
    cr_assert_lt(remembers.stack.walked, 20000 + 100 * hits, "%lu frames walked for %u samples",
                 remembers.stack.walked, hits);
}

/* More frames than are kept: the list is cut, with a mark of that. And a stack without an end. */
Test(trace, too_deep, .init = trace_setup)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    descend(TRACE_FRAMES - 3);
    cr_assert_eq(cuts, 0);
    descend(TRACE_FRAMES + 3);
    cr_assert_eq(cuts, 1);
    descend(TRACE_FRAMES - 3);
    top = 4096;
    descend(1000);
    cr_assert_eq(cuts, 2);
    cr_assert_eq(differ, 0);
}
