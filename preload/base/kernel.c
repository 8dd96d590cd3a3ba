/* kernel.c - see kernel.h. */
#include "base/kernel.h"
#include <errno.h>
#include "arch/system_call.h"
#include "base/export.h"
#include "base/memory.h"
#include "base/forbid.h"

READ_MOSTLY bool kernel_closed;
READ_MOSTLY void (*kernel_before_call)(long number, long a, long b, long c);

long kernel_refuses(void)
{
    errno = EPERM;
    return -1;
}

static __attribute__((noinline, cold)) long failed(long error)
{
    errno = (int)error;
    return -1;
}

static inline long call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = system_call6(number, a, b, c, d, e, f);
    return __builtin_expect((unsigned long)result > -4096ul, 0) ? failed(-result) : result;
}

static __attribute__((noinline, cold)) long call_seen(long number, long a, long b, long c, long d,
                                                      long e, long f)
{
    if (kernel_before_call)
        kernel_before_call(number, a, b, c);
    return call(number, a, b, c, d, e, f);
}

/* syscall(2). As libc's, it reads six arguments, is no cancellation point, and has no frame: a call
 * may return twice (vfork), or on another stack (clone). */
EXPORT long any_call(long number, long a, long b, long c, long d, long e, long f)
    __asm__("syscall");
EXPORT long any_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (__builtin_expect(number == SYS_seccomp || number == SYS_prctl, 0))
        return call_seen(number, a, b, c, d, e, f);
    return call(number, a, b, c, d, e, f);
}
