/* detach.c - detached tasks: their end is the fulfilment of their event, if that is later. */
#include <stdint.h>
#include <time.h>
#include "cases.h"

#ifdef HAS_DETACH
/* C waits for A, and A is done when B fulfils its event, at 20; B goes on to 120. */

void omp_fulfill_event_(omp_event_handle_t event);
static int in_fortran;          /* fulfils events by the name that Fortran calls */
CASE(detach)
static void detach_body(void)
{
    omp_event_handle_t event = 0;
    int x = 0;
#pragma omp task detach(event) depend(out : x)
    cost(5);
#pragma omp task depend(in : x)
    cost(200);
#pragma omp task firstprivate(event)
    {
        cost(20);
        if (in_fortran)
            omp_fulfill_event_(event);
        else
            omp_fulfill_event(event);
        cost(100);
    }
#pragma omp taskwait
    cost(1);
}
static void detach_model(void)
{
    long start = m_now();
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(5);
    m_end_detached(start + 20);
    m_depend(M_IN, 1);
    m_task(0);
    m_cost(200);
    m_end();
    m_task(0);
    m_cost(120);
    m_end();
    m_taskwait();
    m_cost(1);
}
static void detach_run(void) { in_single(detach_body); }
static void detach_expect(void)
{
    if (LIBOMP && P == 1)
        skip("libomp 14 fails an assertion: detach needs two threads");
    m_in_single(detach_model);
    closed(326, 221);
}

CASE(detach_fortran)
static void detach_fortran_run(void)
{
    in_fortran = 1;
    in_single(detach_body);
}
static void detach_fortran_expect(void) { detach_expect(); }

/* Two tasks. The first is fulfilled by its own body, which is nothing but an end. The creator
 * fulfils the second, and then waits for it in a group. */
CASE(detach_self)
static void detach_self_body(void)
{
    omp_event_handle_t own = 0, other = 0;
#pragma omp task detach(own)
    {
        cost(5);
        omp_fulfill_event(own);
        cost(6);
    }
#pragma omp taskgroup
    {
#pragma omp task detach(other)
        cost(3);
        cost(40);
        omp_fulfill_event(other);
    }
    cost(2);
#pragma omp taskwait
}
static void detach_self_model(void)
{
    m_task(0);
    m_cost(11);
    m_end();
    long start = m_now();
    m_group();
    m_task(0);
    m_cost(3);
    m_end_detached(start + 40);
    m_cost(40);
    m_group_end();
    m_cost(2);
    m_taskwait();
}
static void detach_self_run(void) { in_single(detach_self_body); }
static void detach_self_expect(void)
{
    if (LIBOMP && P == 1)
        skip("libomp 14 fails an assertion: detach needs two threads");
    m_in_single(detach_self_model);
    closed(11 + 3 + 40 + 2, 42);
}

/* Undeferred: its creator waits for the event, too, that another thread fulfils. */
static omp_event_handle_t published;
CASE(detach_if0)
static void detach_if0_body(void)
{
    omp_event_handle_t event = 0;
    __atomic_store_n((uintptr_t *)&published, 0, __ATOMIC_RELEASE);
#pragma omp task
    {
        uintptr_t e;
        while (!(e = __atomic_load_n((uintptr_t *)&published, __ATOMIC_ACQUIRE)))
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        cost(40);
        omp_fulfill_event((omp_event_handle_t)e);
        cost(100);
    }
    cost(3);
#pragma omp task detach(event) if (0)
    {
        cost(10);
        __atomic_store_n((uintptr_t *)&published, (uintptr_t)event, __ATOMIC_RELEASE);
    }
    cost(200);
}
static void detach_if0_model(void)
{
    long start = m_now();
    m_task(0);
    m_cost(140);
    m_end();
    m_cost(3);
    m_task(M_IF0);
    m_cost(10);
    m_end_detached(start + 40);
    m_cost(200);
}
static void detach_if0_run(void)
{
    if (P > 1 && !LIBOMP)
        in_single(detach_if0_body);
}
static void detach_if0_expect(void)
{
    if (LIBOMP || P == 1)
        skip(LIBOMP ? "libomp does not wait for the event" : "nobody else can fulfil the event");
    m_in_single(detach_if0_model);
    closed(140 + 3 + 10 + 200, 240);
}

#else
CASE_WITHOUT(detach, "has no detach")
CASE_WITHOUT(detach_fortran, "has no detach")
CASE_WITHOUT(detach_self, "has no detach")
CASE_WITHOUT(detach_if0, "has no detach")
#endif

#if defined(HAS_DETACH) && !defined(__clang__)
/* An undeferred task depends on a detached one. Where libgomp's waiting thread runs the body of the
 * latter, it goes on when that has ended. Here the event comes later, from a task that the same
 * thread runs at the barrier. libprof does not wait for it either: it names the missing edge. */
static int went_on;
static void after_detached(int undeferred)
{
    omp_event_handle_t event = 0;
    int x = 0;
    went_on = 0;
    cost(1);
#pragma omp task detach(event) depend(out : x)
    cost(10);
#pragma omp task firstprivate(event)
    {
        check(went_on);
        cost(20);
        omp_fulfill_event(event);
    }
    if (undeferred) {
#pragma omp task if (0) depend(inout : x)
        cost(100);
    } else {
#pragma omp taskwait depend(in : x)
        cost(100);
    }
    went_on = 1;
    cost(2);
}
static void after_detached_run(int undeferred)
{
#pragma omp parallel num_threads(1)
    after_detached(undeferred);
}
static void after_detached_expect(void)
{
    m_cost(133);
    skip("a lower bound");
    named(133, "depend (on a detached task, before its event)");
}
CASE(detach_before_if0)
static void detach_before_if0_run(void) { after_detached_run(1); }
static void detach_before_if0_expect(void) { after_detached_expect(); }
CASE(detach_before_wait)
static void detach_before_wait_run(void) { after_detached_run(0); }
static void detach_before_wait_expect(void) { after_detached_expect(); }
#else
CASE_WITHOUT(detach_before_if0, "calls libomp, where detach needs two threads")
CASE_WITHOUT(detach_before_wait, "calls libomp, where detach needs two threads")
#endif
