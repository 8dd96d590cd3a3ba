/* alternate.c - alternate stacks on which no handler has room, while samples come. No signal of the
 * program's comes to them, so natively all is well.
 *   tiny        2048 bytes: the kernel takes such a stack, but its frame may need more
 *   protected   the stack has no access for a while
 *   moved       mremap takes the stack away
 *   adopts      as Go: code finds libprof's stack by the system call, takes it for its own, then
 *               sets a handler with SA_ONSTACK
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BYTES ((size_t)64 << 10)

/* What Go's linker writes into its programs. */
__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
        ".long 4, 4, 4\n.asciz \"Go\"\n.byte 0\n.ascii \"test\"\n.popsection");

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

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    void *(*f)(void *) = !strcmp(mode, "tiny")        ? tiny
                         : !strcmp(mode, "protected") ? protected
                         : !strcmp(mode, "moved")     ? moved
                                                      : adopts;
    pthread_t t;
    f(0);
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    return 0;
}
