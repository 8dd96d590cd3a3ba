// cholesky.cpp - sparse Cholesky factorisation, recursive over a quadtree of 16 x 16 blocks, the
// program of Tallent & Mellor-Crummey's case study (PPoPP 2009, section 5) in TBB. The
// factorisation and its check are parallel; setting the matrix up and freeing it are serial
// helpers, and they are what the other worker waits for.
#include <tbb/parallel_invoke.h>
#include <cmath>
#include <vector>
#include "common.h"
#include "libprof.h"

enum { BLOCK = 16 };

// A quarter of a matrix: NULL is zero; below BLOCK rows the leaf holds numbers.
struct Matrix {
    Matrix *child[4] = {};              // 00, 01, 10, 11
    double *block = nullptr;            // [row * BLOCK + column]
};

static Matrix *new_leaf()
{
    Matrix *m = new Matrix;
    m->block = static_cast<double *>(std::calloc(BLOCK * BLOCK, sizeof(double)));
    return m;
}

static void set_element(long size, Matrix *&m, long row, long column, double value)
{
    if (size == BLOCK) {
        if (!m)
            m = new_leaf();
        m->block[row * BLOCK + column] = value;
        return;
    }
    if (!m)
        m = new Matrix;
    long half = size / 2;
    set_element(half, m->child[(row >= half) * 2 + (column >= half)], row % half, column % half,
                value);
}

static Matrix *copy_matrix(const Matrix *from)
{
    if (!from)
        return nullptr;
    Matrix *m = new Matrix;
    for (int i = 0; i < 4; i++)
        m->child[i] = copy_matrix(from->child[i]);
    if (from->block) {
        m->block = static_cast<double *>(std::malloc(BLOCK * BLOCK * sizeof(double)));
        std::memcpy(m->block, from->block, BLOCK * BLOCK * sizeof(double));
    }
    return m;
}

// What `prof whatif` advises: the upper levels of the tree in parallel.
static Matrix *copy_in_parallel(const Matrix *from, int levels)
{
    if (!from || !levels || from->block)
        return copy_matrix(from);
    Matrix *m = new Matrix;
    tbb::task_group group;
    for (int i = 0; i < 4; i++)
        group.run([=] { m->child[i] = copy_in_parallel(from->child[i], levels - 1); });
    group.wait();
    return m;
}

static void free_matrix(Matrix *m)
{
    if (!m)
        return;
    for (Matrix *c : m->child)
        free_matrix(c);
    std::free(m->block);
    delete m;
}

static void block_cholesky(double *a)
{
    for (int k = 0; k < BLOCK; k++) {
        double pivot = std::sqrt(a[k * BLOCK + k]);
        for (int i = k; i < BLOCK; i++)
            a[i * BLOCK + k] /= pivot;
        for (int j = k + 1; j < BLOCK; j++)
            for (int i = j; i < BLOCK; i++)
                a[i * BLOCK + j] -= a[i * BLOCK + k] * a[j * BLOCK + k];
        for (int j = k + 1; j < BLOCK; j++)
            a[k * BLOCK + j] = 0;
    }
}

// A := A L^-T
static void block_backsub(double *a, const double *l)
{
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < BLOCK; j++) {
            double sum = a[i * BLOCK + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * BLOCK + k] * l[j * BLOCK + k];
            a[i * BLOCK + j] = sum / l[j * BLOCK + j];
        }
}

// R := R - A B^T, of a diagonal block the lower half
static void block_schur(double *r, const double *a, const double *b, bool lower)
{
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < (lower ? i + 1 : BLOCK); j++) {
            double sum = 0;
            for (int k = 0; k < BLOCK; k++)
                sum += a[i * BLOCK + k] * b[j * BLOCK + k];
            r[i * BLOCK + j] -= sum;
        }
}

static void mul_and_subT(long size, bool lower, const Matrix *a, const Matrix *b, Matrix *&r)
{
    if (!a || !b)
        return;
    if (size == BLOCK) {
        if (!r)
            r = new_leaf();
        block_schur(r->block, a->block, b->block, lower);
        return;
    }
    if (!r)
        r = new Matrix;
    long half = size / 2;
    Matrix *const *x = a->child, *const *y = b->child;
    for (int k = 0; k < 2; k++)         // columns of A and B in turn: both add to the same quarters
        tbb::parallel_invoke([&] { mul_and_subT(half, lower, x[k], y[k], r->child[0]); },
                             [&] {
                                 if (!lower)
                                     mul_and_subT(half, false, x[k], y[2 + k], r->child[1]);
                             },
                             [&] { mul_and_subT(half, false, x[2 + k], y[k], r->child[2]); },
                             [&] { mul_and_subT(half, lower, x[2 + k], y[2 + k], r->child[3]); });
}

static void backsub(long size, Matrix *a, const Matrix *l)
{
    if (!a)
        return;
    if (size == BLOCK) {
        block_backsub(a->block, l->block);
        return;
    }
    long half = size / 2;
    auto row = [&](Matrix *&left, Matrix *&right) {
        backsub(half, left, l->child[0]);
        mul_and_subT(half, false, left, l->child[2], right);
        backsub(half, right, l->child[3]);
    };
    tbb::parallel_invoke([&] { row(a->child[0], a->child[1]); },
                         [&] { row(a->child[2], a->child[3]); });
}

static void cholesky(long size, Matrix *a)
{
    if (size == BLOCK) {
        block_cholesky(a->block);
        return;
    }
    long half = size / 2;
    if (!a->child[2]) {
        tbb::parallel_invoke([&] { cholesky(half, a->child[0]); },
                             [&] { cholesky(half, a->child[3]); });
        return;
    }
    cholesky(half, a->child[0]);
    backsub(half, a->child[2], a->child[0]);
    mul_and_subT(half, true, a->child[2], a->child[2], a->child[3]);
    cholesky(half, a->child[3]);
}

// The largest element of the lower half.
static double largest(const Matrix *m)
{
    double most = 0;
    for (int i = 0; m && i < 4; i++)
        most = std::fmax(most, largest(m->child[i]));
    for (int i = 0; m && m->block && i < BLOCK * BLOCK; i++)
        most = std::fmax(most, std::fabs(m->block[i]));
    return most;
}

static Matrix *random_matrix(long n, long size, long nonzeros)
{
    Matrix *a = nullptr;
    unsigned long seed = 1;
    auto next = [&] {
        return seed = seed * 6364136223846793005ul + 1442695040888963407ul, seed >> 33;
    };
    for (long i = 0; i < size; i++)
        set_element(size, a, i, i, i < n ? 1000 : 1);
    for (long k = 0; k < nonzeros; k++) {
        long i = next() % n, j = next() % n;
        if (i != j)
            set_element(size, a, i > j ? i : j, i > j ? j : i, 0.1 + next() % 1000 * 0.001);
    }
    return a;
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[n [nonzeros [levels that are copied in parallel]]]");
    long n = args.number(0, 3000), nonzeros = args.number(1, 10 * n), levels = args.number(2, 0),
         size = BLOCK;
    if (n < 1 || n > 100000 || nonzeros < 0) {
        std::fprintf(stderr, "cholesky: n must be from 1 to 100000\n");
        return 2;
    }
    while (size < n)
        size *= 2;
    Stopwatch watch;
    Matrix *a = random_matrix(n, size, nonzeros), *l;
    {
        libprof_region region("copy_matrix");
        l = copy_in_parallel(a, levels);
    }
    cholesky(size, l);
    mul_and_subT(size, true, l, l, a);  // A - L L^T
    double error = largest(a);
    free_matrix(l);
    free_matrix(a);
    double ms = watch.ms();
    std::printf("%ld x %ld, %ld non-zeros: %s\n", n, n, nonzeros,
                error < 1e-8 ? "correct" : "WRONG");
    std::fprintf(stderr, "%.3f ms\n", ms);
    return error >= 1e-8;
}
