/* test_logical.c - logical unwinding: bichords, p-notes and l-notes (Tallent, appendix) of known
 * stacks. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include "hooks/here.h"
#include "stacks.h"
#include "unwind/logical.h"
#include "unwind/runtime_registry.h"

static void setup(void)
{
    if (!stacks_setup())
        cr_skip_test("no libunwind");
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
    for (logical_start(&l, (struct walk_frame){ .pc = p.from, .sp = p.cfa, .fp = p.fp }, top,
                       path_of_task);
         logical_step_bichord(&l); bichords++) {
        uintptr_t pc;
        struct lnote note;
        cr_assert_lt(bichords, 32);
        seen[bichords].association = l.association;
        seen[bichords].pnotes = seen[bichords].lnotes = 0;
        while (logical_step_pnote(&l, &pc)) {
            cr_assert_eq(runtime_has(pc), l.association != ONE_TO_ONE);
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
    static struct {
        struct segment s;
        uintptr_t address[2];
    } main_to_f = { .s.count = 2 }, g = { .s.count = 1 };
    main_to_f.s.address[0] = 0xf;
    main_to_f.s.address[1] = 0x1;
    g.s.address[0] = 0x9;
    struct logical_path root = { 0, 0, 0, 0 }, first = { &root, &main_to_f.s, 7, 1 },
                        second = { &first, &g.s, 8, 2 };
    path_of_task = &second;
    runtime_register_owner(runtime_has, "test");
    dispatcher();
    cr_assert_eq(logical_end, WALK_LIMIT);
    cr_assert_eq(bichords, 4);
    static const struct { enum association a; unsigned p, l; } expect[4] = {
        { ONE_TO_ONE, 1, 1 },           /* user_inner */
        { MANY_TO_NONE, 2, 0 },         /* runtime_b, runtime_a */
        { ONE_TO_ONE, 1, 1 },           /* user_body */
        { MANY_TO_MANY, 1, 3 },         /* dispatcher_execute; its caller is the limit: who spawned
                                           it, from g out to main */
    };
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_eq(seen[i].association, expect[i].a, "bichord %u", i);
        cr_assert_eq(seen[i].pnotes, expect[i].p, "bichord %u: %u p-notes", i, seen[i].pnotes);
        cr_assert_eq(seen[i].lnotes, expect[i].l, "bichord %u", i);
    }
    cr_assert(chain[2] == 0x9 && chain[3] == 0xf && chain[4] == 0x1);
    cr_assert(spawns_seen[2] == &second && spawns_seen[3] == &first && !spawns_seen[4]);
}

/* A stack that is not the task's: the trace has its frames, and a mark that the rest is unknown. */
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

/* A task that has not begun, or has ended: what is outside of the runtime's frames is another's. */
static RUNTIME void runtime_between(void) { unwind_here(); sink++; }
static __attribute__((noinline)) void other_body(void) { runtime_between(); sink++; }

Test(logical, not_entered, .init = setup)
{
    static struct { struct segment s; uintptr_t address[1]; } g = { .s.count = 1 };
    g.s.address[0] = 0x9;
    struct logical_path root = { 0, 0, 0, 0 }, own = { &root, &g.s, 7, 1 };
    path_of_task = &own;
    runtime_register_owner(runtime_has, "test");
    top = 0;
    other_body();
    cr_assert_eq(logical_end, WALK_LIMIT);
    cr_assert_eq(bichords, 1);
    cr_assert_eq(seen[0].association, MANY_TO_MANY);
    cr_assert_eq(seen[0].pnotes, 1);
    cr_assert_eq(chain[0], 0x9);
}
