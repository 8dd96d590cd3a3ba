/* aside.c - see aside.h. */
#define _GNU_SOURCE
#include "base/kernel.h"
#include "arch/stack_call.h"
#include "base/aside.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/forbid.h"

#define BIT(n) (1ull << ((n) - 1))
#define SETXID 33               /* libc's signal: setuid() waits until each thread has handled it */
#define WAITING \
    (~(BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGSYS) | \
       BIT(SETXID)))

READ_MOSTLY bool in_valgrind;
__thread struct aside aside_here __attribute__((tls_model("initial-exec")));

void aside_setup(char *const *environment)
{
    for (char *const *e = environment; e && *e; e++)
        in_valgrind |= !strncmp(*e, "LD_PRELOAD=", 11) && strstr(*e, "/vgpreload_core");
}

/* Not under valgrind. It takes a stack nearby for a part of this one, and the memory between for
 * unused. Its own signal frames are small, so this stack suffices. */
void aside_call(void *top, void (*f)(void *), void *argument)
{
    if (__builtin_expect(in_valgrind, 0))
        f(argument);
    else
        stack_call(top, f, argument);
}

void aside_stack(char *top, size_t bytes)
{
    aside_here.top = top;
    aside_here.bytes = bytes;
    aside_here.used = false;
}

static void run(void (*f)(void *), void *argument)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = (uintptr_t)aside_here.top;
    if (!top || aside_here.used || top - here <= aside_here.bytes || in_valgrind) {
        f(argument);
        return;
    }
    int saved = errno;
    uint64_t set = WAITING, before;
    syscall(SYS_rt_sigprocmask, (long)SIG_BLOCK, &set, &before, 8L);
    aside_here.used = true;
    errno = saved;
    stack_call(aside_here.top, f, argument);
    saved = errno;
    aside_here.used = false;
    syscall(SYS_rt_sigprocmask, (long)SIG_SETMASK, &before, 0L, 8L);
    errno = saved;
}

/* pthread_setcancelstate is async-signal-safe in glibc: it changes a word of the thread. */
void aside_run(void (*f)(void *), void *argument)
{
    int before;
    if (__builtin_expect(kernel_closed, 0))
        return;                 /* it may open files */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    run(f, argument);
    pthread_setcancelstate(before, 0);
}
