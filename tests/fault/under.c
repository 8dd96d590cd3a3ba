/* under.c - runs a command under hard conditions:  under CONDITION... -- COMMAND...
 *
 *     nofile=N as=MB stack=KB fsize=BYTES sigpending=N nproc=N   limits; stack=0: none
 *     close=FD          closed
 *     deny=NAME:ERRNO   a system call that a filter refuses (the names are below)
 *     uid=N             another user
 *     cgroup=DIRECTORY  that control group
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} calls[] = {
#define CALL(name)                                                                                 \
    {                                                                                              \
#name, SYS_##name                                                                          \
    }
    CALL(clone),
    CALL(close_range),
    CALL(fcntl),
    CALL(getcwd),
    CALL(perf_event_open),
    CALL(prctl),
    CALL(process_vm_readv),
    CALL(pselect6),
    CALL(readlink),
    CALL(renameat2),
    CALL(rt_sigtimedwait),
    CALL(sched_getaffinity),
    CALL(sigaltstack),
    CALL(timer_create),
    CALL(timer_settime),
    CALL(uname),
};
static const struct {
    const char *name;
    int resource;
    unsigned long unit;
} limits[] = {
    { "nofile", RLIMIT_NOFILE, 1 },         { "as", RLIMIT_AS, 1 << 20 },
    { "stack", RLIMIT_STACK, 1 << 10 },     { "fsize", RLIMIT_FSIZE, 1 },
    { "sigpending", RLIMIT_SIGPENDING, 1 }, { "nproc", RLIMIT_NPROC, 1 },
};

static int fail(const char *what)
{
    perror(what);
    return 125;
}

static int deny(const char *name)
{
    const char *colon = strchr(name, ':');
    int error = colon ? atoi(colon + 1) : EPERM;
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strlen(calls[i].name) == length && !strncmp(calls[i].name, name, length)) {
            struct sock_filter code[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
            };
            struct sock_fprog filter = { sizeof code / sizeof *code, code };
            return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
                   prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
        }
    errno = ENOSYS;
    return -1;
}

static int enter(const char *group)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    FILE *f = fopen(path, "w");
    return !f || fputs("0", f) < 0 || fclose(f);
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--"); i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            return fail(argv[i]);
        *value++ = 0;
        long n = atol(value);
        int known = 0;
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            if (!strcmp(argv[i], limits[k].name)) {
                rlim_t most = n || limits[k].resource != RLIMIT_STACK ? n * limits[k].unit
                                                                      : RLIM_INFINITY;
                const struct rlimit limit = { most, most };
                if (setrlimit(limits[k].resource, &limit))
                    return fail(argv[i]);
                known = 1;
            }
        if (!strcmp(argv[i], "close"))
            close(n);
        else if (!strcmp(argv[i], "uid")      ? setgroups(0, 0) || setgid(n) || setuid(n)
                 : !strcmp(argv[i], "deny")   ? deny(value)
                 : !strcmp(argv[i], "cgroup") ? enter(value)
                                              : !known)
            return fail(argv[i]);
    }
    if (++i >= argc)
        return 125;
    const char *preload = getenv(
        "UNDER_PRELOAD"); /* for the command alone: the conditions are not libprof's doing */
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    unsetenv("UNDER_PRELOAD");
    execv(argv[i], argv + i);
    return fail(argv[i]);
}
