/* descriptors.c - a program that knows its descriptors: descriptors MS. While threads sleep and
 * wake, it opens what must get the number that was closed last, and closes all numbers that it does
 * not know, as daemons do; what it opens next must stay open and be what it was.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *sleeper(void *us)
{
    for (;;)
        usleep((long)us);
    return 0;
}

static void close_all_from(unsigned first)
{
#if __GLIBC_PREREQ(2, 34)
    close_range(first, ~0u, 0);
#else
    for (int d = getdtablesize() - 1; d >= (int)first; d--)
        close(d);
#endif
}

static long ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    (void)argc;
    for (long i = 0; i < 40; i++)
        pthread_create(&thread, 0, sleeper, (void *)(300 + 29 * i));
    long others = 0, lost = 0;
    for (long end = ms() + atoi(argv[1]); ms() < end;) {
        int first = open("/dev/null", O_RDONLY);
        close(first);
        int second = open("/dev/zero", O_RDONLY);
        others += first != second;
        close_all_from(3);
        int third = open("/dev/zero", O_RDONLY);
        for (int i = 0; i < 20000; i++)
            __asm__ volatile("");
        char c;
        lost += read(third, &c, 1) != 1;
        close(third);
    }
    printf("%ld other numbers, %ld lost\n", others, lost);
    return 0;
}
