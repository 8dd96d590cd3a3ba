/* real.h - the libc functions behind those that libprof interposes.
 *
 * They are resolved once, at the first use or at start-up (lookup_next). This gives the default
 * version. For these functions, a program linked on glibc 2.34 or later can bind no other. None is
 * NULL, but for one: where there is no original, a function stands in that fails with ENOSYS.
 * glibc 2.31, the oldest that libprof.so runs on, has all originals but those whose comments name a
 * version. If another one is missing, the process is not profiled (real_missing).
 */
#ifndef PRELOAD_BASE_REAL_H
#define PRELOAD_BASE_REAL_H

#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

struct real {
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*pthread_join)(pthread_t, void **);
    int (*pthread_tryjoin_np)(pthread_t, void **);
    int (*pthread_timedjoin_np)(pthread_t, void **, const struct timespec *);
    int (*pthread_clockjoin_np)(pthread_t, void **, clockid_t, const struct timespec *);
    int (*pthread_detach)(pthread_t);
    /* Private to libc, but used by Java virtual machines. NULL: libc has none. */
    size_t (*__pthread_get_minstack)(const pthread_attr_t *);
    int (*dlclose)(void *);
    int (*pthread_sigmask)(int, const sigset_t *, sigset_t *);
    int (*sigprocmask)(int, const sigset_t *, sigset_t *);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    void (*(*signal)(int, void (*)(int)))(int);
    void (*(*__sysv_signal)(int, void (*)(int)))(int);
    void (*(*sigset)(int, void (*)(int)))(int);
    int (*sigignore)(int);
    int (*sighold)(int);
    int (*sigrelse)(int);
    int (*sigsetmask)(int);
    int (*siginterrupt)(int, int);
    int (*sigaltstack)(const stack_t *, stack_t *);
    int (*pthread_attr_getsigmask_np)(const pthread_attr_t *, sigset_t *); /* glibc 2.32 */
    int (*kill)(pid_t, int);
    int (*sigwait)(const sigset_t *, int *);
    int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
    int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
    int (*signalfd)(int, const sigset_t *, int);
    int (*daemon)(int, int);
    pid_t (*fork)(void);
    int (*__register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
    /* glibc 2.34, or libutil */
    pid_t (*forkpty)(int *, char *, const struct termios *, const struct winsize *);
    int (*posix_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const[], char *const[]);
    int (*posix_spawnp)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                        const posix_spawnattr_t *, char *const[], char *const[]);
    FILE *(*popen)(const char *, const char *);
    int (*system)(const char *);
    int (*thrd_create)(thrd_t *, thrd_start_t, void *);
    int (*thrd_join)(thrd_t, int *);
    int (*thrd_detach)(thrd_t);
    int (*unshare)(int);
    int (*setns)(int, int);
    int (*prctl)(int, ...);
    void (*_exit)(int) __attribute__((noreturn));
    void (*quick_exit)(int) __attribute__((noreturn));
    void (*abort)(void) __attribute__((noreturn));
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    /* glibc 2.34 */
    int (*execveat)(int, const char *, char *const[], char *const[], int);
};

/* [any after the first call] */
const struct real *real(void);
/* [init] The name of an original that every libc has and this process has not. NULL: all are
 * there. */
const char *real_missing(void);

#endif
