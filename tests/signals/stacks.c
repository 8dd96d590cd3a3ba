/* stacks.c - handlers' stacks, while signals come that are not the program's.
 *   asks          the alternate stack as the program finds it, sets it, disables it
 *   coroutines K  code on ucontext stacks of K KB, with a page without access below each
 *   small         an alternate stack of the least size, with bytes below that must not change,
 *                 while the thread computes
 *   inside        computes in a handler on such a stack of 8 KB
 *   deep          a handler with SA_ONSTACK, on the main thread and another that have no alternate
 *                 stack, uses 1 MB
 *   deep-late     the same handler, set after two threads have started: one computes, one makes
 *                 calls of libprof's hooks
 *   deep-asleep   the same handler, set while threads sleep, and sent to each by its id
 *   nowhere K     computes while the stack pointer is K
 *   unmapped      a thread unmaps its alternate stack, which stays registered, and computes on
 *   freed         threads free their registered alternate stacks in destructors of thread-specific
 *                 data, and the main thread frees its own at exit, by return and by pthread_exit
 *   storm         a handler uses 256 KB, again and again, while threads are created on 1024 paths
 *   threads       2000 threads, some of which leave by pthread_exit in a handler
 *   children      of vfork and fork take signals, too
 *   60            signal 60, by every name that libc has
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile unsigned long sink;

static void burn(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    long end = t.tv_sec * 1000 + t.tv_nsec / 1000000 + ms;
    do {
        for (int i = 0; i < 1000; i++)
            sink += i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < end);
}

static void *nothing(void *unused)
{
    return unused;
}

static void one_thread(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
}

/* ---- asks ---- */

static char own[65536], other[65536];

static void show(const char *when, const stack_t *s)
{
    printf("%s: %s %zu %d\n", when,
           s->ss_sp == own     ? "own"
           : s->ss_sp == other ? "other"
           : s->ss_sp          ? "?"
                               : "none",
           s->ss_size, s->ss_flags);
}

static volatile int here;

static void where(int number)
{
    (void)number;
    stack_t now;
    char c;
    sigaltstack(0, &now);
    here = (uintptr_t)&c - (uintptr_t)own < sizeof own       ? 1
           : (uintptr_t)&c - (uintptr_t)other < sizeof other ? 2
                                                             : 0;
    printf("handler on %d, flags %d\n", here, now.ss_flags);
}

static void *asks(void *unused)
{
    stack_t s, old, mine = { .ss_sp = own, .ss_size = sizeof own },
                    second = { .ss_sp = other, .ss_size = sizeof other },
                    none = { .ss_flags = SS_DISABLE }, tiny = { .ss_sp = own, .ss_size = 100 };
    sigaltstack(0, &s);
    show("at first", &s);
    printf("set %d\n", sigaltstack(&mine, &old));
    show("before it", &old);
    sigaltstack(0, &s);
    show("set", &s);
    raise(SIGUSR1);
    raise(SIGUSR2);
    printf("second %d\n", sigaltstack(&second, &old));
    show("before it", &old);
    raise(SIGUSR1);
    printf("tiny %d\n", sigaltstack(&tiny, &old));
    printf("disable %d\n", sigaltstack(&none, &old));
    show("before it", &old);
    sigaltstack(0, &s);
    show("disabled", &s);
    printf("disable again %d\n", sigaltstack(&none, &s));
    printf("bad new %d", sigaltstack((void *)16, 0));
    printf(" %d\n", errno);
    printf("bad old %d", sigaltstack(0, (void *)16));
    printf(" %d\n", errno);
    show("before it", &s);
    return unused;
}

/* ---- coroutines ---- */

static ucontext_t back, coroutine;

static void body(void)
{
    for (int i = 0; i < 20; i++) {
        burn(20);
        swapcontext(&coroutine, &back);
    }
}

static void *coroutines(void *size)
{
    size_t bytes = (size_t)size * 1024;
    char *p = mmap(0, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(p, 4096, PROT_NONE);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = p + 4096;
    coroutine.uc_stack.ss_size = bytes;
    coroutine.uc_link = &back;
    makecontext(&coroutine, body, 0);
    for (int i = 0; i < 20; i++)
        swapcontext(&back, &coroutine);
    return 0;
}

/* ---- small, inside, deep ---- */

static void in_handler(int number)
{
    (void)number;
    burn(300);
    puts("computed");
}

static size_t least(void)
{
    size_t n = getauxval(AT_MINSIGSTKSZ);
    return n > MINSIGSTKSZ ? n : MINSIGSTKSZ;
}

static void *small(void *inside)
{
    size_t size = inside ? 8192 + least() : least(), i;
    char *p = malloc(size + 131072);
    memset(p, 0x5a, size + 131072);
    stack_t s = { .ss_sp = p + 65536, .ss_size = size };
    struct sigaction a = { .sa_handler = in_handler, .sa_flags = SA_ONSTACK };
    sigaction(SIGUSR1, &a, 0);
    if (sigaltstack(&s, 0))
        puts("too small");
    if (inside)
        raise(SIGUSR1);
    else
        burn(500);
    for (i = 0; i < 65536 && p[i] == 0x5a; i++)
        ;
    if (i < 65536)
        printf("%zu bytes below the stack were changed\n", 65536 - i);
    s.ss_flags = SS_DISABLE;
    sigaltstack(&s, 0);
    return 0;
}

static void deep_handler(int number)
{
    (void)number;
    volatile char room[1 << 20];
    memset((char *)room, 1, sizeof room);
    printf("deep %d\n", room[sink % sizeof room]);
}

static void *deep(void *unused)
{
    raise(SIGUSR1);
    return unused;
}

/* ---- deep-late ---- */

static volatile int stage; /* the threads have started; the handler is set */

static void *late(void *computes)
{
    pthread_t t;
    __atomic_fetch_add(&stage, 1, __ATOMIC_SEQ_CST);
    while (stage < 3)
        usleep(100);
    if (computes) {
        burn(100);
    } else {
        pthread_create(&t, 0, nothing, 0);
        pthread_join(t, 0);
    }
    raise(SIGUSR1);
    return 0;
}

static void deep_late(struct sigaction *a)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, late, (void *)i);
    while (stage < 2)
        usleep(100);
    sigaction(SIGUSR1, a, 0);
    stage++;
    for (long i = 0; i < 2; i++)
        pthread_join(t[i], 0);
}

/* ---- deep-asleep ---- */

static volatile sig_atomic_t caught_deep;
static volatile int tids[3];

static void deep_silent_handler(int number)
{
    volatile char room[1 << 20];
    memset((char *)room, number, sizeof room);
    caught_deep += room[sink % sizeof room] == number;
}

static void *sleeps(void *n)
{
    tids[(long)n] = gettid();
    while (!stage)
        usleep(100000);
    return 0;
}

int pthread_kill_before_2_34(pthread_t, int);
__asm__(".symver pthread_kill_before_2_34, pthread_kill@GLIBC_2.2.5");

static void deep_asleep(struct sigaction *a)
{
    pthread_t t[3], ended;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, sleeps, (void *)i);
    for (int i = 0; i < 3; i++)
        while (!tids[i])
            usleep(100);
    sigaction(SIGUSR1, a, 0);
    printf("kill %d", pthread_kill(t[0], SIGUSR1));
    printf(" %d", tgkill(getpid(), tids[1], SIGUSR1));
    printf(" %d", pthread_sigqueue(t[2], SIGUSR1, (union sigval){ 0 }));
    while (caught_deep < 3)
        usleep(100);
    printf(" %d\n", pthread_kill_before_2_34(t[0], SIGUSR1));
    while (caught_deep < 4)
        usleep(100);
    stage = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    /* what pthread_kill returns of a thread that has ended depends on its version */
    pthread_create(&ended, 0, nothing, 0);
    usleep(200000);
    printf("ended %d %d\n", pthread_kill(ended, 0), pthread_kill_before_2_34(ended, 0));
    pthread_join(ended, 0);
}

/* ---- nowhere ---- */

static void *nowhere(void *pointer)
{
    long n = 300000000;
    __asm__ volatile("xchg %%rsp, %1\n1:\tdec %0\n\tjnz 1b\n\txchg %%rsp, %1"
                     : "+r"(n), "+r"(pointer));
    return 0;
}

/* ---- unmapped, freed ---- */

#define MAPPED ((size_t)1 << 20)

static void *mapped_stack(void)
{
    stack_t s = { .ss_size = MAPPED };
    s.ss_sp = mmap(0, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&s, 0);
    return s.ss_sp;
}

static void *unmapped(void *again)
{
    stack_t now, none = { .ss_flags = SS_DISABLE };
    char *p = mapped_stack();
    burn(20);
    munmap(p + MAPPED / 2, MAPPED / 2);
    burn(100);
    sigaltstack(0, &now);
    printf("still %d %zu %d\n", now.ss_sp == p, now.ss_size, now.ss_flags);
    munmap(p, MAPPED / 2); /* the other half may be another mapping by now */
    p = mapped_stack();
    printf("another %d\n", munmap(p, MAPPED));
    sigaltstack(&none, &now);
    printf("before %d", now.ss_sp == p);
    sigaltstack(0, &now);
    printf(" none %d %d\n", !now.ss_sp, now.ss_flags);
    if (!again)
        return 0;
    p = mapped_stack();
    munmap(p, MAPPED);
    burn(100);
    return 0; /* a later thread has this one's state, and no stack */
}

static void *stackless(void *unused)
{
    stack_t now;
    sigaltstack(0, &now);
    printf("at first %d %d\n", !now.ss_sp, now.ss_flags);
    return unused;
}

/* malloc maps so large a block, and free unmaps it by a call inside libc. */
static void *large_block(void)
{
    stack_t s = { .ss_size = 8 << 20 };
    s.ss_sp = malloc(s.ss_size);
    sigaltstack(&s, 0);
    return s.ss_sp;
}

static void release(void *block)
{
    free(block);
    burn(100);
}

static pthread_key_t key;

static void *freed(void *leaves)
{
    pthread_setspecific(key, large_block());
    burn(20);
    if (leaves)
        pthread_exit(0);
    return 0;
}

static void *blocks;

static void at_exit(void)
{
    release(blocks);
    puts("released");
}

/* ---- storm ---- */

static volatile sig_atomic_t struck;

static void large_handler(int number)
{
    (void)number;
    volatile char room[256 << 10];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = 1;
    struck++;
}

static void left(int path, int length);

static __attribute__((noinline)) void right(int path, int length)
{
    if (!length)
        one_thread(nothing);
    else if (path & 1)
        left(path >> 1, length - 1);
    else
        right(path >> 1, length - 1);
    sink++;                     /* no tail calls */
}

static __attribute__((noinline)) void left(int path, int length)
{
    if (!length)
        one_thread(nothing);
    else if (path & 1)
        right(path >> 1, length - 1);
    else
        left(path >> 1, length - 1);
    sink++;
}

static void *storm(void *unused)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
    const struct itimerspec often = { { 0, 100000 }, { 0, 100000 } };
    timer_t timer;
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, 0);
    do                          /* a fast machine needs more rounds */
        for (int path = 0; path < 1024; path++)
            left(path, 10);
    while (struck < 100);
    timer_delete(timer);
    puts("struck");
    return unused;
}

/* ---- threads ---- */

static void leaves(int number)
{
    (void)number;
    pthread_exit(0);
}

static void *exits(void *n)
{
    if ((long)n % 3 == 0)
        raise(SIGUSR1);
    return 0;
}

static void threads(void)
{
    struct sigaction a = { .sa_handler = leaves };
    sigaction(SIGUSR1, &a, 0);
    for (long i = 0; i < 500; i++) {
        pthread_t t[4];
        for (int k = 0; k < 4; k++)
            pthread_create(&t[k], 0, exits, (void *)(i + k));
        for (int k = 0; k < 4; k++)
            pthread_join(t[k], 0);
        if (i == 250) {
            a.sa_flags = SA_ONSTACK;
            sigaction(SIGUSR1, &a, 0);
        }
    }
    puts("all ended");
}

/* ---- children ---- */

static void caught(int number)
{
    printf("caught %d\n", number);
}

static void children(void)
{
    int status;
    pid_t pid = vfork();
    if (!pid) {
        stack_t s = { .ss_flags = SS_DISABLE };
        sigaltstack(&s, 0);
        signal(60, SIG_IGN);
        signal(SIGUSR1, SIG_IGN);
        raise(SIGUSR1);
        _exit(3);
    }
    waitpid(pid, &status, 0);
    printf("vfork %d\n", WEXITSTATUS(status));
    burn(200);
    fflush(stdout);
    if (!(pid = fork())) {
        signal(SIGUSR1, caught);
        raise(SIGUSR1);
        burn(200);
        fflush(stdout);
        _exit(4);
    }
    waitpid(pid, &status, 0);
    printf("fork %d\n", WEXITSTATUS(status));
}

/* ---- 60 ---- */

sighandler_t bsd_signal(int, sighandler_t);
int __sigaction(int, const struct sigaction *, struct sigaction *);

static void name_of(sighandler_t h)
{
    puts(h == SIG_DFL ? "default" : h == SIG_IGN ? "ignored" : h == caught ? "caught" : "?");
}

static void sixty(void)
{
    struct sigaction a = { .sa_handler = SIG_DFL };
    sighandler_t (*const set[])(int, sighandler_t) = { signal,      bsd_signal,    ssignal,
                                                       sysv_signal, __sysv_signal, sigset };
    for (unsigned i = 0; i < sizeof set / sizeof set[0]; i++) {
        name_of(set[i](60, SIG_IGN));
        burn(50);
        raise(60);
        name_of(set[i](60, caught));
        burn(50);
        raise(60);
        name_of(set[i](60, SIG_DFL));
        burn(50);
        printf("error %d\n", set[i](60, SIG_ERR) == SIG_ERR);
        sigaction(60, 0, &a);
        printf("%d: %x\n", i, (unsigned)a.sa_flags & ~0x04000000u);
    }
    sigignore(60);
    burn(50);
    raise(60);
    memset(&a, 0, sizeof a);
    __sigaction(60, &a, &a);
    name_of(a.sa_handler);
    burn(50);
    siginterrupt(60, 1);
    sighold(60);
    burn(50);
    sigrelse(60);
    name_of(signal(60, caught));
    sigaction(60, 0, &a);
    printf("interrupts %x\n", (unsigned)a.sa_flags & ~0x04000000u);
    raise(60);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    struct sigaction a = { .sa_handler = where };
    setvbuf(stdout, 0, _IOLBF, 0);
    one_thread(nothing);
    if (!strcmp(mode, "asks")) {
        sigaction(SIGUSR1, &a, 0);
        sigaction(SIGUSR2, &a, 0);
        asks(0);
        one_thread(asks);
        a.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR1, &a, 0);
        asks(0);
        one_thread(asks);
    } else if (!strcmp(mode, "coroutines")) {
        void *size = (void *)atol(argv[2]);
        pthread_t t;
        coroutines(size);
        pthread_create(&t, 0, coroutines, size);
        pthread_join(t, 0);
        puts("done");
    } else if (!strcmp(mode, "small") || !strcmp(mode, "inside")) {
        void *inside = strcmp(mode, "inside") ? 0 : (void *)1;
        pthread_t t;
        small(inside);
        pthread_create(&t, 0, small, inside);
        pthread_join(t, 0);
        puts("done");
    } else if (!strcmp(mode, "deep")) {
        a.sa_handler = deep_handler;
        a.sa_flags = SA_ONSTACK;
        sigaction(SIGUSR1, &a, 0);
        deep(0);
        one_thread(deep);
    } else if (!strcmp(mode, "deep-late")) {
        a.sa_handler = deep_handler;
        a.sa_flags = SA_ONSTACK;
        deep_late(&a);
    } else if (!strcmp(mode, "deep-asleep")) {
        a.sa_handler = deep_silent_handler;
        a.sa_flags = SA_ONSTACK | SA_RESTART;
        deep_asleep(&a);
    } else if (!strcmp(mode, "nowhere")) {
        pthread_t t;
        pthread_create(&t, 0, nowhere, (void *)atol(argv[2]));
        pthread_join(t, 0);
        puts("back");
    } else if (!strcmp(mode, "unmapped")) {
        pthread_t t;
        pthread_create(&t, 0, unmapped, (void *)1);
        pthread_join(t, 0);
        one_thread(stackless);
        unmapped(0);
    } else if (!strcmp(mode, "freed")) {
        pthread_t t[2];
        pthread_key_create(&key, release);
        for (long i = 0; i < 2; i++)
            pthread_create(&t[i], 0, freed, (void *)i);
        for (long i = 0; i < 2; i++)
            pthread_join(t[i], 0);
        blocks = large_block();
        atexit(at_exit);
        if (argc > 2)
            pthread_exit(0);
    } else if (!strcmp(mode, "storm")) {
        a.sa_handler = large_handler;
        sigaction(SIGUSR1, &a, 0);
        one_thread(storm);
    } else if (!strcmp(mode, "threads")) {
        threads();
    } else if (!strcmp(mode, "children")) {
        children();
    } else if (!strcmp(mode, "60")) {
        sixty();
    }
    return 0;
}
