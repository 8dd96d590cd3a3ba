/* test_engine_scopes.c - the engine by hand: scopes that outlive their owner's strand, and who
 * frees them.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "by_hand.h"

/* A strand of its own thread: it makes a scope, or gets ORPHAN, and ends when it may. */
struct owner {
    pthread_t thread;
    struct scope *orphan;
    struct scope *scope;
    uint64_t cost;              /* of the task that ends in the scope; 0: none */
    int ready, may_end, ended;
};

static void *owner_thread(void *argument)
{
    struct owner *o = argument;
    struct thread *th = thread_self();
    struct task *root = th->cur;
    if (!o->orphan)
        o->scope = scope_new(th, 0);
    else if (scope_adopt(th, o->orphan))
        o->scope = o->orphan;
    if (o->scope)
        o->scope->key = o;
    if (o->scope && o->cost) {
        child_begin(th, o->scope, 1);
        child_end(th, root, o->cost);
    }
    __atomic_store_n(&o->ready, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&o->may_end, __ATOMIC_ACQUIRE))
        sched_yield();
    thread_exit(th);
    __atomic_store_n(&o->ended, 1, __ATOMIC_RELEASE);
    return 0;
}

static void owner_start(struct owner *o)
{
    pthread_create(&o->thread, 0, owner_thread, o);
    while (!__atomic_load_n(&o->ready, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void owner_end(struct owner *o)
{
    __atomic_store_n(&o->may_end, 1, __ATOMIC_RELEASE);
    pthread_join(o->thread, 0);
}

/* An agent is inside of scope_leave, on another thread, when the owner ends: it has taken
 * the key off. The owner must not free the scope before the agent has let go of it. */
Test(engine_scopes, left_while_its_owner_ends)
{
    engine_fresh(0);
    struct owner o = { .scope = 0 };
    struct timespec nap = { 0, 1000000 };
    owner_start(&o);
    lock_take(&o.scope->lock);
    o.scope->key = 0;
    __atomic_store_n(&o.may_end, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < 100 && !__atomic_load_n(&o.ended, __ATOMIC_ACQUIRE); i++)
        nanosleep(&nap, 0);
    cr_expect(!o.ended, "the scope is the owner's and the agent's");
    lock_release(&o.scope->lock);
    pthread_join(o.thread, 0);
}

/* Whichever comes first, the owner's end or the leave: the scope is freed once. */
Test(engine_scopes, left_by_another_thread)
{
    engine_fresh(0);
    for (unsigned first = 0; first < 2; first++)
        for (uint64_t cost = 0; cost < 20; cost += 10) {
            struct owner o = { .cost = cost };
            owner_start(&o);
            struct thread *home = o.scope->thread;
            if (first)
                scope_leave(thread_self_, o.scope);
            owner_end(&o);
            if (!first)
                scope_leave(thread_self_, o.scope);
            uint32_t blocks = 0;
            for (struct block *b = home->free_blocks[BLOCK_SCOPE]; b; b = b->next)
                blocks += b + 1 == (struct block *)o.scope;
            for (struct block *b = home->returned; b; b = b->next)
                blocks += b + 1 == (struct block *)o.scope;
            cr_expect_eq(blocks, 1, "%u blocks, first %u, cost %lu", blocks, first, cost);
        }
}

/* An orphan with nothing in it becomes another strand's. What ends in it then is the new owner's.
 */
Test(engine_scopes, adopted)
{
    engine_fresh(0);
    struct thread *th = thread_self_;
    struct owner first = { .cost = 10 };
    owner_start(&first);
    cr_expect(!scope_adopt(th, first.scope), "it has an owner");
    owner_end(&first);
    cr_expect(!scope_adopt(th, first.scope), "it has results");
    engine_join_foreign(th, first.scope);
    cr_expect_eq(th->cur->S, 10);
    struct owner second = { .orphan = first.scope, .cost = 30 };
    owner_start(&second);
    cr_assert_eq(second.scope, first.scope);
    engine_join_foreign(th, second.scope);
    cr_expect_eq(th->cur->S, 30);
    owner_end(&second);
    engine_join_foreign(th, second.scope);
    cr_expect_eq(th->cur->joined, 40, "each task once");
    cr_expect(scope_adopt(th, first.scope));
    cr_expect_eq(first.scope->owner, th->cur);
    scope_free(th, first.scope);
    cr_expect(!th->cur->scopes);
}
