/* test_engine_memory.c - the engine by hand: tens of millions of tasks need no more memory than
 * the first thousands.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include "by_hand.h"
#include "libprof_format.h"

enum { MANY = 10000000 };

Test(engine, memory_of_many_tasks, .timeout = 300)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    uint64_t warm = 0;
    for (unsigned i = 1; i <= MANY / 2; i++) {  /* each with a child: bags, too */
        struct scope *k = i % 5 ? scope_own(th, root) : scope_new(th, 0);
        struct task *t = child_begin(th, k, 1 + i % 3);
        child_begin(th, scope_own(th, t), 4);
        child_end(th, t, i % 7);
        child_end(th, root, i % 3);
        if (i % 5 == 0) {
            engine_join(th, k);
            scope_free(th, k);
        }
        if (i % 64 == 0)
            engine_join(th, scope_own(th, root));
        if (i == 1000)
            warm = memory_mapped();
    }
    cr_assert_eq(memory_mapped(), warm);
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < context_count(); i++)
        tasks += thread_metrics(th, i) ? thread_metrics(th, i)->tasks : 0;
    cr_assert_eq(tasks, MANY);
    cr_assert_eq(th->lost[LOSS_MEMORY], 0);
}

/* Spawned on one thread, ended on another, at most RING in flight. */
enum { RING = 1024 };
static struct task *ring[RING];
static uint64_t ring_put, ring_taken;

static void *consumer(void *unused)
{
    (void)unused;
    struct thread *th = thread_make(LPF_THREAD_WORKER);
    for (uint64_t i = 0; i < MANY; i++) {
        while (__atomic_load_n(&ring_put, __ATOMIC_ACQUIRE) == i)
            sched_yield();
        struct task *t = ring[i % RING];
        engine_begin(th, t);
        __atomic_store_n(&ring_taken, i + 1, __ATOMIC_RELEASE);
        if (i % 4 == 0) {
            child_begin(th, scope_own(th, t), 2);
            child_end(th, t, 3);
        }
        th->clock.virtual_now += 1;
        engine_end(th);
    }
    thread_exit(th);
    return 0;
}

Test(engine, memory_across_threads, .timeout = 300)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct context *ctx = context_of(context_root, 1);
    pthread_t t;
    pthread_create(&t, 0, consumer, 0);
    uint64_t warm = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        while (i - __atomic_load_n(&ring_taken, __ATOMIC_ACQUIRE) == RING)
            sched_yield();
        ring[i % RING] = engine_spawn(th, scope_own(th, root), ctx, 0);
        __atomic_store_n(&ring_put, i + 1, __ATOMIC_RELEASE);
        if (i % 4096 == 4095) {
            engine_resume(th, engine_pause(th));
            engine_join(th, scope_own(th, root));
        }
        if (i == MANY / 20)
            warm = memory_mapped();
    }
    pthread_join(t, 0);
    engine_join(th, scope_own(th, root));
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    snapshot_free(&s);
    cr_assert_leq(memory_mapped(), warm + (512 << 10), "%lu KiB more",
                  (memory_mapped() - warm) >> 10);
    cr_assert_eq(s.work, (uint64_t)MANY + MANY / 4 * 3);
    cr_assert_eq(s.tasks, (uint64_t)MANY + MANY / 4);
    cr_assert_eq(s.steals, MANY);
}
