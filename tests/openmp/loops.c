/* loops.c - loops of a team, by schedule, and what is combined or ordered in them.
 *
 * What is decided here and not by OpenMP, in a table, for whoever writes an agent (and wants to decide otherwise):
 *
 *   construct                       libgomp (gcc 12)        libomp (clang 14)       case
 *   schedule(static[,c])            as executed             as executed             loop_static*
 *   schedule(dynamic,c), (guided)   chunks are parallel     chunks are parallel     loop_dynamic*, loop_guided
 *   schedule(runtime)               what OMP_SCHEDULE says  what OMP_SCHEDULE says  loop_runtime*
 *   sections                        sections are parallel   as executed: clang      sections (the same on both),
 *                                   (GOMP_sections_next)    makes a static loop     sections_more (not)
 *   ordered, static                 as executed + edges     as executed + edges     ordered_static
 *   ordered(n), static              as executed + edges     as executed + edges     doacross*
 *   ordered(n), dynamic, guided     chunks + edges          chunks + edges          doacross_dynamic, _guided
 *   ordered, dynamic                chunks + edges          chunks + edges          ordered_dynamic
 *   critical, atomic, locks         no edge                 no edge                 critical
 *   cancelled regions and loops     up to the cancel        up to the cancel        cancel_region, cancel_loop
 *
 * "As executed": thread t's chunks lie on t's path, one after the other. "Parallel": a chunk starts where its thread stood at
 * the loop's begin, and the thread goes on after the longest of its chunks. So that this has one value, all threads of such a
 * loop stand at the same point when they reach it, and do the same after it: span = own path + largest chunk.
 * "Edges": an ordered block begins no earlier than the one before it ended (libgomp itself passes the turn on only when the
 * whole iteration ends: GOMP_ordered_end does nothing). ORDERED_EDGES 0 expects them to be left out.
 * A team of one on libomp hands out dynamic loops as a single chunk: these cases ask for num_threads(4).
 */
#include "cases.h"

#define ORDERED_EDGES 1
enum { TEAM = 4 };

static long sum(long from, long to) { return (to - from) * (from + to - 1) / 2; }   /* of i in [from, to) */

/* ---- loops: 50 iterations for 4 threads, i costing i ---- */

enum { N = 50 };
/* As both runtimes cut static loops: blocks of 13, 13, 12, 12; or chunks in turn. */
static int static_thread(int i, int chunk) { return chunk ? i / chunk % TEAM : i < 26 ? i / 13 : 2 + (i - 26) / 12; }
static void m_static(int chunk)
{
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, chunk));
        m_cost(i);
    }
}
static void m_all(long c)
{
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(c);
    }
}
static void m_dynamic(int n, int chunk)
{
    m_thread(0);
    for (int i = 0; i < n; i++) {
        if (i % chunk == 0)
            m_chunk();
        m_cost(i);
        if ((i + 1) % chunk == 0 || i + 1 == n)
            m_chunk_end();
    }
    m_chunks_end();
}

static void loop_static_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            check(omp_get_thread_num() == static_thread(i, 0));
            cost(i);
        }
        cost(2);
#pragma omp for schedule(static, 3)
        for (int i = 0; i < N; i++) {
            check(omp_get_thread_num() == static_thread(i, 3));
            cost(i);
        }
    }
#pragma omp parallel for num_threads(TEAM)
    for (long i = 0; i < N; i++)
        cost(i);
}
static void loop_static_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_static(0);
    m_barrier();
    m_all(2);
    m_static(3);
    m_barrier();
    m_join();
    m_fork(TEAM);
    m_static(0);
    m_join();
    /* blocks: [38, 50); in turn: thread 3 has 9-11, 21-23, 33-35, 45-47 */
    closed(4 + 8 + 3 * sum(0, N), 1 + sum(38, 50) + 2 + 3 * (10 + 22 + 34 + 46) + sum(38, 50));
}

/* nowait: a thread's parts of both loops are one path. */
static void loop_static_nowait_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            cost(i);
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            cost(N - i);
        cost(omp_get_thread_num());
    }
}
static void loop_static_nowait_expect(void)
{
    m_fork(TEAM);
    m_static(0);
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, 0));
        m_cost(N - i);
    }
    for (int t = 0; t < TEAM; t++) {
        m_thread(t);
        m_cost(t);
    }
    m_join();
    closed(N * N + 6, 13 * N + 1);
}

static void loop_dynamic_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(3);
#pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < N; i++)
            cost(i);
        cost(2);
#pragma omp for schedule(dynamic)
        for (unsigned long long i = 0; i < N; i++)
            cost(i);
        cost(1);
    }
#pragma omp parallel for schedule(dynamic, 7) num_threads(TEAM)
    for (long i = 0; i < N; i++)
        cost(i);
}
static void loop_dynamic_expect(void)
{
    m_fork(TEAM);
    m_all(3);
    m_dynamic(N, 4);
    m_barrier();
    m_all(2);
    m_dynamic(N, 1);
    m_barrier();
    m_all(1);
    m_join();
    m_fork(TEAM);
    m_dynamic(N, 7);
    m_join();
    closed(24 + 3 * sum(0, N), 3 + sum(44, 48) + 2 + 49 + 1 + sum(42, 49));
}

static void loop_dynamic_nowait_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(4);
#pragma omp for schedule(dynamic, 5) nowait
        for (int i = 0; i < N; i++)
            cost(i);
        cost(6);
    }
    cost(1);
}
static void loop_dynamic_nowait_expect(void)
{
    m_fork(TEAM);
    m_all(4);
    m_dynamic(N, 5);
    m_all(6);
    m_join();
    m_cost(1);
    closed(40 + sum(0, N) + 1, 4 + sum(45, 50) + 6 + 1);
}

/* The first chunks of 1000 iterations for 4 threads: 250 on libgomp, 125 on libomp. 0, 500, 999 lie in different ones on both. */
static long guided_cost(long i) { return i == 0 ? 100 : i == 500 ? 80 : i == 999 ? 60 : 0; }
static void loop_guided_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(3);
#pragma omp for schedule(guided)
        for (int i = 0; i < 1000; i++)
            cost(guided_cost(i));
        cost(2);
#pragma omp for schedule(guided, 10)
        for (long i = 999; i >= 0; i--)
            cost(guided_cost(i));
        cost(1);
    }
}
/* Its chunks: what costs anything is alone in its own, with MORE. */
static void m_guided(long more)
{
    m_thread(0);
    for (int i = 0; i < 1000; i++)
        if (guided_cost(i)) {
            m_chunk();
            m_cost(guided_cost(i) + more);
            m_chunk_end();
        }
    m_chunks_end();
}
static void loop_guided_expect(void)
{
    m_fork(TEAM);
    for (int l = 0; l < 2; l++) {
        m_all(3 - l);
        m_guided(0);
        m_barrier();
    }
    m_all(1);
    m_join();
    closed(24 + 480, 3 + 100 + 2 + 100 + 1);
}

/* schedule(runtime) is what the program, or OMP_SCHEDULE, says when it runs. */
static void loop_runtime_run(void)
{
    static const omp_sched_t kind[3] = { omp_sched_static, omp_sched_dynamic, omp_sched_static };
    static const int chunk[3] = { 3, 5, 0 };
    for (int r = 0; r < 3; r++) {
        omp_set_schedule(kind[r], chunk[r]);
#pragma omp parallel num_threads(TEAM)
        {
            cost(2);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++)
                cost(i);
            cost(1);
        }
    }
}
static void loop_runtime_expect(void)
{
    for (int r = 0; r < 3; r++) {
        m_fork(TEAM);
        m_all(2);
        if (r == 1)
            m_dynamic(N, 5);
        else
            m_static(r ? 0 : 3);
        m_barrier();
        m_all(1);
        m_join();
    }
    closed(36 + 3 * sum(0, N), 9 + 3 * (10 + 22 + 34 + 46) + sum(45, 50) + sum(38, 50));
}
static void loop_runtime_guided_run(void)
{
    omp_set_schedule(omp_sched_guided, 0);
#pragma omp parallel num_threads(TEAM)
    {
        cost(2);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++)
            cost(guided_cost(i));
        cost(1);
    }
}
static void loop_runtime_guided_expect(void)
{
    m_fork(TEAM);
    m_all(2);
    m_guided(0);
    m_barrier();
    m_all(1);
    m_join();
    closed(12 + 240, 103);
}

/* What the loop makes of it is for the next one; or, on libomp 14, for the next region. */
static void loop_runtime_changed_run(void)
{
    for (int r = 0; r < 2; r++) {
        omp_set_schedule(r ? omp_sched_static : omp_sched_dynamic, 1);
#pragma omp parallel num_threads(TEAM)
        {
            cost(2);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++) {
                omp_set_schedule(r ? omp_sched_dynamic : omp_sched_static, 1);
                cost(i);
            }
            omp_set_schedule(r != LIBOMP ? omp_sched_dynamic : omp_sched_static, 1);
            cost(1);
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++)
                cost(i);
        }
        omp_set_schedule(r ? omp_sched_static : omp_sched_dynamic, 1);
#pragma omp parallel for schedule(runtime) num_threads(TEAM)
        for (int i = 0; i < N; i++) {
            omp_set_schedule(r ? omp_sched_dynamic : omp_sched_static, 1);
            cost(i);
        }
    }
}
static void loop_runtime_changed_expect(void)
{
    for (int r = 0; r < 2; r++) {
        m_fork(TEAM);
        m_all(2);
        if (r)
            m_static(1);
        else
            m_dynamic(N, 1);
        m_barrier();
        m_all(1);
        if (r != LIBOMP)
            m_dynamic(N, 1);
        else
            m_static(1);
        m_join();
        m_fork(TEAM);
        if (r)
            m_static(1);
        else
            m_dynamic(N, 1);
        m_join();
    }
    /* in turn: thread 1 has 1, 5, ... 49, thread 3 only up to 47 */
    closed(24 + 6 * sum(0, N), 6 + 3 * 49 + 3 * 325);
}

/* Tasks of chunks are born where their chunk stands, and joined by the loop's barrier; collapsed and backward loops. */
static void loop_tasks_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 12; i++) {
            cost(2);
#pragma omp task firstprivate(i)
            cost(10 + i);
            cost(3);
        }
        cost(4);
#pragma omp for schedule(dynamic, 2) collapse(2)
        for (int i = 3; i >= 0; i--)
            for (int j = 0; j < 4; j++)
                cost(10 * i + j);
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++) {
            cost(i);
#pragma omp task firstprivate(i)
            cost(20 - 2 * i);
        }
        cost(1);
    }
}
static void loop_tasks_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_thread(0);
    for (int i = 0; i < 12; i++) {
        m_chunk();
        m_cost(2);
        m_task(0);
        m_cost(10 + i);
        m_end();
        m_cost(3);
        m_chunk_end();
    }
    m_chunks_end();
    m_barrier();
    m_all(4);
    m_thread(0);
    for (int i = 3; i >= 0; i--)
        for (int j = 0; j < 4; j += 2) {
            m_chunk();
            m_cost(20 * i + 2 * j + 1);
            m_chunk_end();
        }
    m_chunks_end();
    m_barrier();
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        m_cost(i);
        m_task(0);
        m_cost(20 - 2 * i);
        m_end();
    }
    m_barrier();
    m_all(1);
    m_join();
    closed(4 + 24 + 186 + 36 + 16 + 264 + 6 + 68 + 4, 1 + 23 + 4 + 65 + 20 + 1);
}

/* ---- ordered: iteration i costs 10 + i % 3 before its ordered block, 2 in it, 2 after it ---- */

enum { STEPS = 12 };
static void ordered_part(int i, int *next)
{
#pragma omp ordered
    {
        check((*next)++ == i);
        cost(2);
    }
    cost(2);
}
static void ordered_static_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
            ordered_part(i, &next);
        }
        cost(1);
    }
}
static void ordered_dynamic_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(dynamic, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
            ordered_part(i, &next);
        }
        cost(1);
    }
}
static long ordered_span(int chunks)
{
    long t[TEAM] = { 0 }, done = 0, end = 0;
    for (int i = 0; i < STEPS; i++) {
        long at = (chunks ? 0 : t[i % TEAM]) + 10 + i % 3;
        if (ORDERED_EDGES)
            at = larger(at, done);
        done = at + 2;
        t[i % TEAM] = done + 2;
        end = larger(end, t[i % TEAM]);
    }
    return end + 1;
}
static void ordered(int chunks)
{
    long done = 0;
    m_fork(TEAM);
    for (int i = 0; i < STEPS; i++) {
        m_thread(chunks ? 0 : i % TEAM);
        if (chunks)
            m_chunk();
        m_cost(10 + i % 3);
        if (ORDERED_EDGES)
            m_after(done);
        m_cost(2);
        done = m_now();
        m_cost(2);
        if (chunks)
            m_chunk_end();
    }
    if (chunks)
        m_chunks_end();
    m_barrier();
    m_all(1);
    m_join();
    closed(STEPS * 15 + TEAM, ordered_span(chunks));
}
static void ordered_static_expect(void) { ordered(0); }
static void ordered_dynamic_expect(void) { ordered(1); }

/* Two ordered loops at once: the first thread is in the second one while the other is in the first. Their blocks have nothing to do
 * with each other. */
static void ordered_two_run(void)
{
    int first = 0, second = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for ordered schedule(static, 1) nowait
        for (int i = 0; i < 2; i++) {
            cost(20 * i);
#pragma omp ordered
            {
                check(first++ == i);
                cost(30 * i);
            }
        }
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 2; i++) {
#pragma omp ordered
            {
                check(second++ == i);
                cost(40);
            }
        }
    }
}
static void ordered_two_expect(void)
{
    m_fork(2);
    m_thread(0);
    m_cost(40);
    long done = m_now();
    m_thread(1);
    m_cost(50);
    m_after(done);
    m_cost(40);
    m_join();
    closed(130, 90);
}

/* ---- taskgroups in chunks: the chunk goes on after them ---- */

static void chunk_group_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
        cost(1);
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 12; i++) {
            cost(2);
#pragma omp taskgroup
            {
#pragma omp task firstprivate(i)
                {
                    cost(10 + i);
#pragma omp task
                    cost(20);
                }
                cost(3);
            }
            cost(5);
        }
        cost(4);
#pragma omp for schedule(guided)
        for (int i = 0; i < 1000; i++)
            if (guided_cost(i)) {
#pragma omp taskgroup
                {
#pragma omp task firstprivate(i)
                    cost(guided_cost(i));
                }
                cost(6);
            }
    }
}
static void chunk_group_expect(void)
{
    m_fork(TEAM);
    m_all(1);
    m_thread(0);
    for (int i = 0; i < 12; i++) {
        m_chunk();
        m_cost(2);
        m_group();
        m_task(0);
        m_cost(10 + i);
        m_task(0);
        m_cost(20);
        m_end();
        m_end();
        m_cost(3);
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_barrier();
    m_all(4);
    m_guided(6);
    m_join();
    closed(4 + 24 + 186 + 12 * 28 + 16 + 240 + 18, 1 + 2 + 21 + 20 + 5 + 4 + 106);
}

/* Groups in groups, in and around the loop, and waits in them. */
static void chunk_groups_run(void)
{
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp taskgroup
        {
#pragma omp for schedule(dynamic, 1) nowait
            for (int i = 0; i < 8; i++) {
#pragma omp task
                cost(40);
#pragma omp taskgroup
                {
                    cost(1);
#pragma omp taskgroup
                    {
#pragma omp task
                        {
                            cost(10);
#pragma omp task
                            cost(10);
                        }
                        cost(2);
                    }
#pragma omp task
                    {
                        cost(20);
#pragma omp task
                        cost(30);
                    }
                    cost(1);
#pragma omp taskwait
                    cost(3);
                }
                cost(1);
            }
            cost(7);
#pragma omp task
            {
                cost(1);
#pragma omp task
                cost(9);
            }
        }
        cost(2);
    }
}
static void chunk_groups_expect(void)
{
    m_fork(TEAM);
    for (int t = 0; t < TEAM; t++) {
        m_thread(t);
        m_group();
        for (int i = t ? 8 : 0; i < 8; i++) {
            m_chunk();
            m_task(0);
            m_cost(40);
            m_end();
            m_group();
            m_cost(1);
            m_group();
            m_task(0);
            m_cost(10);
            m_task(0);
            m_cost(10);
            m_end();
            m_end();
            m_cost(2);
            m_group_end();
            m_task(0);
            m_cost(20);
            m_task(0);
            m_cost(30);
            m_end();
            m_end();
            m_cost(1);
            m_taskwait();
            m_cost(3);
            m_group_end();
            m_cost(1);
            m_chunk_end();
        }
        if (!t)
            m_chunks_end();
        m_cost(7);
        m_task(0);
        m_cost(1);
        m_task(0);
        m_cost(9);
        m_end();
        m_end();
        m_group_end();
        m_cost(2);
    }
    m_join();
    /* a chunk: 21 at the inner group's end, 41 behind taskwait, 71 at the outer one's */
    closed(8 * 118 + TEAM * 19, 71 + 1 + 7 + 10 + 2);
}

static void chunk_depend_run(void)
{
    static int x[8];
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(4);
#pragma omp taskgroup
        {
#pragma omp task depend(out : x[i])
            cost(10);
#pragma omp task depend(inout : x[i])
            cost(20);
#pragma omp task depend(in : x[i]) if (0)
            cost(1);
#pragma omp task depend(in : x[i])
            cost(2);
        }
        cost(5);
    }
}
static void chunk_depend_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        m_cost(4);
        m_group();
        m_depend(M_OUT, i);
        m_task(0);
        m_cost(10);
        m_end();
        m_depend(M_OUT, i);
        m_task(0);
        m_cost(20);
        m_end();
        m_depend(M_IN, i);
        m_task(M_IF0);
        m_cost(1);
        m_end();
        m_depend(M_IN, i);
        m_task(0);
        m_cost(2);
        m_end();
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * 42, 4 + 30 + 1 + 2 + 5);
}

/* A taskloop is in a taskgroup of its own, or in the program's. */
static void chunk_taskloop_run(void)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp taskloop grainsize(1)
        for (int j = 0; j < 5; j++)
            cost(10 + j);
        cost(5);
#pragma omp taskgroup
        {
#pragma omp taskloop nogroup grainsize(1)
            for (int j = 0; j < 3; j++)
                cost(20 + j);
            cost(2);
        }
        cost(3);
    }
}
static void chunk_taskloop_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        for (int l = 0; l < 2; l++) {
            m_cost(l ? 5 : 1);
            m_group();
            for (int j = 0; j < (l ? 3 : 5); j++) {
                m_task(0);
                m_cost((l ? 20 : 10) + j);
                m_end();
            }
            m_cost(l ? 2 : 0);
            m_group_end();
        }
        m_cost(3);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * (1 + 60 + 5 + 63 + 2 + 3), 1 + 14 + 5 + 22 + 3);
}

/* ordered_dynamic, with a task for what comes before the ordered block. */
static void chunk_ordered_run(void)
{
    int next = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered schedule(dynamic, 1)
        for (int i = 0; i < STEPS; i++) {
#pragma omp taskgroup
            {
#pragma omp task firstprivate(i)
                cost(10 + i % 3);
            }
            ordered_part(i, &next);
        }
        cost(1);
    }
}
static void chunk_ordered_expect(void) { ordered(1); }

/* ---- loops of regions in loops: each is of its own kind ---- */

/* Two iterations, in the order of the loop: 1, and 2 in the ordered block. */
static void m_two_ordered(int threads)
{
    long done = 0;
    m_fork(threads);
    for (int j = 0; j < 2; j++) {
        m_thread(j % threads);
        m_cost(1);
        m_after(done);
        m_cost(2);
        done = m_now();
    }
    m_join();
}
static void two_ordered(int threads)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(threads)
    for (int j = 0; j < 2; j++) {
        cost(1);
#pragma omp ordered
        cost(2);
    }
}

/* Handed out: with a static one inside, of one thread and of two, by its name and by OMP_SCHEDULE. */
static void nested_kinds_run(void)
{
    omp_set_max_active_levels(2);
    omp_set_schedule(omp_sched_static, 1);
    for (int threads = 1; threads <= 2; threads++) {
#pragma omp parallel num_threads(TEAM)
        {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < 8; i++) {
                cost(10);
                two_ordered(threads);
                cost(10);
            }
            cost(1);
#pragma omp for schedule(guided)
            for (int i = 0; i < 1000; i++)
                if (guided_cost(i)) {
                    two_ordered(threads);
                    cost(guided_cost(i));
                }
        }
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
        for (int i = 0; i < 8; i++) {
            cost(3);
#pragma omp parallel for schedule(runtime) num_threads(threads)
            for (int j = 0; j < 2; j++)
                cost(5);
            cost(3);
        }
    }
}
static void nested_kinds_expect(void)
{
    for (int threads = 1; threads <= 2; threads++) {
        m_fork(TEAM);
        for (int i = 0; i < 8; i++) {
            m_chunk();
            m_cost(10);
            m_two_ordered(threads);
            m_cost(10);
            m_chunk_end();
        }
        m_chunks_end();
        m_barrier();
        m_all(1);
        m_thread(0);
        for (int i = 0; i < 1000; i++)
            if (guided_cost(i)) {
                m_chunk();
                m_two_ordered(threads);
                m_cost(guided_cost(i));
                m_chunk_end();
            }
        m_chunks_end();
        m_join();
        m_fork(TEAM);
        for (int i = 0; i < 8; i++) {
            m_chunk();
            m_cost(3);
            m_fork(threads);
            for (int j = 0; j < 2; j++) {
                m_thread(j % threads);
                m_cost(5);
            }
            m_join();
            m_cost(3);
            m_chunk_end();
        }
        m_chunks_end();
        m_join();
    }
    closed(2 * (8 * 26 + 4 + 18 + 240 + 8 * 16), 26 + 1 + 106 + 16 + 25 + 1 + 105 + 11);
}

/* As executed, with one inside that is handed out; in that a static one, and in that one that is handed out. */
static void nested_kinds_static_run(void)
{
    omp_set_max_active_levels(4);
    omp_set_schedule(omp_sched_static, 1);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 6; i++) {
        cost(10);
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
        for (int j = 0; j < 4; j++) {
            cost(1 + j);
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
            for (int k = 0; k < 4; k++) {
                cost(2);
#pragma omp ordered
                cost(1);
                if (k == 3) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
                    for (int l = 0; l < 3; l++)
                        cost(5 + l);
                }
            }
            cost(3);
        }
        cost(1);
    }
}
static void nested_kinds_static_expect(void)
{
    m_fork(2);
    for (int i = 0; i < 6; i++) {
        m_thread(i % 2);
        m_cost(10);
        m_fork(2);
        for (int j = 0; j < 4; j++) {
            m_chunk();
            m_cost(1 + j);
            long done = 0;
            m_fork(2);
            for (int k = 0; k < 4; k++) {
                m_thread(k % 2);
                m_cost(2);
                m_after(done);
                m_cost(1);
                done = m_now();
                if (k == 3) {
                    m_fork(2);
                    for (int l = 0; l < 3; l++) {
                        m_chunk();
                        m_cost(5 + l);
                        m_chunk_end();
                    }
                    m_chunks_end();
                    m_join();
                }
            }
            m_join();
            m_cost(3);
            m_chunk_end();
        }
        m_chunks_end();
        m_join();
        m_cost(1);
    }
    m_join();
    /* two rounds of the ordered one end at 3 and 4, 6 and 7 */
    closed(6 * (10 + 10 + 4 * (12 + 18 + 3) + 1), 3 * (10 + 4 + 7 + 7 + 3 + 1));
}

/* The region inside is a task's, which runs while its chunk waits. */
static void nested_kinds_task_run(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 8; i++) {
        cost(1);
#pragma omp taskgroup
        {
#pragma omp task
            two_ordered(1);
        }
        cost(2);
        for (int k = 0; k < 3; k++) {
#pragma omp task
            {
                cost(1);
                two_ordered(2);
                cost(1);
            }
        }
#pragma omp taskwait
        cost(4);
    }
}
static void nested_kinds_task_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 8; i++) {
        m_chunk();
        m_cost(1);
        m_group();
        m_task(0);
        m_two_ordered(1);
        m_end();
        m_group_end();
        m_cost(2);
        for (int k = 0; k < 3; k++) {
            m_task(0);
            m_cost(1);
            m_two_ordered(2);
            m_cost(1);
            m_end();
        }
        m_taskwait();
        m_cost(4);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(8 * (1 + 6 + 2 + 24 + 4), 1 + 6 + 2 + 7 + 4);
}

/* depend(sink) and depend(source): iteration i after i - 1 and i - 2 have posted. */
static void doacross_run(void)
{
    static int done[STEPS];
    for (int i = 0; i < STEPS; i++)
        done[i] = 0;
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < STEPS; i++) {
            cost(10 + i % 3);
#pragma omp ordered depend(sink : i - 1) depend(sink : i - 2)
            check((i < 1 || done[i - 1]) && (i < 2 || done[i - 2]));
            cost(2);
            done[i] = 1;
#pragma omp ordered depend(source)
            cost(2);
        }
        cost(1);
    }
}
static void doacross_expect(void) { ordered(0); }

/* A chain: iteration i after i - D has posted; it costs 10 + i % 3 before that, 2 until it posts, 5 after. With D chains beside each
 * other, threads wait for what was posted longer ago. */
enum { LINKS = 150 };
#define CHAIN(NAME, THREADS, SCHEDULE, D, TYPE)                                                 \
    static void NAME##_run(void)                                                                \
    {                                                                                           \
        static int done[LINKS];                                                                 \
        for (int i = 0; i < LINKS; i++)                                                         \
            done[i] = 0;                                                                        \
        PRAGMA(omp parallel num_threads(THREADS))                                               \
        {                                                                                       \
            cost(3);                                                                            \
            PRAGMA(omp for ordered(1) SCHEDULE)                                                 \
            for (TYPE j = D; j < LINKS + D; j++) { /* gcc's code waits for ever where j - D wraps */ \
                int i = j - D;                                                                  \
                cost(10 + i % 3);                                                               \
                PRAGMA(omp ordered depend(sink : j - D))                                        \
                check(i < D || done[i - D]);                                                    \
                cost(2);                                                                        \
                done[i] = 1;                                                                    \
                PRAGMA(omp ordered depend(source))                                              \
                cost(5);                                                                        \
            }                                                                                   \
            cost(1);                                                                            \
        }                                                                                       \
    }
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
/* THREAD_OF: by whom i is done; -1: a chunk of its own begins with it, -2: it goes on with the chunk of i - 1. */
static void chain(int threads, int distance, int (*thread_of)(int i, int threads))
{
    long posted[LINKS], done[LINKS], *t = calloc(threads, sizeof *t), at = 0, end = 0;    /* on the model; by the formula */
    m_fork(threads);
    for (int i = 0; i < threads; i++) {
        m_thread(i);
        m_cost(3);
        t[i] = 3;
    }
    for (int i = 0, chunks = 0; i < LINKS; i++) {
        int thread = thread_of(i, threads);
        if (thread != -2 && chunks)
            m_chunk_end();
        m_thread(thread < 0 ? 0 : thread);
        if (thread == -1) {
            m_chunk();
            chunks = 1;
            at = 3;
        } else if (thread >= 0) {
            at = t[thread];
        }
        m_cost(10 + i % 3);
        at += 10 + i % 3;
        if (i >= distance) {
            m_after(posted[i - distance]);
            at = larger(at, done[i - distance]);
        }
        m_cost(2);
        posted[i] = m_now();
        done[i] = at + 2;
        m_cost(5);
        at += 7;
        end = larger(end, at);
        if (thread >= 0)
            t[thread] = at;
        if (i == LINKS - 1 && chunks) {
            m_chunk_end();
            m_chunks_end();
        }
    }
    m_barrier();
    for (int i = 0; i < threads; i++) {
        m_thread(i);
        m_cost(1);
    }
    m_join();
    free(t);
    closed(LINKS * 18 + 4 * threads, end + 1);
}
static int in_turn(int i, int threads) { return i % threads; }
static int in_blocks(int i, int threads)
{
    int part = LINKS / threads, more = LINKS % threads;
    return i < more * (part + 1) ? i / (part + 1) : more + (i - more * (part + 1)) / part;
}
static int in_pairs(int i, int threads) { return i / 2 % threads; }
static int each(int i, int threads) { return -1; }
static int by_three(int i, int threads) { return i % 3 ? -2 : -1; }
CHAIN(doacross_1, P, schedule(static, 1), 1, int)
CHAIN(doacross_2, P, schedule(static, 1), 2, long)
CHAIN(doacross_block, P, schedule(static), 1, long)
CHAIN(doacross_pairs, P, schedule(static, 2), 3, unsigned long long)
CHAIN(doacross_dynamic_1, TEAM, schedule(dynamic), 1, int)
CHAIN(doacross_dynamic_2, TEAM, schedule(dynamic, 1), 2, unsigned long long)
CHAIN(doacross_dynamic_chunks, TEAM, schedule(dynamic, 3), 7, int)
static void doacross_1_expect(void) { chain(P, 1, in_turn); }
static void doacross_2_expect(void) { chain(P, 2, in_turn); }
static void doacross_block_expect(void) { chain(P, 1, in_blocks); }
static void doacross_pairs_expect(void) { chain(P, 3, in_pairs); }
static void doacross_dynamic_1_expect(void) { chain(TEAM, 1, each); }
static void doacross_dynamic_2_expect(void) { chain(TEAM, 2, each); }
static void doacross_dynamic_chunks_expect(void) { chain(TEAM, 7, by_three); }

/* A wavefront, in steps of two (clang's code waits for ever for a sink at j + 1): a row is one thread's, or a chunk. Twice; nobody waits in between where the schedule
 * is static. */
enum { ROWS = 12, COLUMNS = 70 };
static long cell(int i, int j) { return 1 + (7 * i + 3 * j) % 5; }
#define WAVE(NAME, THREADS, CLAUSES)                                                           \
    static void NAME##_run(void)                                                                \
    {                                                                                           \
        PRAGMA(omp parallel num_threads(THREADS))                                               \
        for (int twice = 0; twice < 2; twice++) {                                               \
            PRAGMA(omp for ordered(2) CLAUSES)                                                  \
            for (int i = 2; i <= 2 * ROWS; i += 2)                                              \
                for (int j = 0; j < COLUMNS; j++) {                                             \
                    PRAGMA(omp ordered depend(sink : i - 2, j) depend(sink : i, j - 1) depend(sink : i - 2, j - 1)) \
                    cost(cell(i, j));                                                           \
                    PRAGMA(omp ordered depend(source))                                          \
                }                                                                               \
        }                                                                                       \
    }
static void wave(int threads, int chunks)
{
    static long m[ROWS][COLUMNS], c[ROWS][COLUMNS];
    long *t = calloc(threads, sizeof *t), work = 0, begin = 0, end = 0;
    m_fork(threads);
    for (int twice = 0; twice < 2; twice++, begin = end) {
        for (int row = 0; row < ROWS; row++) {
            int thread = chunks ? 0 : row % threads, i = 2 * (row + 1);
            long at = chunks ? begin : t[thread];
            m_thread(thread);
            if (chunks)
                m_chunk();
            for (int j = 0; j < COLUMNS; j++) {
                if (row) {
                    m_after(m[row - 1][j]);
                    at = larger(at, c[row - 1][j]);
                    if (j) {
                        m_after(m[row - 1][j - 1]);
                        at = larger(at, c[row - 1][j - 1]);
                    }
                }
                m_cost(cell(i, j));
                work += cell(i, j);
                m[row][j] = m_now();
                c[row][j] = at += cell(i, j);
            }
            if (chunks)
                m_chunk_end();
            else
                t[thread] = at;
            end = larger(end, at);
        }
        if (chunks) {
            m_chunks_end();
            m_barrier();
        }
    }
    m_join();
    free(t);
    closed(work, end);
}
WAVE(doacross_wave, P, schedule(static, 1) nowait)
WAVE(doacross_wave_dynamic, TEAM, schedule(dynamic, 1))
static void doacross_wave_expect(void) { wave(P, 0); }
static void doacross_wave_dynamic_expect(void) { wave(TEAM, 1); }
/* ---- reductions ---- */

static void reduction_run(void)
{
    long s = 0, p = 0, most = 0;
#pragma omp parallel num_threads(TEAM) reduction(+ : s)
    {
        s += omp_get_thread_num();
        cost(3);
#pragma omp for schedule(static) reduction(+ : p)
        for (int i = 0; i < N; i++) {
            p += i;
            cost(i);
        }
        check(p == sum(0, N));
        cost(2);
#pragma omp for schedule(static) reduction(max : most) nowait
        for (int i = 0; i < N; i++) {
            most = larger(most, i);
            cost(1);
        }
    }
    check(s == 6 && most == N - 1);
#pragma omp parallel for num_threads(TEAM) reduction(+ : p) schedule(dynamic, 10)
    for (int i = 0; i < N; i++) {
        p += i;
        cost(i);
    }
    check(p == 2 * sum(0, N));
}
static void reduction_expect(void)
{
    m_fork(TEAM);
    m_all(3);
    m_static(0);
    m_barrier();
    m_all(2);
    for (int i = 0; i < N; i++) {
        m_thread(static_thread(i, 0));
        m_cost(1);
    }
    m_join();
    m_fork(TEAM);
    m_dynamic(N, 10);
    m_join();
    closed(20 + 2 * sum(0, N) + N, 3 + sum(38, 50) + 2 + 13 + sum(40, 50));
}

/* A combiner of the program's own costs 6: once a thread, in an order and a place that the runtime chooses. */
struct expensive {
    long v;
};
static void combine(struct expensive *out, const struct expensive *in)
{
    cost(6);
    out->v += in->v;
}
#pragma omp declare reduction(expensively : struct expensive : combine(&omp_out, &omp_in)) initializer(omp_priv = { 0 })
static void reduction_own_run(void)
{
    struct expensive s = { 100 };
#pragma omp parallel num_threads(TEAM) reduction(expensively : s)
    {
        cost(20);
        s.v += 1 + omp_get_thread_num();
    }
    check(s.v == 110);
}
static void reduction_own_expect(void)
{
    m_fork(TEAM);
    m_all(26);
    m_join();
    closed(TEAM * 26, 26);
    span_between(26, 20 + 6 * TEAM);
}

/* Every thread reaches the cancellation itself, in its first iteration. */
static void cancel_loop_run(void)
{
    check(omp_get_cancellation());
#pragma omp parallel num_threads(TEAM)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) {
            cost(7 + omp_get_thread_num());
#pragma omp cancel for
            cost(1000);
        }
        cost(3);                /* behind the loop's barrier */
    }
}
static void cancel_loop_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < TEAM; i++) {
        m_thread(i);
        m_cost(7 + i);
    }
    m_barrier();
    m_all(3);
    m_join();
    closed(34 + 12, 13);
}

/* The first chunk cancels the loop; its thread goes on after it, and so does the next loop. A team of one has no barriers. */
static void cancel_loop_dynamic_run(void)
{
    check(omp_get_cancellation());
    for (int threads = TEAM; threads; threads -= TEAM - 1) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < N; i++) {
                if (i == 0) {
                    cost(7);
#pragma omp cancel for
                }
#pragma omp cancellation point for
            }
            cost(3);
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < threads; i++)
                cost(20 + i);
            cost(1);
        }
        if (threads == 1)
            break;
    }
}
static void cancel_loop_dynamic_expect(void)
{
    for (int threads = TEAM; threads; threads -= TEAM - 1) {
        m_fork(threads);
        m_cost(7);
        m_barrier();
        for (int i = 0; i < threads; i++) {
            m_thread(i);
            m_cost(3);
        }
        m_thread(0);
        for (int i = 0; i < threads; i++) {
            m_chunk();
            m_cost(20 + i);
            m_chunk_end();
        }
        m_chunks_end();
        m_barrier();
        for (int i = 0; i < threads; i++) {
            m_thread(i);
            m_cost(1);
        }
        m_join();
        if (threads == 1)
            break;
    }
    closed(7 + 12 + 86 + 4 + 31, 34 + 31);
}

/* A chunk's taskgroup is cancelled: its tasks that never began are not waited for. */
static void cancel_chunk_group_run(void)
{
    check(omp_get_cancellation());
#pragma omp parallel for schedule(dynamic, 1) num_threads(TEAM)
    for (int i = 0; i < 4; i++) {
        int x = 0;
#pragma omp taskgroup
        {
#pragma omp task depend(out : x) shared(x)
            {
                cost(10);
                if (x == 0) {
#pragma omp cancel taskgroup
                }
                cost(1000);
            }
            for (int k = 0; k < 5; k++)
#pragma omp task depend(inout : x) shared(x)
                cost(1000);
            cost(3);
        }
        cost(5);
    }
}
static void cancel_chunk_group_expect(void)
{
    m_fork(TEAM);
    for (int i = 0; i < 4; i++) {
        m_chunk();
        m_group();
        m_task(0);
        m_cost(10);
        m_end();
        m_cost(3);
        m_group_end();
        m_cost(5);
        m_chunk_end();
    }
    m_chunks_end();
    m_join();
    closed(4 * 18, 15);
}

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case loop_cases[] = {
    C(loop_static), C(loop_static_nowait), C(loop_dynamic), C(loop_dynamic_nowait), C(loop_guided), C(loop_runtime),
    C(loop_runtime_guided), C(loop_runtime_changed), C(loop_tasks), C(ordered_static), C(ordered_dynamic), C(ordered_two), C(doacross), C(doacross_1), C(doacross_2),
    C(doacross_block), C(doacross_pairs), C(doacross_dynamic_1), C(doacross_dynamic_2), C(doacross_dynamic_chunks), C(doacross_wave),
    C(doacross_wave_dynamic), C(reduction),
    C(reduction_own), C(cancel_loop), C(cancel_loop_dynamic), C(cancel_chunk_group), C(chunk_group), C(chunk_groups), C(chunk_depend),
    C(chunk_taskloop), C(chunk_ordered), C(nested_kinds), C(nested_kinds_static), C(nested_kinds_task), { 0 },
};
