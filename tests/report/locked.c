/* locked.c - two threads, or OpenMP's, that spend most of their time in one lock. Its cost is CPU
 * time, whatever else the machine does. The threads take turns: each waits for all that the other
 * costs inside, also where a woken thread gets a processor too late for an unfair lock. */
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static void *last; /* who was inside last */

/* Its name in the files is that of glibc's aliases. */
static __attribute__((noinline)) void spin(long us) __asm__("__GI_spin");
static void spin(long us)
{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

static void *worker(void *me)
{
    for (int i = 0; i < 30; i++) {
        spin(500);
        pthread_mutex_lock(&lock);
        while (last == me)
            pthread_cond_wait(&turn, &lock);
        spin(4000);
        last = me;
        pthread_cond_signal(&turn);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "threads")) {
        pthread_t one, two;
        pthread_create(&one, 0, worker, &one);
        pthread_create(&two, 0, worker, &two);
        pthread_join(one, 0);
        pthread_join(two, 0);
        return 0;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 40; i++) {
        spin(500);
#pragma omp critical
        spin(4000);
    }
    return 0;
}
