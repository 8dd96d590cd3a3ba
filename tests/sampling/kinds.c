/* kinds.c - threads that are off the CPU for one known reason: kinds MODE
 *   handed    one waits for a condition variable, which another signals every 3 ms
 *   naps      two sleep
 *   reads     two read a pipe into which main writes every 10 ms
 *   computes  two compute and wait for nothing
 * Each runs for some 600 ms of that. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 200, NAPS = 60 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, ends[2];
static volatile double sink;

static void compute(double ms)
{
    struct timespec from, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do {
        for (int i = 0; i < 1000; i++)
            sink = sink + i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - from.tv_sec) * 1e3 + (now.tv_nsec - from.tv_nsec) / 1e6 < ms);
}

__attribute__((noinline)) static void take_item(void)
{
    pthread_mutex_lock(&lock);
    while (!items)
        pthread_cond_wait(&filled, &lock);
    items--;
    pthread_mutex_unlock(&lock);
}

static void *taker(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        take_item();
        compute(0.2);
    }
    return unused;
}

static void *giver(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        compute(3);
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

__attribute__((noinline)) static void nap_here(void)
{
    usleep(10000);
    __asm__ volatile("" ::: "memory");
}

static void *napper(void *unused)
{
    for (int i = 0; i < NAPS; i++)
        nap_here();
    return unused;
}

__attribute__((noinline)) static void read_here(void)
{
    char c;
    if (read(ends[0], &c, 1) != 1)
        _exit(1);
    __asm__ volatile("" ::: "memory");
}

static void *reader(void *unused)
{
    for (int i = 0; i < NAPS; i++)
        read_here();
    return unused;
}

__attribute__((noinline)) static void compute_here(void)
{
    compute(600);
    __asm__ volatile("" ::: "memory");
}

static void *computer(void *unused)
{
    compute_here();
    return unused;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    void *(*routine[2])(void *) = { computer, computer };
    pthread_t thread[2];
    if (!strcmp(mode, "handed")) {
        routine[0] = taker;
        routine[1] = giver;
    } else if (!strcmp(mode, "naps")) {
        routine[0] = routine[1] = napper;
    } else if (!strcmp(mode, "reads")) {
        routine[0] = routine[1] = reader;
        if (pipe(ends))
            return 1;
    }
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], 0, routine[i], 0))
            return 1;
    for (int i = 0; ends[0] != ends[1] && i < 2 * NAPS; i++) {
        usleep(5000);
        if (write(ends[1], "x", 1) != 1)
            return 1;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    return 0;
}
