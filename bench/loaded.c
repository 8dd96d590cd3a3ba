/* loaded.c - programs that cost the same CPU time on a quiet machine and on a busy one.
 *   loaded fft|loops|short|mutex|asleep
 * fft: OpenMP tasks of some us; loops: 2000 OpenMP loops, a barrier each; short: 106 threads of 2
 * ms, two at a time; mutex: four threads that enter one mutex 100,000 times each; asleep: four
 * threads that sleep, and run for 0.2 ms fifty times.
 */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POINTS = 1 << 17, LEAF = 64, LOOPS = 2000, ITERATIONS = 20000 };

static void leaf(const double complex *in, double complex *out, int n, int stride)
{
    for (int k = 0; k < n; k++) {
        out[k] = 0;
        for (int j = 0; j < n; j++)
            out[k] += in[j * stride] * cexp(-2 * M_PI * I * j * k / n);
    }
}

static void butterflies(double complex *out, int n, int from, int to)
{
    if (to - from <= LEAF) {
        for (int k = from; k < to; k++) {
            double complex u = out[k], t = out[k + n / 2] * cexp(-2 * M_PI * I * k / n);
            out[k] = u + t;
            out[k + n / 2] = u - t;
        }
        return;
    }
#pragma omp task
    butterflies(out, n, from, (from + to) / 2);
#pragma omp task
    butterflies(out, n, (from + to) / 2, to);
#pragma omp taskwait
}

static void fft(const double complex *in, double complex *out, int n, int stride)
{
    if (n <= LEAF / 8) {
        leaf(in, out, n, stride);
        return;
    }
#pragma omp task
    fft(in, out, n / 2, 2 * stride);
#pragma omp task
    fft(in + stride, out + n / 2, n / 2, 2 * stride);
#pragma omp taskwait
    butterflies(out, n, 0, n / 2);
}

static void run_fft(void)
{
    static double complex in[POINTS], out[POINTS];
    for (int i = 0; i < POINTS; i++)
        in[i] = i % 17;
#pragma omp parallel
#pragma omp single
    fft(in, out, POINTS, 1);
}

static void run_loops(void)
{
    static double a[ITERATIONS];
#pragma omp parallel
    for (int r = 0; r < LOOPS; r++) {
#pragma omp for
        for (int i = 0; i < ITERATIONS; i++)
            a[i] = a[i] * 0.5 + i * r;
    }
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void *burn(void *seconds)
{
    for (double until = cpu() + *(double *)seconds; cpu() < until;)
        for (volatile int i = 0; i < 2000; i++)
            ;
    return 0;
}

static void *enter(void *unused)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&mutex);
        for (volatile int k = 0; k < 200; k++)
            ;
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static void *nap(void *unused)
{
    double brief = 2e-4;
    for (int i = 0; i < 50; i++) {
        burn(&brief);
        usleep(5000);
    }
    return unused;
}

static void threads(unsigned n, void *(*body)(void *), void *argument)
{
    pthread_t t[4];
    for (unsigned i = 0; i < n; i++)
        pthread_create(&t[i], 0, body, argument);
    for (unsigned i = 0; i < n; i++)
        pthread_join(t[i], 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    double brief = 2e-3;
    if (!strcmp(what, "fft"))
        run_fft();
    else if (!strcmp(what, "loops"))
        run_loops();
    else if (!strcmp(what, "short"))
        for (int i = 0; i < 53; i++)
            threads(2, burn, &brief);
    else if (!strcmp(what, "mutex"))
        threads(4, enter, 0);
    else if (!strcmp(what, "asleep"))
        threads(4, nap, 0);
    else
        return 2;
    return 0;
}
