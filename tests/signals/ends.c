/* ends.c - a program that signals end, and some that they do not. Its output and its end must be
 * the same with and without libprof. Each mode first does something parallel, of work 16 and span
 * 13 under the virtual clock.
 *   run COMMAND...     the command's end: status, signal, core dump
 *   kill N, thread N   the signal N for the process, for a thread that computes
 *   segv bus fpe ill trap abort overflow overflow-thread    faults
 *   abort-left, abort-handled, quick    the handlers of SIGABRT, or of quick_exit, do the parallel
 *                      work again
 *   ignored N, handled N, back N, once N      what the program says about the signal
 *   asked              dispositions as the program finds them
 *   suspended, waits, descriptor      blocked, and waited for
 *   masked             every thread blocks it for ever; another one comes
 *   children           of vfork, fork and posix_spawn die of it
 *   busy N             computes until the signal N comes
 *   first              process 1: what is sent to it is dropped
 *   hook               the signal strikes at any moment of creations of threads
 *   system             a shell changes SIGINT meanwhile
 *   raw, raw-other     the last thread leaves by the system call exit: the main thread, or another.
 *                      Before Linux 5.17 the status is that of the main thread
 *   nothing N          nothing parallel before
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libprof.h"

extern char **environ;
static volatile unsigned long sink;
static int number;

static void say(const char *what)
{
    if (write(1, what, strlen(what)) < 0)
        _exit(9);
}

static void *spend(void *cost)
{
    libprof_cost((long)cost);
    return 0;
}

static void parallel(void)
{
    pthread_t t[3];
    libprof_cost(10);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, spend, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}

static void *compute(void *unused)
{
    for (;;)
        sink++;
    return unused;
}

static void *leave_later(void *unused)
{
    const struct timespec later = { 0, 200000000 };
    nanosleep(&later, 0);
    say("the last\n");
    syscall(SYS_exit, 7);
    return unused;
}

__attribute__((noinline)) void fault_here(void)
{
    *(volatile int *)16 = 1;
    sink++;
}

__attribute__((noinline)) static unsigned deeper(unsigned n)
{
    volatile char room[1000];
    room[n % 1000] = n;
    return deeper(n + 1) + room[(n + 1) % 1000];
}

static void *overflow(void *unused)
{
    sink = deeper(0);
    return unused;
}

static void caught(int n)
{
    say("caught\n");
    if (n != number)
        say("another\n");
}

static void show(const char *name, int n)
{
    struct sigaction a;
    memset(&a, 0xff, sizeof a);
    sigaction(n, 0, &a);
    printf("%s: %s %x %d\n", name,
           a.sa_handler == SIG_DFL   ? "default"
           : a.sa_handler == SIG_IGN ? "ignored"
           : a.sa_handler == caught  ? "ours"
                                     : "?",
           (unsigned)a.sa_flags & ~0x04000000u, sigismember(&a.sa_mask, SIGUSR2));
}

static void child_end(const char *who, pid_t pid)
{
    int status;
    waitpid(pid, &status, 0);
    printf("%s: %s %d\n", who, WIFSIGNALED(status) ? "signal" : "exit",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    fflush(stdout);
}

static void set_one(sigset_t *set, int n)
{
    sigemptyset(set);
    sigaddset(set, n);
}

static int run(char **argv)
{
    const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    setrlimit(RLIMIT_CORE, &all);
    pid_t pid = fork();
    if (!pid) {
        execv(argv[0], argv);
        _exit(127);
    }
    int status;
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status))
        printf("signal %d%s\n", WTERMSIG(status), WCOREDUMP(status) ? ", core" : "");
    else
        printf("exit %d\n", WEXITSTATUS(status));
    return 0;
}

static void asked(void)
{
    static const int numbers[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGSEGV, SIGTERM,
                                   SIGUSR1, SIGPIPE, SIGCHLD, SIGTSTP };
    struct sigaction a, old;
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        show("at first", numbers[i]);
    memset(&a, 0, sizeof a);
    a.sa_handler = SIG_DFL;
    a.sa_flags = SA_RESTART | SA_NODEFER;
    sigaddset(&a.sa_mask, SIGUSR2);
    sigaction(SIGINT, &a, &a);
    printf("what was: %d\n", a.sa_handler == SIG_DFL);
    show("default with flags", SIGINT);
    siginterrupt(SIGINT, 1);
    show("interrupts", SIGINT);
    printf("signal: %d %d %d %d\n", signal(SIGINT, caught) == SIG_DFL,
           signal(SIGINT, SIG_DFL) == caught, signal(SIGINT, SIG_IGN) == SIG_DFL,
           signal(SIGINT, SIG_DFL) == SIG_IGN);
    printf("sysv: %d %d\n", __sysv_signal(SIGTERM, caught) == SIG_DFL,
           __sysv_signal(SIGTERM, SIG_DFL) == caught);
    printf("sigset: %d %d %d\n", sigset(SIGTERM, caught) == SIG_DFL,
           sigset(SIGTERM, SIG_HOLD) == caught, sigset(SIGTERM, SIG_DFL) == SIG_HOLD);
    printf("sigignore: %d\n", sigignore(SIGHUP));
    show("sigignore", SIGHUP);
    errno = 0;
    printf("wrong: %d %d", sigaction(SIGKILL, &a, &old), errno);
    printf(" %d %d", signal(0, SIG_DFL) == SIG_ERR, errno);
    printf(" %d %d\n", signal(65, SIG_IGN) == SIG_ERR, errno);
}

static void spawned(void)
{
    pid_t pid;
    char *argv[] = { "sh", "-c", "kill -TERM $$; echo here", 0 };
    if (!posix_spawnp(&pid, "sh", 0, 0, argv, environ))
        child_end("spawn", pid);
    if (!(pid = vfork())) {
        signal(SIGINT, SIG_DFL);
        signal(SIGUSR1, SIG_IGN);
        kill(getpid(), SIGTERM);
        _exit(1);
    }
    child_end("vfork", pid);
    show("after vfork", SIGUSR1);
    show("after vfork", SIGINT);
    if (!(pid = fork())) {
        libprof_cost(3);
        kill(getpid(), SIGTERM);
        _exit(1);
    }
    child_end("fork", pid);
}

static void *storm(void *unused)
{
    for (int i = 0; i < 1000000; i++) {
        pthread_t t;
        if (!pthread_create(&t, 0, spend, 0))
            pthread_join(t, 0);
    }
    return unused;
}

/* The signal that was sent ends the process meanwhile. */
static int wait_for_end(void)
{
    pause();
    return 8;
}

static int mode_kill(void)
{
    kill(getpid(), number);
    return wait_for_end();
}

static int mode_thread(void)
{
    pthread_t t;
    pthread_create(&t, 0, compute, 0);
    pthread_kill(t, number);
    pthread_join(t, 0);
    return wait_for_end();
}

static int mode_segv(void)
{
    fault_here();
    return wait_for_end();
}

static int mode_bus(void)
{
    char *p = mmap(0, 4096, PROT_READ, MAP_SHARED, fileno(tmpfile()), 0);
    sink = *(volatile char *)p;
    return wait_for_end();
}

static int mode_fpe(void)
{
    volatile int zero = 0;
    sink = number / zero;
    return wait_for_end();
}

static int mode_ill(void)
{
    __asm__ volatile("ud2");
    return wait_for_end();
}

static int mode_trap(void)
{
    __asm__ volatile("int3");
    return wait_for_end();
}

static int mode_abort(void)
{
    pthread_t t;
    __asm__ volatile("" ::: "memory");
    free((void *)&t); /* libc's own abort */
    return wait_for_end();
}

static sigjmp_buf after_abort;

static void jump(int n)
{
    siglongjmp(after_abort, n);
}

static void work_again(int n)
{
    (void)n;
    parallel();
}

static int mode_abort_left(void)
{
    signal(SIGABRT, jump);
    if (!sigsetjmp(after_abort, 1))
        abort();
    parallel();
    say("still here\n");
    return 3;
}

static int mode_abort_handled(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    sigprocmask(SIG_BLOCK, &set, 0);
    signal(SIGABRT, work_again);
    abort();
}

static void work_last(void)
{
    parallel();
    say("last\n");
}

static int mode_quick(void)
{
    at_quick_exit(work_last);
    quick_exit(4);
}

static int mode_overflow(void)
{
    overflow(0);
    return wait_for_end();
}

static int mode_overflow_thread(void)
{
    pthread_t t;
    pthread_create(&t, 0, overflow, 0);
    pthread_join(t, 0);
    return wait_for_end();
}

static int mode_ignored(void)
{
    signal(number, SIG_IGN);
    kill(getpid(), number);
    say("still here\n");
    return 3;
}

static int mode_handled(void)
{
    signal(number, caught);
    kill(getpid(), number);
    return 4;
}

static int mode_back(void)
{
    signal(number, caught);
    kill(getpid(), number);
    signal(number, SIG_DFL);
    kill(getpid(), number);
    return wait_for_end();
}

static int mode_once(void)
{
    struct sigaction a = { .sa_handler = caught, .sa_flags = SA_RESETHAND };
    sigaction(number, &a, 0);
    kill(getpid(), number);
    show("reset", number);
    fflush(stdout);
    kill(getpid(), number);
    return wait_for_end();
}

static int mode_asked(void)
{
    asked();
    return 0;
}

static int mode_suspended(void)
{
    sigset_t one, empty;
    sigemptyset(&empty);
    set_one(&one, number);
    sigprocmask(SIG_BLOCK, &one, 0);
    kill(getpid(), number);
    say("blocked\n");
    sigsuspend(&empty);
    return wait_for_end();
}

static int mode_waits(void)
{
    sigset_t one;
    set_one(&one, number);
    int got = 0;
    sigprocmask(SIG_BLOCK, &one, 0);
    kill(getpid(), number);
    sigwait(&one, &got);
    printf("sigwait %d\n", got);
    return 5;
}

static int mode_descriptor(void)
{
    sigset_t one;
    set_one(&one, number);
    struct signalfd_siginfo got;
    sigprocmask(SIG_BLOCK, &one, 0);
    int fd = signalfd(-1, &one, 0);
    kill(getpid(), number);
    if (read(fd, &got, sizeof got) == sizeof got)
        printf("signalfd %u\n", got.ssi_signo);
    return 6;
}

static int mode_masked(void)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGUSR1);
    sigprocmask(SIG_BLOCK, &all, 0);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGUSR1);
    return wait_for_end();
}

static int mode_children(void)
{
    spawned();
    return 0;
}

static int mode_busy(void)
{
    compute(0);
    return wait_for_end();
}

static int mode_first(void)
{
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGSEGV);
    raise(SIGINT);
    say("still here\n");
    pid_t pid = fork();
    if (!pid) {
        raise(SIGTERM);
        _exit(1);
    }
    child_end("child", pid);
    return 7;
}

static int mode_hook(void)
{
    storm(0);
    return wait_for_end();
}

static int mode_system(void)
{
    printf("system %d\n", system("kill -INT $$"));
    fflush(stdout);
    show("after it", SIGINT);
    fflush(stdout);
    kill(getpid(), SIGINT);
    return wait_for_end();
}

static int mode_raw(void)
{
    syscall(SYS_exit, 3);
    return 0;
}

static int mode_raw_other(void)
{
    pthread_t t;
    pthread_create(&t, 0, leave_later, 0);
    syscall(SYS_exit, 3);
    return 0;
}

static const struct mode {
    const char *name;
    int (*run)(void);
} modes[] = {
    { "kill", mode_kill },
    { "nothing", mode_kill },
    { "thread", mode_thread },
    { "segv", mode_segv },
    { "bus", mode_bus },
    { "fpe", mode_fpe },
    { "ill", mode_ill },
    { "trap", mode_trap },
    { "abort", mode_abort },
    { "abort-left", mode_abort_left },
    { "abort-handled", mode_abort_handled },
    { "quick", mode_quick },
    { "overflow", mode_overflow },
    { "overflow-thread", mode_overflow_thread },
    { "ignored", mode_ignored },
    { "handled", mode_handled },
    { "back", mode_back },
    { "once", mode_once },
    { "asked", mode_asked },
    { "suspended", mode_suspended },
    { "waits", mode_waits },
    { "descriptor", mode_descriptor },
    { "masked", mode_masked },
    { "children", mode_children },
    { "busy", mode_busy },
    { "first", mode_first },
    { "hook", mode_hook },
    { "system", mode_system },
    { "raw", mode_raw },
    { "raw-other", mode_raw_other },
};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    number = argc > 2 ? atoi(argv[2]) : SIGTERM;
    if (!strcmp(mode, "run"))
        return run(argv + 2);
    if (strcmp(mode, "nothing"))
        parallel();
    say("hello\n");
    for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (!strcmp(mode, modes[i].name))
            return modes[i].run();
    return wait_for_end();
}
