/* machine.c - see machine.h. */
#define _GNU_SOURCE
#include "arch/cpu.h"
#include "doctor/machine.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/close_range.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/format.h"
#include "doctor/finding.h"

#ifndef SYS_close_range
#define SYS_close_range 436     /* Linux 5.9, the same number everywhere */
#endif

/* From glibc 2.35 on. It is weak because prof itself must run on older ones. */
extern const unsigned __rseq_size __attribute__((weak));

static int try_event(const char *name)
{
    struct perf_event_attr attr;
    pfm_perf_encode_arg_t arg;
    memset(&attr, 0, sizeof attr);
    memset(&arg, 0, sizeof arg);
    attr.size = sizeof attr;
    arg.attr = &attr;
    arg.size = sizeof arg;
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &arg) != PFM_SUCCESS)
        return -EINVAL;
    attr.exclude_kernel = attr.type != PERF_TYPE_SOFTWARE;
    attr.exclude_hv = attr.exclude_kernel;
    int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

/* The number in a file of /proc, or OTHERWISE if there is none. */
static long read_number(const char *path, long otherwise)
{
    FILE *f = fopen(path, "re");
    long v = otherwise;
    if (f && fscanf(f, "%ld", &v) != 1)
        v = otherwise;
    if (f)
        fclose(f);
    return v;
}

/* Is the time-stamp counter the kernel's own clock? As tsc_invariant of preload/clock/tsc.c. */
static bool kernel_trusts_tsc(void)
{
    char name[64] = "";
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (f && !fgets(name, sizeof name, f))
        *name = 0;
    if (f)
        fclose(f);
    name[strcspn(name, "\n")] = 0;
    return !strcmp(name, "tsc") || !strcmp(name, "kvm-clock") ||
           !strcmp(name, "hyperv_clocksource_tsc_page");
}

#define COARSE_KHZ 500000       /* a tick of 2 ns: as preload/clock/tsc.c */

static void look_at_clock(void)
{
    uint64_t khz = cpu_counter_khz();
    if (cpu_counter_is_stated() && khz && khz < COARSE_KHZ)
        finding(OK, CPU_COUNTER_NAME,
            "invariant; a tick takes %.1f ns: the cost of a single strand may be so far off, but "
            "the errors of strands that follow each other cancel", 1e6 / (double)khz);
    else if (cpu_counter_is_stated())
        finding(OK, CPU_COUNTER_NAME, "invariant");
    else if (kernel_trusts_tsc())
        finding(OK, CPU_COUNTER_NAME, "the kernel's own clock");
    else
        finding(LESS, CPU_COUNTER_NAME,
            "neither invariant nor the kernel's own clock: libprof reads CLOCK_THREAD_CPUTIME_ID "
            "instead, a system call at each reading; PROF_CLOCK=wall is quicker");
    long rseq = syscall(SYS_rseq, 0, 0, 0, 0);
    bool kernel = !(rseq < 0 && errno == ENOSYS);
    if (&__rseq_size && __rseq_size)
        finding(OK, "rseq", "registered by glibc %s; preemption is taken out of every strand",
            gnu_get_libc_version());
    else if (!kernel)
        finding(LESS, "rseq",
            "not in this kernel (Linux 4.18 has it); a preemption shorter than 50 us counts as "
            "work");
    else
        finding(LESS, "rseq",
            "not registered by glibc %s; 2.35 does, unless GLIBC_TUNABLES=glibc.pthread.rseq=0 "
            "forbids it: a preemption shorter than 50 us counts as work",
            gnu_get_libc_version());
}

/* How does unwind/objects.c find the object that holds a return address? */
static void look_at_objects(void)
{
    if (dlsym(RTLD_DEFAULT, "_dl_find_object"))
        finding(OK, "call paths", "glibc %s finds loaded objects without a lock",
            gnu_get_libc_version());
    else
        finding(LESS, "call paths",
            "glibc %s has no _dl_find_object (2.35 has it): libprof keeps its own table of loaded "
            "objects; a sample's call path may end at a library that was loaded just before",
            gnu_get_libc_version());
}

static bool has_proc(void)
{
    return !access("/proc/self", F_OK);
}

static void look_at_proc(void)
{
    if (!has_proc())
        finding(LESS, "/proc",
            "not mounted; where strands are blocked, and how long they wait for processors, is not "
            "known; a program's name is the one it was started by");
}

/* Can preload/sampling/off_cpu.c read what it needs? */
static void look_at_waits(void)
{
    static const char *const files[] = { "/proc/thread-self/syscall", "/proc/thread-self/schedstat",
                                         "/proc/self/mem" };
    char byte = 0;
    if (!has_proc())
        return;
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        int fd = open(files[i], O_RDONLY | O_CLOEXEC);
        if (fd < 0 || pread(fd, &byte, 1, i == 2 ? (off_t)(uintptr_t)&byte : 0) != 1) {
            finding(LESS, "time off the CPU",
                "%s cannot be read (%s); how long strands were blocked is measured, but not where",
                files[i], strerror(errno));
            if (fd >= 0)
                close(fd);
            return;
        }
        close(fd);
    }
    if (syscall(SYS_close_range, ~0u, ~0u, CLOSE_RANGE_UNSHARE)) {
        finding(LESS, "time off the CPU",
            "no close_range (%s; Linux 5.9 has it); how long strands were blocked is measured, but "
            "not where",
            strerror(errno));
        return;
    }
    finding(OK, "time off the CPU",
        "/proc shows where strands are blocked; prof report --metric blocked --paths");
}

/* A sample is a signal. A debugger without a setting for it stops the program at each. */
static void look_at_debugger(void)
{
    char *path = format_memory(strdup(getenv("PATH") ? getenv("PATH") : "")), *rest = path,
         *file = NULL;
    bool found = false;
    for (const char *at; !found && (at = strsep(&rest, ":"));) {
        file = format_text("%s/gdb", *at ? at : ".");
        found = !access(file, X_OK);
        free(file);
    }
    if (found)
        finding(OK, "gdb",
            "does not stop at samples with this line in .gdbinit: handle SIG60 nostop noprint "
            "pass");
    free(path);
}

static void look_at_counters(void)
{
    long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", -100);
    if (!has_proc())
        ;                       /* nothing states what is permitted; below, events are tried */
    else if (paranoid == -100)
        finding(LESS, "perf events", "not in this kernel; PROF_EVENTS and counter clocks are off");
    else if (paranoid > 2 && geteuid())
        finding(LESS, "perf events",
            "perf_event_paranoid is %ld; sysctl kernel.perf_event_paranoid=2 permits counting "
            "one's own programs",
            paranoid);
    else
        finding(OK, "perf events", "perf_event_paranoid is %ld", paranoid);
    if (pfm_initialize() != PFM_SUCCESS) {
        finding(LESS, "libpfm4",
            "does not know this processor; PROF_EVENTS and counter clocks are off");
        return;
    }
    int hardware = try_event("instructions"), software = try_event("page-faults");
    if (!hardware)
        finding(OK, "hardware counters", "usable; PROF_CLOCK=instructions works");
    else if (hardware == -EACCES || hardware == -EPERM)
        finding(LESS, "hardware counters",
            "not permitted; lower kernel.perf_event_paranoid to 2, or give CAP_PERFMON (a "
            "container's seccomp filter may forbid perf_event_open)");
    else
        finding(LESS, "hardware counters",
            "none (%s), as in a virtual machine without a virtual PMU; enable it in the "
            "hypervisor, or use PROF_CLOCK=tsc, the default",
            strerror(-hardware));
    if (!software)
        finding(OK, "software events",
            "usable; PROF_EVENTS=page-faults,context-switches,cpu-migrations");
    else
        finding(LESS, "software events", "%s; PROF_EVENTS is off", strerror(-software));
}

void machine_look(void)
{
    look_at_clock();
    look_at_objects();
    look_at_proc();
    look_at_waits();
    look_at_counters();
    look_at_debugger();
}
