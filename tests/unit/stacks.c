/* stacks.c - see stacks.h. */
#define _GNU_SOURCE
#include "stacks.h"
#include <alloca.h>
#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "dag.h"
#include "unwind/call_tree.h"
#include "unwind/cfi.h"
#include "unwind/runtime_registry.h"

uintptr_t top;
uint64_t seed;
volatile unsigned char sink;

void *stacks_setup(void)
{
    void *h = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    bool rows = cfi_setup(), tree = !cct_setup(65536);
    assert(rows && tree);
    top = (uintptr_t)__builtin_frame_address(0) + 4096;
    return h;
}

extern char __start_test_runtime[], __stop_test_runtime[];

int runtime_has(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_test_runtime && pc < (uintptr_t)__stop_test_runtime;
}

void *stacks_setup_runtime(void)
{
    void *h = stacks_setup();
    int error = cct_setup(1 << 22);
    assert(!error);
    runtime_register_owner(runtime_has, "test");
    return h;
}

void (*visit)(void);
static unsigned budget;

/* From DEPTH on: further down, a visit, or up again. */
static void wander(unsigned depth);
static __attribute__((noinline)) void wander_plain(unsigned depth) { wander(depth); sink++; }
static __attribute__((noinline)) void wander_variable(unsigned depth)
{
    volatile unsigned char *p = alloca(16 + 16 * (dag_random(&seed) % 3));
    p[0] = depth;
    wander(depth);
    sink += p[0];
}
static __attribute__((noinline, optimize("no-omit-frame-pointer"))) void
wander_framed(unsigned depth)
{
    wander(depth);
    sink++;
}
static __attribute__((noinline)) void wander_aligned(unsigned depth)
{
    _Alignas(128) volatile unsigned char p[128];
    volatile unsigned char *q = alloca(16);     /* both: the caller's frame is found by what rbp
                                                   points to */
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
        if (depth == DEEP || (depth > SHALLOW && way < 6) ||
            (depth > SHALLOW && dag_random(&seed) % 3000 == 0))
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

__attribute__((noinline)) void wanders(void)
{
    top = (uintptr_t)__builtin_frame_address(0) + 16;
    budget = 3000;
    wander(0);
}

__attribute__((noinline)) void descend(unsigned n)
{
    volatile char here[64];
    here[0] = n;
    if (n)
        descend(n - 1);
    else
        visit();
    sink += here[0];
}

__attribute__((noinline)) void one_of_two(int first)
{
    if (first) {
        descend(2000);
        __asm__ volatile("# a place of its own");
    } else {
        descend(2000);
    }
    sink++;
}

#define BUSY(name, how)                                                         \
    __attribute__((noinline, optimize(how))) long name(unsigned depth)          \
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
BUSY(busy_framed, "no-omit-frame-pointer")
