/* A library that the program links, so that its fork handlers are registered before libprof starts.
 * natively each program ends and prints its line. -DJOIN, -DSIGNAL, -DMUTEX: what its handler does.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change __attribute__((unused)) = PTHREAD_COND_INITIALIZER;
static pthread_t worker;
static int have, quit __attribute__((unused));

#if defined JOIN                /* ends its worker and joins it */

static void *work(void *unused)
{
    pthread_mutex_lock(&mutex);
    while (!quit)
        pthread_cond_wait(&change, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void prepare(void)
{
    if (!have)
        return;
    pthread_mutex_lock(&mutex);
    quit = 1;
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&mutex);
    pthread_join(worker, 0);
    have = 0;
}

static void after(void)
{
}

void library_call(void)
{
    quit = 0;
    have = have || !pthread_create(&worker, 0, work, 0);
}

#elif defined SIGNAL            /* stops another thread by a signal, and sends one to its own */

static sem_t stopped;
static volatile sig_atomic_t raised;

static void stop(int number)
{
    (void)number;
    sem_post(&stopped);
}

static void note(int number)
{
    (void)number;
    raised++;
}

static void *work(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void prepare(void)
{
    int before = raised;
    if (!have)
        return;
    pthread_kill(worker, SIGUSR1);
    while (sem_wait(&stopped))
        ;
    raise(SIGUSR2);
    if (raised == before)
        puts("the signal is blocked");
}

static void after(void)
{
    int before = raised;
    raise(SIGUSR2);
    if (have && raised == before)
        puts("the signal is blocked after the fork");
}

void library_call(void)
{
    if (have)
        return;
    sem_init(&stopped, 0, 0);
    signal(SIGUSR1, stop);
    signal(SIGUSR2, note);
    have = !pthread_create(&worker, 0, work, 0);
}

#else                           /* MUTEX: takes a mutex under which others create threads */

static void *nothing(void *unused)
{
    return unused;
}

static void *loop(void *unused)
{
    for (;;) {
        pthread_t thread;
        pthread_mutex_lock(&mutex);
        if (!pthread_create(&thread, 0, nothing, 0))
            pthread_join(thread, 0);
        pthread_mutex_unlock(&mutex);
        usleep(1);              /* mutexes are not fair */
    }
    return unused;
}

static void prepare(void)
{
    pthread_mutex_lock(&mutex);
}

static void after(void)
{
    pthread_mutex_unlock(&mutex);
}

void library_call(void)
{
    have = have || !pthread_create(&worker, 0, loop, 0);
}

#endif

__attribute__((constructor)) static void start(void)
{
    pthread_atfork(prepare, after, after);
}
