/* sixty.c - programs that use signal 60, by which libprof samples, or that no handler of a sample
 * could serve. Each prints what it got; a second thread computes all the while, and has samples.
 *
 *     sixty MODE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

int pthread_attr_setsigmask_np(pthread_attr_t *attr, const sigset_t *mask)
    __attribute__((weak));

static void burn(int ms)
{
    struct timespec t;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static void *burn_thread(void *ms)
{
    burn((long)ms);
    return 0;
}

static pthread_t start(void *(*routine)(void *), void *argument)
{
    pthread_t t;
    pthread_create(&t, 0, routine, argument);
    return t;
}

static sigset_t only(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    return set;
}

static void block(int number)
{
    sigset_t set = only(number);
    pthread_sigmask(SIG_BLOCK, &set, 0);
}

static int is_blocked(void)
{
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, 0, &set);
    return sigismember(&set, 60);
}

static void caught(int number)
{
    printf("caught %d\n", number);
}

/* ---- the default ends the process ---- */

static void by_default(void)
{
    pthread_t t = start(burn_thread, (void *)100);
    pthread_join(t, 0);
    kill(getpid(), 60);
    puts("alive");
}

/* ---- blocked, and waited for ---- */

static void *wait_thread(void *all)
{
    sigset_t set = only(60);
    int number = 0;
    if (all)
        sigfillset(&set);
    printf("sigwait %d", sigwait(&set, &number));
    printf(" %d, blocked %d\n", number, is_blocked());
    return 0;
}

static void waits(int all)
{
    pthread_t busy, t;
    block(60);
    busy = start(burn_thread, (void *)300);
    t = start(wait_thread, (void *)(long)all);
    burn(50);
    kill(getpid(), 60);
    pthread_join(t, 0);
    pthread_join(busy, 0);
}

static void timed(void)
{
    sigset_t set = only(60);
    const struct timespec limit = { 0, 200000000 }, long_limit = { 20, 0 };
    siginfo_t info;
    block(60);
    pthread_t busy = start(burn_thread, (void *)300);
    burn(100);
    int n = sigtimedwait(&set, &info, &limit);
    printf("%d %s\n", n, n < 0 ? strerror(errno) : "");
    union sigval value = { .sival_int = 77 };
    sigqueue(getpid(), 60, value);
    sigqueue(getpid(), 60, value);
    burn(150);
    n = sigtimedwait(&set, &info, &long_limit);
    printf("%d, value %d\n", n, info.si_value.sival_int);
    n = sigwaitinfo(&set, &info);
    printf("%d, value %d\n", n, info.si_value.sival_int);
    n = sigtimedwait(&set, &info, &limit);
    printf("%d %s\n", n, n < 0 ? strerror(errno) : "");
    pthread_join(busy, 0);
}

static void descriptor(void)
{
    sigset_t set = only(60), pending;
    struct signalfd_siginfo info;
    block(60);
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    burn(50);
    printf("%zd\n", read(fd, &info, sizeof info));
    pthread_kill(pthread_self(), 60);
    burn(120);
    sigpending(&pending);
    printf("pending %d\n", sigismember(&pending, 60));
    printf("%zd %u\n", read(fd, &info, sizeof info), info.ssi_signo);
    printf("%zd\n", read(fd, &info, sizeof info));
}

/* Of two descriptors for all signals, the first is closed, and its number is another file's. */
static void descriptor_of_all(void)
{
    sigset_t all;
    struct signalfd_siginfo info;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, 0);
    int first = signalfd(-1, &all, SFD_NONBLOCK), fd = signalfd(-1, &all, SFD_NONBLOCK);
    close(first);
    printf("%d", dup(0) == first);
    burn(50);
    printf(" %zd\n", read(fd, &info, sizeof info));
    for (int i = 0; i < 2; i++) {
        pthread_kill(pthread_self(), 60);
        ssize_t size = read(fd, &info, sizeof info);
        printf("%zd %u\n", size, info.ssi_signo);
    }
    fd = signalfd(-1, &all, SFD_NONBLOCK);
    kill(getpid(), 60);
    printf("%zd", read(fd, &info, sizeof info));
    printf(" %u, code %d\n", info.ssi_signo, info.ssi_code);
}

/* The same on many threads, each of which computes until its samples come. Counts what was not
 * sent. */
static void *reader(void *unsent)
{
    sigset_t all;
    struct signalfd_siginfo info;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, 0);
    burn(3);
    int fd = signalfd(-1, &all, SFD_NONBLOCK);
    pthread_kill(pthread_self(), 60);
    while (read(fd, &info, sizeof info) == sizeof info)
        *(int *)unsent += info.ssi_code != SI_TKILL;
    close(fd);
    return 0;
}

static void descriptor_of_threads(void)
{
    int unsent = 0;
    for (int i = 0; i < 400; i++)
        pthread_join(start(reader, &unsent), 0);
    printf("%d not sent\n", unsent);
}

/* A signal that is blocked when it comes is handled when it is let through. */
static void later(void)
{
    sigset_t set = only(60);
    signal(60, caught);
    block(60);
    burn(50);
    raise(60);
    puts("blocked");
    burn(50);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    printf("open, blocked %d\n", is_blocked());
    raise(60);
    sighold(60);
    raise(60);
    puts("held");
    sigrelse(60);
    puts("released");
}

/* ---- masks ---- */

static void *mask_thread(void *unused)
{
    printf("thread: blocked %d\n", is_blocked());
    return unused;
}

static void masks(const char *self)
{
    sigset_t all, none, old;
    sigfillset(&all);
    sigemptyset(&none);
    pthread_join(start(burn_thread, (void *)20), 0);
    printf("%d", is_blocked());
    sigprocmask(SIG_SETMASK, &all, &old);
    printf("%d%d", sigismember(&old, 60), is_blocked());
    pthread_join(start(mask_thread, 0), 0);
    sigprocmask(SIG_SETMASK, &none, &old);
    printf("%d%d", sigismember(&old, 60), is_blocked());
    sigprocmask(SIG_BLOCK, &all, &old);
    printf("%d%d\n", sigismember(&old, 60), is_blocked());
    fflush(stdout);
    if (!fork()) {
        execl("/nonexistent", "", (char *)0);
        printf("failed: blocked %d\n", is_blocked());
        fflush(stdout);
        unsetenv("LD_PRELOAD");
        execl("/bin/grep", "grep", "SigBlk", "/proc/self/status", (char *)0);
    }
    wait(0);
    (void)self;
}

/* The mask of children that libc starts. */
static void spawned(void)
{
    static const char show[] = "grep SigBlk /proc/self/status";
    char *argv[] = { "grep", "SigBlk", "/proc/self/status", 0 }, line[100] = "";
    pid_t pid;
    sigset_t all;
    sigfillset(&all);
    pthread_join(start(burn_thread, (void *)20), 0);
    unsetenv("LD_PRELOAD");
    sigprocmask(SIG_SETMASK, &all, 0);
    fflush(stdout);
    errno = 77;
    int failed = posix_spawnp(&pid, argv[0], 0, 0, argv, environ) || waitpid(pid, 0, 0) != pid;
    failed |= posix_spawn(&pid, "/bin/grep", 0, 0, argv, environ) || waitpid(pid, 0, 0) != pid;
    failed |= system(show);
    FILE *pipe = popen(show, "r");
    fgets(line, sizeof line, pipe);
    pclose(pipe);
    printf("%serrno %d, failed %d, blocked %d\n", line, errno, failed, is_blocked());
    errno = 77;
    printf("%d", posix_spawn(&pid, "/nonexistent", 0, 0, argv, environ));
    printf(" %d", system("exit 127") >> 8);
    printf(", blocked %d\n", is_blocked());
}

/* The first thread, at which libprof uses libunwind. This thread's mask, and that of a program that
 * it executes, stay. */
static void first_thread(void)
{
    char *argv[] = { "grep", "SigBlk", "/proc/self/status", 0 };
    pid_t pid;
    pthread_join(start(burn_thread, 0), 0);
    printf("blocked %d\n", is_blocked());
    unsetenv("LD_PRELOAD");
    if (posix_spawn(&pid, "/bin/grep", 0, 0, argv, environ) || waitpid(pid, 0, 0) != pid)
        puts("not started");
}

/* What sigaction and signal return, field by field. */
static void show(const char *set)
{
    struct sigaction a;
    memset(&a, 0x55, sizeof a);
    sigaction(60, 0, &a);
    printf("%s: flags %x, restorer %d, handler %d\n", set, a.sa_flags, a.sa_restorer != 0,
           a.sa_handler == caught ? 2 : a.sa_handler != SIG_DFL);
}

static void actions(void)
{
    struct sigaction a = { .sa_handler = caught, .sa_flags = SA_RESTART };
    show("nothing");
    sigaction(60, &a, 0);
    show("a handler");
    sigaction(60, 0, &a);
    sigaction(60, &a, 0);
    show("the same");
    signal(60, SIG_IGN);
    show("ignored");
    siginterrupt(60, 1);
    signal(60, caught);
    show("by signal");
    a.sa_handler = SIG_DFL;
    a.sa_flags = 0;
    sigaction(60, &a, 0);
    show("the default");
}

/* A thread whose attributes block all signals, and one whose attributes open them. */
static void *shows_mask(void *unused)
{
    burn(20);
    printf("blocked %d\n", is_blocked());
    return unused;
}

static void attributes(void)
{
    sigset_t set;
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    for (int all = 1; all >= 0; all--) {
        if (all)
            sigfillset(&set);
        else
            sigemptyset(&set);
        if (pthread_attr_setsigmask_np) /* glibc 2.32 */
            pthread_attr_setsigmask_np(&attr, &set);
        pthread_create(&t, &attr, shows_mask, 0);
        pthread_join(t, 0);
        block(60);
    }
    pthread_join(start(shows_mask, 0), 0);
}

/* Who starts the program has blocked all signals. */
static void inherits(const char *self)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, 0);
    execl(self, self, "inherited", (char *)0);
}

/* The same to another program. */
static void blocks(char **argv)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, 0);
    execv(argv[0], argv);
}

/* Programs that a program starts, which ignores signal 60, ignore it, too. */
static void passes(void)
{
    char *show[] = { "grep", "SigIgn", "/proc/self/status", 0 }, line[100] = "";
    pid_t pid;
    for (int ignores = 1; ignores >= 0; ignores--) {
        signal(60, ignores ? SIG_IGN : SIG_DFL);
        pthread_join(start(burn_thread, (void *)20), 0);
        unsetenv("LD_PRELOAD");
        fflush(stdout);
        int failed = posix_spawn(&pid, "/bin/grep", 0, 0, show, environ) ||
                     waitpid(pid, 0, 0) != pid;
        failed |= system("grep SigIgn /proc/self/status");
        FILE *pipe = popen("grep SigIgn /proc/self/status", "r");
        fgets(line, sizeof line, pipe);
        pclose(pipe);
        if (!(pid = vfork())) {
            execv("/bin/grep", show);
            _exit(1);
        }
        failed |= waitpid(pid, 0, 0) != pid;
        execl("/nonexistent", "x", (char *)0);
        if (ignores)
            raise(60);
        printf("%sfailed %d\n", line, failed);
        pthread_join(start(burn_thread, (void *)20), 0);
    }
    signal(60, SIG_IGN);
    fflush(stdout);
    execv("/bin/grep", show);
}

/* A child of vfork sets its own mask; its parent goes on with the parent's, and in the parent's
 * memory. */
static void vfork_masks(void)
{
    char *show[] = { "grep", "SigBlk", "/proc/self/status", 0 };
    signal(60, caught);
    pthread_join(start(burn_thread, (void *)20), 0);
    unsetenv("LD_PRELOAD");
    for (int before = 0; before < 2; before++) {
        if (before)
            block(60);
        pid_t pid = vfork();
        if (!pid) {
            sigset_t set = only(60);
            sigprocmask(before ? SIG_UNBLOCK : SIG_BLOCK, &set, 0);
            execv("/bin/grep", show);
            _exit(1);
        }
        waitpid(pid, 0, 0);
        printf("blocked %d\n", is_blocked());
        raise(60);
        fflush(stdout);
    }
}

static void inherited(void)
{
    char *argv[] = { "grep", "SigBlk", "/proc/self/status", 0 };
    struct timespec patience = { 10, 0 };
    sigset_t sixty, pending;
    pid_t pid;
    printf("blocked %d", is_blocked());
    pthread_t other = start(burn_thread, (void *)20);
    kill(getpid(), 60);
    pthread_join(other, 0);
    sigpending(&pending);
    sigemptyset(&sixty);
    sigaddset(&sixty, 60);
    printf(", pending %d", sigismember(&pending, 60));
    printf(", came %d\n", sigtimedwait(&sixty, 0, &patience));
    fflush(stdout);
    unsetenv("LD_PRELOAD");
    int failed = posix_spawn(&pid, "/bin/grep", 0, 0, argv, environ) || waitpid(pid, 0, 0) != pid;
    sigsetmask(0);
    printf("failed %d, blocked %d\n", failed, is_blocked());
}

/* ---- threads that a sample's handler would harm ---- */

static void *unaligned_thread(void *unused)
{
    __asm__ volatile("pushfq; orq $0x40000, (%%rsp); popfq" ::: "memory", "cc");
    for (volatile long i = 0; i < 300000000; i++)
        ;
    __asm__ volatile("pushfq; andq $~0x40000, (%%rsp); popfq" ::: "memory", "cc");
    puts("aligned");
    return unused;
}

static volatile char selector;
static volatile int dispatched;

static void dispatch(int number, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    (void)number, (void)info;
    selector = 0;
    dispatched++;
    u->uc_mcontext.gregs[REG_RAX] = 77;
}

static void *dispatch_thread(void *unused)
{
    struct sigaction a = { .sa_sigaction = dispatch, .sa_flags = SA_SIGINFO };
    sigaction(SIGSYS, &a, 0);
    if (prctl(59, 1, 0, 0, &selector)) {
        puts("the kernel does not dispatch");
        return unused;
    }
    for (int i = 0; i < 20; i++) {
        selector = 1;
        for (volatile long k = 0; k < 10000000; k++)
            ;
        selector = 0;
    }
    selector = 1;
    long r = syscall(SYS_getpid);
    selector = 0;
    prctl(59, 0, 0, 0, 0);
    printf("%ld, %d dispatched\n", r, dispatched);
    return unused;
}

/* All that the user may queue, with timers of its own. */
static void queue(void)
{
    const struct rlimit limit = { 8, 8 };
    timer_t timer;
    struct sigevent e = { .sigev_notify = SIGEV_NONE };
    if (setresuid(61234, 61234, 61234))
        puts("not root");
    setrlimit(RLIMIT_SIGPENDING, &limit);
    pthread_t t[8];
    for (int i = 0; i < 8; i++)
        t[i] = start(burn_thread, (void *)30);
    int n = 0;
    while (n < 100 && !timer_create(CLOCK_MONOTONIC, &e, &timer))
        n++;
    printf("%d timers\n", n);
    for (int i = 0; i < 8; i++)
        pthread_join(t[i], 0);
}

/* A thread whose stack no machine has the memory for. The other threads keep their samples. */
static void huge(void)
{
    pthread_attr_t a;
    pthread_t t;
    pthread_join(start(burn_thread, (void *)20), 0);
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, 1ul << 46);
    printf("%s\n", strerror(pthread_create(&t, &a, burn_thread, 0)));
}

/* The first reading of the clock faults in the vdso's data. The kernel starts this fault anew as
 * long as a signal is pending. */
static void first_clock(void)
{
    struct timespec now = { 0 };
    pthread_join(start(burn_thread, (void *)0), 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    puts(now.tv_sec || now.tv_nsec ? "read" : "not read");
}

/* What sigset returns of a signal that is blocked. */
static void held(void)
{
    sigset_t sixty = only(60);
    int got[6], n = 0;
    pthread_join(start(burn_thread, (void *)20), 0);
    signal(60, caught);
    got[n++] = sigset(60, SIG_HOLD) == caught;
    got[n++] = sigset(60, SIG_HOLD) == SIG_HOLD;
    got[n++] = sigset(60, caught) == SIG_HOLD;
    got[n++] = sigset(60, SIG_DFL) == caught;
    sigprocmask(SIG_BLOCK, &sixty, 0);
    got[n++] = sigset(60, SIG_IGN) == SIG_HOLD;
    got[n++] = !is_blocked();
    for (int i = 0; i < n; i++)
        printf("%d ", got[i]);
    /* The program's own signal comes to a thread that blocks it: from then on it has no samples. */
    signal(60, caught);
    sigprocmask(SIG_BLOCK, &sixty, 0);
    raise(60);
    printf("%d\n", sigset(60, SIG_HOLD) == SIG_HOLD);
    printf("%d\n", sigset(60, caught) == SIG_HOLD);
    printf("%d\n", is_blocked());
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    setvbuf(stdout, 0, _IOLBF, 0);
    if (!strcmp(mode, "default"))
        by_default();
    else if (!strcmp(mode, "wait"))
        waits(0);
    else if (!strcmp(mode, "wait-all"))
        waits(1);
    else if (!strcmp(mode, "timed"))
        timed();
    else if (!strcmp(mode, "descriptor-of-all"))
        descriptor_of_all();
    else if (!strcmp(mode, "descriptor-of-threads"))
        descriptor_of_threads();
    else if (!strcmp(mode, "descriptor"))
        descriptor();
    else if (!strcmp(mode, "later"))
        later();
    else if (!strcmp(mode, "masks"))
        masks(argv[0]);
    else if (!strcmp(mode, "held"))
        held();
    else if (!strcmp(mode, "spawned"))
        spawned();
    else if (!strcmp(mode, "first-thread"))
        first_thread();
    else if (!strcmp(mode, "actions"))
        actions();
    else if (!strcmp(mode, "attributes"))
        attributes();
    else if (!strcmp(mode, "passes"))
        passes();
    else if (!strcmp(mode, "inherits"))
        inherits(argv[0]);
    else if (!strcmp(mode, "blocks"))
        blocks(argv + 2);
    else if (!strcmp(mode, "vfork-masks"))
        vfork_masks();
    else if (!strcmp(mode, "inherited"))
        inherited();
    else if (!strcmp(mode, "aligned"))
        pthread_join(start(unaligned_thread, 0), 0);
    else if (!strcmp(mode, "dispatch"))
        pthread_join(start(dispatch_thread, 0), 0);
    else if (!strcmp(mode, "queue"))
        queue();
    else if (!strcmp(mode, "huge"))
        huge();
    else if (!strcmp(mode, "clock"))
        first_clock();
    else
        return 2;
    return 0;
}
