/* depend.c - tasks that wait for siblings: an edge from every end to every begin that a pair of clauses names. */
#include <time.h>
#include "cases.h"

static void m_dep_task(enum m_kind kind, long address, long c)
{
    m_depend(kind, address);
    m_task(0);
    m_cost(c);
    m_end();
}

/* ---- one address ---- */

static void dep_chain_body(void)
{
    static int x;
    x = 0;
    for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : x) firstprivate(i)
    {
        check(x++ == i);
        cost(1 + i);
    }
#pragma omp task
    cost(60);
#pragma omp taskwait
    cost(1);
}
static void dep_chain_model(void)
{
    for (int i = 0; i < 100; i++)
        m_dep_task(M_OUT, 1, 1 + i);
    m_task(0);
    m_cost(60);
    m_end();
    m_taskwait();
    m_cost(1);
}
static void dep_chain_run(void) { in_single(dep_chain_body); }
static void dep_chain_expect(void)
{
    m_in_single(dep_chain_model);
    closed(5050 + 60 + 1, 5051);
}

/* out, readers beside each other, out after all of them, readers, out straight after out; no taskwait. */
static void dep_readers_body(void)
{
    static int x;
    x = 0;
    cost(2);
#pragma omp task depend(out : x)
    {
        cost(10);
        x = 1;
    }
    for (int i = 1; i <= 5; i++)
#pragma omp task depend(in : x) firstprivate(i)
    {
        check(x == 1);
        cost(7 * i);            /* the last until 47 */
    }
#pragma omp task depend(out : x)
    {
        cost(20);
        x = 2;
    }                           /* 67 */
#pragma omp task depend(out : x)
    {
        check(x == 2);
        cost(3);
    }
    for (int i = 1; i <= 3; i++)
#pragma omp task depend(in : x) firstprivate(i)
    cost(5 - i);                /* 74 */
    cost(50);
}
static void dep_readers_model(void)
{
    m_cost(2);
    m_dep_task(M_OUT, 1, 10);
    for (int i = 1; i <= 5; i++)
        m_dep_task(M_IN, 1, 7 * i);
    m_dep_task(M_OUT, 1, 20);
    m_dep_task(M_OUT, 1, 3);
    for (int i = 1; i <= 3; i++)
        m_dep_task(M_IN, 1, 5 - i);
    m_cost(50);
}
static void dep_readers_run(void) { in_single(dep_readers_body); }
static void dep_readers_expect(void)
{
    m_in_single(dep_readers_model);
    closed(2 + 10 + 105 + 23 + 9 + 50, 2 + 10 + 35 + 20 + 3 + 4);
}

/* A reader of one after a writer of another: no edge; of both: two. */
static void dep_diamond_body(void)
{
    static int a, b, c;
    a = b = c = 0;
#pragma omp task depend(out : a)
    {
        cost(10);
        a = 1;
    }
#pragma omp task depend(in : a) depend(out : b)
    {
        cost(20);
        b = a + 1;
    }
#pragma omp task depend(in : a) depend(out : c)
    {
        cost(33);
        c = a + 2;
    }
#pragma omp task depend(in : b, c)
    {
        check(b + c == 5);
        cost(5);
    }
#pragma omp task depend(in : b)
    cost(17);                   /* 47 */
    cost(1);
#pragma omp taskwait
    cost(2);
}
static void dep_diamond_model(void)
{
    m_dep_task(M_OUT, 1, 10);
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 2, 20);
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 3, 33);
    m_depend(M_IN, 2);
    m_dep_task(M_IN, 3, 5);
    m_dep_task(M_IN, 2, 17);
    m_cost(1);
    m_taskwait();
    m_cost(2);
}
static void dep_diamond_run(void) { in_single(dep_diamond_body); }
static void dep_diamond_expect(void)
{
    m_in_single(dep_diamond_model);
    closed(88, 10 + 33 + 5 + 2);
}

/* The child of a task with a clause takes its time from its creation, and is no part of the edge. */
static void dep_children_body(void)
{
    static int x;
    x = 0;
#pragma omp task depend(out : x)
    {
        cost(4);
#pragma omp task
        cost(90);               /* 94 */
        cost(6);
    }
#pragma omp task depend(in : x)
    {
        cost(1);                /* 11 */
#pragma omp task
        cost(70);               /* 81 */
#pragma omp taskwait
        cost(5);                /* 86 */
    }
}
static void dep_children_model(void)
{
    m_depend(M_OUT, 1);
    m_task(0);
    m_cost(4);
    m_task(0);
    m_cost(90);
    m_end();
    m_cost(6);
    m_end();
    m_depend(M_IN, 1);
    m_task(0);
    m_cost(1);
    m_task(0);
    m_cost(70);
    m_end();
    m_taskwait();
    m_cost(5);
    m_end();
}
static void dep_children_run(void) { in_single(dep_children_body); }
static void dep_children_expect(void)
{
    m_in_single(dep_children_model);
    closed(176, 94);
}

/* Cousins with the same address have nothing to do with each other. */
static void dep_cousins_body(void)
{
    static int x;
    for (int i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
    {
#pragma omp task depend(inout : x)
        cost(30 + i);
#pragma omp task depend(inout : x)
        cost(10);
    }
}
static void dep_cousins_model(void)
{
    for (int i = 0; i < 4; i++) {
        m_task(0);
        m_dep_task(M_OUT, 1, 30 + i);
        m_dep_task(M_OUT, 1, 10);
        m_end();
    }
}
static void dep_cousins_run(void) { in_single(dep_cousins_body); }
static void dep_cousins_expect(void)
{
    m_in_single(dep_cousins_model);
    closed(4 * 40 + 6, 43);
}

/* The first is over before the second is created (where there is a thread for it): an edge all the same, for a task, for an
 * undeferred one, for a taskwait. */
static int finished;
static void until_finished(int n)
{
    for (int i = 0; i < 2000 && omp_get_num_threads() > 1 && __atomic_load_n(&finished, __ATOMIC_ACQUIRE) < n; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}
static void dep_finished_body(void)
{
    static int x, y, z;
    finished = 0;
#pragma omp task depend(out : x)
    {
        cost(50);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(1);
    cost(3);
#pragma omp task depend(in : x)
    cost(7);
#pragma omp taskgroup
    {
#pragma omp task depend(in : x)
        cost(9);
    }
    cost(1);                    /* 60 */
#pragma omp task depend(out : y)
    {
        cost(20);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(2);
#pragma omp task depend(in : y) if (0)
    cost(2);                    /* 82 */
#pragma omp task depend(out : z)
    {
        cost(30);
        __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
    }
    until_finished(3);
#pragma omp taskwait depend(in : z)
    cost(4);                    /* 116 */
}
static void dep_finished_model(void)
{
    m_dep_task(M_OUT, 1, 50);
    m_cost(3);
    m_dep_task(M_IN, 1, 7);
    m_group();
    m_dep_task(M_IN, 1, 9);
    m_group_end();
    m_cost(1);
    m_dep_task(M_OUT, 2, 20);
    m_depend(M_IN, 2);
    m_task(M_IF0);
    m_cost(2);
    m_end();
    m_dep_task(M_OUT, 3, 30);
    m_depend(M_IN, 3);
    m_taskwait_depend();
    m_cost(4);
}
static void dep_finished_run(void) { in_single(dep_finished_body); }
static void dep_finished_expect(void)
{
    m_in_single(dep_finished_model);
    closed(70 + 22 + 34, 116);
}

/* Dependences reach over a taskwait, and one address is used by two hundred writers and readers, some of them serial. */
static void dep_rounds_body(void)
{
    static int x;
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x)
        cost(3);
#pragma omp task depend(in : x)
        cost(4);
#pragma omp task depend(in : x) firstprivate(i)
        cost(i % 3);
        if (i % 10 == 9) {
#pragma omp taskwait
            cost(2);
        }
    }
}
static void dep_rounds_model(void)
{
    for (int i = 0; i < 50; i++) {
        m_dep_task(M_OUT, 1, 3);
        m_dep_task(M_IN, 1, 4);
        m_dep_task(M_IN, 1, i % 3);
        if (i % 10 == 9) {
            m_taskwait();
            m_cost(2);
        }
    }
}
static void dep_rounds_run(void) { in_single(dep_rounds_body); }
static void dep_rounds_expect(void)
{
    m_in_single(dep_rounds_model);
    closed(350 + 49 + 10, 50 * 7 + 5 * 2);
}

/* if(0) waits for its siblings, and so does its creator then; in a final task nothing is left to wait for. */
static void dep_if0_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    {
        cost(25);
        x = 1;
    }
#pragma omp task depend(out : y)
    cost(80);
    cost(5);
#pragma omp task depend(inout : x) if (0)
    {
        check(x == 1);
        cost(4);                /* 29 */
    }
    cost(1);                    /* 30 */
#pragma omp task depend(in : x)
    cost(40);                   /* 70 */
#pragma omp task final(1)
    {
#pragma omp task depend(out : x)
        cost(10);
#pragma omp task depend(in : x)
        cost(10);
#pragma omp task depend(in : x)
        cost(10);               /* 60 */
    }
#pragma omp taskwait
}
static void dep_if0_model(void)
{
    m_dep_task(M_OUT, 1, 25);
    m_dep_task(M_OUT, 2, 80);
    m_cost(5);
    m_depend(M_OUT, 1);
    m_task(M_IF0);
    m_cost(4);
    m_end();
    m_cost(1);
    m_dep_task(M_IN, 1, 40);
    m_task(M_FINAL);
    m_dep_task(M_OUT, 1, 10);
    m_dep_task(M_IN, 1, 10);
    m_dep_task(M_IN, 1, 10);
    m_end();
    m_taskwait();
}
static void dep_if0_run(void) { in_single(dep_if0_body); }
static void dep_if0_expect(void)
{
    m_in_single(dep_if0_model);
    closed(25 + 80 + 5 + 4 + 1 + 40 + 30, 80);
}

/* taskwait depend: for the writer of x (30), not of y (100); for a reader's sake a writer waits, a reader does not. */
static void dep_wait_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    {
        cost(30);
        x = 1;
    }
#pragma omp task depend(out : y)
    cost(100);
#pragma omp task depend(in : x)
    cost(20);                   /* 50 */
    cost(2);
#pragma omp taskwait depend(in : x)
    check(x == 1);
    cost(5);                    /* 35 */
#pragma omp task
    cost(40);                   /* 75 */
#pragma omp taskwait depend(inout : x)
    cost(6);                    /* 56 */
#pragma omp task depend(out : x)
    cost(60);                   /* 116 */
#pragma omp taskwait depend(in : x, y)
    cost(7);
#pragma omp taskwait
}
static void dep_wait_model(void)
{
    m_dep_task(M_OUT, 1, 30);
    m_dep_task(M_OUT, 2, 100);
    m_dep_task(M_IN, 1, 20);
    m_cost(2);
    m_depend(M_IN, 1);
    m_taskwait_depend();
    m_cost(5);
    m_task(0);
    m_cost(40);
    m_end();
    m_depend(M_OUT, 1);
    m_taskwait_depend();
    m_cost(6);
    m_dep_task(M_OUT, 1, 60);
    m_depend(M_IN, 1);
    m_depend(M_IN, 2);
    m_taskwait_depend();
    m_cost(7);
    m_taskwait();
}
static void dep_wait_run(void) { in_single(dep_wait_body); }
static void dep_wait_expect(void)
{
    m_in_single(dep_wait_model);
    closed(30 + 100 + 20 + 2 + 5 + 40 + 6 + 60 + 7, 30 + 20 + 6 + 60 + 7);
}

/* Nothing to wait for: no sibling of that address, one that is over, an empty list; again and again, and with creators of
 * tasks that are serial themselves. */
static void dep_nothing_body(void)
{
    static int x, y, none;
    for (int i = 0; i < 3; i++) {
#pragma omp taskwait depend(in : x)
#pragma omp task depend(inout : y) if (0)
        {
            cost(2);
#pragma omp task depend(in : y) if (0)
            cost(1);
        }
#pragma omp task depend(iterator(k = 0 : none), in : (&x)[k])
        cost(5);
#pragma omp task depend(iterator(k = 0 : none), in : (&x)[k]) if (0)
        cost(3);
#pragma omp task depend(out : x)
        cost(4);
#pragma omp taskwait
#pragma omp taskwait depend(in : x)
#pragma omp task depend(in : x) if (0)
        {
            cost(1);
#pragma omp task
            cost(30 - 10 * i);
        }
    }
}
static void dep_nothing_model(void)
{
    for (int i = 0; i < 3; i++) {
        m_depend(M_OUT, 2);
        m_task(M_IF0);
        m_cost(2);
        m_depend(M_IN, 2);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_end();
        m_task(0);
        m_cost(5);
        m_end();
        m_task(M_IF0);
        m_cost(3);
        m_end();
        m_dep_task(M_OUT, 1, 4);
        m_taskwait();
        m_depend(M_IN, 1);
        m_task(M_IF0);
        m_cost(1);
        m_task(0);
        m_cost(30 - 10 * i);
        m_end();
        m_end();
    }
}
static void dep_nothing_run(void) { in_single(dep_nothing_body); }
static void dep_nothing_expect(void)
{
    m_in_single(dep_nothing_model);
    closed(3 * 16 + 60, 3 * 11 + 10); /* a round: 3, beside each other 5 and 3 + 4, then 1; the last child is the latest */
}

/* A thread that waits for a dependence runs tasks that do the same. */
static void dep_wait_in_wait_body(void)
{
    int x;
    for (int i = 0; i < 20; i++)
#pragma omp task firstprivate(i)
    {
        int y;
#pragma omp task depend(out : y)
        cost(10 + i);
#pragma omp task depend(inout : y)
        cost(i);
#pragma omp taskwait depend(in : y)
        cost(3);
#pragma omp task depend(out : y)
        cost(30);
#pragma omp task depend(in : y) if (0)
        cost(1);
    }
#pragma omp task depend(out : x)
    cost(5);
#pragma omp taskwait depend(in : x)
    cost(2);
}
static void dep_wait_in_wait_model(void)
{
    for (int i = 0; i < 20; i++) {
        m_task(0);
        m_dep_task(M_OUT, 1, 10 + i);
        m_dep_task(M_OUT, 1, i);
        m_depend(M_IN, 1);
        m_taskwait_depend();
        m_cost(3);
        m_dep_task(M_OUT, 1, 30);
        m_depend(M_IN, 1);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_end();
    }
    m_dep_task(M_OUT, 1, 5);
    m_depend(M_IN, 1);
    m_taskwait_depend();
    m_cost(2);
}
static void dep_wait_in_wait_run(void) { in_single(dep_wait_in_wait_body); }
static void dep_wait_in_wait_expect(void)
{
    m_in_single(dep_wait_in_wait_model);
    closed(20 * 44 + 2 * 190 + 7, 10 + 2 * 19 + 3 + 30 + 1);
}

/* mutexinoutset: after the writer, before the reader, one at a time in no order: that is mutual exclusion, not an edge
 * (libgomp 12 keeps them in order of creation, libomp by locks). */
static void dep_mutex_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    cost(10);
#pragma omp task depend(in : y)
    cost(45);
    for (int i = 0; i < 6; i++)
#pragma omp task depend(mutexinoutset : x) firstprivate(i)
    {
        x++;
        cost(20 + i);           /* 35 */
    }
#pragma omp task depend(mutexinoutset : x, y)
    {
        x++;
        cost(1);                /* 11; y is not read for writing before 45: 46 */
    }
#pragma omp task depend(in : x)
    {
        check(x == 7);
        cost(5);                /* 51 */
    }
#pragma omp task depend(mutexinoutset : x)
    {
        x++;
        cost(30);               /* 81 */
    }
#pragma omp taskwait
    check(x == 8);
}
static void dep_mutex_model(void)
{
    m_dep_task(M_OUT, 1, 10);
    m_dep_task(M_IN, 2, 45);
    for (int i = 0; i < 6; i++)
        m_dep_task(M_MUTEX, 1, 20 + i);
    m_depend(M_MUTEX, 1);
    m_dep_task(M_MUTEX, 2, 1);
    m_dep_task(M_IN, 1, 5);
    m_dep_task(M_MUTEX, 1, 30);
    m_taskwait();
}
static void dep_mutex_run(void) { in_single(dep_mutex_body); }
static void dep_mutex_expect(void)
{
    m_in_single(dep_mutex_model);
    closed(10 + 45 + 135 + 1 + 5 + 30, 45 + 1 + 5 + 30);
}

/* The same clauses in other words: array sections, iterators, depend objects. */
static void dep_words_body(void)
{
    int a[8] = { 0 }, n = 8;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : a[3])
    for (int i = 0; i < 8; i++)
#pragma omp task depend(out : a[i]) firstprivate(i) shared(a)
    {
        a[i] = i;
        cost(10 + i);           /* a[3]: 13, a[7]: 17 */
    }
#pragma omp task depend(depobj : object) shared(a)
    {
        check(a[3] == 3);
        cost(50);               /* 63 */
    }
#pragma omp task depend(iterator(k = 0 : n), in : a[k]) shared(a)
    {
        check(a[3] == 3 && a[7] == 7);
        cost(5);                /* 68 */
    }
#pragma omp task depend(iterator(k = 4 : n), in : a[k]) shared(a)
    cost(30);                   /* 47 */
#pragma omp task depend(inout : a[4 : 2]) shared(a)
    cost(6);                    /* 74: behind both */
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) depend(in : a[4 : 2])
    cost(2);                    /* 76 */
#pragma omp depobj(object) destroy
#pragma omp taskwait
    cost(1);
}
static void dep_words_model(void)
{
    for (int i = 0; i < 8; i++)
        m_dep_task(M_OUT, i, 10 + i);
    m_dep_task(M_OUT, 3, 50);
    for (int k = 0; k < 7; k++)
        m_depend(M_IN, k);
    m_dep_task(M_IN, 7, 5);
    for (int k = 4; k < 7; k++)
        m_depend(M_IN, k);
    m_dep_task(M_IN, 7, 30);
    m_dep_task(M_OUT, 4, 6);    /* a section is known by where it begins */
    m_depend(M_IN, 3);
    m_dep_task(M_IN, 4, 2);
    m_taskwait();
    m_cost(1);
}
static void dep_words_run(void) { in_single(dep_words_body); }
static void dep_words_expect(void)
{
    m_in_single(dep_words_model);
    closed(108 + 50 + 5 + 30 + 6 + 2 + 1, 13 + 50 + 5 + 6 + 2 + 1);
}

/* A dependent task that stands in a group is joined by it; one whose writer has been joined is only younger. */
static void dep_group_body(void)
{
    static int x, y;
    x = y = 0;
#pragma omp task depend(out : x)
    cost(40);
#pragma omp taskgroup
    {
#pragma omp task depend(in : x) depend(out : y)
        cost(10);               /* 50 */
#pragma omp task depend(in : y)
        {
            cost(1);
#pragma omp task
            cost(20);           /* 71 */
        }
        cost(2);
    }
    cost(5);                    /* 76 */
#pragma omp task depend(inout : y)
    cost(3);                    /* 79 */
}
static void dep_group_model(void)
{
    m_dep_task(M_OUT, 1, 40);
    m_group();
    m_depend(M_IN, 1);
    m_dep_task(M_OUT, 2, 10);
    m_depend(M_IN, 2);
    m_task(0);
    m_cost(1);
    m_task(0);
    m_cost(20);
    m_end();
    m_end();
    m_cost(2);
    m_group_end();
    m_cost(5);
    m_dep_task(M_OUT, 2, 3);
}
static void dep_group_run(void) { in_single(dep_group_body); }
static void dep_group_expect(void)
{
    m_in_single(dep_group_model);
    closed(81, 79);
}

/* ---- many ---- */

enum { WAVE = 16 };
static long wave_cost(int i, int j) { return 1 + (3 * i + 5 * j) % 7; }
static void dep_wavefront_body(void)
{
    static long v[WAVE + 1][WAVE + 1];
    for (int i = 0; i <= WAVE; i++)
        v[i][0] = v[0][i] = 0;
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++)
#pragma omp task depend(in : v[i - 1][j], v[i][j - 1]) depend(out : v[i][j]) firstprivate(i, j)
        {
            v[i][j] = wave_cost(i, j) + larger(v[i - 1][j], v[i][j - 1]);
            cost(wave_cost(i, j));
        }
#pragma omp taskwait
    check(v[WAVE][WAVE] > 0);
}
static void dep_wavefront_model(void)
{
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++) {
            m_depend(M_IN, (i - 1) * 100 + j);
            m_depend(M_IN, i * 100 + j - 1);
            m_dep_task(M_OUT, i * 100 + j, wave_cost(i, j));
        }
    m_taskwait();
}
static void dep_wavefront_run(void) { in_single(dep_wavefront_body); }
static void dep_wavefront_expect(void)
{
    long v[WAVE + 1][WAVE + 1] = { { 0 } }, w = 0;
    for (int i = 1; i <= WAVE; i++)
        for (int j = 1; j <= WAVE; j++) {
            w += wave_cost(i, j);
            v[i][j] = wave_cost(i, j) + larger(v[i - 1][j], v[i][j - 1]);
        }
    m_in_single(dep_wavefront_model);
    closed(w, v[WAVE][WAVE]);
}

/* 300 tasks, each after up to 4 earlier ones: task i writes e[i], and its creator has spent i / 10 before it. */
enum { DAG = 300 };
static int edge_count[DAG], edge[DAG][4], dag_costs[DAG];
static void dag_make(void)
{
    unsigned long s = 12345;
    for (int i = 0; i < DAG; i++) {
        edge_count[i] = i ? (s >> 40) % 5 : 0;
        for (int k = 0; k < edge_count[i]; k++) {
            s = s * 6364136223846793005ul + 1442695040888963407ul;
            edge[i][k] = i - 1 - (s >> 40) % (i < 40 ? i : 40);
        }
        s = s * 6364136223846793005ul + 1442695040888963407ul;
        dag_costs[i] = 1 + (s >> 45) % 50;
    }
}
static void dep_dag_body(void)
{
    static char e[DAG], done[DAG];
    for (int i = 0; i < DAG; i++)
        done[i] = 0;
    for (int i = 0; i < DAG; i++) {
        if (i % 10 == 0)
            cost(1);
#pragma omp task depend(iterator(k = 0 : edge_count[i]), in : e[edge[i][k]]) depend(out : e[i]) firstprivate(i)
        {
            for (int k = 0; k < edge_count[i]; k++)
                check(done[edge[i][k]]);
            cost(dag_costs[i]);
            done[i] = 1;
        }
    }
#pragma omp taskwait
}
static void dep_dag_model(void)
{
    for (int i = 0; i < DAG; i++) {
        if (i % 10 == 0)
            m_cost(1);
        for (int k = 0; k < edge_count[i]; k++)
            m_depend(M_IN, edge[i][k]);
        m_dep_task(M_OUT, i, dag_costs[i]);
    }
    m_taskwait();
}
static void dep_dag_run(void)
{
    dag_make();
    in_single(dep_dag_body);
}
static void dep_dag_expect(void)
{
    long end[DAG], w = DAG / 10, longest = 0;
    dag_make();
    /* Readers of e[j] come after i = j only: the longest path is over EDGES alone. */
    for (int i = 0; i < DAG; i++) {
        end[i] = i / 10 + 1;
        for (int k = 0; k < edge_count[i]; k++)
            end[i] = larger(end[i], end[edge[i][k]]);
        end[i] += dag_costs[i];
        w += dag_costs[i];
        longest = larger(longest, end[i]);
    }
    m_in_single(dep_dag_model);
    closed(w, longest);
}

/* More readers than are kept, the longest somewhere among them; more addresses than are kept across a taskwait. */
enum { MANY = 500 };
static int reader_cost(int i) { return 1 + i * 37 % 101; }
static void dep_many_body(void)
{
    static int x[MANY];
    for (int i = 0; i < MANY; i++)
        x[i] = 0;
    for (int i = 0; i < MANY; i++)
#pragma omp task depend(in : x[0]) firstprivate(i)
        cost(reader_cost(i));
#pragma omp task depend(out : x[0])
    {
        cost(7);
        x[0] = 1;
    }
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < MANY; i++)
#pragma omp task depend(in : x[i - 1]) depend(out : x[i]) firstprivate(i)
        {
            check(x[i - 1] == x[i] + 1);
            cost(i % 3);
            x[i]++;
        }
        cost(2);
#pragma omp taskwait depend(in : x[MANY / 3])
        cost(4);
#pragma omp taskwait
        x[0]++;
    }
}
static void dep_many_model(void)
{
    for (int i = 0; i < MANY; i++)
        m_dep_task(M_IN, 1, reader_cost(i));
    m_dep_task(M_OUT, 1, 7);
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < MANY; i++) {
            m_depend(M_IN, i);
            m_dep_task(M_OUT, i + 1, i % 3);
        }
        m_cost(2);
        m_depend(M_IN, 1 + MANY / 3);
        m_taskwait_depend();
        m_cost(4);
        m_taskwait();
    }
}
static void dep_many_run(void) { in_single(dep_many_body); }
static void dep_many_expect(void) { m_in_single(dep_many_model); }

/* Equal paths: which of them is the span's does not depend on the schedule, the runtime or the order of clauses. */
enum { TIES = 20, EQUAL = 300 };
static int tie_x, tie_y;
static __attribute__((noinline)) void dep_ties_one(void)
{
#pragma omp task depend(in : tie_x)
    cost(10);
    __asm__ volatile("");       /* no tail call */
}
static __attribute__((noinline)) void dep_ties_two(void)
{
#pragma omp task depend(in : tie_x)
    cost(10);
    __asm__ volatile("");
}
static __attribute__((noinline)) void dep_ties_three(void)
{
#pragma omp task depend(in : tie_y)
    cost(10);
    __asm__ volatile("");
}
static __attribute__((noinline)) void dep_ties_after(void)
{
#pragma omp task depend(inout : tie_x, tie_y)
    cost(5);
    __asm__ volatile("");
}
static void dep_ties_body(void)
{
    static void (*const way[])(void) = { dep_ties_one, dep_ties_two, dep_ties_three };
    for (int round = 0; round < TIES; round++) {
        for (int i = 0; i < EQUAL; i++)
            way[(i + round) % 3]();
        dep_ties_after();
    }
}
static void dep_ties_model(void)
{
    for (int round = 0; round < TIES; round++) {
        for (int i = 0; i < EQUAL; i++)
            m_dep_task(M_IN, (i + round) % 3 == 2 ? 2 : 1, 10);
        m_depend(M_OUT, 1);
        m_dep_task(M_OUT, 2, 5);
    }
}
static void dep_ties_run(void) { in_single(dep_ties_body); }
static void dep_ties_expect(void)
{
    m_in_single(dep_ties_model);
    closed(TIES * (EQUAL * 10 + 5), TIES * 15);
}

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case depend_cases[] = {
    C(dep_chain), C(dep_readers), C(dep_diamond), C(dep_children), C(dep_cousins), C(dep_finished), C(dep_rounds),
    C(dep_if0), C(dep_wait), C(dep_nothing), C(dep_wait_in_wait), C(dep_mutex), C(dep_words), C(dep_group),
    C(dep_wavefront), C(dep_dag), C(dep_many), C(dep_ties), { 0 },
};
