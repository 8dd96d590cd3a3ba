/* test_logical.c - logical unwinding: bichords and p-notes (Tallent, appendix) of known stacks. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include "callsite/here.h"
#include "stacks.h"
#include "unwind/logical.h"
#include "unwind/runtime_registry.h"

static void setup(void)
{
    if (!stacks_setup())
        cr_skip_test("no libunwind");
}

static struct { enum association association; unsigned pnotes; } seen[32];
static unsigned bichords;
static enum walk_end logical_end;

static __attribute__((noinline)) void unwind_here(void)
{
    struct path_point p = PATH_POINT();
    struct logical l;
    bichords = 0;
    for (logical_start(&l, (struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp }, top);
         logical_step_bichord(&l); bichords++) {
        uintptr_t pc;
        cr_assert_lt(bichords, 32);
        seen[bichords].association = l.association;
        seen[bichords].pnotes = 0;
        while (logical_step_pnote(&l, &pc)) {
            cr_assert_eq(runtime_has(pc), l.association != ONE_TO_ONE);
            seen[bichords].pnotes++;
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
    runtime_register_owner(runtime_has, "test");
    dispatcher();
    cr_assert_eq(logical_end, WALK_LIMIT);
    cr_assert_eq(bichords, 4);
    static const struct { enum association a; unsigned p; } expect[4] = {
        { ONE_TO_ONE, 1 },              /* user_inner */
        { MANY_TO_NONE, 2 },            /* runtime_b, runtime_a */
        { ONE_TO_ONE, 1 },              /* user_body */
        { MANY_TO_MANY, 1 },            /* dispatcher_execute; its caller is the limit */
    };
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(seen[i].association, expect[i].a, "bichord %u", i);
        cr_assert_eq(seen[i].pnotes, expect[i].p, "bichord %u: %u p-notes", i, seen[i].pnotes);
    }
}

/* A stack that is not the task's: the trace has its frames, and a mark that the rest is unknown. */
Test(logical, foreign_stack, .init = setup)
{
    top = 4096;
    user_inner();
    cr_assert_eq(logical_end, WALK_BROKEN);
    cr_assert_gt(bichords, 2);
    cr_assert_eq(seen[bichords - 1].association, MANY_TO_MANY);
}

/* A task that has not begun, or has ended: what is outside of the runtime's frames is another's. */
static RUNTIME void runtime_between(void) { unwind_here(); sink++; }
static __attribute__((noinline)) void other_body(void) { runtime_between(); sink++; }

Test(logical, not_entered, .init = setup)
{
    runtime_register_owner(runtime_has, "test");
    top = 0;
    other_body();
    cr_assert_eq(logical_end, WALK_LIMIT);
    cr_assert_eq(bichords, 1);
    cr_assert_eq(seen[0].association, MANY_TO_MANY);
    cr_assert_eq(seen[0].pnotes, 1);
}
