/* wavefront.c - the longest common subsequence of two random strings, by blocks of the table: each
 * waits, by depend clauses, for the one above and the one to the left of it. Of k x k equal blocks
 * at most k can run at a time, and the span is that of 2k - 1: parallelism k^2 / (2k - 1), whatever
 * the machine.
 */
#include "common.h"

static long n, block;
static char *a, *b;
/* Of the table only the blocks' edges are kept: lower ones by block row, right ones by block
 * column, and the corners. */
static int **below, **beside, *corner;

static void fill_block(long bi, long bj, long blocks)
{
    long i0 = bi * block, j0 = bj * block, rows = n - i0 < block ? n - i0 : block,
         columns = n - j0 < block ? n - j0 : block;
    int *up = below[bi] + j0, *down = below[bi + 1] + j0, *left = beside[bj] + i0,
        *right = beside[bj + 1] + i0;
    int diagonal = corner[bi * (blocks + 1) + bj], line[columns];
    memcpy(line, up, sizeof line);
    for (long i = 0; i < rows; i++) {
        int north_west = diagonal, west = left[i];
        diagonal = west;
        for (long j = 0; j < columns; j++) {
            int north = line[j];
            int best = a[i0 + i] == b[j0 + j] ? north_west + 1 : north > west ? north : west;
            north_west = north;
            west = line[j] = best;
        }
        right[i] = west;
    }
    memcpy(down, line, sizeof line);
    corner[(bi + 1) * (blocks + 1) + bj + 1] = line[columns - 1];
}

int main(int argc, char **argv)
{
    arguments(argc, argv, "[n] [block]");
    n = number(0, 12000, 1);
    block = number(1, 400, 1);
    if (block > 1 << 16)
        block = 1 << 16;
    long blocks = (n + block - 1) / block, stride = blocks + 1;
    unsigned long s = 7;
    a = allocated(n, 1);
    b = allocated(n, 1);
    for (long i = 0; i < n; i++) {
        s = s * 6364136223846793005ul + 1442695040888963407ul;
        a[i] = s >> 40 & 3;
        b[i] = s >> 50 & 3;
    }
    below = allocated(stride, sizeof *below);
    beside = allocated(stride, sizeof *beside);
    corner = allocated(stride * stride, sizeof *corner);
    for (long i = 0; i < stride; i++) {
        below[i] = allocated(n, sizeof(int));
        beside[i] = allocated(n, sizeof(int));
    }
    char *done = allocated(stride * stride, 1); /* names the blocks in depend clauses */
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    for (long i = 0; i < blocks; i++)
        for (long j = 0; j < blocks; j++)
#pragma omp task depend(in : done[i * stride + j + 1], done[(i + 1) * stride + j]) \
    depend(out : done[(i + 1) * stride + j + 1]) firstprivate(i, j)
            fill_block(i, j, blocks);
    double ms = ms_since(start);
    printf("lcs(%ld) = %d\n", n, corner[blocks * stride + blocks]);
    fprintf(stderr, "%.3f ms, %ld tasks\n", ms, blocks * blocks);
    for (long i = 0; i < stride; i++) {
        free(below[i]);
        free(beside[i]);
    }
    free(below), free(beside), free(corner), free(done), free(a), free(b);
    return 0;
}
