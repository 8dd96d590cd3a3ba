/* sparselu.c - LU factorisation, without pivoting, of a sparse matrix of dense blocks, most of
 * which are absent at first and filled in as the elimination reaches them. Step k: factorise the
 * diagonal block, then the row and the column of it, then update what is right and below of both.
 *   phases   a taskwait after the row and column, and one after the updates: what lies between them
 *            is the span
 *   depend   the blocks themselves name what must wait for what: steps overlap
 * Both do the same operations on each block in the same order: the checksum is the same on any
 * number of threads. What sets the check up and makes it, three products of the matrix and a
 * vector, is serial and much of the span; rows other than 0: they are made by tasks of so many
 * rows.
 */
#include <math.h>
#include "common.h"
#include "libprof.h"

static long blocks, size, rows;
static double **matrix;

static double **at(long i, long j) { return &matrix[i * blocks + j]; }

static double *new_block(void) { return allocated(size * size, sizeof(double)); }

static void fill(void)
{
    unsigned long s = 1;
    matrix = allocated(blocks * blocks, sizeof *matrix);
    for (long i = 0; i < blocks; i++)
        for (long j = 0; j < blocks; j++) {
            if (labs(i - j) > 1 && (i % 3 != 0 || j % 4 != 0) && (i + 2 * j) % 7 != 0)
                continue;
            double *b = *at(i, j) = new_block();
            for (long k = 0; k < size * size; k++) {
                s = s * 6364136223846793005ul + 1442695040888963407ul;
                b[k] = (double)(s >> 40) / (1 << 24) - 0.5;
            }
            for (long k = 0; i == j && k < size; k++)
                b[k * size + k] += blocks * size; /* no pivot is small */
        }
}

/* d = L U, in place. */
static void factorise(double *d)
{
    for (long k = 0; k < size; k++)
        for (long i = k + 1; i < size; i++) {
            d[i * size + k] /= d[k * size + k];
            for (long j = k + 1; j < size; j++)
                d[i * size + j] -= d[i * size + k] * d[k * size + j];
        }
}
/* r = L^-1 r */
static void row(const double *d, double *r)
{
    for (long k = 0; k < size; k++)
        for (long i = k + 1; i < size; i++)
            for (long j = 0; j < size; j++)
                r[i * size + j] -= d[i * size + k] * r[k * size + j];
}
/* c = c U^-1 */
static void column(const double *d, double *c)
{
    for (long i = 0; i < size; i++)
        for (long k = 0; k < size; k++) {
            c[i * size + k] /= d[k * size + k];
            for (long j = k + 1; j < size; j++)
                c[i * size + j] -= c[i * size + k] * d[k * size + j];
        }
}
/* *b -= c r; the block comes into being when it is first reached. */
static void update(const double *c, const double *r, double **b)
{
    double *t = *b ? *b : (*b = new_block());
    for (long i = 0; i < size; i++)
        for (long k = 0; k < size; k++)
            for (long j = 0; j < size; j++)
                t[i * size + j] -= c[i * size + k] * r[k * size + j];
}

static void by_phases(void)
{
    for (long k = 0; k < blocks; k++) {
        factorise(*at(k, k));
        for (long j = k + 1; j < blocks; j++)
            if (*at(k, j)) {
#pragma omp task firstprivate(k, j)
                row(*at(k, k), *at(k, j));
            }
        for (long i = k + 1; i < blocks; i++)
            if (*at(i, k)) {
#pragma omp task firstprivate(k, i)
                column(*at(k, k), *at(i, k));
            }
#pragma omp taskwait
        for (long i = k + 1; i < blocks; i++)
            for (long j = k + 1; *at(i, k) && j < blocks; j++)
                if (*at(k, j)) {
#pragma omp task firstprivate(k, i, j)
                    update(*at(i, k), *at(k, j), at(i, j));
                }
#pragma omp taskwait
    }
}

/* Which blocks there will be is known before any is computed: PRESENT. */
static void by_depend(void)
{
    char *present = allocated(blocks * blocks, 1);
    for (long i = 0; i < blocks * blocks; i++)
        present[i] = matrix[i] != NULL;
    for (long k = 0; k < blocks; k++) {
        double **d = at(k, k);
#pragma omp task depend(inout : d[0]) firstprivate(d)
        factorise(*d);
        for (long j = k + 1; j < blocks; j++)
            if (present[k * blocks + j]) {
                double **r = at(k, j);
#pragma omp task depend(in : d[0]) depend(inout : r[0]) firstprivate(d, r)
                row(*d, *r);
            }
        for (long i = k + 1; i < blocks; i++)
            if (present[i * blocks + k]) {
                double **c = at(i, k);
#pragma omp task depend(in : d[0]) depend(inout : c[0]) firstprivate(d, c)
                column(*d, *c);
            }
        for (long i = k + 1; i < blocks; i++)
            for (long j = k + 1; present[i * blocks + k] && j < blocks; j++)
                if (present[k * blocks + j]) {
                    double **c = at(i, k), **r = at(k, j), **b = at(i, j);
                    present[i * blocks + j] = 1;
#pragma omp task depend(in : c[0], r[0]) depend(inout : b[0]) firstprivate(c, r, b)
                    update(*c, *r, b);
                }
    }
#pragma omp taskwait
    free(present);
}

/* y[i] of the matrix, or of the upper (UPPER = 1) or lower (0, with ones on the diagonal) triangle
 * of it, times x. */
static double times_row(int upper, const double *x, long i)
{
    long n = blocks * size;
    double y = upper == 0 ? x[i] : 0;
    for (long j = 0; j < n; j++) {
        const double *b = *at(i / size, j / size);
        if (b && (upper < 0 || (upper ? j >= i : j < i)))
            y += b[i % size * size + j % size] * x[j];
    }
    return y;
}

static void times(int upper, const double *x, double *y)
{
    unsigned long n = blocks * size;
    libprof_region_start("times");
    if (rows) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(rows)
        for (unsigned long i = 0; i < n; i++)
            y[i] = times_row(upper, x, i);
    } else {
        for (unsigned long i = 0; i < n; i++)
            y[i] = times_row(upper, x, i);
    }
    libprof_region_stop("times");
}

int main(int argc, char **argv)
{
    arguments(argc, argv, "[blocks] [block size] [phases|depend] [rows]");
    blocks = number(0, 24, 1);
    size = number(1, 48, 1);
    rows = number(3, 0, 0);
    int depend = chosen(2, "depend");
    fill();
    long n = blocks * size;
    double *x = allocated(4 * n, sizeof *x), *ax = x + n, *ux = ax + n, *lux = ux + n;
    for (long i = 0; i < n; i++)
        x[i] = 1 + i % 5;
    times(-1, x, ax);
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    {
        if (depend)
            by_depend();
        else
            by_phases();
    }
    double ms = ms_since(start), sum = 0, worst = 0;
    times(1, x, ux);
    times(0, ux, lux);
    for (long i = 0; i < n; i++)
        worst = fmax(worst, fabs(ax[i] - lux[i]) / fabs(ax[i]));
    if (!(worst < 1e-9)) {
        fprintf(stderr, "wrong by %g\n", worst);
        return 1;
    }
    for (long i = 0; i < blocks * blocks; i++)
        for (long k = 0; matrix[i] && k < size * size; k++)
            sum += fabs(matrix[i][k]);
    printf("sparselu(%ld, %ld) = %.10g\n", blocks, size, sum);
    fprintf(stderr, "%.3f ms\n", ms);
    for (long i = 0; i < blocks * blocks; i++)
        free(matrix[i]);
    free(matrix);
    free(x);
    return 0;
}
