/* test_walk.c - rows of call frame information and walks agree with libunwind, the independent
 * implementation; the automaton of spawn paths never takes one stack for another.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <criterion/criterion.h>
#include <alloca.h>
#include <dlfcn.h>
#include <libunwind.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include "clock/clock.h"
#include "dag.h"
#include "engine/engine.h"
#include "unwind/runtime.h"
#include "dag/thread.h"
#include "unwind/call.h"
#include "unwind/cct.h"
#include "unwind/cfi.h"
#include "unwind/logical.h"
#include "hooks/here.h"
#include "unwind/path.h"
#include "unwind/trace.h"
#include "unwind/walk.h"

static int (*reference)(void **, int);
static uintptr_t top;           /* the frame that walks end at */
static uint64_t seed;
static unsigned compared;

/* Our callers by libunwind and by us. */
static __attribute__((noinline)) void compare(void)
{
    enum { N = 512 };
    void *theirs[N];
    uintptr_t ours[N];
    enum walk_end end;
    struct path_point p = PATH_POINT();
    int n = reference(theirs, N), skip = 0;
    while (skip < n && (uintptr_t)theirs[skip] != p.from)
        skip++;
    cr_assert_lt(skip, n, "libunwind knows our caller");
    size_t m = walk((struct walk_frame){ .pc = p.from, .rsp = p.cfa, .rbp = p.rbp }, top, ours, N, &end);
    cr_assert_eq(end, WALK_LIMIT);
    for (size_t i = 0; i < m; i++)
        cr_assert_eq(ours[i], (uintptr_t)theirs[skip + i], "frame %zu of %zu", i, m);
    compared++;
}

/* Frames of many kinds, calling each other at random. */
static void any(unsigned depth);
static volatile unsigned char sink;

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

static __attribute__((noinline)) void many_arguments(unsigned depth, long a, long b, long c, long d, long e, long f, long g)
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
    void *h = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (!h)
        cr_skip_test("no libunwind");
    *(void **)&reference = dlsym(h, "unw_backtrace");
    cr_assert(cfi_setup());
    cr_assert_eq(cct_setup(65536), 0);
    top = (uintptr_t)__builtin_frame_address(0) + 4096;
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

/* Which words of a stack are return addresses, and of which functions. */
static __attribute__((noinline, noclone)) uintptr_t returns_to(void)
{
    return (uintptr_t)__builtin_return_address(0);
}
static __attribute__((noinline, noclone)) uintptr_t calls_directly(void)
{
    uintptr_t back = returns_to();
    __asm__ volatile("" : "+r"(back));
    return back;
}
static __attribute__((noinline, noclone)) uintptr_t calls_pointer(uintptr_t (*f)(void))
{
    uintptr_t back = f();
    __asm__ volatile("" : "+r"(back));
    return back;
}
static uintptr_t compared_from;
static int compares(const void *a, const void *b)
{
    compared_from = (uintptr_t)__builtin_return_address(0);
    return 0;
}

Test(call, tells_callers_from_other_words, .init = setup)
{
    uintptr_t direct = calls_directly(), pointer = calls_pointer(returns_to), data = (uintptr_t)&compared_from;
    uintptr_t *heap = malloc(4096);
    int two[2] = { 2, 1 };
    qsort(two, 2, sizeof two[0], compares);
    cr_assert(call_before(direct) && call_before(pointer) && call_before(compared_from));
    cr_assert(call_enters(direct, (uintptr_t)returns_to));
    cr_assert_not(call_enters(direct, (uintptr_t)calls_pointer), "it calls another function");
    cr_assert(call_enters(pointer, (uintptr_t)returns_to) && call_enters(pointer, (uintptr_t)calls_directly), "nobody knows");
    for (unsigned i = 1; i <= 4; i++)
        cr_assert_not(call_before(direct - i) && call_before(direct + i), "%u bytes beside it", i);
    /* code in data, at the end of a page, and nowhere */
    static const uint8_t code[16] = { 0xe8, 0, 0, 0, 0, 0xff, 0xd0 };
    heap[1] = 0;
    cr_assert_not(call_before((uintptr_t)code + 5) || call_before((uintptr_t)code + 7), "a constant is no code");
    cr_assert_not(call_before(data) || call_before((uintptr_t)(heap + 2)) || call_before(0) || call_before(5) || call_before(UINTPTR_MAX));
    for (uintptr_t low = 0; low < 8192; low++)      /* small numbers stand on every stack */
        cr_assert_not(call_before(low), "%lu", (unsigned long)low);
    uint8_t *page = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page + 4096, 4096);
    cr_assert_not(call_before((uintptr_t)page) || call_before((uintptr_t)page + 4096 + 4));
    memcpy(page, (uint8_t[]){ 0xff, 0xd0 }, 2);                 /* made at run time, at a start */
    memcpy(page + 4094, (uint8_t[]){ 0xff, 0xd0 }, 2);          /* and at an end */
    cr_assert(call_before((uintptr_t)page + 2) && call_before((uintptr_t)page + 4096));
    munmap(page, 4096);
    free(heap);
}

/* call *MEMORY in each of its forms: what is no such instruction is none. */
Test(call, decodes_indirect_calls, .init = setup)
{
    static const struct { uint8_t code[7]; unsigned length; } forms[] = {
        { { 0xff, 0xd0 }, 2 }, { { 0xff, 0x10 }, 2 }, { { 0xff, 0x14, 0x24 }, 3 }, { { 0xff, 0x50, 0x08 }, 3 },
        { { 0xff, 0x54, 0x24, 0x08 }, 4 }, { { 0xff, 0x90, 1, 2, 3, 4 }, 6 }, { { 0xff, 0x15, 1, 2, 3, 4 }, 6 },
        { { 0xff, 0x14, 0x25, 1, 2, 3, 4 }, 7 }, { { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, 7 }, { { 0xe8, 1, 2, 3, 4 }, 5 },
    };
    uint8_t *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (unsigned n = 2; n <= 7; n++) {
            memset(page, 0x90, 64);
            memcpy(page + 32, forms[i].code, forms[i].length);
            cr_assert_eq(call_before((uintptr_t)page + 32 + n), n == forms[i].length, "form %u, %u bytes", i, n);
        }
    memcpy(page + 32, (uint8_t[]){ 0xff, 0xe0 }, 2);
    cr_assert_not(call_before((uintptr_t)page + 34), "a jump");
    munmap(page, 4096);
}

/* From a signal handler, at random instructions: prologues, epilogues, the C library, the linkage table. */
static uintptr_t limit_of_loop;
static volatile unsigned hits, whole, broken;

static void at_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t ours[256];
    enum walk_end end;
    size_t n = walk((struct walk_frame){ .pc = r[REG_RIP], .rsp = r[REG_RSP], .rbp = r[REG_RBP], .exact = true },
                    limit_of_loop, ours, 256, &end);
    void *theirs[280];
    hits++;
    /* libunwind starts here, with this handler and the signal frame */
    int m = reference(theirs, 280), skip = 0;
    while (skip < m && (uintptr_t)theirs[skip] != ours[0])
        skip++;
    broken += end != WALK_LIMIT;
    for (size_t i = 0; i < n; i++)
        if (skip + (int)i >= m || (uintptr_t)theirs[skip + i] != ours[i])
            return;
    whole++;
}

#define BUSY(name, how)                                                         \
    static __attribute__((noinline, optimize(how))) long name(unsigned depth)   \
    {                                                                           \
        char text[64], other[64];                                               \
        if (depth) {                                                            \
            long x = name(depth - 1);                                           \
            return x + depth;                                                   \
        }                                                                       \
        long sum = 0;                                                           \
        for (unsigned i = 0; i < 50; i++) {                                     \
            memset(text, i, sizeof text);                                       \
            memcpy(other, text, sizeof text);                                   \
            sum += strtol("123", 0, 10) + other[i & 63];                        \
        }                                                                       \
        return sum;                                                             \
    }
BUSY(busy, "omit-frame-pointer")
BUSY(busy_framed, "no-omit-frame-pointer")      /* its caller is found by the rbp that it calls others with */

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

/* ---- the automaton ---- */

static const struct segment *found;
static uintptr_t truth[512];
static size_t truth_count;
static unsigned wrong, spawns;

static __attribute__((noinline)) void spawn(void)
{
    struct path_point p = PATH_POINT();
    enum walk_end end;
    found = path_here(&p, top);
    truth_count = walk((struct walk_frame){ .pc = p.from, .rsp = p.cfa, .rbp = p.rbp }, top, truth, 512, &end);
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
    case 0: { volatile char *p = alloca(16 + 16 * (dag_random(&seed) % 4)); p[0] = 0; random_frames(depth - 1); sink += p[0]; break; }
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

/* ---- the tree ---- */

Test(cct, same_path_same_node, .init = setup)
{
    uint64_t lost = 0, r = 5;
    enum { N = 20000 };
    static uint32_t parent[N], node[N];
    static uint64_t address[N];
    for (unsigned i = 0; i < N; i++) {
        parent[i] = i ? node[dag_random(&r) % i] : 0;
        address[i] = dag_random(&r) % 50;
        node[i] = cct_child(parent[i], 0, address[i], &lost);
    }
    for (unsigned i = 0; i < N; i++) {
        cr_assert_eq(cct_child(parent[i], 0, address[i], &lost), node[i]);
        cr_assert_eq(cct_node(node[i])->parent, parent[i]);
        cr_assert_lt(cct_node(node[i])->parent, node[i]);
    }
    cr_assert_eq(lost, 0);
    cr_assert_neq(cct_child(0, 1, address[0], &lost), node[0], "a kind of its own");
}

Test(cct, budget)
{
    uint64_t lost = 0;
    cr_assert_eq(cct_setup(100), 0);
    for (unsigned i = 0; i < 1000; i++)
        cr_assert_lt(cct_child(0, 0, i + 1, &lost), 100);
    cr_assert_eq(lost, 1000 - 99);
    cr_assert_eq(cct_count(), 100);
}

/* ---- logical unwinding ---- */

/* The "runtime": functions of one section. */
#define RUNTIME __attribute__((noinline, section("test_runtime")))
extern char __start_test_runtime[], __stop_test_runtime[];

static int owns(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_test_runtime && pc < (uintptr_t)__stop_test_runtime;
}

static struct { enum association association; unsigned pnotes, lnotes; } seen[32];
static unsigned bichords;
static uintptr_t chain[32];
static const struct logical_path *spawns_seen[32];
static enum walk_end logical_end;
static const struct logical_path *path_of_task;

static __attribute__((noinline)) void unwind_here(void)
{
    struct path_point p = PATH_POINT();
    struct logical l;
    unsigned n = 0;
    bichords = 0;
    for (logical_start(&l, (struct walk_frame){ .pc = p.from, .rsp = p.cfa, .rbp = p.rbp }, top, path_of_task);
         logical_step_bichord(&l); bichords++) {
        uintptr_t pc;
        struct lnote note;
        cr_assert_lt(bichords, 32);
        seen[bichords].association = l.association;
        seen[bichords].pnotes = seen[bichords].lnotes = 0;
        while (logical_step_pnote(&l, &pc)) {
            cr_assert_eq(owns(pc), l.association != ONE_TO_ONE);
            seen[bichords].pnotes++;
        }
        while (logical_step_lnote(&l, &note)) {
            spawns_seen[n] = note.spawn;
            chain[n++] = note.address;
            seen[bichords].lnotes++;
        }
    }
    logical_end = l.end;
    sink++;
}

static __attribute__((noinline)) void user_inner(void) { unwind_here(); sink++; }
static RUNTIME void runtime_b(void) { user_inner(); sink++; }
static RUNTIME void runtime_a(void) { runtime_b(); sink++; }
static __attribute__((noinline)) void user_body(void) { runtime_a(); sink++; }
static RUNTIME void dispatcher_execute(void) { user_body(); sink++; }
static RUNTIME void dispatcher(void)
{
    top = (uintptr_t)__builtin_frame_address(0);
    dispatcher_execute();
    sink++;
}

Test(logical, bichords, .init = setup)
{
    static struct { struct segment s; uintptr_t address[2]; } main_to_f = { .s.count = 2 }, g = { .s.count = 1 };
    main_to_f.s.address[0] = 0xf;
    main_to_f.s.address[1] = 0x1;
    g.s.address[0] = 0x9;
    struct logical_path root = { 0, 0, 0, 0 }, first = { &root, &main_to_f.s, 7, 1 }, second = { &first, &g.s, 8, 2 };
    path_of_task = &second;
    runtime_register_owner(owns, "test");
    dispatcher();
    cr_assert_eq(logical_end, WALK_LIMIT);
    cr_assert_eq(bichords, 4);
    static const struct { enum association a; unsigned p, l; } expect[4] = {
        { ONE_TO_ONE, 1, 1 },           /* user_inner */
        { MANY_TO_NONE, 2, 0 },         /* runtime_b, runtime_a */
        { ONE_TO_ONE, 1, 1 },           /* user_body */
        { MANY_TO_MANY, 1, 3 },         /* dispatcher_execute; its caller is the limit: who spawned it, from g out to main */
    };
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(seen[i].association, expect[i].a, "bichord %u", i);
        cr_assert_eq(seen[i].pnotes, expect[i].p, "bichord %u: %u p-notes", i, seen[i].pnotes);
        cr_assert_eq(seen[i].lnotes, expect[i].l, "bichord %u", i);
    }
    cr_assert(chain[2] == 0x9 && chain[3] == 0xf && chain[4] == 0x1);
    cr_assert(spawns_seen[2] == &second && spawns_seen[3] == &first && !spawns_seen[4]);
}

/* A stack that is not the task's: its frames are said, and that the rest is not known. */
Test(logical, foreign_stack, .init = setup)
{
    struct logical_path root = { 0, 0, 0, 0 };
    path_of_task = &root;
    top = 4096;
    user_inner();
    cr_assert_eq(logical_end, WALK_BROKEN);
    cr_assert_gt(bichords, 2);
    cr_assert_eq(seen[bichords - 1].association, MANY_TO_MANY);
    cr_assert_eq(seen[bichords - 1].lnotes, 0);
}

/* ---- traces ---- */

/* A trace that knows the last deep stack, and one that is asked anew each time: the same node, however the stack changed
 * in between. */
static struct trace remembers, forgets;
static struct logical_path traced = { 0, 0, 0, 0 };
static unsigned traces, differ, cuts, budget;
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
    trace_here((struct walk_frame){ .pc = p.from, .rsp = p.cfa, .rbp = p.rbp });
}

static void (*visit)(void) = trace;

/* From DEPTH on: further down, a trace, or up again; by frames of any kind, from two places each, so that a frame comes to stand
 * where another did that returned elsewhere. */
static void wander(unsigned depth);
static __attribute__((noinline)) void wander_plain(unsigned depth) { wander(depth); sink++; }
static __attribute__((noinline)) void wander_variable(unsigned depth)
{
    volatile unsigned char *p = alloca(16 + 16 * (dag_random(&seed) % 3));
    p[0] = depth;
    wander(depth);
    sink += p[0];
}
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) void wander_framed(unsigned depth) { wander(depth); sink++; }
static __attribute__((noinline)) void wander_aligned(unsigned depth)
{
    _Alignas(128) volatile unsigned char p[128];
    volatile unsigned char *q = alloca(16);     /* both: the caller's frame is found by what rbp points to */
    p[0] = q[0] = depth;
    wander(depth);
    sink += p[0] + q[0];
}
static RUNTIME void wander_runtime_b(unsigned depth) { wander(depth); sink++; }
static RUNTIME void wander_runtime(unsigned depth) { wander_runtime_b(depth); sink++; }
static int wander_by_qsort(const void *a, const void *b)
{
    unsigned depth = *(const unsigned *)a;
    if (depth)
        wander(depth);
    *(unsigned *)a = *(unsigned *)b = 0;
    return 0;
}

enum { SHALLOW = 150, DEEP = 600 };
static __attribute__((noinline)) void wander(unsigned depth)
{
    /* down to DEEP, then about there, and shallow at times */
    while (budget) {
        unsigned way = dag_random(&seed) % 16, two[2] = { depth + 1, depth + 1 };
        if (way < 2 && depth > SHALLOW) {
            visit();
            budget--;
            continue;
        }
        if (depth == DEEP || (depth > SHALLOW && way < 6) || (depth > SHALLOW && dag_random(&seed) % 3000 == 0))
            return;
        switch (way % 7) {
        case 0: wander_plain(depth + 1); break;
        case 1: wander_variable(depth + 1); break;
        case 2: wander_framed(depth + 1); break;
        case 3:
            if (dag_random(&seed) % 2) {
                wander_aligned(depth + 1);
                __asm__ volatile("# a place of its own");
            } else {
                wander_aligned(depth + 1);
            }
            break;
        case 4: wander_runtime(depth + 1); break;
        case 5: qsort(two, 2, sizeof two[0], wander_by_qsort); break;
        default: wander(depth + 1); sink++;
        }
    }
}

static void trace_setup(void)
{
    setup();
    cr_assert_eq(cct_setup(1 << 22), 0);
    cr_assert(trace_new(&remembers) && trace_new(&forgets));
    runtime_register_owner(owns, "test");
}

static __attribute__((noinline)) void wanders(void)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    budget = 3000;
    wander(0);
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
    cr_assert_gt(remembers.stack.compared, 4 * remembers.stack.walked, "%lu frames compared, %lu walked", remembers.stack.compared, remembers.stack.walked);
}

/* Spawns there, too deep for the automaton, from more places than are compared at once, and from the same again and again. */
static struct thread spawner;
static unsigned deep_spawns, deep_wrong, cut_short;

static __attribute__((noinline)) void deep_spawn(void)
{
    struct path_point p = PATH_POINT();
    static uintptr_t pc[100000];
    enum walk_end end;
    thread_self_ = &spawner;
    const struct segment *segment = path_slow(&p, top);
    thread_self_ = 0;
    size_t n = fold(pc, walk((struct walk_frame){ .pc = p.from, .rsp = p.cfa, .rbp = p.rbp }, top, pc, 100000, &end));
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
    trace_setup();
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
    cr_assert_gt(s->compared, 4 * s->walked, "%lu frames compared, %lu walked", s->compared, s->walked);
}

/* As deep as they come, from far below and back: what it costs is looked at by the frames, and where it ends, it says so. */
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

/* One stack below, two ways to it: frames of the same size that call from elsewhere, at the bottom of a deep stack. */
static __attribute__((noinline)) void descend(unsigned n)
{
    volatile char here[64];
    here[0] = n;
    if (n)
        descend(n - 1);
    else
        visit();
    sink += here[0];
}
static __attribute__((noinline)) void one_of_two(bool first)
{
    if (first) {
        descend(2000);
        __asm__ volatile("# a place of its own");
    } else {
        descend(2000);
    }
    sink++;
}

Test(trace, only_the_outermost_differs, .init = trace_setup)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    for (unsigned i = 0; i < 100; i++)
        one_of_two(i % 3);
    cr_assert_eq(differ, 0, "%u of %u", differ, traces);
    cr_assert_gt(remembers.stack.compared, 100 * 1900);
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

/* A spawn that was not asked for while the stack changed. */
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

/* The runtime's frames at a task's entry are not on its path; recursion is folded, from outside in. */
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
            cr_assert(!owns(cct_node(at)->address));
        /* where traced_body calls descend, where descend calls itself, and the leaf */
        cr_assert_eq(n, folds ? 3 : deep[i] + 2, "%u nodes of %u frames", n, deep[i]);
    }
    cr_assert_eq(differ, 0);
}

/* What is deep stays, while signals come: most frames are not walked again, and the paths are those of a fresh walk. */
static void trace_at_signal(int number, siginfo_t *info, void *context)
{
    const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    trace_here((struct walk_frame){ .pc = r[REG_RIP], .rsp = r[REG_RSP], .rbp = r[REG_RBP], .exact = true });
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
    cr_assert_lt(remembers.stack.walked, 20000 + 100 * hits, "%lu frames walked for %u samples", remembers.stack.walked, hits);
}

/* More frames than are kept: cut, and said; and a stack without an end. */
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
