/* locked.c [TIMES] - threads that sleep inside a lock, 8 times each: most of their time is off the
 * CPU, in the C library's code that waits for the lock. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned updates;
static int times = 8;

static __attribute__((noinline)) void update(void)
{
    static const struct timespec pause = { .tv_nsec = 20000000 };
    pthread_mutex_lock(&lock);
    updates++;
    nanosleep(&pause, 0);
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    for (int i = 0; i < times; i++) {
        update();
        for (volatile unsigned k = 0; k < 1000000; k++)
            ;
    }
    return unused;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        times = atoi(argv[1]);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}
