/* locked.c - two threads, or OpenMP's, that spend most of their time in one lock. Its cost is CPU
 * time, whatever else the machine does. */
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void spin(long us)
{
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

static void *worker(void *none)
{
    for (int i = 0; i < 30; i++) {
        spin(500);
        pthread_mutex_lock(&lock);
        spin(4000);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "threads")) {
        pthread_t one, two;
        pthread_create(&one, 0, worker, 0);
        pthread_create(&two, 0, worker, 0);
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
