/* refused.c - calls that the kernel refuses because libprof has threads of its own.
 *
 * Our threads count towards the threads and processes that a user or a container may have, and a
 * process with threads may not change its namespaces. A call that was refused for such a reason is
 * made again without them: lifecycle_dismiss. What pthread_create does is in agents/thread.
 *
 * libc's posix_spawn, popen and system also hand the signal mask on, as exec does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include "base/real.h"
#include "dag/thread.h"
#include "libprof_format.h"
#include "process/helper.h"
#include "process/lifecycle.h"
#include "process/state.h"
#include "process/write.h"
#include "signals/signals.h"
#include "base/forbid.h"

static bool is_limit(int error)
{
    return error == EAGAIN || error == ENOMEM;
}

/* The calling thread and ours are all. 0: unknown. */
static bool would_be_single(void)
{
    return thread_count() <= 3;
}

/* RESULT is that of CALL. If it was REFUSED, an expression of RESULT, CALL is made again. (A
 * failing fork runs the program's handlers of fork in pairs, so a second call does no harm.) */
#define RETRY(type, result, call, refused, why)                 \
    int saved = errno;                                          \
    bool had = lifecycle_has_threads();                         \
    type result = call;                                         \
    if ((refused) && lifecycle_dismiss(had, why)) {             \
        errno = saved;                                          \
        result = call;                                          \
    }
#define RETRY_FORK(call) RETRY(pid_t, pid, call, pid == -1 && is_limit(errno), NEEDED) return pid;

/* The parent leaves inside libc, by an _exit that we cannot interpose. */
EXPORT int daemon(int stay, int keep)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == process_pid)
        write_ahead(LPF_END_QUICK);
    RETRY_FORK(real()->daemon(stay, keep))
}

EXPORT pid_t fork(void)
{
    RETRY_FORK(real()->fork())
}

EXPORT pid_t forkpty(int *master, char *name, const struct termios *terminal,
                     const struct winsize *size)
{
    RETRY_FORK(real()->forkpty(master, name, terminal, size))
}

/* ---- children that libc makes and that become another program at once ---- */

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

static int spawn(spawn_function *function, pid_t *pid, const char *file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const argv[], char *const envp[])
{
    signals_hand_on();
    RETRY(int, error, function(pid, file, actions, attributes, argv, envp), is_limit(error), NEEDED)
    signals_take_back();
    return error;
}

EXPORT int posix_spawn(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
    return spawn(real()->posix_spawn, pid, file, actions, attributes, argv, envp);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const argv[],
                        char *const envp[])
{
    return spawn(real()->posix_spawnp, pid, file, actions, attributes, argv, envp);
}

EXPORT FILE *popen(const char *command, const char *type)
{
    signals_hand_on();
    RETRY(FILE *, pipe, real()->popen(command, type), !pipe && is_limit(errno), NEEDED)
    signals_take_back();
    return pipe;
}

/* A shell that could not be started and one that ended with status 127 look the same, but for what
 * the system call left in errno. */
EXPORT int system(const char *command)
{
    int saved = errno;
    bool had = lifecycle_has_threads();
    signals_hand_on();
    errno = 0;
    int status = real()->system(command);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127 && is_limit(errno) &&
        lifecycle_dismiss(had, NEEDED)) {
        errno = 0;
        status = real()->system(command);
    }
    if (!errno)
        errno = saved;
    signals_take_back();
    return status;
}

/* ---- threads of C11, which libc makes without pthread_create ---- */

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    RETRY(int, result, real()->thrd_create(thread, routine, argument),
          result == thrd_error || result == thrd_nomem, NEEDED)
    return result;
}

/* ---- a process that must have one thread ---- */

EXPORT int unshare(int flags)
{
    RETRY(int, result, real()->unshare(flags),
          result && errno == EINVAL && would_be_single(), ALONE)
    return result;
}

EXPORT int setns(int fd, int type)
{
    RETRY(int, result, real()->setns(fd, type),
          result && errno == EINVAL && would_be_single(), ALONE)
    return result;
}
