/* test_walk.c - rows of call frame information and walks agree with libunwind, the independent
 * implementation. */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <criterion/criterion.h>
#include <alloca.h>
#include <dlfcn.h>
#include <libunwind.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include "dag.h"
#include "stacks.h"
#include "unwind/path.h"
#include "unwind/walk.h"

static int (*reference)(void **, int);
static unsigned compared;

/* Old libunwinds (1.3) give the last byte of the call, not the return address. */
static bool same(void *theirs, uintptr_t ours)
{
    return (uintptr_t)theirs == ours || (uintptr_t)theirs == ours - 1;
}

/* Our callers by libunwind and by us. */
static __attribute__((noinline)) void compare(void)
{
    enum { N = 512 };
    void *theirs[N];
    uintptr_t ours[N];
    enum walk_end end;
    struct path_point p = PATH_POINT();
    int n = reference(theirs, N), skip = 0;
    while (skip < n && !same(theirs[skip], p.from))
        skip++;
    cr_assert_lt(skip, n, "libunwind knows our caller");
    size_t m = walk((struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp }, top, ours, N,
                    &end);
    cr_assert_eq(end, WALK_LIMIT);
    for (size_t i = 0; i < m; i++)
        cr_assert(same(theirs[skip + i], ours[i]), "frame %zu of %zu", i, m);
    compared++;
}

/* Frames of many kinds, calling each other at random. */
static void any(unsigned depth);

static __attribute__((noinline)) void plain(unsigned depth)
{
    any(depth);
    sink++;
}

static __attribute__((noinline)) void variable(unsigned depth)
{
    unsigned char *p = alloca(dag_random(&seed) % 300);
    p[0] = depth;
    any(depth);
    sink += p[0];
}

static __attribute__((noinline, optimize("no-omit-frame-pointer"))) void framed(unsigned depth)
{
    any(depth);
    sink++;
}

static __attribute__((noinline)) void aligned(unsigned depth)
{
    _Alignas(128) volatile unsigned char p[128];
    p[0] = depth;
    any(depth);
    sink += p[0];
}

static __attribute__((noinline)) void aligned_variable(unsigned depth)
{
    _Alignas(64) volatile unsigned char p[64];
    unsigned char *q = alloca(dag_random(&seed) % 500);
    p[0] = q[0] = depth;
    any(depth);
    sink += p[0] + q[0];
}

static __attribute__((noinline)) void many_arguments(unsigned depth, long a, long b, long c, long d,
                                                     long e, long f, long g)
{
    any(depth);
    sink += a + b + c + d + e + f + g;
}

static int by_qsort(const void *a, const void *b)
{
    unsigned depth = *(const unsigned *)a;
    if (depth) {
        any(depth - 1);
        *(unsigned *)a = *(unsigned *)b = 0;
    }
    return 0;
}

static void any(unsigned depth)
{
    if (!depth) {
        compare();
        return;
    }
    unsigned two[2] = { depth, depth };
    switch (dag_random(&seed) % 7) {
    case 0: plain(depth - 1); break;
    case 1: variable(depth - 1); break;
    case 2: framed(depth - 1); break;
    case 3: aligned(depth - 1); break;
    case 4: aligned_variable(depth - 1); break;
    case 5: many_arguments(depth - 1, 1, 2, 3, 4, 5, 6, 7); break;
    default: qsort(two, 2, sizeof two[0], by_qsort);
    }
    sink++;
}

static void setup(void)
{
    void *libunwind = stacks_setup();
    if (!libunwind)
        cr_skip_test("no libunwind");
    *(void **)&reference = dlsym(libunwind, "unw_backtrace");
}

Test(walk, agrees_with_libunwind, .init = setup)
{
    top = (uintptr_t)__builtin_frame_address(0);
    for (unsigned i = 0; i < 3000; i++) {
        seed = i;
        any(i % 40);
    }
    cr_assert_geq(compared, 3000);
}

/* From a signal handler, at random instructions: prologues, epilogues, the C library, the linkage
 * table. */
static uintptr_t limit_of_loop;
static volatile unsigned hits, whole, broken;

static void at_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t ours[256];
    enum walk_end end;
    size_t n = walk(
        (struct walk_frame){
            .pc = r[REG_RIP], .sp = r[REG_RSP], .fp = r[REG_RBP], .exact = true },
        limit_of_loop, ours, 256, &end);
    void *theirs[280];
    hits++;
    /* libunwind starts here, with this handler and the signal frame */
    int m = reference(theirs, 280), skip = 0;
    while (skip < m && !same(theirs[skip], ours[0]))
        skip++;
    broken += end != WALK_LIMIT;
    for (size_t i = 0; i < n; i++)
        if (skip + (int)i >= m || !same(theirs[skip + i], ours[i]))
            return;
    whole++;
}

Test(walk, from_any_instruction, .init = setup, .timeout = 60)
{
    struct sigaction a = { .sa_sigaction = at_signal, .sa_flags = SA_SIGINFO };
    sigaction(SIGALRM, &a, 0);
    limit_of_loop = (uintptr_t)__builtin_frame_address(0);
    void *warm[8];
    reference(warm, 8);
    struct itimerval every = { { 0, 200 }, { 0, 200 } };
    setitimer(ITIMER_REAL, &every, 0);
    long sum = 0;
    while (hits < 3000)
        sum += hits % 2 ? busy(hits % 20) : busy_framed(hits % 20);
    every = (struct itimerval){ { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &every, 0);
    sink += sum;
    cr_assert_eq(broken, 0, "%u of %u", broken, hits);
    /* no frame is unknown; libunwind itself is wrong at a few instructions of epilogues */
    cr_assert_geq(whole, hits - hits / 50, "%u of %u", whole, hits);
}
