/* ending.c - computes for 700 ms and returns, while libprof's thread writes the checkpoint of
 * half a second. With -DSLOW, a library that stands behind libprof.so and makes that thread
 * slow: what it has written gets its name a second later. So the process waits at its end for
 * the checkpoint. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef SLOW

typedef long call_fn(long number, long a, long b, long c, long d, long e, long f);

call_fn any_call __asm__("syscall");
long any_call(long number, long a, long b, long c, long d, long e, long f)
{
    call_fn *next = (call_fn *)dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_renameat2 && gettid() != getpid())
        usleep(1000000);
    return next(number, a, b, c, d, e, f);
}

#else

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    long end = now() + 700;
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    while (now() < end)
        for (volatile int i = 0; i < 20000; i++)
            ;
    return 0;
}

#endif
