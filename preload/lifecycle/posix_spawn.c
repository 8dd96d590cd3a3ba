/* posix_spawn.c - calls of libc that make a child process which becomes another program at once:
 * posix_spawn, popen, system. If the kernel refuses one, libprof may be the reason (retry.h). They
 * hand on the signal mask, as exec does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "base/export.h"
#include "base/real.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/retry.h"
#include "output/writer.h"
#include "signals/signals.h"
#include "base/forbid.h"

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

static int spawn(spawn_function *function, pid_t *pid, const char *file,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const argv[], char *const envp[])
{
    signals_hand_on(true);
    RETRY(int, error, function(pid, file, actions, attributes, argv, envp), retry_limit(error),
          NEEDED)
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
    RETRY(FILE *, pipe, real()->popen(command, type), !pipe && retry_limit(errno), NEEDED)
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
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 127 && retry_limit(errno) &&
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
