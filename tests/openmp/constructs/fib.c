/* fib.c - recursive tasks, by the clauses of the task. A node costs 10 before its children and 5
 * after them, a leaf 1.
 * W(n) = 15 + W(n-1) + W(n-2), W(0) = W(1) = 1.
 * Two tasks a node: S(n) = 15 + S(n-1) = 15 (n-1) + 1.
 * One task and one call: the calls n, n-2, n-4 ... are one task. The innermost taskwait waits for
 * the children of all of them, for a taskwait knows its task, not its function. With h = n/2 such
 * calls, the call of n-2j+2 creates its task at 10 j:
 * S(n) = max(10 h + 1, max over j = 1..h of 10 j + S(n-2j+1)) + 5 h
 */
#include "cases.h"

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
    CASE(NAME)                                                           \
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
CASE(fib_master)
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
