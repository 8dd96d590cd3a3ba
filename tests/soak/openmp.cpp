// openmp.cpp - soak.hpp on OpenMP (libgomp by g++, libomp by clang++): recursion, loops of chunk 1,
// taskgroups, a wavefront of dependences, taskloops, nested regions.
#include <omp.h>
#include "soak.hpp"

#ifdef PLUGIN
extern "C" long soak_plugin(int n);
long soak_plugin(int n)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < n; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}
#else
static long fib(long n)
{
    soak::count();
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

struct mix {
    enum { N = 24 };
    long at[N][N];

    long wavefront()
    {
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                long *up = &at[i ? i - 1 : i][k], *left = &at[i][k ? k - 1 : k], *me = &at[i][k];
                (void)up;
                (void)left;
#pragma omp task depend(in : *up, *left) depend(out : *me) firstprivate(i, k, up, left, me)
                {
                    soak::count();
                    *me = 1 + (i ? *up % 1000 : 0) + (k ? *left % 1000 : 0);
                }
            }
#pragma omp taskwait
        return at[N - 1][N - 1];
    }

    long round()
    {
        long sum = 0, loops = 0;
#pragma omp parallel reduction(+ : loops)
        {
// The same thread each time: libgomp loses the table of dependences of an implicit task that
// another thread ran.
#pragma omp master
            {
                sum = fib(22);
#pragma omp taskgroup
                for (int i = 0; i < 3000; i++) {
#pragma omp task
                    {
                        soak::count(2);
#pragma omp task
                        asm volatile("");
                    }
                }
                sum += wavefront();
                long inner = 0;
#pragma omp taskloop grainsize(1) shared(inner)
                for (int i = 0; i < 2000; i++) {
                    soak::count();
#pragma omp atomic
                    inner += i;
                }
                sum += inner;
            }
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
            for (int i = 0; i < 10000; i++) {
                soak::count();
                loops++;
            }
#pragma omp barrier
        }
        for (int i = 0; i < 4; i++) {
#pragma omp parallel num_threads(2) reduction(+ : loops)
            {
#pragma omp parallel num_threads(2) reduction(+ : loops)
                {
                    soak::count();
                    loops++;
                }
            }
        }
        return sum + loops;
    }
};

int main(int argc, char **argv)
{
    omp_set_max_active_levels(2);
    return soak::run(argc, argv, mix{});
}
#endif
