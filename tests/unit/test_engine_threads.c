/* test_engine_threads.c - the engine by hand: root strands that nobody joins, and off-CPU gaps
 * around profiler overhead, whole hooks, and pages of blocks.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include "arch/cpu.h"
#include "base/memory.h"
#include "by_hand.h"
#include "dag/own_overhead.h"
#include "libprof_format.h"
#include "tries.h"

/* Profiler overhead begins with a reading of the clock, which may find an off-CPU gap: that gap is
 * the strand's blocked time. A gap inside the overhead is blocked time, too, and no overhead. */
static bool own_time_is_found(void)
{
    struct thread *th = thread_self_;
    engine_cut(th);
    uint64_t before = cpu_counter(), blocked = thread_blocked(th, 0);
    struct timespec nap = { 0, 20000000 };
    nanosleep(&nap, 0);
    struct own own = own_from(th);
    uint64_t wall = cpu_counter() - before;
    blocked = thread_blocked(th, 0) - blocked;
    NEEDS(th->clock.off == 0, "%lu off the CPU are nobody's", th->clock.off);
    NEEDS(blocked > wall / 2, "%lu of %lu blocked", blocked, wall);
    blocked = thread_blocked(th, 0);
    before = th->cur->own;
    nanosleep(&nap, 0);
    own_until_now(th, own, 0, 0);
    engine_cut(th);
    NEEDS(th->clock.off == 0, "%lu off the CPU are nobody's, later", th->clock.off);
    NEEDS(thread_blocked(th, 0) > blocked, "the second nap is not blocked");
    NEEDS(th->cur->own - before < wall / 10, "%lu of what libprof does is the strand's",
          th->cur->own - before);
    return true;
}

Test(engine, own_time_found)
{
    engine_start("tsc", 0);
    one_try_of_many(own_time_is_found);
}

/* A thread whose root strand nobody joins, and which ends: its work counts, its span competes. */
static void *unknown_thread(void *cost)
{
    struct thread *th = thread_self();
    th->clock.virtual_now += *(uint64_t *)cost;
    thread_exit(th);
    return 0;
}

Test(engine, unknown_threads)
{
    engine_fresh(0);
    thread_self_->clock.virtual_now += 60;
    for (uint64_t i = 1; i <= 20; i++) {
        pthread_t t;
        uint64_t cost = i * 10;
        pthread_create(&t, 0, unknown_thread, &cost);
        pthread_join(t, 0);
    }
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.work, 60 + 10 * 210);
    cr_assert_eq(s.span, 200);
    cr_assert_eq(span_sum(&s), 200);
    uint32_t slots = 0;
    for (struct thread *th = engine_threads; th; th = th->next)
        slots++;
    cr_assert_eq(slots, 2, "an ended thread's state is used again");
}

/* A hook that is measured as a whole is no strand's: neither what is before the clock's readings in
 * it nor what is after them, and its spawns are where the strand was. What nests in it is not
 * measured twice. Meanwhile no reading is made that would change nothing. */
Test(engine, own_hook)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    uint64_t S = root->S, own = root->own, measured = th->measured_tsc, before = cpu_counter();
    th->clock.virtual_now += 10;
    struct own hook = own_begin(th);
    uint64_t reading = th->clock.last;
    th->clock.virtual_now += 100;
    struct task *t = engine_spawn(th, scope_own(th, root), context_of(context_root, 2), 0);
    struct own inner = own_begin(th);
    th->clock.virtual_now += 50;
    own_end(th, &inner);
    cr_expect_eq(th->clock.last, reading);
    th->clock.virtual_now += 1000;
    struct own nested = own_from(th);
    th->clock.virtual_now += 10000;
    own_until_now(th, nested, 0, 0);
    engine_cut(th);
    th->clock.virtual_now += 100000;
    own_end(th, &hook);
    cr_expect_leq(th->measured_tsc - measured, cpu_counter() - before);
    cr_expect_gt(th->measured_tsc, measured);
    cr_expect_eq(t->birth, S + 10);
    th->clock.virtual_now += 7;
    engine_cut(th);
    cr_expect_eq(root->own, own + 17);
    /* a strand that interrupts another one meanwhile begins when the hook ends */
    hook = own_begin(th);
    reading = th->clock.last;
    th->clock.virtual_now += 20;
    engine_interrupt(th, t);
    cr_expect_eq(th->clock.last, reading);
    th->clock.virtual_now += 40;
    own_end(th, &hook);
    th->clock.virtual_now += 3;
    engine_cut(th);
    cr_expect_eq(t->own, 3);
    engine_end_into(th, root);
    engine_join(th, scope_own(th, root));
    engine_cut(th);
    cr_expect_eq(root->own, own + 17);
    cr_expect_eq(root->S, S + 17);
}

/* A thread begins the task that it was created for: that is no steal. */
static void *routine_and_task(void *tasks)
{
    struct thread *th = thread_make(LPF_THREAD_USER);
    for (unsigned i = 0; i < 2; i++) {
        engine_begin(th, ((struct task **)tasks)[i]);
        th->clock.virtual_now++;
        engine_end(th);
        ((uint64_t *)tasks)[2 + i] = th->steal_samples;
    }
    thread_exit(th);
    return 0;
}

Test(engine, steal_is_of_an_idle_thread)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    struct { struct task *task[2]; uint64_t samples[2]; } run;
    for (unsigned i = 0; i < 2; i++)
        run.task[i] = engine_spawn(th, scope_own(th, th->cur), context_of(context_root, 2),
                                   0);
    pthread_t t;
    pthread_create(&t, 0, routine_and_task, &run);
    pthread_join(t, 0);
    cr_expect_eq(run.samples[0], 0);
    cr_expect_eq(run.samples[1], 1);
}

/* The kernel makes a page when it is first written, if not before. No strand that spawns may
 * contain that. */
Test(engine, pages_of_slabs)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    unsigned char there[64] = { 0 };
    for (char *slab = th->slab_end; th->slab_end == slab || th->slab_end - th->slab < 64 << 10;)
        engine_spawn(th, scope_own(th, th->cur), context_of(context_root, 2), 0);
    uintptr_t from = ((uintptr_t)th->slab + 4095) & -4096ul,
              pages = ((uintptr_t)th->slab_end - from) / 4096;
    cr_assert(pages && pages <= sizeof there);
    cr_assert_eq(mincore((void *)from, pages * 4096, there), 0);
    for (size_t i = 0; i < pages; i++)
        cr_expect(there[i] & 1, "page %zu of %zu", i, pages);
}

/* A thread with many live tasks gets its pages at multiples of 2 MB, so that the kernel can make
 * huge ones. Of one that it makes of small ones, no more is made than without. */
Test(engine, huge_pages_of_slabs)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    size_t sum = 0, mapped = 0;
    for (char *limit = 0; sum < 6 * MEMORY_HUGE;) {
        engine_spawn(th, scope_own(th, th->cur), context_of(context_root, 2), 0);
        if (th->slab_limit == limit)
            continue;
        if (sum >= MEMORY_HUGE) {
            cr_assert_eq((uintptr_t)th->slab_limit % MEMORY_HUGE, 0);
            cr_assert_eq(th->slab_sum - sum, MEMORY_HUGE);
            cr_expect_leq(th->slab_end - th->slab, 256 << 10);
            cr_expect_eq(memory_mapped() - mapped, MEMORY_HUGE);
        }
        sum = th->slab_sum;
        limit = th->slab_limit;
        mapped = memory_mapped();
    }
}

/* Nor do the strands contain that time, if all pages of a slab together take as long as an off-CPU
 * gap. */
Test(engine, pages_of_slow_slabs)
{
    engine_start("tsc", 0);
    if (!clock_gap)
        cr_skip_test("TSC not trusted: the clock is the CPU time itself");
    struct thread *th = thread_self_;
    enum { PAGES = 64, PIECE = 16 };    /* of the largest slabs; those that are made at once */
    uint64_t took = UINT64_MAX;         /* the shortest: an interrupt lengthens some */
    for (unsigned i = 0; i < 20; i++) {
        char *pages = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0);
        cr_assert_neq(pages, MAP_FAILED);
        uint64_t from = cpu_counter();
        for (unsigned k = 0; k < PAGES; k += PIECE)
            memory_populate(pages + k * 4096, PIECE * 4096);
        uint64_t ticks = cpu_counter() - from;
        if (ticks < took)
            took = ticks;
    }
    clock_gap = clock_quick_gap = took / 2;
    uint64_t measured = th->measured_tsc;
    for (unsigned slabs = 0; slabs < 8; slabs++)
        for (char *slab = th->slab_end; th->slab_end == slab;)
            engine_spawn(th, scope_own(th, th->cur), context_of(context_root, 2), 0);
    cr_assert_geq(th->slab_end - th->slab, (PAGES - 1) * 4096);
    cr_expect_gt(th->measured_tsc - measured, took);
}

/* ---- where the threads' time went ---- */

/* Ticks in the rows of the calling thread's time. */
static uint64_t rows(void)
{
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    uint64_t sum = s.work + s.dispatch_tsc + s.search_tsc + s.own_tsc;
    snapshot_free(&s);
    return sum;
}

/* Slow readings are libprof's, also where no strand runs: after a yield, each hook has one. The
 * rows of 2 ms of them are what the kernel counts. So short a try is seldom preempted. */
static bool slow_readings_have_rows(void)
{
    struct thread *th = thread_self_;
    uint64_t kernel = clock_read_ns(CLOCK_THREAD_CPUTIME_ID), before = rows();
    while (clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - kernel < 2000000)
        for (unsigned i = 0; i < 50; i++) {
            struct task *t = engine_pause(th);
            clock_now(&th->clock);
            engine_resume(th, t);
            if (i % 2)
                between_was_idle(th);
        }
    kernel = clock_ns_to_ticks(clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - kernel);
    double part = (double)(rows() - before) / kernel;
    NEEDS(part > 0.9 && part < 1.1, "the rows have %f of the kernel's count", part);
    return true;
}

Test(engine, slow_readings_have_a_row)
{
    engine_start("tsc", 0);
    if (!clock_gap)
        cr_skip_test("TSC not trusted: the clock is the CPU time itself");
    clock_gap = clock_quick_gap = clock_short_gap = 1;
    one_try_of_many(slow_readings_have_rows);
}

/* A host that takes the CPU puts a thread's clock ahead of its CPU time. The thread then sleeps. */
static uint32_t asleep;

static void *sleeper(void *leave)
{
    struct thread *th = thread_make(LPF_THREAD_WORKER);
    th->t0 += clock_ns_to_ticks(2000000);
    __atomic_store_n(&asleep, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n((uint32_t *)leave, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){ 0, 10000000 }, 0);
    thread_exit(th);
    return 0;
}

Test(engine, sleep_is_no_search)
{
    engine_start("tsc", 0);
    pthread_t t;
    uint32_t leave = 0;
    pthread_create(&t, 0, sleeper, &leave);
    while (!__atomic_load_n(&asleep, __ATOMIC_ACQUIRE))
        nanosleep(&(struct timespec){ 0, 1000000 }, 0);
    nanosleep(&(struct timespec){ 0, 50000000 }, 0);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_expect_lt(s.search_tsc, s.sleep_tsc, "%lu searching, %lu asleep", s.search_tsc, s.sleep_tsc);
    snapshot_free(&s);
    __atomic_store_n(&leave, 1, __ATOMIC_RELEASE);
    pthread_join(t, 0);
}
