/* tasks.c - explicit tasks, and the four ways of waiting for them: taskwait, taskgroup, barrier, the region's end.
 * Each case is followed by its expectation: the same shape on the model, and a closed form.
 */
#include <sched.h>
#include <time.h>
#include <stdint.h>
#include <string.h>
#include "cases.h"

/* ---- fib: a node costs 10 before its children and 5 after, a leaf 1.
 * W(n) = 15 + W(n-1) + W(n-2), W(0) = W(1) = 1.
 * Two tasks a node: S(n) = 15 + S(n-1) = 15 (n-1) + 1.
 * One task and one call: the calls n, n-2, n-4 ... are one task, and the innermost taskwait waits for the
 * children of all of them, for a taskwait knows its task, not its function. With h = n/2 such calls, that of
 * n-2j+2 creates its task at 10 j: S(n) = max(10 h + 1, max over j = 1..h of 10 j + S(n-2j+1)) + 5 h ---- */

enum { FIB = 12, CUT = 6 };
static long fib_work(long n) { return n < 2 ? 1 : 15 + fib_work(n - 1) + fib_work(n - 2); }
static long fib_span(long n) { return 15 * (n - 1) + 1; }
static long fib_one_span(long n)
{
    long h = n / 2, s = 10 * h + 1;
    for (long j = 1; j <= h; j++)
        s = larger(s, 10 * j + fib_one_span(n - 2 * j + 1));
    return s + 5 * h;
}
static long result;

static void m_fib(long n, int one, int flags, int cut)
{
    if (n < 2) {
        m_cost(1);
        return;
    }
    m_cost(10);
    m_task(n <= cut ? flags : 0);
    m_fib(n - 1, one, flags, cut);
    m_end();
    if (!one)
        m_task(n <= cut ? flags : 0);
    m_fib(n - 2, one, flags, cut);
    if (!one)
        m_end();
    m_taskwait();
    m_cost(5);
}

#define FIB_CASE(NAME, CLAUSES, ONE, FLAGS, AT)                          \
    static long NAME(long n)                                             \
    {                                                                    \
        long x, y;                                                       \
        if (n < 2)                                                       \
            return cost(1), n;                                           \
        cost(10);                                                        \
        PRAGMA(omp task shared(x) CLAUSES)                               \
        x = NAME(n - 1);                                                 \
        if (ONE)                                                         \
            y = NAME(n - 2);                                             \
        else                                                             \
            PRAGMA(omp task shared(y) CLAUSES)                           \
            y = NAME(n - 2);                                             \
        PRAGMA(omp taskwait)                                             \
        cost(5);                                                         \
        return x + y;                                                    \
    }                                                                    \
    static void NAME##_body(void) { result = NAME(FIB); }                \
    static void NAME##_run(void)                                         \
    {                                                                    \
        in_single(NAME##_body);                                          \
        check(result == 144);                                            \
    }                                                                    \
    static void NAME##_model(void) { m_fib(FIB, ONE, FLAGS, AT); }       \
    static void NAME##_expect(void)                                      \
    {                                                                    \
        m_in_single(NAME##_model);                                       \
        closed(fib_work(FIB), NAME##_CLOSED);                            \
    }
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define fib_CLOSED fib_one_span(FIB)
#define fib_two_CLOSED fib_span(FIB)
#define fib_untied_CLOSED fib_one_span(FIB)
#define fib_mergeable_CLOSED fib_span(FIB)
/* The task of a node n <= CUT is final, n-1 below: its whole tree is serial.
 * S(n) = 15 + S(n-1) above, S(CUT) = 10 + max(W(CUT-1), W(CUT-2)) + 5 */
#define fib_final_CLOSED (15 * (FIB - CUT) + 15 + fib_work(CUT - 1))
/* Undeferred from CUT on: S(CUT) = W(CUT) */
#define fib_if_CLOSED (15 * (FIB - CUT) + fib_work(CUT))
FIB_CASE(fib, , 1, 0, 0)
FIB_CASE(fib_two, , 0, 0, 0)
FIB_CASE(fib_untied, untied, 1, 0, 0)
FIB_CASE(fib_mergeable, mergeable, 0, 0, 0)
FIB_CASE(fib_final, final(n <= CUT), 0, M_FINAL, CUT)
FIB_CASE(fib_if, if(n > CUT), 0, M_IF0, CUT)

/* As fib, but begun by a task that every thread may see: master without a barrier of its own. */
static void fib_master_run(void)
{
#pragma omp parallel
    {
#pragma omp master
        {
#pragma omp task
            fib_body();
        }
    }
    check(result == 144);
}
static void fib_master_expect(void)
{
    m_fork(P);
    m_task(0);
    fib_model();
    m_end();
    m_join();
    closed(fib_work(FIB), fib_one_span(FIB));
}

/* ---- nqueens: every board costs 1, every safe place is a task that costs 2 more ---- */

enum { QUEENS = 6 };
static int safe(const signed char *board, int row)
{
    for (int i = 0; i < row; i++)
        if (board[i] == board[row] || abs(board[i] - board[row]) == row - i)
            return 0;
    return 1;
}

static int queens(const signed char *above, int row)
{
    int found[QUEENS] = { 0 }, sum = 0;
    cost(1);
    if (row == QUEENS)
        return 1;
    for (int c = 0; c < QUEENS; c++) {
        signed char board[QUEENS];
        memcpy(board, above, row);
        board[row] = c;
        if (!safe(board, row))
            continue;
#pragma omp task untied firstprivate(board, c) shared(found)
        {
            cost(2);
            found[c] = queens(board, row + 1);
        }
    }
#pragma omp taskwait
    for (int c = 0; c < QUEENS; c++)
        sum += found[c];
    return sum;
}
static void queens_body(void) { result = queens((signed char[QUEENS]){ 0 }, 0); }
static void queens_run(void)
{
    in_single(queens_body);
    check(result == 4);
}

static long boards;
static void m_queens(const signed char *above, int row)
{
    boards++;
    m_cost(1);
    if (row == QUEENS)
        return;
    for (int c = 0; c < QUEENS; c++) {
        signed char board[QUEENS];
        memcpy(board, above, row);
        board[row] = c;
        if (!safe(board, row))
            continue;
        m_task(0);
        m_cost(2);
        m_queens(board, row + 1);
        m_end();
    }
    m_taskwait();
}
static void queens_model(void) { m_queens((signed char[QUEENS]){ 0 }, 0); }
static void queens_expect(void)
{
    m_in_single(queens_model);
    closed(3 * boards - 2, 3 * QUEENS + 1); /* 4 of the boards are full */
}

/* ---- flat ---- */

enum { FLAT = 2000 };
static void flat_body(void)
{
    for (int i = 0; i < FLAT; i++)
#pragma omp task
        cost(1 + i % 8);
#pragma omp taskwait
    cost(1);
}
static void flat_model(void)
{
    for (int i = 0; i < FLAT; i++) {
        m_task(0);
        m_cost(1 + i % 8);
        m_end();
    }
    m_taskwait();
    m_cost(1);
}
static void flat_run(void) { in_single(flat_body); }
static void flat_expect(void)
{
    m_in_single(flat_model);
    closed(FLAT / 8 * 36 + 1, 8 + 1);
}

/* The creator spends 1 before each: task i is born at i + 1. */
static void flat_stepped_body(void)
{
    for (int i = 0; i < FLAT; i++) {
        cost(1);
#pragma omp task
        cost(i == 500 ? 1700 : 3);
    }
}
static void flat_stepped_model(void)
{
    for (int i = 0; i < FLAT; i++) {
        m_cost(1);
        m_task(0);
        m_cost(i == 500 ? 1700 : 3);
        m_end();
    }
}
static void flat_stepped_run(void) { in_single(flat_stepped_body); }
static void flat_stepped_expect(void)
{
    m_in_single(flat_stepped_model);
    closed(FLAT + 3 * (FLAT - 1) + 1700, 501 + 1700);
}

/* ---- who waits for whom ---- */

/* Every thread i spends 5 + i and makes three tasks; they are joined by a barrier only. */
static void barrier_run(void)
{
#pragma omp parallel
    {
        int i = omp_get_thread_num();
        cost(5 + i);
        for (int j = 0; j < 3; j++)
#pragma omp task firstprivate(i, j)
            cost(10 * (i + 1) + j);
        cost(1);
#pragma omp barrier
        cost(7);
    }
}
static void barrier_expect(void)
{
    long w = 0;
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(5 + i);
        for (int j = 0; j < 3; j++) {
            m_task(0);
            m_cost(10 * (i + 1) + j);
            m_end();
        }
        m_cost(1);
        w += 5 + i + 30 * (i + 1) + 3 + 1 + 7;
    }
    m_barrier();
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(7);
    }
    m_join();
    closed(w, 5 + (P - 1) + 10 * P + 2 + 7);
}

/* The same, by the end of the region only. */
static void region_end_run(void)
{
#pragma omp parallel
    {
        int i = omp_get_thread_num();
        cost(5 + i);
#pragma omp task firstprivate(i)
        cost(100 - i);
        cost(20);
    }
    cost(2);
}
static void region_end_expect(void)
{
    long w = 2;
    m_fork(P);
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(5 + i);
        m_task(0);
        m_cost(100 - i);
        m_end();
        m_cost(20);
        w += 125;
    }
    m_join();
    m_cost(2);
    closed(w, 105 + 2);
}

/* Tasks of two epochs: those of the first must not reach over the barrier, those of the second start after it. */
static void epochs_run(void)
{
#pragma omp parallel
    {
#pragma omp single nowait
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i)
            cost(10 + i);
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i)
            cost(30 - i);
#pragma omp single
#pragma omp task
        {
#pragma omp task
            cost(40);
            cost(1);
        }
        cost(3);
    }
}
static void epochs_expect(void)
{
    m_fork(P);
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(10 + i);
        m_end();
    }
    m_barrier();
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(30 - i);
        m_end();
    }
    m_barrier();
    m_task(0);
    m_task(0);
    m_cost(40);
    m_end();
    m_cost(1);
    m_end();
    m_barrier();
    for (int i = 0; i < P; i++) {
        m_thread(i);
        m_cost(3);
    }
    m_join();
    closed(145 + 255 + 41 + 3 * P, 19 + 30 + 40 + 3);
}

/* A task in a task, nobody waits: joined by the single's barrier. */
static void nested_body(void)
{
#pragma omp task
    {
        cost(5);
#pragma omp task
        {
            cost(20);
#pragma omp task
            cost(30);
            cost(1);
        }
        cost(2);
    }
    cost(8);
}
static void nested_model(void)
{
    m_task(0);
    m_cost(5);
    m_task(0);
    m_cost(20);
    m_task(0);
    m_cost(30);
    m_end();
    m_cost(1);
    m_end();
    m_cost(2);
    m_end();
    m_cost(8);
}
static void nested_run(void) { in_single(nested_body); }
static void nested_expect(void)
{
    m_in_single(nested_model);
    closed(66, 55);
}

/* taskwait waits for the child (7), not for the grandchild (105). */
static void family(long grandchild)
{
#pragma omp task firstprivate(grandchild)
    {
        cost(5);
#pragma omp task firstprivate(grandchild)
        cost(grandchild);
        cost(2);
    }
}
static void m_family(long grandchild)
{
    m_task(0);
    m_cost(5);
    m_task(0);
    m_cost(grandchild);
    m_end();
    m_cost(2);
    m_end();
}
static void children_only_body(void)
{
    family(100);
#pragma omp taskwait
    cost(50);
}
static void children_only_model(void)
{
    m_family(100);
    m_taskwait();
    m_cost(50);
}
static void children_only_run(void) { in_single(children_only_body); }
static void children_only_expect(void)
{
    m_in_single(children_only_model);
    closed(157, 105); /* not 155 */
}

static void group_body(void)
{
#pragma omp taskgroup
    family(100);
    cost(50);
}
static void group_model(void)
{
    m_group();
    m_family(100);
    m_group_end();
    m_cost(50);
}
static void group_run(void) { in_single(group_body); }
static void group_expect(void)
{
    m_in_single(group_model);
    closed(157, 155);
}

/* A group waits for its own tasks alone: not for the one before it, and an inner group is a part of a child. */
static void group_others_body(void)
{
#pragma omp task
    cost(100);
#pragma omp taskgroup
    {
#pragma omp task
        {
            cost(3);
#pragma omp taskgroup
            {
                family(10);
            }
            family(25);     /* of the outer group: from 18 to 48 */
            cost(4);
        }
        cost(6);
    }
    cost(50);
}
static void group_others_model(void)
{
    m_task(0);
    m_cost(100);
    m_end();
    m_group();
    m_task(0);
    m_cost(3);
    m_group();
    m_family(10);
    m_group_end();
    m_family(25);
    m_cost(4);
    m_end();
    m_cost(6);
    m_group_end();
    m_cost(50);
}
static void group_others_run(void) { in_single(group_others_body); }
static void group_others_expect(void)
{
    m_in_single(group_others_model);
    closed(100 + 3 + 17 + 32 + 4 + 6 + 50, 100); /* the group ends at 48: 98 */
}

/* taskwait in a group, then the group: child at 7, grandchild at 35. */
static void group_and_wait_body(void)
{
#pragma omp taskgroup
    {
        family(30);
#pragma omp taskwait
        cost(40);           /* 47 */
        family(60);         /* 112 */
    }
    cost(1);
}
static void group_and_wait_model(void)
{
    m_group();
    m_family(30);
    m_taskwait();
    m_cost(40);
    m_family(60);
    m_group_end();
    m_cost(1);
}
static void group_and_wait_run(void) { in_single(group_and_wait_body); }
static void group_and_wait_expect(void)
{
    m_in_single(group_and_wait_model);
    closed(37 + 40 + 67 + 1, 113);
}

/* Every thread its own tasks, taskwait and taskgroup: one thread's do not wait for another's. */
static void all_threads_run(void)
{
#pragma omp parallel num_threads(4)
    {
        int i = omp_get_thread_num();
        for (int j = 0; j < 4; j++)
#pragma omp task firstprivate(i, j)
            cost(10 * (i + 1) + j);
#pragma omp taskwait
        cost(100 - 20 * i); /* 113, 103, 93, 83 */
#pragma omp taskgroup
        family(5 * i);      /* 10, 10, 15, 20 */
        cost(i == 2 ? 30 : 0);
    }
}
static void all_threads_expect(void)
{
    m_fork(4);
    for (int i = 0; i < 4; i++) {
        m_thread(i);
        for (int j = 0; j < 4; j++) {
            m_task(0);
            m_cost(10 * (i + 1) + j);
            m_end();
        }
        m_taskwait();
        m_cost(100 - 20 * i);
        m_group();
        m_family(5 * i);
        m_group_end();
        m_cost(i == 2 ? 30 : 0);
    }
    m_join();
    closed(400 + 24 + 280 + 30 + 28 + 30, 138); /* 33+60+15+30; thread 0: 13+100+7 */
}

/* Long chains: each task waits for the next; and each leaves the next alone. */
static void chain_wait(int n)
{
    cost(2);
    if (n) {
#pragma omp task firstprivate(n)
        chain_wait(n - 1);
#pragma omp taskwait
    }
    cost(3);
}
static void m_chain(int n, int wait)
{
    m_cost(2);
    if (n) {
        m_task(0);
        m_chain(n - 1, wait);
        m_end();
        if (wait)
            m_taskwait();
    }
    m_cost(3);
}
static void chain_leave(int n)
{
    cost(2);
    if (n) {
#pragma omp task firstprivate(n)
        chain_leave(n - 1);
    }
    cost(3);
}
static void chain_wait_body(void) { chain_wait(200); }
static void chain_leave_body(void) { chain_leave(200); }
static void chain_wait_model(void) { m_chain(200, 1); }
static void chain_leave_model(void) { m_chain(200, 0); }
static void chain_wait_run(void) { in_single(chain_wait_body); }
static void chain_leave_run(void) { in_single(chain_leave_body); }
static void chain_wait_expect(void)
{
    m_in_single(chain_wait_model);
    closed(201 * 5, 201 * 5);
}
static void chain_leave_expect(void)
{
    m_in_single(chain_leave_model);
    closed(201 * 5, 201 * 2 + 3);
}

/* ---- clauses ---- */

/* if(0): the parent's path goes through it, but its children are tasks as any other, and not waited for. */
static void if0_body(void)
{
    cost(1);
#pragma omp task if (0)
    {
        cost(10);
        family(40);             /* 56 */
        cost(2);
    }
#pragma omp task
    cost(30);                   /* 43 */
#pragma omp taskwait
    cost(9);                    /* 52 */
}
static void if0_model(void)
{
    m_cost(1);
    m_task(M_IF0);
    m_cost(10);
    m_family(40);
    m_cost(2);
    m_end();
    m_task(0);
    m_cost(30);
    m_end();
    m_taskwait();
    m_cost(9);
}
static void if0_run(void) { in_single(if0_body); }
static void if0_expect(void)
{
    m_in_single(if0_model);
    closed(1 + 12 + 47 + 30 + 9, 56);
}

/* Two final tasks run beside each other, what is in them does not; a taskgroup and a taskwait wait for nothing there. */
static void final_task(long c)
{
#pragma omp task final(c > 0) firstprivate(c)
    {
        cost(1);
        check(omp_in_final());
        family(c);
#pragma omp taskgroup
        {
#pragma omp task
            cost(c);
        }
#pragma omp task
        cost(c);
#pragma omp taskwait
    }
}
static void m_final_task(long c)
{
    m_task(M_FINAL);
    m_cost(1);
    m_family(c);
    m_group();
    m_task(0);
    m_cost(c);
    m_end();
    m_group_end();
    m_task(0);
    m_cost(c);
    m_end();
    m_taskwait();
    m_end();
}
static void final_body(void)
{
    final_task(10);
    final_task(20);
    cost(15);
}
static void final_model(void)
{
    m_final_task(10);
    m_final_task(20);
    m_cost(15);
}
static void final_run(void) { in_single(final_body); }
static void final_expect(void)
{
    m_in_single(final_model);
    closed(8 + 30 + 8 + 60 + 15, 8 + 60);
}

/* mergeable: alone, with if(0), in a final task. */
static void mergeable_body(void)
{
    int x = 1;
#pragma omp task mergeable
    cost(20);
#pragma omp task mergeable if (0) shared(x)
    {
        cost(5);
        x = 2;
#pragma omp task
        cost(4);
    }
    check(x == 2);
#pragma omp task final(1)
    {
#pragma omp task mergeable
        cost(8);
#pragma omp task mergeable untied
        cost(9);
    }
#pragma omp taskwait
    cost(1);
}
static void mergeable_model(void)
{
    m_task(0);
    m_cost(20);
    m_end();
    m_task(M_IF0);
    m_cost(5);
    m_task(0);
    m_cost(4);
    m_end();
    m_end();
    m_task(M_FINAL);
    m_task(0);
    m_cost(8);
    m_end();
    m_task(0);
    m_cost(9);
    m_end();
    m_end();
    m_taskwait();
    m_cost(1);
}
static void mergeable_run(void) { in_single(mergeable_body); }
static void mergeable_expect(void)
{
    m_in_single(mergeable_model);
    closed(20 + 9 + 17 + 1, 22 + 1);
}

static void priority_body(void)
{
    for (int i = 0; i < 20; i++)
#pragma omp task priority(i) firstprivate(i)
    {
        cost(1 + i);
#pragma omp task priority(30 - i) firstprivate(i)
        cost(30 - i);
    }
#pragma omp taskwait
    cost(100);
}
static void priority_model(void)
{
    for (int i = 0; i < 20; i++) {
        m_task(0);
        m_cost(1 + i);
        m_task(0);
        m_cost(30 - i);
        m_end();
        m_end();
    }
    m_taskwait();
    m_cost(100);
}
static void priority_run(void) { in_single(priority_body); }
static void priority_expect(void)
{
    m_in_single(priority_model);
    closed(20 * 31 + 100, 120);
}

/* taskyield: whatever runs meanwhile is no part of the task. */
static void yield_body(void)
{
    for (int i = 0; i < 8; i++)
#pragma omp task untied firstprivate(i)
    {
        cost(1 + i);
#pragma omp taskyield
        cost(10);
    }
    cost(2);
#pragma omp taskyield
    cost(3);
#pragma omp taskwait
}
static void yield_model(void)
{
    for (int i = 0; i < 8; i++) {
        m_task(0);
        m_cost(11 + i);
        m_end();
    }
    m_cost(5);
    m_taskwait();
}
static void yield_run(void) { in_single(yield_body); }
static void yield_expect(void)
{
    m_in_single(yield_model);
    closed(36 + 80 + 5, 18);
}

/* What the program passes to its tasks must arrive, where it must be aligned, whatever is hidden beside it. */
struct wide {
    _Alignas(16) long v[6];
};
struct wider {
    _Alignas(64) char v[192];
};
static void aligned_body(void)
{
    struct wide a = { { 1, 2, 3, 4, 5, 6 } };
    struct wider b;
    memset(b.v, 7, sizeof b.v);
    char odd[13] = "a dozen char";
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
        a.v[5] = i;
#pragma omp task firstprivate(a, i, odd)
        {
            check((uintptr_t)&a % 16 == 0 && a.v[0] == 1 && a.v[5] == i && !strcmp(odd, "a dozen char"));
            cost(3 + i);
        }
#pragma omp task firstprivate(b, i)
        {
            check(LIBOMP || (uintptr_t)&b % 64 == 0); /* libomp 14 aligns to no more than 16 */
            check(b.v[0] == 7 && b.v[191] == 7);
            cost(i);
        }
    }
    cost(2);
}
static void aligned_model(void)
{
    m_group();
    for (int i = 0; i < 10; i++) {
        m_task(0);
        m_cost(3 + i);
        m_end();
        m_task(0);
        m_cost(i);
        m_end();
    }
    m_group_end();
    m_cost(2);
}
static void aligned_run(void) { in_single(aligned_body); }
static void aligned_expect(void)
{
    m_in_single(aligned_model);
    closed(75 + 45 + 2, 14);
}

/* A firstprivate array of variable length: gcc has a function copy it, clang refuses. */
#ifdef __clang__
static void vla(int n) { }
#else
static void vla(int n)
{
    long a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
#pragma omp task firstprivate(a)
    {
        for (int i = 0; i < n; i++)
            check(a[i] == i * i);
        cost(n);
    }
    memset(a, 0, sizeof a);
}
#endif
static void vla_body(void)
{
    for (int n = 1; n < 20; n++)
        vla(n);
#pragma omp taskwait
    cost(1);
}
static void vla_model(void)
{
    for (int n = 1; n < 20; n++) {
        m_task(0);
        m_cost(n);
        m_end();
    }
    m_taskwait();
    m_cost(1);
}
static void vla_run(void) { in_single(vla_body); }
static void vla_expect(void)
{
    if (LIBOMP) {
        skip("clang refuses firstprivate of variable length");
        return;
    }
    m_in_single(vla_model);
    closed(190 + 1, 20);
}

/* Outside any region there is nobody to run beside: serial, grandchildren included. */
static void outside_run(void)
{
    family(10);
#pragma omp task
    cost(20);
#pragma omp taskwait
#pragma omp taskgroup
    family(30);
    cost(4);
}
static void outside_expect(void)
{
    m_family(10);
    m_task(0);
    m_cost(20);
    m_end();
    m_taskwait();
    m_group();
    m_family(30);
    m_group_end();
    m_cost(4);
    closed(78, 78);
}

/* ---- detach: C waits for A, and A is done when B fulfils its event, at 20; B goes on to 120 ---- */

void omp_fulfill_event_(omp_event_handle_t event);
static int in_fortran;          /* fulfils events by the name that Fortran calls */
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
static void detach_fortran_run(void)
{
    in_fortran = 1;
    in_single(detach_body);
}
static void detach_expect(void)
{
    if (LIBOMP && P == 1)
        skip("libomp 14 fails an assertion: detach needs two threads");
    m_in_single(detach_model);
    closed(326, 221);
}

/* Fulfilled by its own body: nothing but an end; and by the creator, who then waits for it in a group. */
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

/* ---- cancel (with OMP_CANCELLATION=true): the first of a chain cancels, the rest is never begun ---- */

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

/* A has ended but for its event when its group is cancelled; D, of no group, fulfils it at 90: that is the group's end. */
static void spin(int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        sched_yield();
}
static void raise_flag(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
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

/* A task that runs already is left alone up to its cancellation point. */
static void cancel_point_body(void)
{
    int x = 0;
#pragma omp taskgroup
    {
#pragma omp task depend(out : x)
        {
            cost(10);
#pragma omp task                /* a child of the group, too, before it is cancelled: may or may not begin */
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

#define C(NAME) { #NAME, NAME##_run, NAME##_expect }
const struct omp_case task_cases[] = {
    C(fib), C(fib_two), C(fib_untied), C(fib_mergeable), C(fib_final), C(fib_if), C(fib_master), C(queens), C(flat),
    C(flat_stepped), C(barrier), C(region_end), C(epochs), C(nested), C(children_only), C(group), C(group_others),
    C(group_and_wait), C(all_threads), C(chain_wait), C(chain_leave), C(if0), C(final), C(mergeable), C(priority),
    C(yield), C(aligned), C(vla), C(outside), C(detach), { "detach_fortran", detach_fortran_run, detach_expect }, C(detach_self),
    C(detach_if0), C(cancel_group), C(cancel_detached), C(cancel_point), { 0 },
};
