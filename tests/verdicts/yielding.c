// yielding.c - two threads take turns, and yield until it is theirs. There is no lock.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int turn;
static volatile double sink[2];

__attribute__((noinline)) static void step(int me)
{
    double x = me + 1;
    for (int k = 0; k < 100000; k++)
        x = x / (x + k + 1) + 1;
    sink[me] = x;
}

static void *player(void *arg)
{
    int me = arg != 0;
    for (int i = 0; i < 400; i++) {
        while (atomic_load(&turn) != me)
            sched_yield();
        step(me);
        atomic_store(&turn, !me);
    }
    return 0;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, player, i ? &turn : 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
}
