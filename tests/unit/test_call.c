/* test_call.c - which words of a stack are return addresses, and of which functions. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "stacks.h"
#include "unwind/call.h"
#include "unwind/cfi.h"

static void setup(void)
{
    if (!stacks_setup())
        cr_skip_test("no libunwind");
}

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
    uintptr_t direct = calls_directly(), pointer = calls_pointer(returns_to),
              data = (uintptr_t)&compared_from;
    uintptr_t *heap = malloc(4096);
    int two[2] = { 2, 1 };
    qsort(two, 2, sizeof two[0], compares);
    cr_assert(call_before(direct) && call_before(pointer) && call_before(compared_from));
    cr_assert(call_enters(direct, (uintptr_t)returns_to));
    cr_assert_not(call_enters(direct, (uintptr_t)calls_pointer), "it calls another function");
    cr_assert(call_enters(pointer, (uintptr_t)returns_to) &&
                  call_enters(pointer, (uintptr_t)calls_directly),
              "nobody knows");
    for (unsigned i = 1; i <= 4; i++)
        cr_assert_not(call_before(direct - i) && call_before(direct + i), "%u bytes beside it", i);
    /* code in data, at the end of a page, and nowhere */
    static const uint8_t code[16] = { 0xe8, 0, 0, 0, 0, 0xff, 0xd0 };
    heap[1] = 0;
    cr_assert_not(call_before((uintptr_t)code + 5) || call_before((uintptr_t)code + 7),
                  "a constant is no code");
    cr_assert_not(call_before(data) || call_before((uintptr_t)(heap + 2)) || call_before(0) ||
                  call_before(5) || call_before(UINTPTR_MAX));
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

/* call *MEMORY in each of its forms. Bytes that are no such instruction are not taken for one. */
Test(call, decodes_indirect_calls, .init = setup)
{
    static const struct { uint8_t code[7]; unsigned length;
    } forms[] = {
        { { 0xff, 0xd0 }, 2 },
        { { 0xff, 0x10 }, 2 },
        { { 0xff, 0x14, 0x24 }, 3 },
        { { 0xff, 0x50, 0x08 }, 3 },
        { { 0xff, 0x54, 0x24, 0x08 }, 4 },
        { { 0xff, 0x90, 1, 2, 3, 4 }, 6 },
        { { 0xff, 0x15, 1, 2, 3, 4 }, 6 },
        { { 0xff, 0x14, 0x25, 1, 2, 3, 4 }, 7 },
        { { 0xff, 0x94, 0x24, 1, 2, 3, 4 }, 7 },
        { { 0xe8, 1, 2, 3, 4 }, 5 },
    };
    uint8_t *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (unsigned n = 2; n <= 7; n++) {
            memset(page, 0x90, 64);
            memcpy(page + 32, forms[i].code, forms[i].length);
            cr_assert_eq(call_before((uintptr_t)page + 32 + n), n == forms[i].length,
                         "form %u, %u bytes", i, n);
        }
    memcpy(page + 32, (uint8_t[]){ 0xff, 0xe0 }, 2);
    cr_assert_not(call_before((uintptr_t)page + 34), "a jump");
    munmap(page, 4096);
}
