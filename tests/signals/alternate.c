/* alternate.c - alternate stacks on which no handler has room, while samples come. No signal of the
 * program's comes to them, so natively all is well. And what the program's own handlers find.
 *   tiny        2048 bytes: the kernel takes such a stack, but its frame may need more
 *   protected   the stack has no access for a while
 *   moved       mremap takes the stack away
 *   detached    shmdt does
 *   covered     mmap does, at the same address
 *   reused      free does, and the memory holds other data at once
 *   handlers    two signals at once, with and without an alternate stack; what the handlers see of
 *               stack, mask and floating point, and what is left after them
 *   stacked     eight signals at once, and one more in each handler, with and without an alternate
 *               stack; all handlers return
 *   disarmed    a stack with SS_AUTODISARM: a handler that a signal interrupts goes on, so does one
 *               that has left by swapcontext, and the stack is back in force after them
 *   many        all signals that a program may send, at once, to the main thread, with a large
 *               alternate stack and without; all handlers return
 *   full        handlers nest on a stack until it is full: the process dies of SIGSEGV
 *   full-fault  the same of SIGSEGV's own handler, which faults; its next run is the end
 *   full-own    the same as full, but SIGSEGV has a handler: its frame has no room, either
 *   adopts      as Go: code finds libprof's stack by the system call, takes it for its own, then
 *               sets a handler with SA_ONSTACK
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define BYTES ((size_t)64 << 10)

#ifdef GO /* what Go's linker writes into its programs */
__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
        ".long 4, 4, 4\n.asciz \"Go\"\n.byte 0\n.ascii \"test\"\n.popsection");
#endif

static volatile unsigned long sink;
static volatile uintptr_t handled;

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

static void is_still(const stack_t *set)
{
    stack_t now = { 0 };
    sigaltstack(0, &now);
    printf("%d %zu %d\n", now.ss_sp == set->ss_sp, now.ss_size, now.ss_flags);
}

static char *mapped(stack_t *s)
{
    *s = (stack_t){ .ss_size = BYTES };
    s->ss_sp = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return s->ss_sp;
}

static void on_stack(int number)
{
    handled = (uintptr_t)__builtin_frame_address(0);
    (void)number;
}

static void *tiny(void *unused)
{
    static _Thread_local char block[4096] __attribute__((aligned(64)));
    memset(block, 0x5a, sizeof block);
    stack_t s = { .ss_sp = block + 2048, .ss_size = 2048 };
    stack_t small = { .ss_sp = block, .ss_size = 99 };
    printf("set %d\n", sigaltstack(&s, 0));
    burn(200);
    is_still(&s);
    int changed = 0;
    for (size_t i = 0; i < sizeof block; i++)
        changed += block[i] != 0x5a;
    printf("changed %d, too small %d\n", changed, sigaltstack(&small, 0));
    return unused;
}

static void *protected(void *unused)
{
    stack_t s;
    char *p = mapped(&s);
    sigaltstack(&s, 0);
    mprotect(p, BYTES, PROT_NONE);
    burn(200);
    is_still(&s);
    mprotect(p, BYTES, PROT_READ | PROT_WRITE);
    is_still(&s);
    struct sigaction a = { .sa_handler = on_stack, .sa_flags = SA_ONSTACK };
    sigaction(SIGUSR1, &a, 0);
    raise(SIGUSR1);
    printf("handled there %d\n", handled - (uintptr_t)p < BYTES);
    mprotect(p, 4096, PROT_NONE);       /* a page at its end, as many have */
    raise(SIGUSR1);
    printf("handled there %d\n", handled - (uintptr_t)p < BYTES);
    return unused;
}

static void *moved(void *unused)
{
    stack_t s;
    char *p = mapped(&s), *to = mmap(0, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&s, 0);
    mremap(p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    burn(200);
    is_still(&s);
    return unused;
}

static void *detached(void *unused)
{
    int id = shmget(IPC_PRIVATE, BYTES, 0600);
    stack_t s = { .ss_sp = shmat(id, 0, 0), .ss_size = BYTES };
    shmctl(id, IPC_RMID, 0);
    sigaltstack(&s, 0);
    shmdt(s.ss_sp);
    burn(100);
    is_still(&s);
    return unused;
}

static void *covered(void *unused)
{
    stack_t s;
    char *p = mapped(&s);
    sigaltstack(&s, 0);
    mmap(p, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    burn(100);
    is_still(&s);
    return unused;
}

static void *reused(void *unused)
{
    stack_t s = { .ss_sp = malloc(BYTES), .ss_size = BYTES };
    sigaltstack(&s, 0);
    free(s.ss_sp);
    char *p = malloc(BYTES);
    memset(p, 0x5a, BYTES);
    burn(100);
    size_t changed = 0;
    for (size_t i = 0; i < BYTES; i++)
        changed += p[i] != 0x5a;
    printf("changed %zu\n", changed);
    is_still(&s);
    return unused;
}

/* ---- handlers ---- */

static stack_t registered;
static jmp_buf away;
static volatile int leaves;

static const char *stack_of(const void *p)
{
    return (uintptr_t)p - (uintptr_t)registered.ss_sp < registered.ss_size ? "alternate" : "own";
}

static void looks(int number, siginfo_t *info, void *context)
{
    char room[8192];
    stack_t now;
    sigset_t mask;
    memset(room, number, sizeof room);
    sigaltstack(0, &now);
    pthread_sigmask(SIG_BLOCK, 0, &mask);
    printf("%d %d on %s %d, flags %d, round %d, blocks %d %d %d\n", number,
           info->si_value.sival_int,
           stack_of(room), room[sink % sizeof room], now.ss_flags, fegetround(),
           sigismember(&mask, SIGUSR1), sigismember(&mask, SIGUSR2), sigismember(&mask, SIGHUP));
    printf("set %d\n", registered.ss_size ? sigaltstack(&registered, 0) : 0);
    (void)context;
    if (leaves)
        siglongjmp(away, 1);
}

static void *handlers(void *unused)
{
    struct sigaction a = { .sa_sigaction = looks, .sa_flags = SA_SIGINFO | SA_ONSTACK }, old;
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigaddset(&a.sa_mask, SIGHUP);
    sigaction(SIGUSR1, &a, 0);
    sigaction(SIGUSR2, &a, 0);
    a.sa_flags |= SA_NODEFER | SA_RESETHAND;
    sigaction(SIGALRM, &a, &old);
    printf("old %d\n", old.sa_handler == SIG_DFL);
    sigaction(SIGUSR1, 0, &old);
    printf("old %d %x\n", old.sa_sigaction == looks, (unsigned)old.sa_flags & ~0x04000000u);
    for (int i = 0; i < 3; i++) {
        pthread_sigmask(SIG_BLOCK, &both, 0);
        pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){ 7 });
        pthread_sigqueue(pthread_self(), SIGUSR2, (union sigval){ 8 });
        fesetround(FE_UPWARD);
        volatile double third = 1.0 / 3;
        volatile long double more = 1.0L / third;
        pthread_sigmask(SIG_UNBLOCK, &both, 0);
        printf("round %d, %d\n", fegetround(), more * third < 1.5L);
        fesetround(FE_TONEAREST);
        leaves = i == 2;
        if (!sigsetjmp(away, 1))
            raise(SIGALRM);
        leaves = 0;
        signal(SIGALRM, SIG_IGN);
        if (i < 2)
            sigaction(SIGALRM, &a, 0);
        mapped(&registered);
        printf("set %d\n", sigaltstack(&registered, 0));
        is_still(&registered);
    }
    registered = (stack_t){ .ss_flags = SS_DISABLE };
    sigaltstack(&registered, 0);
    return unused;
}

static void one_more(int number)
{
    char room[4096];
    memset(room, number, sizeof room);
    printf(" %d on %s", room[sink % sizeof room], stack_of(room));
}

static void stacks_up(int number, siginfo_t *info, void *context)
{
    char room[1024];
    memset(room, number, sizeof room);
    printf("%d begins on %s,", number, stack_of(room));
    raise(SIGHUP);
    for (size_t i = 0; i < sizeof room; i++)
        if (room[i] != number)
            printf(", wrong at %zu", i);
    printf(", %d ends, value %d, %d\n", number, info->si_value.sival_int, info->si_signo);
    (void)context;
}

static void *stacked(void *unused)
{
    struct sigaction a = { .sa_sigaction = stacks_up, .sa_flags = SA_SIGINFO | SA_ONSTACK };
    const struct sigaction more = { .sa_handler = one_more, .sa_flags = SA_ONSTACK };
    sigset_t set;
    sigemptyset(&set);
    sigaction(SIGHUP, &more, 0);
    for (int i = 0; i < 8; i++) {
        sigaddset(&set, SIGRTMIN + i);
        sigaction(SIGRTMIN + i, &a, 0);
    }
    for (int round = 0; round < 2; round++) {
        pthread_sigmask(SIG_BLOCK, &set, 0);
        for (int i = 0; i < 8; i++)
            pthread_sigqueue(pthread_self(), SIGRTMIN + i, (union sigval){ 10 * i });
        volatile double third = 1.0 / 3;
        pthread_sigmask(SIG_UNBLOCK, &set, 0);
        printf("round %d, %.3f\n", round, third);
        mapped(&registered);
        sigaltstack(&registered, 0);
    }
    registered = (stack_t){ .ss_flags = SS_DISABLE };
    sigaltstack(&registered, 0);
    return unused;
}

/* Natively there is no stack to adopt. So what is printed is that nothing changes. */
static void *adopts(void *unused)
{
    stack_t first = { 0 }, now = { 0 };
    struct sigaction a = { .sa_handler = on_stack, .sa_flags = SA_ONSTACK | SA_RESTART };
    syscall(SYS_sigaltstack, 0L, &first);
    sigaction(SIGURG, &a, 0);
    burn(200);
    syscall(SYS_sigaltstack, 0L, &now);
    printf("the same %d\n", first.ss_sp == now.ss_sp && first.ss_flags == now.ss_flags);
    raise(SIGURG);
    if (!(first.ss_flags & SS_DISABLE))
        printf("%s", handled - (uintptr_t)first.ss_sp < first.ss_size ? "" : "not there\n");
    return unused;
}

/* ---- a stack that is full ---- */

static char *below;             /* of the stack */
static bool faults;

static void say(const char *text)
{
    int changed = 0;
    for (size_t i = 0; i < BYTES; i++)
        changed += below[i] != 0x5a;
    char line[80];
    write(1, line, snprintf(line, sizeof line, "%s, changed %d\n", text, changed));
}

static void again(int number)
{
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
}

/* What the handler itself uses would leave the stack before the kernel's frame does, if that just
 * found room. (The kernel would begin at the stack's top again, for ever.) So the last handler
 * leaves less room than any frame needs. */
static void nest(int number)
{
    enum { ENOUGH = 6000, TOO_LITTLE = 600 };
    long room = (char *)__builtin_frame_address(0) - (below + BYTES);
    say("in");
    if (room > TOO_LITTLE && room < ENOUGH) {
        volatile char *fill = alloca(room - TOO_LITTLE);
        fill[0] = 0;
    }
    if (faults)
        *(volatile int *)8 = 1;
    again(number);
}

static void own(int number)
{
    say("own");
    _exit(5);
    (void)number;
}

static void *full(const char *mode)
{
    below = malloc(BYTES + 16384);
    memset(below, 0x5a, BYTES);
    const stack_t s = { .ss_sp = below + BYTES, .ss_size = 16384 };
    const struct sigaction nests = { .sa_handler = nest, .sa_flags = SA_ONSTACK | SA_NODEFER };
    sigaltstack(&s, 0);
    faults = !strcmp(mode, "full-fault");
    sigaction(faults ? SIGSEGV : SIGUSR1, &nests, 0);
    if (!strcmp(mode, "full-own"))
        signal(SIGSEGV, own);
    again(faults ? SIGSEGV : SIGUSR1);  /* (binds what it calls) */
    return 0;
}

/* ---- disarmed ---- */

#define AUTODISARM (1u << 31)   /* SS_AUTODISARM of <linux/signal.h> */

static ucontext_t left, main_context;
static int depth;

static void *as_set(const char *where)
{
    stack_t now = { 0 };
    sigaltstack(0, &now);
    printf("%s: %x %d\n", where, (unsigned)now.ss_flags, now.ss_size == BYTES);
    return 0;
}

/* Fills a part of the stack, and looks whether somebody else has written there. */
static void in_disarmed(int number)
{
    volatile char mine[4096];
    memset((void *)mine, depth + 1, sizeof mine);
    as_set("handler");
    if (number == SIGUSR1 && depth < 3) {
        depth++;
        raise(SIGUSR1);
        depth--;
    } else if (number == SIGUSR2 && !depth) {
        depth = 7;
        swapcontext(&left, &main_context);
        depth = 0;
    }
    for (size_t i = 0; i < sizeof mine; i++)
        if (mine[i] != depth + 1) {
            printf("overwritten at depth %d\n", depth);
            break;
        }
}

static void raises(void)
{
    raise(SIGUSR2);
}

static void *disarmed(void *unused)
{
    stack_t s = { .ss_sp = malloc(BYTES), .ss_size = BYTES, .ss_flags = (int)AUTODISARM };
    const stack_t none = { .ss_flags = SS_DISABLE };
    struct sigaction a = { .sa_handler = in_disarmed, .sa_flags = SA_ONSTACK | SA_NODEFER };
    ucontext_t coroutine;
    char *its = malloc(BYTES);
    sigaction(SIGUSR1, &a, 0);
    sigaction(SIGUSR2, &a, 0);
    sigaltstack(&s, 0);
    raise(SIGUSR1);
    as_set("after nested handlers");
    getcontext(&coroutine);
    coroutine.uc_stack = (stack_t){ .ss_sp = its, .ss_size = BYTES };
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, raises, 0);
    swapcontext(&main_context, &coroutine);
    as_set("a handler waits");
    raise(SIGUSR2);
    swapcontext(&main_context, &left);
    as_set("after it");
    sigaltstack(&none, 0);
    as_set("disabled");
    free(s.ss_sp);
    free(its);
    return unused;
}

/* ---- many ---- */

static volatile sig_atomic_t came[70], came_count;

static void note(int number)
{
    came[came_count++ % 70] = number;
}

static void at_once(const char *when)
{
    struct sigaction a = { .sa_handler = note, .sa_flags = SA_ONSTACK };
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    came_count = 0;
    for (int n = 1; n < NSIG; n++)
        if (n != SIGKILL && n != SIGSTOP && n != 60 && !sigaction(n, &a, 0))
            kill(getpid(), n);
    sigprocmask(SIG_SETMASK, &before, 0);
    printf("%s: %d:", when, (int)came_count);
    for (int i = 0; i < came_count; i++)
        printf(" %d", (int)came[i]);
    puts("");
}

static void many(void)
{
    stack_t s = { .ss_size = BYTES * 16 };
    at_once("without a stack");
    s.ss_sp = malloc(s.ss_size);
    sigaltstack(&s, 0);
    at_once("with one");
}

static void *nothing(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    void *(*f)(void *) = !strcmp(mode, "tiny")        ? tiny
                         : !strcmp(mode, "protected") ? protected
                         : !strcmp(mode, "moved")     ? moved
                         : !strcmp(mode, "detached")  ? detached
                         : !strcmp(mode, "covered")   ? covered
                         : !strcmp(mode, "reused")    ? reused
                         : !strcmp(mode, "handlers")  ? handlers
                         : !strcmp(mode, "stacked")   ? stacked
                         : !strcmp(mode, "disarmed")  ? disarmed
                                                      : adopts;
    pthread_t t;
    if (!strncmp(mode, "full", 4)) {
        pthread_create(&t, 0, nothing, 0);      /* so that libprof has something to record */
        pthread_join(t, 0);
        return full(mode) != 0;
    }
    if (!strcmp(mode, "many")) {
        many();
        return 0;
    }
    f(0);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
