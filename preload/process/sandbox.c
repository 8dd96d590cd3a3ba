/* sandbox.c - programs that give up system calls (seccomp).
 *
 * A filter allows the program's system calls, not libprof's. sshd's filter even ends the process at
 * the return from a signal handler, which is a system call. libprof cannot find out what a filter
 * allows, because a filter is code. So recording ends before a filter is installed
 * (lifecycle_seal).
 *
 * A program installs a filter by prctl. libseccomp first sets PR_SET_NO_NEW_PRIVS by prctl, then
 * uses a system call that libprof cannot interpose. libprof does not see other ways:
 * docs/SIGNAL-SAFETY.md.
 *
 * A thread may also get its system calls as SIGSYS (Wine does this for Windows programs). They
 * would include the return from a sample's handler. So such a thread has no samples.
 */
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include "dag/run.h"
#include "process/lifecycle.h"
#include "base/export.h"
#include "base/message.h"
#include "base/real.h"
#include "sampling/sampler.h"
#include "base/forbid.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

/* 1 if the object is libseccomp and contains *CODE. */
static int holds(struct dl_phdr_info *info, size_t size, void *code)
{
    (void)size;
    const char *base = strrchr(info->dlpi_name ? info->dlpi_name : "", '/');
    if (!base || strncmp(base + 1, "libseccomp.so", 13))
        return 0;
    uintptr_t at = *(uintptr_t *)code - info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD &&
            at - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
            return 1;
    return 0;
}

static bool is_libseccomp(uintptr_t code)
{
    return dl_iterate_phdr(holds, &code);
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
    /* With a NULL filter, the call only asks whether the kernel has filters. */
    bool filter = option == PR_SET_SECCOMP &&
                  (a[0] == SECCOMP_MODE_STRICT || (a[0] == SECCOMP_MODE_FILTER && a[1]));
    if (filter ||
        (option == PR_SET_NO_NEW_PRIVS && is_libseccomp((uintptr_t)__builtin_return_address(0))))
        lifecycle_seal();
    if (option == PR_SET_SYSCALL_USER_DISPATCH && a[0] == PR_SYS_DISPATCH_ON)
        leave_unsampled();
    return real()->prctl(option, a[0], a[1], a[2], a[3]);
}
