/* asleep.c MODE - threads of which an off-CPU sample takes long, comes late, or finds a stack that
 * is not the task's. Prints how long they slept, in ns, by their own clocks. many: 300 threads that
 * sleep 1 s while one wakes all the time; brief: threads that sleep 3 ms each, one after the other,
 * on eight threads; small: in a frame of variable size, whose caller is a few bytes; stale: the
 * same, among words that others left there, which look like return addresses, or are some;
 * coroutine: on a stack of its own; altstack: in a handler of a signal, on one.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))
#define THREADS 300

static long slept;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000l + t.tv_nsec;
}

KEPT static void nap(long us)
{
    long start = now();
    usleep(us);
    __atomic_fetch_add(&slept, now() - start, __ATOMIC_RELAXED);
}

static void *sleeper(void *us)
{
    nap((long)us);
    return 0;
}

static void *waker(void *ms)
{
    for (long end = now() + (long)ms * 1000000; now() < end;)
        nap(500);
    return 0;
}

static void *creator(void *ms)
{
    for (long end = now() + (long)ms * 1000000; now() < end;) {
        pthread_t t;
        if (!pthread_create(&t, 0, sleeper, (void *)3000l))
            pthread_join(t, 0);
    }
    return 0;
}

KEPT static void variable(void)         /* nothing below it saves its rbp */
{
    size_t bytes = 4096 + (size_t)getpid() % 512;
    volatile char *memory = alloca(bytes);
    long start = now();
    memory[0] = memory[bytes - 1] = 0;
    usleep(600000 + memory[0]);
    slept = now() - start;
}

static void *small(void *function)      /* its call ends after six bytes: sub, call *%rdi */
{
    ((void (*)(void))function)();
    return 0;
}

KEPT static void *returns_to(void)
{
    return __builtin_return_address(0);
}

KEPT static void *calls(void *(*function)(void))        /* through a register: whom it called cannot
                                                           be seen */
{
    void *there = function();
    __asm__ volatile("" : : "r"(there) : "memory");
    return there;
}

/* Pairs of a saved rbp and where something returns to: behind a call, though nobody is in it; in
 * data, in the middle of code, at its start. */
KEPT static void leave_words(void *behind_call)
{
    void *words[1024] __attribute__((aligned(16)));
    void *const looks_like[] = { behind_call, &slept, (char *)behind_call + 1,
                                 (void *)leave_words };
    for (unsigned i = 0; i < 1024; i += 2) {
        words[i] = &words[i];
        words[i + 1] = looks_like[i / 2 % 4];
    }
    __asm__ volatile("" : : "r"(words) : "memory");
}

KEPT static void among_words(void)
{
    leave_words(calls(returns_to));
    variable();
    __asm__ volatile("");
}

static ucontext_t left;

static void coroutine(void)
{
    nap(600000);
}

static void *other_stack(size_t bytes)
{
    return mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *switches(void *unused)
{
    ucontext_t entered;
    getcontext(&entered);
    entered.uc_stack.ss_sp = other_stack(32768);
    entered.uc_stack.ss_size = 32768;
    entered.uc_link = &left;
    makecontext(&entered, coroutine, 0);
    swapcontext(&left, &entered);
    return unused;
}

static void handler(int signal)
{
    nap(signal * 60000);
}

static void *handles(void *unused)
{
    stack_t stack = { .ss_sp = other_stack(65536), .ss_size = 65536 };
    struct sigaction act = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
    sigaltstack(&stack, 0);
    sigaction(SIGUSR1, &act, 0);        /* 10 */
    raise(SIGUSR1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS + 1];
    int threads = 0;
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "many")) {
        while (threads < THREADS)
            pthread_create(&t[threads++], 0, sleeper, (void *)1000000l);
        pthread_create(&t[threads++], 0, waker, (void *)1000l);
    } else if (!strcmp(mode, "brief")) {
        while (threads < 8)
            pthread_create(&t[threads++], 0, creator, (void *)1500l);
    } else if (!strcmp(mode, "coroutine")) {
        pthread_create(&t[threads++], 0, switches, 0);
    } else if (!strcmp(mode, "altstack")) {
        pthread_create(&t[threads++], 0, handles, 0);
    } else {
        pthread_create(&t[threads++], 0, small,
                       (void *)(strcmp(mode, "stale") ? variable : among_words));
    }
    while (threads)
        pthread_join(t[--threads], 0);
    printf("%ld\n", slept);
    return 0;
}
