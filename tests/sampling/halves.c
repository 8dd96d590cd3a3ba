/* halves.c [fork] - the main thread is in `first` for half a second, then in `second` as long. A
 * helper is asleep in `nap` beside the first half, and in `second` beside the other one. At the end
 * of a half it prints, as JSON: when the second half began, in ns since the start, and the CPU time
 * of `first` and of `second` so far. With `fork`, a child process runs the second half; its times
 * are since the fork. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HALF = 500000000 };

static long start, middle, cpu[2];

static long read_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static long now(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

static __attribute__((noinline)) void first(void)
{
    long before = read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long end = now() + HALF; now() < end;)
        for (volatile int i = 0; i < 20000; i++)
            ;
    cpu[0] += read_ns(CLOCK_THREAD_CPUTIME_ID) - before;
}

static __attribute__((noinline)) void second(void)
{
    long before = read_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long end = now() + HALF; now() < end;)
        for (volatile int i = 0; i < 20000; i++)
            ;
    __atomic_fetch_add(&cpu[1], read_ns(CLOCK_THREAD_CPUTIME_ID) - before, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void nap(void)
{
    usleep(HALF / 1000);
    __asm__ volatile("");       /* no tail call */
}

static void *helper(void *half)
{
    if (half)
        second();
    else
        nap();
    return 0;
}

static void with_helper(void (*f)(void), void *half)
{
    pthread_t t;
    pthread_create(&t, 0, helper, half);
    f();
    pthread_join(t, 0);
}

static void print(void)
{
    printf("{\"middle\": %ld, \"first\": %ld, \"second\": %ld}\n", middle, cpu[0], cpu[1]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    start = now();
    with_helper(first, 0);
    middle = now() - start;
    print();
    if (argc > 1) {
        pid_t child = fork();
        if (child)
            return waitpid(child, 0, 0) != child;
        middle = cpu[0] = 0;
    }
    with_helper(second, &start);
    print();
    return 0;
}
