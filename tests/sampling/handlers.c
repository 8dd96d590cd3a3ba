/* handlers.c - signals beside ours that never let a handler return, and threads that wait for every
 * signal there is.
 *
 *   jump   computes with time limits: SIGALRM's handler leaves by longjmp, which does not restore
 *          the mask
 *   all    a thread waits for all signals, in short waits, with sigtimedwait and signalfd; another
 *          computes
 *   own    a handler of the program's for our signal sees the mask that it asked for
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define OURS (SIGRTMAX - 4)

static volatile unsigned sink;
static volatile int stop;

static long cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void burn(long ns)
{
    for (long end = cpu_ns() + ns; cpu_ns() < end;)
        for (int i = 0; i < 1000; i++)
            sink += i;
}

static void *nothing(void *unused) { return unused; }

/* ---- jump ---- */

static jmp_buf limit;

static void late(int number)
{
    (void)number;
    _longjmp(limit, 1);
}

__attribute__((noinline)) void burn_limited(void)
{
    for (;;)
        sink++;
}

__attribute__((noinline)) void burn_after(void)
{
    burn(600000000);
    sink = 1;                   /* no tail call: the frame stays */
}

static void jump(void)
{
    struct sigaction a;
    memset(&a, 0, sizeof a);
    a.sa_handler = late;
    a.sa_flags = SA_NODEFER;
    sigaction(SIGALRM, &a, 0);
    for (volatile int i = 0; i < 2000; i++)
        if (!_setjmp(limit)) {
            const struct itimerval once = { { 0, 0 }, { 0, 100 + i % 300 } };
            setitimer(ITIMER_REAL, &once, 0);
            burn_limited();
        }
    burn_after();
}

/* ---- all ---- */

static void *waits(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, 0);
    int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    while (!stop) {
        const struct timespec soon = { 0, 1000 };
        siginfo_t info;
        struct signalfd_siginfo read_info;
        int number = sigtimedwait(&all, &info, &soon);
        if (number > 0)
            printf("sigtimedwait: %d\n", number);
        if (read(fd, &read_info, sizeof read_info) > 0)
            printf("signalfd: %u\n", read_info.ssi_signo);
    }
    close(fd);
    return unused;
}

static void *computes(void *unused)
{
    burn(600000000);
    return unused;
}

static void all(void)
{
    pthread_t a, b;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, 0);
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, computes, 0);
    pthread_join(b, 0);
    stop = 1;
    pthread_join(a, 0);
    int number = 0;
    raise(SIGUSR1);
    printf("sigwait: %d, %s\n", sigwait(&one, &number), number == SIGUSR1 ? "SIGUSR1" : "another");
}

/* ---- own ---- */

static volatile int calls;

static void seen(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    calls++;
    printf("%d: %s USR1 %d USR2 %d INT %d\n", calls, number == OURS ? "ours" : "another",
           sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2), sigismember(&mask, SIGINT));
}

static void own(void)
{
    struct sigaction a, after;
    sigset_t one;
    memset(&a, 0, sizeof a);
    a.sa_sigaction = seen;
    a.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaddset(&a.sa_mask, SIGUSR1);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    sigprocmask(SIG_BLOCK, &one, 0);
    sigaction(OURS, &a, 0);
    raise(OURS);
    sigaction(OURS, 0, &after);
    printf("%s after it\n", after.sa_handler == SIG_DFL ? "default" : "still there");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, 0);
    if (!strcmp(mode, "jump"))
        jump();
    else if (!strcmp(mode, "all"))
        all();
    else if (!strcmp(mode, "own"))
        own();
    return 0;
}
