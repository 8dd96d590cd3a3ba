/* test_lock.c - waiting for a lock. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/lock.h"

enum { WAITERS = 200 };
static struct lock lock;
static long sleeps, taken;

static void *waits(void *unused)
{
    struct rusage u;
    lock_take(&lock);
    taken++;
    lock_release(&lock);
    getrusage(RUSAGE_THREAD, &u);
    __atomic_add_fetch(&sleeps, u.ru_nvcsw, __ATOMIC_RELAXED);
    return unused;
}

/* Waiters that wake up by themselves every millisecond would sleep 300 times each. */
Test(lock, waiters_sleep_until_the_release)
{
    pthread_t t[WAITERS];
    lock_take(&lock);
    for (int i = 0; i < WAITERS; i++)
        cr_assert_eq(pthread_create(&t[i], 0, waits, 0), 0);
    usleep(300000);
    lock_release(&lock);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(t[i], 0);
    cr_expect_eq(taken, WAITERS);
    cr_expect_lt(sleeps, 60 * WAITERS, "%ld sleeps of %d waiters", sleeps, WAITERS);
    cr_expect_eq(lock.word, 0u);
}

static void *tries(void *result)
{
    *(bool *)result = lock_take_within(&lock, 20000000);
    return 0;
}

Test(lock, a_wait_has_an_end)
{
    pthread_t t;
    bool result = true;
    lock_take(&lock);
    pthread_create(&t, 0, tries, &result);
    pthread_join(t, 0);
    cr_expect_not(result);
    lock_release(&lock);                /* finds the bit of a waiter that has gone */
    cr_expect_eq(lock.word, 0u);
    cr_expect(lock_take_within(&lock, 0));
}
