/* standstill.c - programs whose strands sleep or wait, for check.sh.
 *
 *     standstill turns      two threads that take turns by a condition variable: one runs at a time
 *     standstill rounds     in turn, the first thread sleeps for 25 ms, and two compute, one for
 *                           10 ms and one for 6: so samples find some idle time
 *     standstill creator    a thread that creates two others, and comes to the joins late
 *     standstill asleep     a parallel loop whose iterations sleep
 *     standstill call       a thread that computes by one call, and sleeps by another
 *     standstill serial     no task: sleeps, and a little work
 *     standstill children   no task: waits for two child processes
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void burn(double ms)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    double end = t.tv_sec * 1e3 + t.tv_nsec / 1e6 + ms;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1e3 + t.tv_nsec / 1e6 < end);
}

static void rest(double ms)
{
    struct timespec t = { 0, (long)(ms * 1e6) };
    nanosleep(&t, 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;

static void *take_turns(void *me)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        while (turn != (me != 0))
            pthread_cond_wait(&turned, &lock);
        pthread_mutex_unlock(&lock);
        burn(8);
        pthread_mutex_lock(&lock);
        turn = !turn;
        pthread_mutex_unlock(&lock);
        pthread_cond_broadcast(&turned);
    }
    return 0;
}

static void *work(void *unused)
{
    (void)unused;
    burn(100);
    return 0;
}

static __attribute__((noinline)) void compute(double ms)
{
    burn(ms);
    __asm__ volatile("");       /* no tail call */
}

static void *by_calls(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++) {
        compute(30);
        usleep(60000);          /* the call that sleeps */
    }
    return 0;
}

static void *work_little(void *second)
{
    burn(second ? 6 : 10);
    return 0;
}

static void two(void *(*routine)(void *), double late)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, routine, 0);
    pthread_create(&t[1], 0, routine, &turn);
    rest(late);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "turns"))
        two(take_turns, 0);
    else if (!strcmp(what, "rounds"))
        for (int i = 0; i < 12; i++) {
            rest(25);
            two(work_little, 0);
        }
    else if (!strcmp(what, "creator"))
        two(work, 60);
    else if (!strcmp(what, "asleep")) {
#pragma omp parallel for schedule(dynamic) num_threads(2)
        for (int i = 0; i < 20; i++) {
            rest(40);
            burn(0.2);
        }
    } else if (!strcmp(what, "call")) {
        pthread_t t;
        pthread_create(&t, 0, by_calls, 0);
        burn(300);
        pthread_join(t, 0);
    } else if (!strcmp(what, "serial")) {
        for (int i = 0; i < 10; i++) {
            rest(40);
            burn(2);
        }
    } else if (!strcmp(what, "children")) {
        for (int i = 0; i < 2; i++)
            if (!fork()) {
                burn(100);
                _exit(0);
            }
        while (wait(0) > 0)
            ;
    } else {
        return 1;
    }
    return 0;
}
