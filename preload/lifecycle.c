/* lifecycle.c - see lifecycle.h. Everything that starts, forks or ends the process passes here.
 *
 * A process in which nothing parallel happened leaves no file and says nothing (so that
 * LD_PRELOAD can stand over a whole script), unless `prof run` asked for one.
 *
 * Checkpoints are written by a thread of our own, with all signals blocked, so that SIGKILL loses
 * the last interval only. It is started by the first event, never in a process without tasks.
 */
#define _GNU_SOURCE
#include "lifecycle.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "block.h"
#include "calibrate.h"
#include "config.h"
#include "engine.h"
#include "events.h"
#include "libprof_format.h"
#include "message.h"
#include "real.h"
#include "runtime.h"
#include "thread.h"
#include "writer.h"

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

static uint32_t ended;          /* 1: the final snapshot is taken, or being taken */
static uint32_t write_lock;     /* one writer at a time: checkpoint or final; held during file output */
uint32_t lifecycle_checkpoints_started;
static pid_t my_pid;            /* a vfork child shares our memory but not our pid: it must not write */

/* ---- burden ---- */

/* Cilkview's 15,000 instructions, at 3 instructions a ns: what a steal costs until one was seen. */
#define BURDEN_INSTRUCTIONS 15000
#define BURDEN_NS 5000

static uint64_t burden_in_units(uint64_t ns)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    return num ? (uint64_t)((__uint128_t)ns * den / num) : ns * (BURDEN_INSTRUCTIONS / BURDEN_NS);
}

static void setup_burden(void)
{
    const char *b = config.burden;
    uint64_t n = 0;
    if (!strcmp(b, "auto")) {
        /* a virtual clock has no steals to measure: no burden unless one is asked for */
        if (clock_kind == CLOCK_VIRTUAL)
            burden_setup(0, 0);
        else
            burden_setup(burden_in_units(BURDEN_NS), 1);
        return;
    }
    if (!strcmp(b, "cilkview")) {
        burden_setup(burden_in_units(BURDEN_NS), 0);
        return;
    }
    for (const char *p = b; *p; p++) {
        if (*p < '0' || *p > '9' || n > 1000000000000ull) {
            message(MESSAGE_WARNING, "PROF_BURDEN=%s is not auto, cilkview or a whole number: using auto", b);
            burden_setup(burden_in_units(BURDEN_NS), 1);
            return;
        }
        n = n * 10 + (*p - '0');
    }
    uint64_t num, den;
    clock_unit(&num, &den);
    burden_setup(num ? burden_in_units(n) : n, 0);
}

/* ---- writing ---- */

static bool anything_happened(const struct snapshot *s)
{
    return s->tasks || s->spawns || s->syncs || engine_regions || config.run;
}

static void write_profile(bool final, uint32_t end, uint32_t status)
{
    struct snapshot s;
    if (engine_snapshot(&s, final)) {
        message(MESSAGE_WARNING, "out of memory: no profile is written");
        return;
    }
    if (anything_happened(&s))
        writer_write(&s, end, status);
    else if (final && end == LPF_END_EXIT && dlsym(RTLD_DEFAULT, "TBB_runtime_version"))
        message(MESSAGE_WARNING, "libtbb is loaded but no task was seen: nothing parallel ran, or the "
                "calls are out of reach (RTLD_DEEPBIND, TBB linked statically)");
    engine_snapshot_free(&s);
}

void lifecycle_end(uint32_t end, uint32_t status)
{
    if (!engine_recording || getpid() != my_pid)
        return;
    if (__atomic_exchange_n(&ended, 1, __ATOMIC_ACQ_REL))
        return;
    spin_lock(&write_lock);
    write_profile(true, end, status);
    engine_recording = false;
    spin_unlock(&write_lock);
}

static void *checkpoint_main(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "libprof");
    struct timespec interval = { config.checkpoint, 0 };
    for (;;) {
        nanosleep(&interval, 0);
        if (__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
            return 0;
        spin_lock(&write_lock);
        if (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
            write_profile(false, LPF_END_RUNNING, 0);
        spin_unlock(&write_lock);
    }
}

void lifecycle_start_checkpoints_slow(void)
{
    if (__atomic_exchange_n(&lifecycle_checkpoints_started, 1, __ATOMIC_ACQ_REL) || config.checkpoint <= 0)
        return;
    sigset_t all, old;
    pthread_attr_t attr;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 256 << 10);
    int error = real()->pthread_create(&thread, &attr, checkpoint_main, 0);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &old, 0);
    if (error)
        message(MESSAGE_WARNING, "no thread for checkpoints: a killed process leaves no profile");
}

/* ---- start, fork, exit ---- */

static void before_fork(void)
{
    /* nobody writes while we fork, or the child would wait for a writer that it does not have */
    if (engine_recording && getpid() == my_pid)
        spin_lock(&write_lock);
}

static void after_fork_parent(void)
{
    if (engine_recording && getpid() == my_pid)
        spin_unlock(&write_lock);
}

static void after_fork_child(void)
{
    if (!engine_recording)
        return;
    my_pid = getpid();
    write_lock = 0;
    lifecycle_checkpoints_started = 0;
    engine_forked();
    writer_setup(1);
}

/* 101: before the agents (110) and before the program's own constructors. */
__attribute__((constructor(101))) static void start(void)
{
    config_setup(environ);
    if (config.disable)
        return;
    my_pid = getpid();
    real();
    writer_process();
    writer_setup(0);
    const char *why = "";
    if (clock_setup(config.clock, &why) < 0)
        message(MESSAGE_WARNING, "PROF_CLOCK=%s: %s; using tsc", config.clock, why);
    if (config.contexts < 16 || config.contexts > 1000000) {
        message(MESSAGE_WARNING, "PROF_CONTEXTS=%d is not between 16 and 1000000: using 16384", config.contexts);
        config.contexts = 16384;
    }
    setup_burden();
    events_setup(config.events);
    if (context_setup(config.contexts) || engine_setup()) {
        message(MESSAGE_WARNING, "no memory for the engine: not profiling");
        return;
    }
    /* our wrappers stand between the dispatcher and a task: for the site finder they belong to it */
    runtime_register_module_of((uintptr_t)lifecycle_end, "libprof");
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
    message(MESSAGE_DEBUG, "recording; clock %s (%s)", clock_name(), clock_detail());
}

static int exit_status;

static void note_status(int status, void *unused)
{
    (void)unused;
    exit_status = status;
}

__attribute__((constructor(102))) static void watch_exit(void)
{
    if (engine_recording)
        on_exit(note_status, 0);
}

/* Runs after the program's atexit functions and destructors of what depends on us. */
__attribute__((destructor(101))) static void stop(void)
{
    lifecycle_end(LPF_END_EXIT, exit_status);
}

EXPORT void _exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->_exit(status);
}

EXPORT void _Exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->_exit(status);
}

EXPORT void quick_exit(int status)
{
    lifecycle_end(LPF_END_QUICK, status & 255);
    real()->quick_exit(status);
}

EXPORT void abort(void)
{
    lifecycle_end(LPF_END_SIGNAL, SIGABRT);
    real()->abort();
}

/* The program is replaced: its profile is complete. If exec fails, recording goes on and the file
 * is written again at the end. */
static void before_exec(void)
{
    if (!engine_recording || getpid() != my_pid || __atomic_load_n(&ended, __ATOMIC_ACQUIRE))
        return;
    spin_lock(&write_lock);
    write_profile(true, LPF_END_EXEC, 0);
    spin_unlock(&write_lock);
}

EXPORT int execve(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return real()->execve(file, argv, envp);
}

EXPORT int execv(const char *file, char *const argv[])
{
    before_exec();
    return real()->execve(file, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    before_exec();
    return real()->execvpe(file, argv, environ);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
    before_exec();
    return real()->execvpe(file, argv, envp);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
    before_exec();
    return real()->fexecve(fd, argv, envp);
}

/* execl and its family take their arguments one by one; exec needs them as an array. The stack
 * holds it, as in libc. */
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
