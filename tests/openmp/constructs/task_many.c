/* task_many.c - many tasks: a tree of a search, children of one creator, long chains. */
#include <string.h>
#include "cases.h"

static long result;

/* nqueens: every board costs 1, every safe place is a task that costs 2 more. */

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
CASE(queens)
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

enum { FLAT = 2000 };
CASE(flat)
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
CASE(flat_stepped)
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
CASE(chain_wait)
static void chain_wait_body(void) { chain_wait(200); }
CASE(chain_leave)
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
