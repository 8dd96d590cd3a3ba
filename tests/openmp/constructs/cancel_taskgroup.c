/* cancel_taskgroup.c - cancelled taskgroups (with OMP_CANCELLATION=true). */
#include <sched.h>
#include <time.h>
#include "cases.h"

/* The first of a chain cancels; the rest never begins. */

CASE(cancel_group)
static void cancel_group_body(void)
{
    int x = 0;
    check(omp_get_cancellation());
#pragma omp taskgroup
    {
#pragma omp task depend(out : x)
        {
            cost(10);
            if (x == 0) {
#pragma omp cancel taskgroup
            }
            cost(1000);
        }
        for (int i = 0; i < 20; i++)
#pragma omp task depend(inout : x)
            cost(1000);
        cost(3);
    }
    cost(5);
#pragma omp taskgroup           /* another one is not cancelled */
    {
#pragma omp task
        cost(7);
    }
}
static void cancel_group_model(void)
{
    m_group();
    m_task(0);
    m_cost(10);
    m_end();
    m_cost(3);
    m_group_end();
    m_cost(5);
    m_group();
    m_task(0);
    m_cost(7);
    m_end();
    m_group_end();
}
static void cancel_group_run(void) { in_single(cancel_group_body); }
static void cancel_group_expect(void)
{
    m_in_single(cancel_group_model);
    closed(25, 22);
    tasks_unknown();            /* of those that were discarded */
}

/* A has ended but for its event when its group is cancelled; D, of no group, fulfils it at 90:
 * that is the group's end. */
static void spin(int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void raise_flag(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
#ifdef HAS_DETACH
CASE(cancel_detached)
static void cancel_detached_body(void)
{
    static omp_event_handle_t event;
    static int begun, fulfiller, cancelling;
    begun = fulfiller = cancelling = 0;
#pragma omp task
    {
#pragma omp taskgroup
        {
            omp_event_handle_t e;
#pragma omp task detach(e)
            {
                cost(5);
                raise_flag(&begun);
            }
            event = e;
            spin(&fulfiller);
#pragma omp task
            {
                cost(10);
                raise_flag(&cancelling);
#pragma omp cancel taskgroup
                cost(1000);
            }
        }
        cost(3);
    }
    spin(&begun);
    cost(40);
#pragma omp task
    {
        raise_flag(&fulfiller);
        spin(&cancelling);
        nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
        cost(50);
        omp_fulfill_event(event);
    }
#pragma omp taskwait
}
static void cancel_detached_model(void)
{
    long start = m_now();
    m_task(0);
    m_group();
    m_task(0);
    m_cost(5);
    m_end_detached(start + 90);
    m_task(0);
    m_cost(10);
    m_end();
    m_group_end();
    m_cost(3);
    m_end();
    m_cost(40);
    m_task(0);
    m_cost(50);
    m_end();
    m_taskwait();
}
static void cancel_detached_run(void) { in_single(cancel_detached_body); }
static void cancel_detached_expect(void)
{
    if (P < 3)
        skip("needs three threads");
    m_in_single(cancel_detached_model);
    closed(108, 93);
}
#else
CASE_WITHOUT(cancel_detached, "has no detach")
#endif

/* A task that runs already is left alone up to its cancellation point. */
CASE(cancel_point)
static void cancel_point_body(void)
{
    int x = 0;
#pragma omp taskgroup
    {
#pragma omp task depend(out : x)
        {
            cost(10);
            /* a child of the group, too, before it is cancelled: may or may not begin */
#pragma omp task
            cost(0);
#pragma omp cancel taskgroup
        }
#pragma omp task depend(in : x)
        cost(500);
    }
#pragma omp taskgroup
    {
#pragma omp task
        {
            cost(4);
#pragma omp cancellation point taskgroup
            cost(6);
        }
    }
    cost(1);
}
static void cancel_point_model(void)
{
    m_group();
    m_task(0);
    m_cost(10);
    m_end();
    m_group_end();
    m_group();
    m_task(0);
    m_cost(10);
    m_end();
    m_group_end();
    m_cost(1);
}
static void cancel_point_run(void) { in_single(cancel_point_body); }
static void cancel_point_expect(void)
{
    m_in_single(cancel_point_model);
    closed(21, 21);
    tasks_unknown();
}
