/* signals.c - a program that does everything to signals: what it sees must be the same with and
 * without libprof. Burns CPU all the while, in a thread that blocks all signals, too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught[65];
static volatile unsigned sink;

static void handler(int number) { caught[number]++; }

__attribute__((noinline)) void burn_masked(void)
{
    struct timespec t;
    do {
        for (int i = 0; i < 10000; i++)
            sink += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (t.tv_nsec < 300000000);
}

static void *masked(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    burn_masked();
    return unused;
}

int main(void)
{
    struct sigaction a, before;
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    for (int i = 1; i <= SIGRTMAX; i++) {
        memset(&before, 0xff, sizeof before);
        if (sigaction(i, &a, &before) == 0 && before.sa_handler != SIG_DFL && i != SIGPIPE)
            printf("%d had a handler\n", i);
    }
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        raise(i);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        if (caught[i] != 1)
            printf("%d came %d times\n", i, (int)caught[i]);
    signal(SIGRTMAX - 4, SIG_IGN);
    raise(SIGRTMAX - 4);
    if (signal(SIGRTMAX - 4, handler) != SIG_IGN)
        puts("SIG_IGN was forgotten");
    struct itimerval every = { { 0, 10000 }, { 0, 10000 } };
    setitimer(ITIMER_PROF, &every, 0);
    pthread_t t;
    pthread_create(&t, 0, masked, 0);
    pthread_join(t, 0);
    memset(&every, 0, sizeof every);
    setitimer(ITIMER_PROF, &every, 0);
    printf("SIGPROF %s\n", caught[SIGPROF] > 5 ? "came" : "did not come");
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, 0);
    kill(getpid(), SIGUSR1);
    int number = 0;
    sigwait(&one, &number);
    printf("waited for %s\n", number == SIGUSR1 ? "SIGUSR1" : "another");
    return 0;
}
