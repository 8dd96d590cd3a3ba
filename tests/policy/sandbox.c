/* sandbox.c - `sandbox KIND [threads]`: gives up system calls, computes for a while and prints
 * that. KIND: strict; filter, which ends the process for anything but write and exit_group; call,
 * the same by syscall(SYS_seccomp), as Firefox and libseccomp install it, and call-prctl;
 * signals, which also allows to send and to wait for a signal, and does it; probe, which asks
 * whether filters are there and installs none. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "libprof.h"

static void *work(void *unused)
{
    libprof_cost(7);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    sigset_t one;
    pid_t self = getpid();
    bool signals = !strcmp(argv[1], "signals");
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, 0);
    if (argc > 2) {
        pthread_create(&t, 0, work, 0);
        pthread_join(t, 0);
    }
    if (!strcmp(argv[1], "strict")) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
            return 77;
    } else if (!strcmp(argv[1], "probe")) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 || errno != EFAULT)
            return 77;
    } else {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, signals ? SYS_kill : SYS_write, 2, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, signals ? SYS_rt_sigtimedwait : SYS_write, 1, 0),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        };
        struct sock_fprog program = { sizeof code / sizeof code[0], code };
        if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L))
            return 77;
        if (!strcmp(argv[1], "call")
                ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != -1 || errno != EFAULT ||
                  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program)
            : !strcmp(argv[1], "call-prctl")
                ? syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
            return 77;
    }
    if (signals && (kill(self, SIGUSR1) || sigwaitinfo(&one, 0) != SIGUSR1))
        _exit(6);
    /* 300 million steps: some 100 samples' time, and no clock, which may be a system call */
    for (volatile long i = 0; i < 300000000; i++)
        ;
    if (write(1, "computed\n", 9) != 9)
        return 1;
    if (!strcmp(argv[1], "strict"))
        syscall(SYS_exit, 5);
    _exit(5);
}
