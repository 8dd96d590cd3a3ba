/* launch.c - see launch.h.
 *
 * A terminal sends its signals to the whole foreground group, so the program gets them, too. They
 * come from the kernel (si_code > 0), and prof does not send them on. There is one exception: if
 * the terminal is gone, the kernel sends SIGHUP to the session's leader alone. With `ssh -t`, prof
 * may be that leader. A signal that a person or a supervisor sends to prof alone (kill, sigqueue:
 * si_code <= 0) is meant for the program.
 */
#define _GNU_SOURCE
#include "launch/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "launch/program.h"

static const int forwarded[] = { SIGINT,  SIGTERM, SIGHUP,   SIGQUIT, SIGUSR1,
                                 SIGUSR2, SIGCONT, SIGWINCH, SIGTSTP };
#define FORWARDED (sizeof forwarded / sizeof forwarded[0])

static volatile sig_atomic_t child_pid; /* 0: no program is running; launch() writes it */
static volatile sig_atomic_t came;      /* launched.signal; forward() writes it */
/* A bit for each signal that was ignored before launch(), for instance by nohup. Such a signal is
 * sent on, but is not in launched.signal. launch() writes it. */
static volatile sig_atomic_t ignored;

static void forward(int sig, siginfo_t *info, void *context)
{
    (void)context;
    int saved = errno;
    if ((sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGQUIT) &&
        !(ignored >> sig & 1))
        came = sig;
    bool alone = info->si_code <= 0 || (sig == SIGHUP && getsid(0) == getpid());
    if (alone && child_pid > 0)
        kill(child_pid, sig);
    errno = saved;
}

/* A kill -TSTP to prof stops prof and the program, as Ctrl-Z does. Ctrl-Z itself reaches the
 * program without prof. If the signal was ignored before launch(), the program ignores it, too. */
static void stop(int sig, siginfo_t *info, void *context)
{
    forward(sig, info, context);
    if (!(ignored >> sig & 1))
        raise(SIGSTOP);
}

static void go_to(const struct launch_setup *setup)
{
    const int from[] = { setup->in, setup->out, setup->err };
    for (int i = 0; i < 3; i++)
        if (from[i] >= 0)
            dup2(from[i], i);
    if (setup->cpus)
        sched_setaffinity(0, sizeof *setup->cpus, setup->cpus);
}

/* Runs in the child, and never returns. If exec fails, the parent gets its errno through PIPE. A
 * successful exec closes PIPE. */
static void run_child(char **argv, char *const *settings, const struct launch_setup *setup,
                      int pipe)
{
    if (setup)
        go_to(setup);
    for (; *settings; settings++)
        putenv(*settings);
    /* execvp starts a shell for a file that the kernel cannot execute. An ELF file for another
     * processor must not go to a shell. */
    struct program p;
    char *path = program_find(argv[0]);
    if (path && !program_inspect(path, &p) && p.elf)
        execv(path, argv);
    else
        execvp(argv[0], argv);
    int error = program_error(argv[0], errno);
    while (write(pipe, &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(127);
}

static int read_error(int pipe)
{
    int error = 0;
    ssize_t n;
    do
        n = read(pipe, &error, sizeof error);
    while (n < 0 && errno == EINTR);
    return n == sizeof error ? error : 0;
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* The run delay of process PID, which has ended but has not been waited for. 0: it is not known. */
static uint64_t run_delay_ns(pid_t pid)
{
    char name[40];
    unsigned long long delay;
    snprintf(name, sizeof name, "/proc/%d/schedstat", (int)pid);
    FILE *f = fopen(name, "re");
    if (!f || fscanf(f, "%*u %llu", &delay) != 1)
        delay = 0;
    if (f)
        fclose(f);
    return delay;
}

int launch(char **argv, char *const *settings, const struct launch_setup *setup,
           struct launched *out)
{
    struct sigaction old[FORWARDED], old_chld;
    struct sigaction act = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };
    sigset_t block, mask;
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC))
        return -errno;
    /* prof's parent may have ignored SIGCHLD. Then waitpid would return no status. */
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &old_chld);
    /* The signals are blocked until child_pid is set, so that none is lost in between. */
    sigemptyset(&block);
    for (unsigned i = 0; i < FORWARDED; i++)
        sigaddset(&block, forwarded[i]);
    sigprocmask(SIG_BLOCK, &block, &mask);
    fflush(0);
    uint64_t start_unix_ns = now_ns(CLOCK_REALTIME), start_ns = now_ns(CLOCK_MONOTONIC);
    pid_t pid = fork();
    if (!pid) {
        sigaction(SIGCHLD, &old_chld, 0);
        sigprocmask(SIG_SETMASK, &mask, 0);
        run_child(argv, settings, setup, pipes[1]);
    }
    int error = pid < 0 ? errno : 0;
    close(pipes[1]);
    if (!error) {
        child_pid = pid;
        came = ignored = 0;
        for (unsigned i = 0; i < FORWARDED; i++) {
            act.sa_sigaction = forwarded[i] == SIGTSTP ? stop : forward;
            sigaction(forwarded[i], &act, &old[i]);
            if (old[i].sa_handler == SIG_IGN)
                ignored |= 1 << forwarded[i];
        }
        sigprocmask(SIG_SETMASK, &mask, 0);
        *out = (struct launched){ .pid = pid,
                                  .error = read_error(pipes[0]),
                                  .start_unix_ns = start_unix_ns };
        if (setup && setup->meanwhile && !out->error)
            setup->meanwhile(setup->context, pid);
        /* WNOWAIT: no other process can get the pid until child_pid is 0 and no signal is sent */
        siginfo_t info;
        while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
            ;
        out->wall_ns = now_ns(CLOCK_MONOTONIC) - start_ns;
        out->delay_ns = run_delay_ns(pid);
        child_pid = 0;
        while (wait4(pid, &out->status, 0, &out->usage) < 0 && errno == EINTR)
            ;
        for (unsigned i = 0; i < FORWARDED; i++)
            sigaction(forwarded[i], &old[i], 0);
        out->signal = came;
    } else {
        sigprocmask(SIG_SETMASK, &mask, 0);
    }
    sigaction(SIGCHLD, &old_chld, 0);
    close(pipes[0]);
    return -error;
}

const char *launch_value(char *const *settings, unsigned count, const char *name)
{
    size_t n = strlen(name);
    while (count-- > 0)
        if (!strncmp(settings[count], name, n) && settings[count][n] == '=')
            return settings[count] + n + 1;
    return getenv(name);
}

bool launch_has_ended(pid_t pid)
{
    siginfo_t info = { 0 };
    return !waitid(P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG) && info.si_pid == pid;
}

int launch_end_like(const struct launched *l)
{
    if (WIFEXITED(l->status))
        return WEXITSTATUS(l->status);
    int sig = WTERMSIG(l->status);
    /* no core file: it would be prof's, not the program's */
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
    prctl(PR_SET_DUMPABLE, 0);
    fflush(0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, sig);
    signal(sig, SIG_DFL);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &set, 0);
    return 128 + sig;
}
