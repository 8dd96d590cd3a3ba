/* fsbase.c - threads whose FS base is not their own for a while, as in emulators that run another
 * program's code: no signal may use thread-local storage then. Each mode prints what happened.
 *
 *     fsbase MODE
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOWHERE 8 /* an FS base */

static volatile uint64_t rounds; /* of spin(); a handler ends them */
static volatile int spinning;
static volatile uint64_t seen = 1; /* FS base, in the program's handler */

static inline long call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

/* Counts `rounds` down with FS base BASE; writes to the address 0 at the end if FAULT. No code of
 * libc runs meanwhile. */
static inline void spin(uint64_t base, int fault)
{
    uint64_t own;
    call(SYS_arch_prctl, ARCH_GET_FS, (long)&own, 0);
    call(SYS_arch_prctl, ARCH_SET_FS, base, 0);
    spinning = 1;
    __asm__ volatile("1: decq %0; jg 1b" : "+m"(rounds)::"cc", "memory");
    if (fault)
        __asm__ volatile("movl $0, 0" ::: "memory");
    call(SYS_arch_prctl, ARCH_SET_FS, own, 0);
}

/* A block that looks like a thread's of libc, as a guest's does. */
static uint64_t guest(void)
{
    static uint64_t block[1024] __attribute__((aligned(64)));
    block[512] = block[514] = (uint64_t)(block + 512);
    return block[512];
}

static void *spin_thread(void *base)
{
    spin((uint64_t)base, 0);
    return 0;
}

static void *fault_thread(void *unused)
{
    spin(0, 1);
    return unused;
}

static void caught(int number)
{
    uint64_t base;
    (void)number;
    call(SYS_arch_prctl, ARCH_GET_FS, (long)&base, 0);
    seen = base;
    rounds = 1;
}

static pthread_t start(void *(*routine)(void *), uint64_t base)
{
    pthread_t t;
    pthread_create(&t, 0, routine, (void *)base);
    return t;
}

static void sampled(void)
{
    rounds = 600000000;
    pthread_join(start(spin_thread, 0), 0);
    rounds = 600000000;
    pthread_join(start(spin_thread, guest()), 0);
    puts("counted");
}

/* The thread gets signal NUMBER while it spins. */
static void sent(int number, uint64_t base)
{
    rounds = 1ull << 40;
    pthread_t t = start(spin_thread, base);
    while (!spinning)
        usleep(1000);
    pthread_kill(t, number);
    pthread_join(t, 0);
    printf("FS base there: %lx\n", (unsigned long)seen);
}

static void handled(int number)
{
    struct sigaction a = { .sa_handler = caught };
    sigaction(number, &a, 0);
    sent(number, 0);
}

/* A thread that libc does not know. With BASE it has storage of its own, else its creator's. */
static int bare_thread(void *unused)
{
    (void)unused;
    spinning = 1;
    __asm__ volatile("1: decq %0; jg 1b" : "+m"(rounds)::"cc", "memory");
    call(SYS_exit, 0, 0, 0);
    return 0;
}

static void bare(int number, uint64_t base)
{
    static char stack[65536] __attribute__((aligned(64)));
    int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    rounds = 1ull << 40;
    int tid = clone(bare_thread, stack + sizeof stack, flags | (base ? CLONE_SETTLS : 0), 0, 0,
                    base, 0);
    while (!spinning)
        usleep(1000);
    syscall(SYS_tgkill, getpid(), tid, number);
    while (seen == 1)
        usleep(1000);
    printf("the storage is its own: %d\n", seen == base);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    struct sigaction a = { .sa_handler = caught };
    setvbuf(stdout, 0, _IOLBF, 0);
    rounds = 1; /* a first task, after which libprof has its handlers */
    pthread_join(start(spin_thread, 0), 0);
    spinning = 0;
    if (!strcmp(mode, "sampled"))
        sampled();
    else if (!strcmp(mode, "term"))
        sent(SIGTERM, 0);
    else if (!strcmp(mode, "term-guest"))
        sent(SIGTERM, guest());
    else if (!strcmp(mode, "sixty"))
        sent(60, 0);
    else if (!strcmp(mode, "sixty-handled"))
        handled(60);
    else if (!strcmp(mode, "segv"))
        rounds = 1, pthread_join(start(fault_thread, 0), 0);
    else if (!strcmp(mode, "bare-term"))
        bare(SIGTERM, 0);
    else if (!strcmp(mode, "bare-term-nowhere"))
        bare(SIGTERM, NOWHERE);
    else if (!strcmp(mode, "bare-sixty"))
        bare(60, NOWHERE);
    else if (!strcmp(mode, "bare-handled"))
        sigaction(60, &a, 0), bare(60, NOWHERE);
    return 0;
}
