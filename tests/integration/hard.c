/* hard.c MODE - programs that make it hard for a preloaded library to stay out of the way. Each
 * prints what it finds; check.sh runs it with and without libprof. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include "libprof.h"

static void *spend(void *arg)
{
    libprof_cost((long)arg);
    return arg;
}

static void one_thread(long cost)
{
    pthread_t t;
    if (pthread_create(&t, 0, spend, (void *)cost) || pthread_join(t, 0))
        exit(99);
}

/* "VmRSS" or "VmSize", in KiB */
static long memory(const char *key)
{
    char line[256];
    long v = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)))
            v = atol(line + strlen(key) + 1);
    if (f)
        fclose(f);
    return v;
}

static volatile int go;

static void *race_exit(void *arg)
{
    while (!go)
        ;
    if (arg)
        _exit(0);
    exit(0);
}

static void *forever(void *arg)
{
    for (;;)
        pause();
}

static void *storm(void *arg)
{
    for (;;)
        one_thread(1);
}

static volatile long ended;

static void *detaches_itself(void *cost)
{
    libprof_cost((long)cost);
    pthread_detach(pthread_self());
    __sync_fetch_and_add(&ended, 1);
    return 0;
}

static volatile int tid;

static void *is_detached(void *cost)
{
    libprof_cost((long)cost);
    tid = syscall(SYS_gettid);
    __sync_fetch_and_add(&ended, 1);
    return 0;
}

static void until_gone(void)
{
    while (!tid || !syscall(SYS_tgkill, getpid(), tid, 0))
        sched_yield();
    tid = 0;
}

/* A third thread detaches what is in the slot, or joins it; until there is a thread of its own. */
static volatile pthread_t slot;
static volatile int slot_full;

static void *takes_slot(void *joins)
{
    for (;;) {
        while (!slot_full)
            sched_yield();
        if (pthread_equal(slot, pthread_self()))
            return 0;
        if (joins ? pthread_join(slot, 0) : pthread_detach(slot))
            _exit(98);
        slot_full = 0;
    }
}

static void into_slot(pthread_t t)
{
    while (slot_full)
        sched_yield();
    slot = t;
    slot_full = 1;
}

static volatile int creator_tid;

static void *outlives_creator(void *cost)
{
    while (!creator_tid || !syscall(SYS_tgkill, getpid(), creator_tid, 0))
        sched_yield();
    return detaches_itself(cost);
}

static void *creates_and_goes(void *cost)
{
    pthread_t t;
    pthread_detach(pthread_self());
    if (pthread_create(&t, 0, outlives_creator, cost))
        _exit(97);
    creator_tid = syscall(SYS_gettid);
    return 0;
}

/* The main thread creates N threads, at a cost of 1 each, and joins none. Each costs 3, one costs
 * N. ORDER: which thread detaches them, and when. Prints the bytes of resident memory that a thread
 * leaves, without the first quarter. */
static void detached_memory(const char *order, long n)
{
    int third = !strcmp(order, "third"), reaper = !strcmp(order, "reaper");
    pthread_t t, u;
    long before = 0;
    if ((third || reaper) && pthread_create(&u, 0, takes_slot, (void *)(long)reaper))
        _exit(99);
    for (long i = 0; i < n; i++) {
        void *cost = (void *)(i == n / 2 ? n : 3);
        libprof_cost(1);
        creator_tid = tid = 0;
        if (pthread_create(&t, 0, !strcmp(order, "self") ? detaches_itself : !strcmp(order, "gone")
                           ? creates_and_goes : is_detached, cost))
            _exit(99);
        if (!strcmp(order, "late"))
            until_gone();
        if (third || reaper)
            into_slot(t);
        else if (strcmp(order, "self") && strcmp(order, "gone") && pthread_detach(t))
            _exit(98);
        while (ended < i + 1 - 2 * !strcmp(order, "self"))
            sched_yield();
        if (i == n / 4)
            before = memory("VmRSS");
    }
    while (ended < n)
        sched_yield();
    printf("%ld\n", (memory("VmRSS") - before) * 1024 / (n * 3 / 4));
    fflush(stdout);
    if (third || reaper) {
        into_slot(u);
        pthread_join(u, 0);
    }
    usleep(50000);              /* the last one's end */
}

static pthread_key_t key;

static void key_destructor(void *round)
{
    libprof_region_start("destructor");     /* calls into libprof after the thread's routine */
    libprof_region_stop("destructor");
    if ((long)round < 3)
        pthread_setspecific(key, (void *)((long)round + 1));
}

static void *has_destructor(void *arg)
{
    pthread_setspecific(key, (void *)1);
    return 0;
}

static pthread_t main_thread;

static void *outlives_main(void *cancels)
{
    libprof_cost(5);
    usleep(20000);
    if (cancels)
        pthread_cancel(main_thread);
    usleep(20000);
    puts("last");
    return 0;
}

static void alarm_exit(int sig)
{
    _exit(7);
}

static void *joins(void *arg)
{
    pthread_join(*(pthread_t *)arg, 0);
    return 0;
}

static void print_mask(const char *when)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, 0, &set);
    printf("%s:", when);
    for (int i = 1; i < 65; i++)
        if (sigismember(&set, i) == 1)
            printf(" %d", i);
    printf("\n");
}

static int mode_exit_race(long n, const char *file)
{
    pthread_t t, u;
    one_thread(5);
    pthread_create(&t, 0, race_exit, 0);
    pthread_create(&u, 0, race_exit, (void *)1);
    usleep(1000);
    go = 1;
    for (;;)
        pause();
}

static int mode_detach_memory(long n, const char *file)
{
    if (!file)
        return 97;
    detached_memory(file, n);
    return 0;
}

static int mode_join_memory(long n, const char *file)
{
    long before = 0;
    for (long i = 0; i < n; i++) {
        one_thread(1);
        if (i == n / 4)
            before = memory("VmRSS");
    }
    printf("%ld\n", (memory("VmRSS") - before) * 1024 / (n * 3 / 4));   /* bytes a thread */
    return 0;
}

static int mode_destructor_memory(long n, const char *file)
{
    pthread_t t;
    pthread_key_create(&key, key_destructor);
    long before = 0;
    for (long i = 0; i < n; i++) {
        if (pthread_create(&t, 0, has_destructor, 0) || pthread_join(t, 0))
            return 99;
        if (i == n / 4)
            before = memory("VmSize");
    }
    printf("%ld\n", (memory("VmSize") - before) * 1024 / (n * 3 / 4));
    return 0;
}

/* Each namespace's libc hands out its own keys, but a thread's values are shared. */
static int mode_namespace_keys(long n, const char *file)
{
    /* before glibc 2.34, libc has no keys */
    void *libc = dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_key_create")
                     ? dlmopen(LM_ID_NEWLM, "libc.so.6", RTLD_NOW)
                     : dlmopen(LM_ID_NEWLM, "libpthread.so.0", RTLD_NOW);
    int (*create)(pthread_key_t *, void (*)(void *)) = libc ? dlsym(libc, "pthread_key_create") : 0;
    void *(*get)(pthread_key_t) = libc ? dlsym(libc, "pthread_getspecific") : 0;
    if (!create || !get)
        return 98;
    one_thread(5);
    for (int i = 0; i < 8 && !create(&key, 0); i++)
        printf("%d ", get(key) != 0); /* libdl may have one, before glibc 2.34 */
    return 0;
}

static int mode_stderr_reused(long n, const char *file)
{
    close(2);
    if (open("fd2", O_WRONLY | O_CREAT | O_TRUNC, 0600) != 2)
        return 99;
    one_thread(5);
    return 0;
}

/* A full pipe, which nobody reads. */
static int mode_stderr_full(long n, const char *file)
{
    int p[2];
    char block[4096] = { 0 };
    if (pipe(p))
        return 99;
    fcntl(p[1], F_SETFL, O_NONBLOCK);
    while (write(p[1], block, sizeof block) > 0)
        ;
    fcntl(p[1], F_SETFL, 0);
    dup2(p[1], 2);
    execl("/proc/self/exe", "hard", "thread", (char *)0);
    return 98;
}

static int mode_thread(long n, const char *file)
{
    one_thread(5);
    return 0;
}

static int mode_chdir(long n, const char *file)
{
    one_thread(5);
    return chdir("/") != 0;
}

static int mode_fsize(long n, const char *file)
{
    struct rlimit limit = { 1000, 1000 };
    one_thread(5);
    return setrlimit(RLIMIT_FSIZE, &limit) != 0;
}

/* Its last thread waits for a signal. */
static int mode_main_gone(long n, const char *file)
{
    pthread_t t;
    one_thread(5);
    pthread_create(&t, 0, forever, 0);
    pthread_exit(0);
}

/* The last thread ends the process. */
static _Noreturn void leave_last(bool cancelled)
{
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, 0, outlives_main, (void *)(long)cancelled);
    if (!cancelled)
        thrd_exit(3);
    for (;;)
        pause();
}

static int mode_main_cancelled(long n, const char *file) { leave_last(true); }
static int mode_main_thrd_exit(long n, const char *file) { leave_last(false); }

/* libc has every thread do it, and waits for them. */
static int mode_setuid(long n, const char *file)
{
    one_thread(5);
    usleep(20000); /* libprof's threads sleep */
    for (long i = 0; i < n; i++)
        if (seteuid(geteuid()))
            return 98;
    return 0;
}

static int mode_cancel_pending(long n, const char *file)
{
    one_thread(5);
    pthread_cancel(pthread_self());
    _exit(3);
}

/* _exit from a handler, wherever that strikes. */
static int mode_alarm(long n, const char *file)
{
    struct sigaction act = { .sa_handler = alarm_exit };
    sigaction(SIGALRM, &act, 0);
    ualarm(n, 0);
    storm(0);
    return 97;
}

static int mode_fork_storm(long n, const char *file)
{
    pthread_t t;
    pthread_create(&t, 0, storm, 0);
    pthread_create(&t, 0, storm, 0);
    for (long i = 0; i < n; i++) {
        int status;
        pid_t pid = fork();
        if (!pid) {
            one_thread(5);
            one_thread(5);
            _exit(0);
        }
        if (waitpid(pid, &status, 0) != pid || status)
            return 98;
    }
    _exit(0);
}

static int mode_mask(long n, const char *file)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    one_thread(5);
    print_mask("thread");
    execl("/nonexistent", "x", (char *)0);
    printf("%d ", errno == ENOENT);
    print_mask("exec");
    fflush(stdout);
    int status;
    pid_t pid = fork();
    if (pid && waitpid(pid, &status, 0) != pid) /* its line comes first */
        return 1;
    print_mask(pid ? "parent" : "child");
    fflush(stdout);
    if (!pid)
        _exit(0);
    return 0;
}

static int mode_errno(long n, const char *file)
{
    pthread_t t;
    void *result;
    errno = 77;
    one_thread(5);
    printf("%d ", errno);
    pthread_create(&t, 0, spend, 0);
    pthread_detach(t);
    pthread_create(&t, 0, forever, 0);
    printf("%d ", pthread_tryjoin_np(t, &result) == EBUSY);
    printf("%d\n", errno);
    return 0;
}

/* A join that is cancelled, then done by somebody else. */
static int mode_join_cancelled(long n, const char *file)
{
    pthread_t t, u;
    void *result;
    pthread_create(&t, 0, forever, 0);
    pthread_create(&u, 0, joins, &t);
    usleep(1000);
    pthread_cancel(u);
    pthread_join(u, &result);
    printf("%d ", result == PTHREAD_CANCELED);
    pthread_cancel(t);
    printf("%d ", pthread_join(t, &result));
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}

static void *creates(void *unused)
{
    pthread_t t;
    pthread_cancel(pthread_self());     /* pending until a cancellation point */
    printf("%d ", pthread_create(&t, 0, spend, 0));
    pthread_detach(t);
    pthread_testcancel();
    return unused;
}

/* pthread_create is no cancellation point, also where libprof learns the call path. */
static int mode_create_cancelled(long n, const char *file)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, creates, 0);
    pthread_join(t, &result);
    printf("%d\n", result == PTHREAD_CANCELED);
    return 0;
}

/* N: the number that follows the mode. FILE: what follows that, or NULL. */
static const struct mode {
    const char *name;
    int (*run)(long n, const char *file);
} modes[] = {
    { "exit-race", mode_exit_race },
    { "detach-memory", mode_detach_memory },
    { "join-memory", mode_join_memory },
    { "destructor-memory", mode_destructor_memory },
    { "namespace-keys", mode_namespace_keys },
    { "stderr-reused", mode_stderr_reused },
    { "stderr-full", mode_stderr_full },
    { "thread", mode_thread },
    { "chdir", mode_chdir },
    { "fsize", mode_fsize },
    { "main-gone", mode_main_gone },
    { "main-cancelled", mode_main_cancelled },
    { "main-thrd-exit", mode_main_thrd_exit },
    { "setuid", mode_setuid },
    { "cancel-pending", mode_cancel_pending },
    { "alarm", mode_alarm },
    { "fork-storm", mode_fork_storm },
    { "mask", mode_mask },
    { "errno", mode_errno },
    { "join-cancelled", mode_join_cancelled },
    { "create-cancelled", mode_create_cancelled },
};

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (!strcmp(argv[1], modes[i].name))
            return modes[i].run(argc > 2 ? atol(argv[2]) : 0, argc > 3 ? argv[3] : 0);
    return 97;
}
