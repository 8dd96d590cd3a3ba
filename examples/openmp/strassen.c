/* strassen.c - matrix multiplication by seven products of halves, a task each, down to a cutoff.
 * The sums before and after them are the caller's: the part of a node that is not parallel.
 */
#include <math.h>
#include "common.h"

static long cutoff;

/* Sub-matrices are a pointer and the length of a row of the matrix they are in. */
struct view {
    double *p;
    long row;
};
static struct view quarter(struct view m, long half, int i, int j)
{
    return (struct view){ m.p + i * half * m.row + j * half, m.row };
}
static struct view fresh(long n) { return (struct view){ allocated(n * n, sizeof(double)), n }; }

/* out = a + sign b */
static struct view sum(long n, struct view a, double sign, struct view b, struct view out)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            out.p[i * out.row + j] = a.p[i * a.row + j] + sign * b.p[i * b.row + j];
    return out;
}

static void multiply(long n, struct view a, struct view b, struct view c)
{
    if (n <= cutoff || n % 2) {
        for (long i = 0; i < n; i++) {
            memset(c.p + i * c.row, 0, n * sizeof(double));
            for (long k = 0; k < n; k++)
                for (long j = 0; j < n; j++)
                    c.p[i * c.row + j] += a.p[i * a.row + k] * b.p[k * b.row + j];
        }
        return;
    }
    long h = n / 2;
    struct view A[2][2], B[2][2], C[2][2], left[7], right[7], m[7];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            A[i][j] = quarter(a, h, i, j), B[i][j] = quarter(b, h, i, j),
            C[i][j] = quarter(c, h, i, j);
    left[0] = sum(h, A[0][0], 1, A[1][1], fresh(h)),
    right[0] = sum(h, B[0][0], 1, B[1][1], fresh(h));
    left[1] = sum(h, A[1][0], 1, A[1][1], fresh(h)), right[1] = B[0][0];
    left[2] = A[0][0], right[2] = sum(h, B[0][1], -1, B[1][1], fresh(h));
    left[3] = A[1][1], right[3] = sum(h, B[1][0], -1, B[0][0], fresh(h));
    left[4] = sum(h, A[0][0], 1, A[0][1], fresh(h)), right[4] = B[1][1];
    left[5] = sum(h, A[1][0], -1, A[0][0], fresh(h)),
    right[5] = sum(h, B[0][0], 1, B[0][1], fresh(h));
    left[6] = sum(h, A[0][1], -1, A[1][1], fresh(h)),
    right[6] = sum(h, B[1][0], 1, B[1][1], fresh(h));
    for (int i = 0; i < 7; i++) {
        struct view l = left[i], r = right[i], out = m[i] = fresh(h);
#pragma omp task firstprivate(h, l, r, out)
        multiply(h, l, r, out);
    }
#pragma omp taskwait
    sum(h, m[0], 1, m[3], C[0][0]), sum(h, C[0][0], -1, m[4], C[0][0]),
        sum(h, C[0][0], 1, m[6], C[0][0]);
    sum(h, m[2], 1, m[4], C[0][1]);
    sum(h, m[1], 1, m[3], C[1][0]);
    sum(h, m[0], -1, m[1], C[1][1]), sum(h, C[1][1], 1, m[2], C[1][1]),
        sum(h, C[1][1], 1, m[5], C[1][1]);
    for (int i = 0; i < 7; i++) {
        free(m[i].p);
        if (left[i].row == h && i != 2 && i != 3)
            free(left[i].p);
        if (right[i].row == h && i != 1 && i != 4)
            free(right[i].p);
    }
}

int main(int argc, char **argv)
{
    arguments(argc, argv, "[n] [cutoff]");
    long n = number(0, 1024, 1);
    cutoff = number(1, 64, 1);
    struct view a = fresh(n), b = fresh(n), c = fresh(n);
    unsigned long s = 1;
    for (long i = 0; i < n * n; i++) {
        s = s * 6364136223846793005ul + 1442695040888963407ul;
        a.p[i] = (double)(s >> 44) / (1 << 20) - 0.5;
        b.p[i] = (double)(s >> 40 & 0xfffff) / (1 << 20) - 0.5;
    }
    double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
    multiply(n, a, b, c);
    double ms = ms_since(start), total = 0, worst = 0;
    for (long i = 0; i < n * n; i++)
        total += fabs(c.p[i]);
    for (long i = 0; i < n; i++) { /* one entry a row, by the definition */
        double x = 0;
        long j = i * 7 % n;
        for (long k = 0; k < n; k++)
            x += a.p[i * n + k] * b.p[k * n + j];
        worst = fmax(worst, fabs(x - c.p[i * n + j]));
    }
    if (!(worst < 1e-8 * n)) {
        fprintf(stderr, "wrong by %g\n", worst);
        return 1;
    }
    printf("strassen(%ld) = %.10g\n", n, total);
    fprintf(stderr, "%.3f ms\n", ms);
    free(a.p);
    free(b.p);
    free(c.p);
    return 0;
}
