/* waiting.c THREADS SECONDS - threads that wait in pause(2) while main sleeps. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    for (int i = argc > 1 ? atoi(argv[1]) : 200; i > 0; i--)
        if (pthread_create(&t, 0, wait_for_ever, 0))
            return 1;
    sleep(argc > 2 ? (unsigned)atoi(argv[2]) : 5);
    return 0;
}
