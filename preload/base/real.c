/* real.c - see real.h. */
#define _GNU_SOURCE
#include "base/real.h"
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "arch/system_call.h"
#include "base/lookup.h"
#include "base/forbid.h"

static struct real functions;
static int ready;
static const char *missing;     /* an original that there must be, and that is not found */

/* What takes the place of an original that is not found, by what a caller takes for a failure. An
 * int, a pid and SIG_ERR are -1. */
static long fails(void)
{
    errno = ENOSYS;
    return -1;
}

static int refuses(void)
{
    return ENOSYS;
}

static int refuses_c11(void)
{
    return thrd_error;
}

static void *none(void)
{
    errno = ENOSYS;
    return 0;
}

static void ends(int status)
{
    for (;;)
        system_call6(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

static void aborts(void)
{
    syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), (long)SIGABRT);
    ends(127);
}

static void *resolve(const char *name, void *stand_in, bool needed)
{
    void *original = lookup_next(name);
    if (!original && needed)
        missing = name;
    return original ? original : stand_in;
}

const struct real *real(void)
{
    if (__builtin_expect(!__atomic_load_n(&ready, __ATOMIC_ACQUIRE), 0)) {
        /* Several threads may resolve at once: they store the same values. */
#define GET(name, stand_in, needed) \
    *(void **)&functions.name = resolve(#name, (void *)(stand_in), needed)
#define RESOLVE(name, stand_in) GET(name, stand_in, true)
#define MAY_LACK(name, stand_in) GET(name, stand_in, false)
        RESOLVE(pthread_create, refuses);
        RESOLVE(pthread_join, refuses);
        RESOLVE(pthread_tryjoin_np, refuses);
        RESOLVE(pthread_timedjoin_np, refuses);
        RESOLVE(pthread_clockjoin_np, refuses);
        RESOLVE(pthread_detach, refuses);
        MAY_LACK(__pthread_get_minstack, 0);
        RESOLVE(dlclose, fails);
        RESOLVE(pthread_sigmask, refuses);
        RESOLVE(sigprocmask, fails);
        RESOLVE(sigaction, fails);
        RESOLVE(signal, fails);
        RESOLVE(__sysv_signal, fails);
        RESOLVE(sigset, fails);
        RESOLVE(sigignore, fails);
        RESOLVE(sighold, fails);
        RESOLVE(sigrelse, fails);
        RESOLVE(sigsetmask, fails);
        RESOLVE(siginterrupt, fails);
        RESOLVE(sigaltstack, fails);
        MAY_LACK(pthread_attr_getsigmask_np, refuses);
        RESOLVE(kill, fails);
        RESOLVE(sigwait, refuses);
        RESOLVE(sigwaitinfo, fails);
        RESOLVE(sigtimedwait, fails);
        RESOLVE(signalfd, fails);
        RESOLVE(daemon, fails);
        RESOLVE(fork, fails);
        RESOLVE(__register_atfork, refuses);
        MAY_LACK(forkpty, fails);
        RESOLVE(posix_spawn, refuses);
        RESOLVE(posix_spawnp, refuses);
        RESOLVE(popen, none);
        RESOLVE(system, fails);
        RESOLVE(thrd_create, refuses_c11);
        RESOLVE(thrd_join, refuses_c11);
        RESOLVE(thrd_detach, refuses_c11);
        RESOLVE(unshare, fails);
        RESOLVE(setns, fails);
        RESOLVE(prctl, fails);
        RESOLVE(_exit, ends);
        RESOLVE(quick_exit, ends);
        RESOLVE(abort, aborts);
        RESOLVE(execve, fails);
        RESOLVE(execvpe, fails);
        RESOLVE(fexecve, fails);
        MAY_LACK(execveat, fails);
#undef GET
#undef RESOLVE
#undef MAY_LACK
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    }
    return &functions;
}

const char *real_missing(void)
{
    real();
    return missing;
}
