/* real.c - see real.h. */
#define _GNU_SOURCE
#include "base/real.h"
#include <dlfcn.h>
#include "base/lookup.h"
#include "base/forbid.h"

static struct real functions;
static int ready;

const struct real *real(void)
{
    if (__builtin_expect(!__atomic_load_n(&ready, __ATOMIC_ACQUIRE), 0)) {
        /* Several threads may resolve at once: they store the same values. */
#define RESOLVE(name) *(void **)&functions.name = lookup(RTLD_NEXT, #name)
        RESOLVE(pthread_create);
        RESOLVE(pthread_join);
        RESOLVE(pthread_tryjoin_np);
        RESOLVE(pthread_timedjoin_np);
        RESOLVE(pthread_clockjoin_np);
        RESOLVE(pthread_detach);
        RESOLVE(__pthread_get_minstack);
        RESOLVE(dlclose);
        RESOLVE(pthread_sigmask);
        RESOLVE(sigprocmask);
        RESOLVE(sigaction);
        RESOLVE(signal);
        RESOLVE(__sysv_signal);
        RESOLVE(sigset);
        RESOLVE(sigignore);
        RESOLVE(sighold);
        RESOLVE(sigrelse);
        RESOLVE(sigsetmask);
        RESOLVE(siginterrupt);
        RESOLVE(sigaltstack);
        RESOLVE(pthread_attr_getsigmask_np);
        RESOLVE(kill);
        RESOLVE(sigwait);
        RESOLVE(sigwaitinfo);
        RESOLVE(sigtimedwait);
        RESOLVE(signalfd);
        RESOLVE(daemon);
        RESOLVE(fork);
        RESOLVE(__register_atfork);
        RESOLVE(forkpty);
        RESOLVE(posix_spawn);
        RESOLVE(posix_spawnp);
        RESOLVE(popen);
        RESOLVE(system);
        RESOLVE(thrd_create);
        RESOLVE(unshare);
        RESOLVE(setns);
        RESOLVE(prctl);
        RESOLVE(_exit);
        RESOLVE(quick_exit);
        RESOLVE(abort);
        RESOLVE(execve);
        RESOLVE(execvpe);
        RESOLVE(fexecve);
        RESOLVE(execveat);
#undef RESOLVE
        __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    }
    return &functions;
}
