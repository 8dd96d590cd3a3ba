/* taskloop.c - taskloops: a task a chunk, all born at the loop's begin, joined by the taskgroup around it unless nogroup;
 * and reductions in tasks. N iterations in T tasks: the first N % T have N / T + 1 iterations, the others N / T;
 * grainsize(G): T = N / G. Both runtimes do so; the cases look, too (starts_right).
 */
#include <string.h>
#include "cases.h"

enum { MOST = 1024 };
static char start[MOST];    /* iterations that began a chunk */
static void mark(int *first, long i)
{
    if (*first)
        start[i] = 1;
    *first = 0;
}
static long chunk_begin(long n, long tasks, long k) { return k * (n / tasks) + (k < n % tasks ? k : n % tasks); }
static void starts_right(long n, long tasks)
{
    for (long k = 0; k < tasks; k++)
        check(start[chunk_begin(n, tasks, k)]);
    for (long i = 0; i < n; i++)
        tasks -= start[i];
    check(tasks == 0);
    memset(start, 0, sizeof start);
}

/* The tasks of a loop of N iterations, iteration i costing A i + B. */
static void m_chunks(long n, long tasks, long a, long b)
{
    for (long k = 0; k < tasks; k++) {
        m_task(0);
        for (long i = chunk_begin(n, tasks, k); i < chunk_begin(n, tasks, k + 1); i++)
            m_cost(a * i + b);
        m_end();
    }
}
static void m_taskloop(long n, long tasks, long a, long b)
{
    m_group();
    m_chunks(n, tasks, a, b);
    m_group_end();
}
static long sum(long from, long to) { return (to - from) * (from + to - 1) / 2; }   /* of i in [from, to) */

/* 120 iterations, i costing i; 12 chunks of 10. */
static void taskloop_grain_body(void)
{
    int first = 1;
    cost(2);
#pragma omp taskloop grainsize(10) firstprivate(first)
    for (int i = 0; i < 120; i++) {
        mark(&first, i);
        cost(i);
    }
    cost(3);
    starts_right(120, 12);
}
static void taskloop_grain_model(void)
{
    m_cost(2);
    m_taskloop(120, 12, 1, 0);
    m_cost(3);
}
static void taskloop_grain_run(void) { in_single(taskloop_grain_body); }
static void taskloop_grain_expect(void)
{
    m_in_single(taskloop_grain_model);
    closed(5 + sum(0, 120), 5 + sum(110, 120));
}

/* What does not divide: 100 by grains of 7 are 14 tasks, two of 8 and twelve of 7; in 6 tasks, four of 17 and two of 16.
 * A grain that is too large is one task, no iteration no task. */
static void taskloop_odd_body(void)
{
    int first = 1;
#pragma omp taskloop grainsize(7) firstprivate(first)
    for (long i = 0; i < 100; i++) {
        mark(&first, i);
        cost(100 - i);
    }
    starts_right(100, 14);
#pragma omp taskloop num_tasks(6) firstprivate(first)
    for (unsigned i = 0; i < 100; i++) {
        mark(&first, i);
        cost(i);
    }
    starts_right(100, 6);
#pragma omp taskloop grainsize(100) firstprivate(first)
    for (int i = 0; i < 50; i++) {
        mark(&first, i);
        cost(1);
    }
    starts_right(50, 1);
#pragma omp taskloop num_tasks(100) firstprivate(first)
    for (int i = 0; i < 50; i++) {
        mark(&first, i);
        cost(i);
    }
    starts_right(50, 50);
    unsigned long none = memchr(start, 1, MOST) != NULL;
#pragma omp taskloop num_tasks(3)
    for (unsigned long i = 0; i < none; i++)
        cost(1000);
}
static void taskloop_odd_model(void)
{
    m_taskloop(100, 14, -1, 100);
    m_taskloop(100, 6, 1, 0);
    m_taskloop(50, 1, 0, 1);
    m_taskloop(50, 50, 1, 0);
}
static void taskloop_odd_run(void) { in_single(taskloop_odd_body); }
static void taskloop_odd_expect(void)
{
    m_in_single(taskloop_odd_model);
    closed(5050 + 4950 + 50 + 1225, sum(93, 101) + sum(84, 100) + 50 + 49);
}

static void taskloop_num_tasks_body(void)
{
    int first = 1;
    cost(2);
#pragma omp taskloop num_tasks(8) firstprivate(first) untied priority(1)
    for (unsigned long long i = 0; i < 120; i++) {
        mark(&first, i);
        cost(i + 1);
    }
    starts_right(120, 8);
#pragma omp taskloop num_tasks(5)
    for (int i = 100; i > 0; i -= 2)        /* 50 iterations, the first is the most expensive */
        cost(i);
    cost(3);
}
static void taskloop_num_tasks_model(void)
{
    m_cost(2);
    m_taskloop(120, 8, 1, 1);
    m_taskloop(50, 5, -2, 100);
    m_cost(3);
}
static void taskloop_num_tasks_run(void) { in_single(taskloop_num_tasks_body); }
static void taskloop_num_tasks_expect(void)
{
    m_in_single(taskloop_num_tasks_model);
    closed(5 + sum(1, 121) + 2 * sum(1, 51), 5 + sum(106, 121) + 2 * sum(41, 51));
}

/* A thousand tasks: libomp creates them by tasks of its own, libgomp runs most of them at once. */
static void taskloop_many_body(void)
{
#pragma omp taskloop num_tasks(1000)
    for (int i = 0; i < 1000; i++)
        cost(1 + i % 10);
    cost(1);
}
static void taskloop_many_model(void)
{
    m_group();
    for (int i = 0; i < 1000; i++) {
        m_task(0);
        m_cost(1 + i % 10);
        m_end();
    }
    m_group_end();
    m_cost(1);
}
static void taskloop_many_run(void) { in_single(taskloop_many_body); }
static void taskloop_many_expect(void)
{
    m_in_single(taskloop_many_model);
    closed(5501, 11);
}

/* nogroup: joined by taskwait, by a group outside, by the barrier only. */
static void taskloop_nogroup_body(void)
{
#pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < 40; i++)
        cost(i);                /* 345 */
    cost(10);
#pragma omp taskwait
    cost(1);                    /* 346 */
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(5)
        for (int i = 0; i < 20; i++)
            cost(3);            /* 361 */
        cost(4);
    }
    cost(1);                    /* 362 */
#pragma omp taskloop nogroup num_tasks(2)
    for (int i = 0; i < 20; i++)
        cost(i);                /* 507 */
    cost(100);                  /* 462 */
}
static void taskloop_nogroup_model(void)
{
    m_chunks(40, 4, 1, 0);
    m_cost(10);
    m_taskwait();
    m_cost(1);
    m_group();
    m_chunks(20, 4, 0, 3);
    m_cost(4);
    m_group_end();
    m_cost(1);
    m_chunks(20, 2, 1, 0);
    m_cost(100);
}
static void taskloop_nogroup_run(void) { in_single(taskloop_nogroup_body); }
static void taskloop_nogroup_expect(void)
{
    m_in_single(taskloop_nogroup_model);
    closed(780 + 10 + 1 + 60 + 4 + 1 + 190 + 100, 345 + 1 + 15 + 1 + 145);
}

/* The group around a loop waits for what its chunks create; in the chunks, for theirs. */
static void taskloop_nested_body(void)
{
#pragma omp taskloop num_tasks(5)
    for (int i = 0; i < 5; i++) {
        cost(i);
#pragma omp task firstprivate(i)
        {
            cost(10 - i);
#pragma omp task
            cost(20);           /* 30 */
        }
    }
    cost(5);
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < 3; i++) {
#pragma omp taskloop num_tasks(3)
        for (int j = 0; j < 3; j++)
            cost(10 * i + j);
        cost(7);                /* 29 */
    }
    cost(1);
}
static void taskloop_nested_model(void)
{
    m_group();
    for (int i = 0; i < 5; i++) {
        m_task(0);
        m_cost(i);
        m_task(0);
        m_cost(10 - i);
        m_task(0);
        m_cost(20);
        m_end();
        m_end();
        m_end();
    }
    m_group_end();
    m_cost(5);
    m_group();
    for (int i = 0; i < 3; i++) {
        m_task(0);
        m_taskloop(3, 3, 1, 10 * i);
        m_cost(7);
        m_end();
    }
    m_group_end();
    m_cost(1);
}
static void taskloop_nested_run(void) { in_single(taskloop_nested_body); }
static void taskloop_nested_expect(void)
{
    m_in_single(taskloop_nested_model);
    closed(150 + 5 + 99 + 21 + 1, 30 + 5 + 29 + 1);
}

/* if(0): serial; final: the chunks are tasks, what is in them is not; in a final task: serial. collapse: one loop of 6 * 4. */
static void taskloop_clauses_body(void)
{
#pragma omp taskloop num_tasks(4) if (0)
    for (int i = 0; i < 8; i++)
        cost(i);                /* 28 */
#pragma omp taskloop num_tasks(4) final(1)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp task
        cost(i);                /* 2 + 13 */
    }
#pragma omp task final(1)
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 8; i++)
        cost(2);                /* 16 */
#pragma omp taskwait
#pragma omp taskloop num_tasks(6) collapse(2) mergeable
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            cost(i + j);        /* 26 */
}
static void taskloop_clauses_model(void)
{
    for (int i = 0; i < 8; i++) {
        m_task(M_IF0);
        m_cost(i);
        m_end();
    }
    m_group();
    for (int k = 0; k < 4; k++) {
        m_task(M_FINAL);
        for (int i = 2 * k; i < 2 * k + 2; i++) {
            m_cost(1);
            m_task(0);
            m_cost(i);
            m_end();
        }
        m_end();
    }
    m_group_end();
    m_task(M_FINAL);
    m_taskloop(8, 4, 0, 2);
    m_end();
    m_taskwait();
    m_group();
    for (int i = 0; i < 6; i++) {
        m_task(0);
        m_cost(4 * i + 6);
        m_end();
    }
    m_group_end();
}
static void taskloop_clauses_run(void) { in_single(taskloop_clauses_body); }
static void taskloop_clauses_expect(void)
{
    m_in_single(taskloop_clauses_model);
    closed(28 + 8 + 28 + 16 + 96, 28 + 15 + 16 + 26);
}

/* nogroup: taskwait waits for the chunks, not for what they create; a group around it, for both. */
static void taskloop_loose_body(void)
{
#pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < 4; i++) {
        cost(1 + i);
#pragma omp task
        cost(1000);             /* 1004 */
    }
    cost(2);
#pragma omp taskwait
    cost(7);                    /* 11 */
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(3)
        for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
            {
                cost(50 + i);
#pragma omp task
                cost(40);       /* 103 */
            }
            cost(3);
        }
#pragma omp taskwait
        cost(5);                /* 19 */
    }
    cost(1);                    /* 104 */
#pragma omp task
    {
#pragma omp taskloop nogroup num_tasks(2)
        for (int i = 0; i < 2; i++) {
#pragma omp task
            cost(20);
#pragma omp taskwait
            cost(1);            /* 125 */
#pragma omp task
            cost(2000);         /* 2125 */
        }
#pragma omp taskwait
        cost(10);               /* 135 */
    }
#pragma omp taskwait
    cost(6);                    /* 141 */
}
static void taskloop_loose_model(void)
{
    for (int i = 0; i < 4; i++) {
        m_task(0);
        m_cost(1 + i);
        m_task(0);
        m_cost(1000);
        m_end();
        m_end();
    }
    m_cost(2);
    m_taskwait();
    m_cost(7);
    m_group();
    for (int i = 0; i < 3; i++) {
        m_task(0);
        m_task(0);
        m_cost(50 + i);
        m_task(0);
        m_cost(40);
        m_end();
        m_end();
        m_cost(3);
        m_end();
    }
    m_taskwait();
    m_cost(5);
    m_group_end();
    m_cost(1);
    m_task(0);
    for (int i = 0; i < 2; i++) {
        m_task(0);
        m_task(0);
        m_cost(20);
        m_end();
        m_taskwait();
        m_cost(1);
        m_task(0);
        m_cost(2000);
        m_end();
        m_end();
    }
    m_taskwait();
    m_cost(10);
    m_end();
    m_taskwait();
    m_cost(6);
}
static void taskloop_loose_run(void) { in_single(taskloop_loose_body); }
static void taskloop_loose_expect(void)
{
    m_in_single(taskloop_loose_model);
    closed(4010 + 2 + 7 + 282 + 5 + 1 + 4042 + 10 + 6, 104 + 21 + 2000);
}

/* if(0): the chunks are serial, the tasks in them are not; they are the chunk's, the loop waits for them unless nogroup, and it is a
 * group of its own. final(1): they are serial, too. */
static void taskloop_if0_body(void)
{
#pragma omp task
    cost(600);
#pragma omp taskloop if (0) num_tasks(4)
    for (int i = 0; i < 4; i++) {
        cost(1);
#pragma omp task firstprivate(i)
        {
            cost(100 * i);
#pragma omp task
            cost(5);            /* 309 */
        }
    }
    cost(10);                   /* 319 */
#pragma omp taskloop if (0) num_tasks(2)
    for (int i = 0; i < 2; i++) {
#pragma omp task
        cost(20);
#pragma omp taskwait
        cost(1);                /* 361 */
    }
#pragma omp taskloop if (0) nogroup num_tasks(3)
    for (int i = 0; i < 3; i++) {
        cost(1);
#pragma omp task
        cost(1000);             /* 1364 */
    }
#pragma omp taskloop if (0) final(1) nogroup num_tasks(2)
    for (int i = 0; i < 2; i++) {
#pragma omp task
        cost(4);                /* 372 */
    }
    cost(1);                    /* 373 */
#pragma omp taskwait
    cost(2);                    /* 602 */
}
static void taskloop_if0_model(void)
{
    m_task(0);
    m_cost(600);
    m_end();
    m_group();
    for (int i = 0; i < 4; i++) {
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(100 * i);
        m_task(0);
        m_cost(5);
        m_end();
        m_end();
        m_end();
    }
    m_group_end();
    m_cost(10);
    m_group();
    for (int i = 0; i < 2; i++) {
        m_task(M_IF0);
        m_task(0);
        m_cost(20);
        m_end();
        m_taskwait();
        m_cost(1);
        m_end();
    }
    m_group_end();
    for (int i = 0; i < 3; i++) {
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(1000);
        m_end();
        m_end();
    }
    for (int i = 0; i < 2; i++) {
        m_task(M_IF0 | M_FINAL);
        m_task(0);
        m_cost(4);
        m_end();
        m_end();
    }
    m_cost(1);
    m_taskwait();
    m_cost(2);
}
static void taskloop_if0_run(void) { in_single(taskloop_if0_body); }
static void taskloop_if0_expect(void)
{
    m_in_single(taskloop_if0_model);
    closed(600 + 4 + 620 + 10 + 42 + 3003 + 8 + 1 + 2, 1364);
}

/* Cancelled taskloops: any of the chunks may never begin; those that begin come to an end; so may what they create. Who waits
 * goes on: for the loop's own group, by taskwait, for a group around it, at the region's end. */
static void before_cancel(void)
{
    cost(10);
#pragma omp task
    cost(0);
#pragma omp taskwait
#pragma omp task
    cost(0);
}
enum { MANY = LIBOMP ? 8 : 64 };     /* libomp creates more than ten by tasks in between, and hangs when those are dropped */
#define CANCELLED_LOOP(clauses, count, n)                                                       \
    _Pragma(clauses)                                                                            \
    for (int i = 0; i < count; i++) {                                                           \
        before_cancel();                                                                        \
        if (i % n == n - 1) {                                                                   \
            _Pragma("omp cancel taskgroup")                                                     \
        }                                                                                       \
    }
static void cancel_taskloop_body(void)
{
    check(omp_get_cancellation());
    for (int n = 1; n <= 8; n *= 2) {
        cost(2);
        CANCELLED_LOOP("omp taskloop grainsize(1)", MANY, MANY / 8 * n)
        cost(3);                /* 15 */
#pragma omp taskgroup
        {
            CANCELLED_LOOP("omp taskloop nogroup grainsize(1)", 8, n)
#pragma omp taskwait
            cost(4);            /* 29 */
        }
#pragma omp taskgroup
        {
            CANCELLED_LOOP("omp taskloop nogroup num_tasks(64)", MANY, n)
            cost(5);
        }                       /* 39 */
#pragma omp taskgroup
        {
#pragma omp task
            {
                CANCELLED_LOOP("omp taskloop nogroup grainsize(1)", 8, n)
                cost(9);
            }
        }                       /* 49 */
    }
}
static void cancel_taskloop_model(void) { m_cost(4 * 49); }
static void cancel_taskloop_run(void) { in_single(cancel_taskloop_body); }
static void cancel_taskloop_expect(void)
{
    m_in_single(cancel_taskloop_model);
    work_unknown();
    tasks_unknown();
}

/* The region is cancelled, by every thread itself, while its taskloops are about to begin. */
static void about_to_begin(void)
{
#pragma omp taskloop nogroup num_tasks(8)
    for (int k = 0; k < 8; k++)
        cost(0);
}
static void cancel_taskloop_region_run(void)
{
    check(omp_get_cancellation());
    for (int i = 0; i < 3; i++) {
#pragma omp parallel
        {
            cost(5 + omp_get_thread_num());
            about_to_begin();
#pragma omp cancel parallel
            cost(1000);
#pragma omp barrier
            cost(1000);
        }
    }
}
static void cancel_taskloop_region_expect(void)
{
    for (int i = 0; i < 3; i++) {
        m_fork(P);
        for (int t = 0; t < P; t++) {
            m_thread(t);
            m_cost(5 + t);
        }
        m_join();
    }
    closed(3 * (5 * P + P * (P - 1) / 2), 3 * (5 + P - 1));
    tasks_unknown();
}

/* Every thread its own loop. */
static void taskloop_all_threads_run(void)
{
#pragma omp parallel
    {
        int t = omp_get_thread_num();
        cost(t);
#pragma omp taskloop num_tasks(5)
        for (int i = 0; i < 10; i++)
            cost(10 + i);
        cost(100 - 2 * t);
    }
}
static void taskloop_all_threads_expect(void)
{
    m_fork(P);
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(t);
        m_taskloop(10, 5, 1, 10);
        m_cost(100 - 2 * t);
    }
    m_join();
    closed(P * (145 + 100) - P * (P - 1) / 2, 37 + 100);
}

/* Neither clause: as many tasks as the runtime likes. */
static void taskloop_default_body(void)
{
#pragma omp taskloop
    for (int i = 0; i < 500; i++)
        cost(1 + i % 5);
}
static void taskloop_default_model(void)
{
    m_group();
    m_cost(1500);
    m_group_end();
}
static void taskloop_default_run(void) { in_single(taskloop_default_body); }
static void taskloop_default_expect(void)
{
    m_in_single(taskloop_default_model);
    span_between(5, 1500);
    tasks_unknown();
}

/* ---- reductions ---- */

static void reduction_loop_body(void)
{
    long s = 0, p = 0;
    cost(1);
#pragma omp taskloop reduction(+ : s) num_tasks(10)
    for (int i = 0; i < 100; i++) {
        s += i;
        cost(1 + i / 10);
    }
    check(s == 4950);
    cost(2);
#pragma omp taskgroup task_reduction(+ : p)
    {
#pragma omp taskloop in_reduction(+ : p) grainsize(10)
        for (int i = 0; i < 50; i++) {
            p += i;
            cost(2);
        }
#pragma omp task in_reduction(+ : p)
        {
            p += 1000;
            cost(30);
        }
    }
    check(p == 1225 + 1000);
    cost(3);
}
static void reduction_loop_model(void)
{
    m_cost(1);
    m_group();
    for (int k = 0; k < 10; k++) {
        m_task(0);
        m_cost(10 * (1 + k));
        m_end();
    }
    m_group_end();
    m_cost(2);
    m_group();
    m_taskloop(50, 5, 0, 2);
    m_task(0);
    m_cost(30);
    m_end();
    m_group_end();
    m_cost(3);
}
static void reduction_loop_run(void) { in_single(reduction_loop_body); }
static void reduction_loop_expect(void)
{
    m_in_single(reduction_loop_model);
    closed(6 + 550 + 100 + 30, 6 + 100 + 20 + 30);
}

/* The group of the reduction ends after the last that takes part, a grandchild. */
static void reduction_tasks_body(void)
{
    long s = 0, m = 1;
#pragma omp taskgroup task_reduction(+ : s) task_reduction(* : m)
    {
        for (int i = 1; i <= 10; i++)
#pragma omp task in_reduction(+ : s) firstprivate(i) shared(m)
        {
            s += i;
            cost(i);
#pragma omp task in_reduction(+ : s) in_reduction(* : m) firstprivate(i)
            {
                s += 100 * i;
                m *= 2;
                cost(30 - 2 * i);
            }
        }
        cost(5);
    }
    check(s == 55 * 101 && m == 1024);
    cost(4);
}
static void reduction_tasks_model(void)
{
    m_group();
    for (int i = 1; i <= 10; i++) {
        m_task(0);
        m_cost(i);
        m_task(0);
        m_cost(30 - 2 * i);
        m_end();
        m_end();
    }
    m_cost(5);
    m_group_end();
    m_cost(4);
}
static void reduction_tasks_run(void) { in_single(reduction_tasks_body); }
static void reduction_tasks_expect(void)
{
    m_in_single(reduction_tasks_model);
    closed(55 + 190 + 5 + 4, 29 + 4);
}

/* parallel reduction(task): the threads' and the tasks' parts. */
static void reduction_region_run(void)
{
    long s = 0;
#pragma omp parallel reduction(task, + : s)
    {
        s += 1;
        cost(10);
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : s) firstprivate(i)
        {
            s += 10;
            cost(20 + i);
        }
        cost(2);
    }
    check(s == omp_get_max_threads() + 100);
}
static void reduction_region_expect(void)
{
    m_fork(P);
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(10);
    }
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(20 + i);
        m_end();
    }
    m_barrier();
    for (int t = 0; t < P; t++) {
        m_thread(t);
        m_cost(2);
    }
    m_join();
    closed(12 * P + 245, 41);
}

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case taskloop_cases[] = {
    C(taskloop_grain), C(taskloop_odd), C(taskloop_num_tasks), C(taskloop_many), C(taskloop_nogroup),
    C(taskloop_nested), C(taskloop_clauses), C(taskloop_loose), C(taskloop_if0), C(cancel_taskloop), C(cancel_taskloop_region),
    C(taskloop_all_threads), C(taskloop_default), C(reduction_loop),
    C(reduction_tasks), C(reduction_region), { 0 },
};
#undef C
