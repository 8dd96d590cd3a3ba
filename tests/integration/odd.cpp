// odd.cpp - programs whose spawns stand at odd places; costs are virtual.
//   callbacks   threads that spawn at new places, and a callback of dl_iterate_phdr that does
//   callers     each of 800 places is reached by two functions at once (stripped: one site all the
//   same)
//   tail        calls through pointers, compiled to jumps, so that waiting for a lock and starting
//   a thread return to one place
//   many N      one place to spawn, called from 400 places, N times
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>
#include <utility>
#include "libprof.h"

#define PLACE(n) asm volatile("# place %0" : : "i"(n))

static void *cost(void *units)
{
    libprof_cost((long)units);
    return 0;
}

__attribute__((always_inline)) static inline void run(long units)
{
    pthread_t t;
    if (pthread_create(&t, 0, cost, (void *)units))
        exit(99);
    pthread_join(t, 0);
}

template <int I> __attribute__((noinline)) static void spawn() { run(1); PLACE(I); }
template <int I> __attribute__((noinline)) static void one() { spawn<I>(); PLACE(2 * I); }
template <int I> __attribute__((noinline)) static void other() { spawn<I>(); PLACE(2 * I + 1); }

using function = void (*)();
template <int... I>
static void all(function *f, function *g, function *h, std::integer_sequence<int, I...>)
{
    ((f[I] = spawn<I>), ...);
    ((g[I] = one<I>), ...);
    ((h[I] = other<I>), ...);
}
enum { PLACES = 800 };
static function places[3][PLACES];

static volatile int next_place = PLACES / 2;
static int spawn_in_callback(dl_phdr_info *, size_t, void *)
{
    for (volatile int i = 0; i < 20000; i++)
        ;
    if (next_place < PLACES) {
        places[0][next_place]();
        next_place = next_place + 1;
    }
    return 1;
}

static void *callbacks(void *)
{
    while (next_place < PLACES) {
        dl_iterate_phdr(spawn_in_callback, 0);
        usleep(50);
    }
    return 0;
}

static pthread_barrier_t barrier;
static void *callers(void *which)
{
    for (int i = 0; i < PLACES; i++) {
        pthread_barrier_wait(&barrier);
        places[which ? 1 : 2][i]();
    }
    return 0;
}

static omp_lock_t lock;
static pthread_t started;
static void enter() { omp_set_lock(&lock); }
static void leave() { omp_unset_lock(&lock); }
static void start() { pthread_create(&started, 0, cost, (void *)100L); }
static void finish() { pthread_join(started, 0); }
static void (*volatile steps[])() = { enter, leave, start, finish };

__attribute__((noinline)) static void script()
{
    for (int i = 0; i < 4; i++)
        steps[i]();
    PLACE(-1);
}

static volatile int about_to_wait;
static void tail()
{
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            omp_set_lock(&lock);
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
            while (!about_to_wait)
                usleep(100);
            usleep(50000);      // nothing shows that it waits; the test tries again if it did not
            omp_unset_lock(&lock);
        } else {
            about_to_wait = 1;
            for (int i = 0; i < 3; i++)
                script();
        }
    }
}

__attribute__((noinline)) static void submit()
{
#pragma omp task
    libprof_cost(1);
    PLACE(-2);
}
template <int I> __attribute__((noinline)) static void caller() { submit(); PLACE(I); }
template <int... I> static void callers_of_submit(function *f, std::integer_sequence<int, I...>)
{
    ((f[I] = caller<I>), ...);
}

static void many(int n)
{
    enum { CALLERS = 400 };
    static function f[CALLERS];
    callers_of_submit(f, std::make_integer_sequence<int, CALLERS>());
#pragma omp parallel num_threads(1)
    for (int i = 0; i < n; i++)
        f[i % CALLERS]();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    all(places[0], places[1], places[2], std::make_integer_sequence<int, PLACES>());
    pthread_t t;
    if (!strcmp(mode, "callbacks")) {
        pthread_create(&t, 0, callbacks, 0);
        for (int i = 0; i < PLACES / 2; i++)
            places[0][i]();
        pthread_join(t, 0);
    } else if (!strcmp(mode, "callers")) {
        pthread_barrier_init(&barrier, 0, 2);
        pthread_create(&t, 0, callers, &t);
        callers(0);
        pthread_join(t, 0);
    } else if (!strcmp(mode, "tail")) {
        tail();
    } else if (!strcmp(mode, "many")) {
        many(atoi(argv[2]));
    } else {
        return 2;
    }
    return 0;
}
