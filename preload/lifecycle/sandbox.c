/* sandbox.c - programs that give up system calls (seccomp), and what syscall(2) tells of a program:
 * it enters a sandbox, or it ends.
 *
 * A filter allows the program's system calls, not libprof's. sshd's filter even ends the process at
 * the return from a signal handler, which is a system call. libprof cannot find out what a filter
 * allows, because a filter is code. So recording ends before a filter is installed
 * (lifecycle_seal).
 *
 * A program installs a filter by prctl or, as libseccomp, Firefox and Chromium do, by syscall().
 * libprof does not see a system call that the program's own code makes: docs/SIGNAL-SAFETY.md.
 *
 * A thread may also get its system calls as SIGSYS (Wine does this for Windows programs). They
 * would include the return from a sample's handler. So such a thread has no samples.
 */
#define _GNU_SOURCE
#include "base/kernel.h"
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include "base/export.h"
#include "base/message.h"
#include "base/real.h"
#include "libprof_format.h"
#include "dag/run.h"
#include "lifecycle/lifecycle.h"
#include "sampling/sampler.h"
#include "base/forbid.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

/* With a NULL filter, the call only asks whether the kernel has filters. */
static void before_filter(bool strict, bool filter)
{
    if (strict || filter)
        lifecycle_seal();
}

static void leave_unsampled(void)
{
    static bool said;
    if (thread_self_ && sampler_thread_give_up(thread_self_) &&
        !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
        message(MESSAGE_WARNING, "prctl(PR_SET_SYSCALL_USER_DISPATCH): no handler of libprof can "
                                 "return in such a thread: it is not sampled from here on");
}

/* Reads four arguments, however many there are, as libc's prctl does. */
EXPORT int prctl(int option, ...)
{
    unsigned long a[4];
    va_list ap;
    va_start(ap, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(ap, unsigned long);
    va_end(ap);
    /* The program cannot get a signal for each reading, because every hook reads the counter. */
    if (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV && engine_start_tsc) {
        message(MESSAGE_WARNING, "prctl(PR_SET_TSC, PR_TSC_SIGSEGV): libprof needs the time-stamp "
                                 "counter, which stays readable");
        return 0;
    }
    if (option == PR_SET_SECCOMP)
        before_filter(a[0] == SECCOMP_MODE_STRICT, a[0] == SECCOMP_MODE_FILTER && a[1]);
    if (option == PR_SET_SYSCALL_USER_DISPATCH && a[0] == PR_SYS_DISPATCH_ON)
        leave_unsampled();
    return real()->prctl(option, a[0], a[1], a[2], a[3]);
}

/* Of the call NUMBER by syscall(). */
static void before_call(long number, long a, long b, long c)
{
    if (number == SYS_seccomp)
        before_filter(a == SECCOMP_SET_MODE_STRICT, a == SECCOMP_SET_MODE_FILTER && c);
    else if (number == SYS_prctl && a == PR_SET_SECCOMP)
        before_filter(b == SECCOMP_MODE_STRICT, b == SECCOMP_MODE_FILTER && c);
    else if (number == SYS_exit)
        lifecycle_thread_leaves(true);
    else if (number == SYS_exit_group)
        lifecycle_end(LPF_END_QUICK, a & 255);
}

__attribute__((constructor(110))) static void see_calls(void)
{
    kernel_before_call = before_call;
}
