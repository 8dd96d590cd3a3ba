/* doctor.c - `prof doctor`: what this machine allows, and a program; one line a finding. */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "program.h"
#include "report.h"

extern const unsigned __rseq_size __attribute__((weak));

enum finding { OK, OPTIONAL, PROBLEM };
static int problems;

static void say(enum finding f, const char *name, const char *text)
{
    static const char *const mark[] = { "[ok]", "[--]", "[!!]" };
    printf("%s %-18s %s\n", mark[f], name, text);
    problems += f == PROBLEM;
}

static int try_event(const char *name)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    pfm_perf_encode_arg_t arg;
    memset(&arg, 0, sizeof arg);
    arg.attr = &attr;
    arg.size = sizeof arg;
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
        return -EINVAL;
    attr.exclude_kernel = attr.type != PERF_TYPE_SOFTWARE;
    int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

static void machine(void)
{
    unsigned a, b, c, d;
    bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1;
    say(invariant ? OK : OPTIONAL, "time-stamp counter", invariant ? "invariant" :
        "not invariant: costs follow the processor's frequency; PROF_CLOCK=wall has the same limit");
    bool rseq = &__rseq_size && __rseq_size >= 16;
    say(rseq ? OK : OPTIONAL, "rseq", rseq ? "registered by libc: preemption is taken out of every strand" :
        "not available (glibc >= 2.35 has it): preemption of less than 50 us counts as work");
    if (pfm_initialize() != PFM_SUCCESS) {
        say(OPTIONAL, "libpfm4", "cannot be initialised: PROF_EVENTS and counter clocks are off");
    } else {
        int hw = try_event("instructions"), sw = try_event("page-faults");
        say(hw ? OPTIONAL : OK, "hardware counters", !hw ? "usable: PROF_CLOCK=instructions works" :
            hw == -EACCES || hw == -EPERM ? "not permitted: lower /proc/sys/kernel/perf_event_paranoid" :
            "none on this machine (a VM without vPMU?): PROF_CLOCK=instructions falls back to tsc");
        say(sw ? OPTIONAL : OK, "software events", sw ? "not permitted: /proc/sys/kernel/perf_event_paranoid" :
            "usable: PROF_EVENTS=page-faults,context-switches,cpu-migrations");
    }
}

static void libraries(void)
{
    void *h = dlopen("libtbb.so.12", RTLD_LAZY | RTLD_LOCAL);
    int (*version)(void) = h ? (int (*)(void))dlsym(h, "TBB_runtime_interface_version") : 0;
    const char *(*text)(void) = h ? (const char *(*)(void))dlsym(h, "TBB_runtime_version") : 0;
    char line[128];
    if (!h) {
        say(OPTIONAL, "oneTBB", "libtbb.so.12 is not installed (Debian: libtbb12); threads are still profiled");
        return;
    }
    snprintf(line, sizeof line, "libtbb.so.12, version %s (interface %d)", text ? text() : "?", version ? version() : 0);
    bool good = version && version() >= 12000 && version() < 13000;
    say(good ? OK : PROBLEM, "oneTBB", line);
    if (good && !dlsym(h, "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"))
        say(PROBLEM, "oneTBB", "its entry points have other names than libprof knows");
    dlclose(h);
}

static void program(const char *name)
{
    struct program p;
    char *path = program_find(name);
    if (!path || program_inspect(path, &p)) {
        say(PROBLEM, name, "not found, or not readable");
        free(path);
        return;
    }
    free(path);
    if (!p.elf) {
        say(OPTIONAL, "program", "not an ELF file: a script's programs are profiled one by one");
        return;
    }
    say(p.dynamic ? OK : PROBLEM, "linking", p.dynamic ? "dynamic" :
        "static: a preloaded library cannot reach it; link it dynamically");
    if (p.setuid)
        say(PROBLEM, "permissions", "set-user-id: the loader ignores LD_PRELOAD; copy it without that bit");
    if (p.contains_tbb)
        say(PROBLEM, "oneTBB", "is linked into the program itself: its calls are out of reach; use libtbb.so");
    else
        say(p.needs_tbb ? OK : OPTIONAL, "oneTBB", p.needs_tbb ? "the program uses libtbb.so" :
            "the program does not link libtbb.so itself (its libraries, or plug-ins, may)");
    if (p.needs_openmp)
        say(OPTIONAL, "OpenMP", "used by the program, not supported yet: its tasks are not seen");
    say(p.line_info ? OK : OPTIONAL, "debug information", p.line_info ? "source lines are known" :
        "none in the file: functions by symbol, no source lines (compile with -g; it costs no speed)");
}

int doctor_main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("usage: prof doctor [PROGRAM]\n"
             "Says what this machine, its libraries and PROGRAM allow. Exit status 1: profiling would not work.");
        return 0;
    }
    machine();
    libraries();
    for (int i = 1; i < argc; i++)
        program(argv[i]);
    return problems != 0;
}
