/* step.c - a signal at every instruction of libprof's that a call executes.
 *
 *     step [OPTION]... CASE ACTION LIBPROF HOOKS
 *       -d DIR      where profiles go
 *       -s MOST     at most so many instructions, evenly, from a random one on (default: every one)
 *       -S SEED     which
 *       -o OFFSET   this instruction of libprof.so's alone, as a failure prints it
 *       -q          send no signal: to see what the program does by itself
 *
 * The program is single-stepped once from one mark to the next, and the instructions in
 * libprof.so are noted. Then, an instruction at a time: a breakpoint in a debug register of the
 * main thread stops it there, and SIGUSR1 is delivered; the kernel keeps it back where libprof
 * blocks signals. Other threads run freely. What the program does with the signal is the ACTION
 * (hooks.cpp); if it ends the process, every instruction has a process of its own. */
#define _GNU_SOURCE
#include "child.h"
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>

/* libprof's signal. It is kept back during the steps, which take more CPU time than the program */
#define SAMPLE 60
#define STEPS_MOST 400000
#define OUTPUT_MOST 8192

static const char *which, *action, *libprof, *hooks;
static char dir[PATH_MAX - 64], out[PATH_MAX];
static uintptr_t base, start, end; /* libprof.so's, in the process that is traced */
static uint32_t offsets[STEPS_MOST];
static unsigned count;
static unsigned char seen[1 << 23]; /* by offset */
static bool quiet;
static char native[OUTPUT_MOST];
static int native_status;

static bool ends(void)
{
    return !strcmp(action, "_exit") || !strcmp(action, "abort") || !strcmp(action, "exec");
}

static bool once(void)
{
    return !strcmp(which, "exit") || !strcmp(which, "_exit") || !strcmp(which, "exec");
}

static pid_t begin(bool traced)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    child_alone();
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0 || chdir(dir))
        _exit(126);
    setenv("PROF_OUTPUT", "out.prof", 1);
    if (traced) {
        setenv("FAULT_STEP", "1", 1);
        setenv("LD_PRELOAD", libprof, 1);
        ptrace(PTRACE_TRACEME, 0, 0, 0);
    }
    execl(hooks, hooks, which, action, (char *)0);
    _exit(127);
}

static struct user_regs_struct registers(pid_t pid)
{
    struct user_regs_struct r = { 0 };
    ptrace(PTRACE_GETREGS, pid, 0, &r);
    return r;
}

static void answer(pid_t pid, long value)
{
    struct user_regs_struct r = registers(pid);
    r.rax = value;
    ptrace(PTRACE_SETREGS, pid, 0, &r);
}

static void breakpoint(pid_t pid, uintptr_t at)
{
    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 0);
    if (at) {
        ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), at);
        ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), 1);
    }
}

static __attribute__((noinline, noclone)) void probed(void)
{
    __asm__ volatile("");
}

/* Some virtual machines take breakpoints of the processor and never report one. */
static bool has_breakpoints(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        ptrace(PTRACE_TRACEME, 0, 0, 0L);
        raise(SIGSTOP);
        probed();
        _exit(0);
    }
    bool has = false;
    if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
        breakpoint(pid, (uintptr_t)probed);
        has = !ptrace(PTRACE_CONT, pid, 0, 0L) && waitpid(pid, &status, 0) == pid &&
              WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
        if (has) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
    }
    return has;
}

static void find_libprof(pid_t pid)
{
    char line[PATH_MAX + 100], name[64], access[8];
    unsigned long from, to, at;
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *f = fopen(name, "r");
    base = start = end = 0;
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "/libprof.so") &&
            sscanf(line, "%lx-%lx %7s %lx", &from, &to, access, &at) == 4) {
            if (!base)
                base = from - at;
            if (access[2] == 'x') {
                start = from;
                end = to;
            }
        }
    if (f)
        fclose(f);
}

/* An int3 of the program's: its number; 0: something else. */
static long mark(pid_t pid, int status)
{
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        return 0;
    struct user_regs_struct r = registers(pid);
    errno = 0;
    long code = ptrace(PTRACE_PEEKTEXT, pid, r.rip - 1, 0);
    return !errno && (code & 255) == 0xcc && r.rax >= 1 && r.rax <= 2 ? (long)r.rax : 0;
}

/* Goes on until mark ID. Signals pass. False: the process ended, or hangs. */
static bool run_to(pid_t pid, long id, int *status, int signal)
{
    for (;;) {
        if (ptrace(PTRACE_CONT, pid, 0, (long)signal))
            return false;
        if (!child_stopped(pid, status) || !WIFSTOPPED(*status))
            return false;
        if (mark(pid, *status) == id)
            return true;
        signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
    }
}

static pid_t started(void)
{
    int status;
    pid_t pid = begin(true);
    if (pid < 0 || !child_stopped(pid, &status) || !WIFSTOPPED(status))
        return -1;
    ptrace(PTRACE_SETOPTIONS, pid, 0, (long)PTRACE_O_EXITKILL);
    if (!run_to(pid, 1, &status, 0)) {
        kill(pid, SIGKILL);
        return -1;
    }
    find_libprof(pid);
    return pid;
}

/* The instructions of libprof.so's from mark 1 to mark 2, or to the end. */
static bool note(pid_t pid)
{
    int status, signal = 0;
    answer(pid, once() ? 0 : 1);
    for (long steps = 0; steps < STEPS_MOST; steps++) {
        if (ptrace(PTRACE_SINGLESTEP, pid, 0, (long)signal) || !child_stopped(pid, &status))
            return false;
        if (!WIFSTOPPED(status) || status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
            return once();
        signal = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SAMPLE ? 0 : WSTOPSIG(status);
        if (!signal && mark(pid, status) == 2)
            return true;
        uintptr_t at = registers(pid).rip;
        if (at - start < end - start && at - base < sizeof seen && !seen[at - base]++)
            offsets[count++] = at - base;
    }
    return true; /* a long call: its first instructions */
}

static int failed(uint32_t offset, const char *why)
{
    printf("  hook %s, %s in its handler: %s; at libprof.so+%#x, its output in %s\n", which, action,
           why, offset, out);
    printf("  again: %s -d %s -o %#x %s %s %s %s\n", program_invocation_name, dir, offset, which,
           action, libprof, hooks);
    return 1;
}

static void end_of(pid_t pid)
{
    int status;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
    waitpid(pid, &status, __WALL);
}

/* Delivers the signal at OFFSET of the pass that PID stands before. 1: struck; 0: it did not come
 * there; STATUS is of its next stop. */
static int strike(pid_t pid, uint32_t offset, int *status)
{
    breakpoint(pid, base + offset);
    answer(pid, once() ? 0 : 1);
    int signal = 0;
    for (;;) {
        *status = -1;
        if (ptrace(PTRACE_CONT, pid, 0, (long)signal) || !child_stopped(pid, status) ||
            !WIFSTOPPED(*status) || mark(pid, *status) == 2)
            return 0;
        signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
        if (!signal && registers(pid).rip == base + offset)
            break;
    }
    breakpoint(pid, 0);
    signal = quiet ? 0 : SIGUSR1;
    for (;;) {
        *status = -1;
        if (ptrace(PTRACE_CONT, pid, 0, (long)signal) || !child_stopped(pid, status) ||
            !WIFSTOPPED(*status) || mark(pid, *status) == 2)
            return 1;
        signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
    }
}

/* Each instruction in one process, one pass each. */
static int in_one(const uint32_t *at, unsigned n, unsigned *struck)
{
    int status;
    char text[OUTPUT_MOST];
    pid_t pid = started();
    if (pid < 0)
        return failed(0, "the program does not start");
    for (unsigned i = 0; i < n; i++) {
        *struck += strike(pid, at[i], &status);
        if (status == -1 || !WIFSTOPPED(status)) {
            read_text(out, text, sizeof text);
            end_of(pid);
            return failed(at[i], status == -1 ? "it hangs" : *text ? text : "it ended");
        }
        answer(pid, i + 1 < n ? 2 : 3);
        if (i + 1 < n && !run_to(pid, 1, &status, 0)) {
            end_of(pid);
            return failed(at[i], "it does not go on");
        }
    }
    breakpoint(pid, 0);
    ptrace(PTRACE_DETACH, pid, 0, 0L);
    bool over = child_stopped(pid, &status);
    read_text(out, text, sizeof text);
    kill(-pid, SIGKILL);
    if (!over) {
        end_of(pid);
        return failed(at[n - 1], "it hangs at its end");
    }
    return status || strcmp(text, native) ? failed(at[n - 1], "another end") : 0;
}

/* How the action, or the case, ends the process. */
static int expected(bool struck, const char **text)
{
    *text = native;
    if (!struck || !ends())
        return native_status;
    *text = !strcmp(action, "exec") ? "executed\n" : "";
    return !strcmp(action, "_exit") ? 9 << 8 : !strcmp(action, "abort") ? SIGABRT : 0;
}

static int in_many(const uint32_t *at, unsigned n, unsigned *struck)
{
    int failures = 0;
    for (unsigned i = 0; i < n && failures < 5; i++) {
        int status;
        char text[OUTPUT_MOST];
        const char *want, *late;
        pid_t pid = started();
        if (pid < 0)
            return failed(at[i], "the program does not start");
        bool hit = strike(pid, at[i], &status);
        *struck += hit;
        if (status != -1 &&
            WIFSTOPPED(status)) { /* it did not come there, or the signal came too late */
            answer(pid, 3);
            breakpoint(pid, 0);
            ptrace(PTRACE_DETACH, pid, 0, 0L);
            if (!child_stopped(pid, &status))
                status = -1;
        }
        if (status == -1) {
            end_of(pid);
            failures += failed(at[i], "it hangs");
            continue;
        }
        kill(-pid, SIGKILL);
        read_text(out, text, sizeof text);
        /* struck within the call that ends the process, with signals blocked, the handler does
         * not run any more */
        bool usual = status == expected(hit, &want) && !strcmp(text, want);
        bool too_late = once() && status == expected(false, &late) && !strcmp(text, late);
        if (!usual && !too_late) {
            char why[OUTPUT_MOST + 64];
            snprintf(why, sizeof why, "status %#x, output \"%.200s\"", status, text);
            failures += failed(at[i], why);
        }
    }
    return failures;
}

static bool arguments(int argc, char **argv, unsigned *most, unsigned *seed, long *only)
{
    snprintf(dir, sizeof dir, "/tmp");
    for (int option; (option = getopt(argc, argv, "+d:s:S:o:q")) >= 0;)
        switch (option) {
        case 'd':
            snprintf(dir, sizeof dir, "%s", optarg);
            break;
        case 's':
            *most = atoi(optarg);
            break;
        case 'S':
            *seed = atoi(optarg);
            break;
        case 'o':
            *only = strtol(optarg, 0, 0);
            break;
        case 'q':
            quiet = true;
            break;
        default:
            return false;
        }
    if (argc - optind != 4)
        return false;
    which = argv[optind];
    action = argv[optind + 1];
    libprof = argv[optind + 2];
    hooks = argv[optind + 3];
    return true;
}

/* Strikes at *CHOSEN of the instructions, MOST at most; returns the failures. A hook's first call
 * goes through much that none of its later ones comes to: where that was all that was chosen,
 * others are. */
static int strike_some(unsigned most, unsigned *chosen, unsigned *struck)
{
    enum { TRIES = 20 };
    int failures = 0;
    for (int tries = 0; tries < TRIES && !failures && !*struck; tries++) {
        static uint32_t some[STEPS_MOST];
        unsigned from = random() % count, n = count < most ? count : most;
        for (unsigned i = 0; i < n; i++)
            some[i] = offsets[n == count ? i : (from + (uint64_t)i * count / n) % count];
        failures = ends() || once() ? in_many(some, n, struck) : in_one(some, n, struck);
        *chosen = n;
        if (n == count)
            break;
    }
    return failures;
}

int main(int argc, char **argv)
{
    unsigned most = UINT_MAX, seed = time(0) ^ getpid();
    long only = -1;
    if (!arguments(argc, argv, &most, &seed, &only))
        return 2;
    snprintf(out, sizeof out, "%s/%s-%s.out", dir, which, action);
    if (!has_breakpoints()) {
        printf("SKIP fault/%s-%s: this machine has no hardware breakpoints\n", which, action);
        return 0;
    }
    children_watched();
    pid_t pid = begin(false);
    if (!child_stopped(pid, &native_status)) {
        end_of(pid);
        printf("FAIL fault/%s-%s: it hangs without libprof\n", which, action);
        return 1;
    }
    read_text(out, native, sizeof native);
    if (only >= 0) {
        offsets[count++] = only;
    } else {
        pid = started();
        if (pid < 0 || !note(pid) || !count) {
            printf("FAIL fault/%s-%s: it cannot be stepped (%u instructions)\n", which, action,
                   count);
            return 1;
        }
        end_of(pid);
    }
    unsigned n = count, struck = 0;
    srandom(seed);
    int failures = strike_some(most, &n, &struck);
    if (!failures && !struck)
        failures = printf("  no instruction was reached again\n");
    printf("%s fault/%s-%s (%u of %u instructions, %u struck, seed %u)\n",
           failures ? "FAIL" : "PASS", which, action, n, count, struck, seed);
    return failures != 0;
}
