/* woken.c - eight threads on fewer processors wait for each other at barriers: who is woken has no
 * processor for long. Prints nothing. */
#include <pthread.h>

enum { THREADS = 8, PHASES = 60 };
static pthread_barrier_t barrier;
static volatile double sink;

static void *phases(void *id)
{
    for (long p = 0; p < PHASES; p++) {
        double x = 1;
        long rounds = p % THREADS == (long)id ? 6000000 : 2000000;
        for (long n = rounds; n > 0; n--)
            x = x * 1.0000001 + 1e-9;
        sink = x;
        pthread_barrier_wait(&barrier);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, phases, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return 0;
}
