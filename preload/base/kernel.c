/* kernel.c - see kernel.h. */
#define _GNU_SOURCE
#include "base/kernel.h"
#include <errno.h>
#include "arch/system_call.h"
#include "base/export.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/forbid.h"

typedef long any_call_fn(long number, long a, long b, long c, long d, long e, long f);

/* The program's, or libc's; NULL before kernel_setup: then the kernel is called here. */
static READ_MOSTLY any_call_fn *next;
READ_MOSTLY bool kernel_closed;
READ_MOSTLY void (*kernel_before_call)(long number, long a, long b, long c);

long kernel_refuses(void)
{
    errno = EPERM;
    return -1;
}

void kernel_setup(void)
{
    next = (any_call_fn *)lookup_next("syscall");
}

const void *kernel_call_by(void)
{
    return (const void *)next;
}

static __attribute__((noinline, cold)) long first_call(long number, long a, long b, long c,
                                                       long d, long e, long f)
{
    long result = system_call6(number, a, b, c, d, e, f);
    if ((unsigned long)result <= -4096ul)
        return result;
    errno = (int)-result;
    return -1;
}

static inline long call(long number, long a, long b, long c, long d, long e, long f)
{
    return __builtin_expect(next != 0, 1) ? next(number, a, b, c, d, e, f)
                                          : first_call(number, a, b, c, d, e, f);
}

static __attribute__((noinline, cold)) long call_seen(long number, long a, long b, long c, long d,
                                                      long e, long f)
{
    if (kernel_before_call)
        kernel_before_call(number, a, b, c);
    return call(number, a, b, c, d, e, f);
}

/* syscall(2). It goes on to libc's by a jump, without a frame of its own: a call may return twice
 * (vfork), or on another stack (clone). */
EXPORT any_call_fn any_call __asm__("syscall");
EXPORT long any_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (__builtin_expect(number == SYS_seccomp || number == SYS_prctl || number == SYS_exit ||
                         number == SYS_exit_group, 0))
        return call_seen(number, a, b, c, d, e, f);
    return call(number, a, b, c, d, e, f);
}
