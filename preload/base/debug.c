/* debug.c - see debug.h. Empty unless assertions are built. */
#define _GNU_SOURCE
#include "base/debug.h"
#if LIBPROF_DEBUG
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/message.h"
#include "base/forbid.h"

/* The kernel's layout, for the system call: libprof interposes sigaction, and the program may. */
struct kernel_sigaction {
    uintptr_t handler, flags, restorer;
    uint64_t mask;
};

void debug_failed(const char *file, unsigned line, const char *condition)
{
    const struct kernel_sigaction by_default = { 0, 0, 0, 0 };
    uint64_t only = 1ull << (SIGABRT - 1);
    char text[512];
    message_debug_line(text, message_format(text, sizeof text, "libprof: %s:%u: not so: %s\n", file,
                                            line, condition));
    syscall(SYS_rt_sigaction, (long)SIGABRT, &by_default, 0L, 8L);
    syscall(SYS_rt_sigprocmask, (long)SIG_UNBLOCK, &only, 0L, 8L);
    syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), (long)SIGABRT);
    for (;;)
        syscall(SYS_exit_group, 134L);
}
#else
typedef int no_assertions;      /* ISO C wants something in a file */
#endif
