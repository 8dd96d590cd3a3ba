/* children.c - calls of libc that make a child process, or a thread without pthread_create. If the
 * kernel refuses one, libprof may be the reason (retry.h).
 *
 * posix_spawn, popen and system also hand on the signal mask, as exec does. fork.c has what happens
 * on both sides of a fork.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pty.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include "base/real.h"
#include "libprof_format.h"
#include "process/lifecycle.h"
#include "process/retry.h"
#include "process/state.h"
#include "output/writer.h"
#include "process/write.h"
#include "signals/signals.h"
#include "base/forbid.h"

static bool is_limit(int error)
{
    return error == EAGAIN || error == ENOMEM;
}

#define RETRY_FORK(call)                                             \
    RETRY(pid_t, pid, call, pid == -1 && is_limit(errno), NEEDED)    \
    if (pid > 0)                                                     \
        writer_add_child();                                          \
    return pid;

/* The parent ends inside libc, by an _exit that we cannot interpose. So its profile comes first. */
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
    signals_hand_on(true);
    RETRY(int, error, function(pid, file, actions, attributes, argv, envp), is_limit(error), NEEDED)
    signals_take_back(true);
    if (!error)
        writer_add_child();
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
    signals_hand_on(true);
    RETRY(FILE *, pipe, real()->popen(command, type), !pipe && is_limit(errno), NEEDED)
    signals_take_back(true);
    if (pipe)
        writer_add_child();
    return pipe;
}

/* A shell that could not be started has status 127, as has a shell that ended with 127. Only errno,
 * from the refused system call, distinguishes the two. */
EXPORT int system(const char *command)
{
    int saved = errno;
    bool had = lifecycle_has_threads();
    signals_hand_on(true);
    errno = 0;
    int status = real()->system(command);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127 && is_limit(errno) &&
        lifecycle_dismiss(had, NEEDED)) {
        errno = 0;
        status = real()->system(command);
    }
    if (!errno)
        errno = saved;
    signals_take_back(true);
    if (status != -1 && command)
        writer_add_child();
    return status;
}

/* ---- threads of C11, which libc makes without pthread_create ---- */

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    RETRY(int, result, real()->thrd_create(thread, routine, argument),
          result == thrd_error || result == thrd_nomem, NEEDED)
    return result;
}
