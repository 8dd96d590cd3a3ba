/* test_engine_joins.c - the engine by hand: joins that come before the record of an end, and
 * joins of another strand's scope.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "arch/cpu.h"
#include "by_hand.h"
#include "libprof_format.h"
#include "tries.h"

/* The runtime lets the waiter go on, and the last task's end is recorded much later. The join gives
 * up, counts a late join, and the next join takes the rest. Nothing is lost or counted twice. */
Test(engine, late_join)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = scope_new(th, 0);
    struct task *late = engine_spawn(th, k, context_of(context_root, 2), 0);
    child_begin(th, k, 1);
    child_end(th, root, 10);
    engine_join(th, k);
    cr_assert_eq(th->lost[LOSS_LATE_JOIN], 1);
    cr_assert_eq(root->S, 10);
    cr_assert_eq(root->joined, 10);
    cr_assert(!scope_is_empty(k));
    engine_pause(th);
    engine_begin(th, late);
    child_end(th, root, 25);
    engine_join(th, k);
    cr_assert(scope_is_empty(k));
    cr_assert_eq(root->joined, 35);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.work, 35);
    cr_assert_eq(s.span, 25);
    cr_assert_eq(span_sum(&s), 25);
}

/* The same in real time: a thread that waits for the record of an end is idle, and its strand costs
 * nothing meanwhile. */
static struct task *ends_late;
static void *late_thread(void *waiter)
{
    struct thread *th = thread_make(LPF_THREAD_WORKER);
    struct timespec nap = { 0, 10000000 };
    engine_begin(th, ends_late);
    struct task **cur = &((struct thread *)waiter)->cur;
    /* Until the waiter's strand has stopped: it waits. If it never stops, the test fails. */
    for (unsigned i = 0; i < 100000 && __atomic_load_n(cur, __ATOMIC_ACQUIRE); i++)
        sched_yield();
    nanosleep(&nap, 0);
    engine_end(th);
    thread_exit(th);
    return 0;
}

static bool late_is_idle(void)
{
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = scope_new(th, 0);
    struct late patient = { .since = 1 };
    late_end(th, &patient, true);        /* whatever the try before */
    uint64_t lost = th->lost[LOSS_LATE_JOIN];
    ends_late = engine_spawn(th, k, context_of(context_root, 2), 0);
    pthread_t t;
    pthread_create(&t, 0, late_thread, th);
    engine_resume(th, engine_pause(th));        /* the time of the try before is not this one's */
    engine_cut(th);
    uint64_t own = root->own, idle = th->idle_between_tsc, blocked = thread_blocked(th, 0);
    uint64_t before = cpu_counter();
    engine_join(th, k);
    uint64_t wall = cpu_counter() - before;
    engine_cut(th);
    idle = th->idle_between_tsc - idle;
    own = root->own - own;
    blocked = thread_blocked(th, 0) - blocked;     /* by the join: not by the thread's creation */
    pthread_join(t, 0);
    engine_join(th, k);
    NEEDS(th->lost[LOSS_LATE_JOIN] == lost, "it was not waited for");
    NEEDS(idle > wall - wall / 10, "%lu of %lu idle", idle, wall);
    NEEDS(own + blocked < wall / 10, "%lu own, %lu blocked of %lu", own, blocked, wall);
    return true;
}

Test(engine, late_join_is_idle)
{
    engine_start("tsc", 0);
    one_try_of_many(late_is_idle);
}

/* Joins of tasks whose ends are never recorded. Each counts a late join. Only the first ones wait
 * long: otherwise a thousand would take minutes. How long a nap takes is the machine's affair, so
 * the naps are counted: the thread leaves the processor once for each. */
Test(engine, joins_in_vain_are_short)
{
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    struct rusage from, to;
    getrusage(RUSAGE_THREAD, &from);
    for (unsigned i = 0; i < 1000; i++) {
        struct scope *k = scope_new(th, 0);
        engine_spawn(th, k, context_of(context_root, 2), 0);
        engine_join(th, k);
        cr_assert_eq(th->lost[LOSS_LATE_JOIN], i + 1);
    }
    getrusage(RUSAGE_THREAD, &to);
    cr_expect_lt(to.ru_nvcsw - from.ru_nvcsw, 10000, "%ld naps", to.ru_nvcsw - from.ru_nvcsw);
}

/* A join after one in vain still waits for an end that is recorded meanwhile. The one in vain takes
 * no time here: on a busy machine it may take so long that the patience ends for good. So may a try
 * that fails, and each has a process of its own. */
static bool later_join_waits(void)
{
    pid_t pid = fork();
    int status;
    if (pid) {
        NEEDS(waitpid(pid, &status, 0) == pid && !status, "it was not waited for");
        return true;
    }
    engine_start("tsc", 0);
    struct thread *th = thread_self_;
    struct late in_vain = { .since = 0 };
    late_turn(&in_vain);
    late_end(th, &in_vain, false);
    uint64_t lost = th->lost[LOSS_LATE_JOIN];
    struct scope *k = scope_new(th, 0);
    ends_late = engine_spawn(th, k, context_of(context_root, 2), 0);
    pthread_t t;
    pthread_create(&t, 0, late_thread, th);
    engine_join(th, k);
    pthread_join(t, 0);
    engine_join(th, k);
    _exit(th->lost[LOSS_LATE_JOIN] != lost);
}

Test(engine, late_join_after_one_in_vain)
{
    one_try_of_many(later_join_waits);
}

/* A task joins a scope of its parent. The parent has not ended, and joins the scope, too. */
Test(engine, foreign_join_of_a_living_owner)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = scope_new(th, 0);
    child_begin(th, k, 1);
    child_end(th, root, 10);
    struct task *joiner = child_begin(th, scope_own(th, root), 2);
    engine_join_foreign(th, k);
    cr_assert_eq(joiner->S, 10);
    cr_assert_eq(joiner->joined, 10);
    child_end(th, root, 5);
    engine_join(th, k);
    cr_assert_eq(root->S, 10);
    cr_assert_eq(root->joined, 0, "the joiner has it");
    engine_join(th, scope_own(th, root));
    cr_assert_eq(root->S, 15);
    cr_assert_eq(root->joined, 15);
    struct snapshot s;
    cr_assert_eq(snapshot_take(&s, true), 0);
    cr_assert_eq(s.work, 15);
    cr_assert_eq(s.span, 15);
    cr_assert_eq(span_sum(&s), 15);
}

/* Is the work of SITE called an upper bound? */
static bool took_others(uint32_t site)
{
    const struct site *s = site_list;
    while (s && s->address[0] != SITE_BASE + SITE_STEP * site)
        s = s->next;
    return s && s->took_others;
}

/* Who joins what another strand spawned has its work; a site may then have it several times. */
Test(engine, foreign_join_by_a_sibling)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur, *creator = child_begin(th, scope_own(th, root), 1);
    struct scope *k = scope_new(th, 0);
    child_begin(th, k, 2);
    child_end(th, creator, 10);
    struct task *around = child_begin(th, scope_own(th, creator), 3);
    child_begin(th, scope_own(th, around), 2);
    engine_join_foreign(th, k);
    cr_assert(!took_others(1), "the joined task is inside of the creator, too");
    cr_assert(took_others(2));
    cr_assert(took_others(3), "it is above the joiner");
}

/* The same of a scope whose owner has ended: its context is still known. */
static struct scope *orphan(struct thread *th, struct task *above)
{
    struct task *owner = child_begin(th, scope_own(th, above), 4);
    struct scope *k = scope_new(th, 0);
    k->key = k;
    child_begin(th, k, 5);
    child_end(th, owner, 10);
    child_end(th, above, 0);
    return k;
}

Test(engine, foreign_join_of_an_orphan)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur, *above = child_begin(th, scope_own(th, root), 1);
    struct scope *first = orphan(th, above), *second = orphan(th, above);
    engine_join_foreign(th, first);
    cr_assert(!took_others(1), "an ancestor");
    child_end(th, root, 0);
    child_begin(th, scope_own(th, root), 2);
    engine_join_foreign(th, second);
    cr_assert(took_others(2));
    cr_assert(!took_others(1) && !took_others(4) && !took_others(5));
}

/* The owner of a scope joins tasks of other spawners: those below it, and those beside it. */
Test(engine, join_of_tasks_of_several_spawners)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur, *owner = child_begin(th, scope_own(th, root), 1);
    struct scope *g = scope_new(th, 0);
    struct task *below = child_begin(th, scope_own(th, owner), 2);
    engine_spawn(th, g, context_of(below->ctx, 3), 0);
    cr_assert(!took_others(1));
    engine_pause(th);
    engine_resume(th, root);
    struct task *beside = child_begin(th, scope_own(th, root), 2);
    engine_spawn(th, g, context_of(beside->ctx, 3), 0);
    cr_assert(took_others(1));
    cr_assert(!took_others(2) && !took_others(3));
}

#ifndef __SANITIZE_THREAD__     /* it does not know the barrier that the joins rely on */
/* The owner and a strand of another thread join a scope at the same moment, again and again. The
 * work goes to one of them, and who takes the path takes all its lengths. It ends when each has
 * been first some hundred times: on a busy machine, the two seldom run at once. */
enum { OFTEN = 300, ROUNDS_MOST = 100000, COST = 10 };
static struct {
    struct scope *scope;
    struct task *foreign;
    uint32_t owner_at, foreign_at; /* the phases that each has reached; two a round */
    bool over;
} both;

static void meet(uint32_t *mine, const uint32_t *other)
{
    uint32_t phase = *mine + 1;
    __atomic_store_n(mine, phase, __ATOMIC_RELEASE);
    for (uint32_t i = 1; __atomic_load_n(other, __ATOMIC_ACQUIRE) < phase; i++)
        if (i % 1024 == 0)
            sched_yield();
}

/* The Nth processor that the test may use is the calling thread's, so that two threads run at
 * once. With one processor alone, nothing races. */
static void pin(unsigned n)
{
    cpu_set_t may, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof may, &may);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may) && n-- == 0)
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void *joins_foreign(void *none)
{
    struct thread *th = thread_make(LPF_THREAD_UNKNOWN);
    pin(1);
    both.foreign = th->cur;
    for (;;) {
        meet(&both.foreign_at, &both.owner_at);
        if (both.over)
            break;
        engine_join_foreign(th, both.scope);
        meet(&both.foreign_at, &both.owner_at);
    }
    thread_exit(th);
    return none;
}

/* The owner's delay: who arrives last sees first that both are there. */
static void stagger(uint32_t round)
{
    for (volatile uint32_t i = round % 128; i; i--)
        ;
}

Test(engine, foreign_join_beside_the_owners)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct task *root = th->cur;
    struct scope *k = both.scope = scope_new(th, 0);
    uint64_t credited = 0, foreign = 0, firsts[2] = { 0 }, wrong = 0, torn = 0;
    pthread_t t;
    pthread_create(&t, 0, joins_foreign, 0);
    pin(0);
    for (uint32_t i = 0; i < ROUNDS_MOST && (firsts[0] < OFTEN || firsts[1] < OFTEN); i++) {
        child_begin(th, k, 1);
        child_end(th, root, COST);
        meet(&both.owner_at, &both.foreign_at);
        stagger(i);
        engine_join(th, k);
        meet(&both.owner_at, &both.foreign_at);
        firsts[both.foreign->joined != foreign]++;
        foreign = both.foreign->joined;
        wrong += root->joined + foreign != credited + COST;
        credited = root->joined + foreign;
        torn += lengths_burdened(&both.foreign->len) < both.foreign->S;
    }
    both.over = true;
    meet(&both.owner_at, &both.foreign_at);
    pthread_join(t, 0);
    cr_expect_eq(wrong, 0, "%lu rounds credited other work than was done", wrong);
    cr_expect_eq(torn, 0, "after %lu rounds, a path was longer than in the burdened dag", torn);
    cr_assert(scope_is_empty(k));
    scope_free(th, k);
}
#endif
