/* exec.c - the process may become another program. Its profile is written first. If exec fails,
 * recording goes on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/real.h"
#include "libprof_format.h"
#include "dag/thread.h"
#include "lifecycle/state.h"
#include "lifecycle/write.h"
#include "sampling/sampler.h"
#include "signals/signals.h"
#include "base/forbid.h"

extern char **environ;

static void before_exec(void)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == process_pid)
        write_ahead(LPF_END_EXEC);
    signals_hand_on(true);
}

static int exec_failed(int result)
{
    signals_take_back(true);
    if (state_is_recording() && thread_self_) {
        int saved = errno;
        sampler_thread_start(thread_self_);
        errno = saved;
    }
    return result;
}

EXPORT int execve(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->execve(file, argv, envp));
}

EXPORT int execv(const char *file, char *const argv[])
{
    before_exec();
    return exec_failed(real()->execve(file, argv, environ));
}

EXPORT int execvp(const char *file, char *const argv[])
{
    before_exec();
    return exec_failed(real()->execvpe(file, argv, environ));
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->execvpe(file, argv, envp));
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    before_exec();
    return exec_failed(real()->fexecve(fd, argv, envp));
}

/* glibc declares it from 2.34 on. */
int execveat(int fd, const char *file, char *const argv[], char *const envp[], int flags);

EXPORT int execveat(int fd, const char *file, char *const argv[], char *const envp[], int flags)
{
    before_exec();
    return exec_failed(real()->execveat(fd, file, argv, envp, flags));
}

/* execl and its family take their arguments one by one; exec takes an array. The array is on the
 * stack, as in libc. */
#define COLLECT(first)                                              \
    int n = 1;                                                      \
    va_list ap;                                                     \
    va_start(ap, first);                                            \
    while (va_arg(ap, char *))                                      \
        n++;                                                        \
    va_end(ap);                                                     \
    char *argv[n + 1];                                              \
    va_start(ap, first);                                            \
    argv[0] = (char *)first;                                        \
    for (int i = 1; i <= n; i++)                                    \
        argv[i] = va_arg(ap, char *);

EXPORT int execl(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    va_end(ap);
    return execv(file, argv);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    va_end(ap);
    return execvp(file, argv);
}

EXPORT int execle(const char *file, const char *arg, ...)
{
    COLLECT(arg)
    char *const *envp = va_arg(ap, char *const *);
    va_end(ap);
    return execve(file, argv, envp);
}
