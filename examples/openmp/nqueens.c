/* nqueens.c - all ways to place N queens: an untied task a safe place down to a row, serial search
 * below it. The search trees under the tasks are of very different sizes.
 */
#include "common.h"

enum { MOST = 20 };
static int n, task_rows;

static int safe(const char *board, int row, int column)
{
    for (int i = 0; i < row; i++)
        if (board[i] == column || abs(board[i] - column) == row - i)
            return 0;
    return 1;
}

static long search(char *board, int row)
{
    long found = 0;
    if (row == n)
        return 1;
    for (int c = 0; c < n; c++)
        if (safe(board, row, c)) {
            board[row] = c;
            found += search(board, row + 1);
        }
    return found;
}

struct board {
    char column[MOST];
};

static long place(struct board board, int row)
{
    long found[MOST] = { 0 }, sum = 0;
    if (row >= task_rows || row == n)
        return search(board.column, row);
    for (int c = 0; c < n; c++)
        if (safe(board.column, row, c)) {
            board.column[row] = c;
#pragma omp task untied firstprivate(board, row, c) shared(found)
            found[c] = place(board, row + 1);
        }
#pragma omp taskwait
    for (int c = 0; c < n; c++)
        sum += found[c];
    return sum;
}

int main(int argc, char **argv)
{
    arguments(argc, argv, "[n] [rows of tasks]");
    n = number(0, 12, 1);
    task_rows = number(1, 4, 0);
    if (n > MOST) {
        fprintf(stderr, "at most %d queens\n", MOST);
        return 2;
    }
    long result = 0;
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    result = place((struct board){ { 0 } }, 0);
    double ms = ms_since(start);
    printf("queens(%d) = %ld\n", n, result);
    fprintf(stderr, "%.3f ms\n", ms);
    return 0;
}
