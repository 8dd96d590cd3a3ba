/* doctor.c - `prof doctor`: what this machine and a program allow. It prints a line for each
 * finding:
 *
 *     [ok] name: state           works
 *     [--] name: state; hint     works without it, or with less
 *     [!!] name: state; hint     profiling would not work: exit status 1
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <linux/close_range.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/format.h"
#include "commands/commands.h"
#include "launch/program.h"
#include "launch/reach.h"
#if defined __x86_64__ || defined __i386__
#endif

#define TBB_LIBRARY "libtbb.so.12"

#ifndef SYS_close_range
#define SYS_close_range 436     /* Linux 5.9, the same number everywhere */
#endif

/* From glibc 2.35 on. It is weak because prof itself must run on older ones. */
extern const unsigned __rseq_size __attribute__((weak));

enum finding { OK, LESS, PROBLEM };
static int problems;

static void say(enum finding f, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(enum finding f, const char *name, const char *format, ...)
{
    static const char *const mark[] = { "[ok]", "[--]", "[!!]" };
    char *raw = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&raw, format, ap);
    va_end(ap);
    char *text = format_clean(format_memory(n < 0 ? NULL : raw));
    printf("%s %s: %s\n", mark[f], name, text);
    problems += f == PROBLEM;
    free(text);
    free(raw);
}

/* ---- the machine ---- */

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

static void look_at_clock(void)
{
#if defined __x86_64__ || defined __i386__
    unsigned a, b, c, d;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1)
        say(OK, "time-stamp counter", "invariant");
    else if (kernel_trusts_tsc())
        say(OK, "time-stamp counter", "the kernel's own clock");
    else
        say(LESS, "time-stamp counter",
            "neither invariant nor the kernel's own clock: libprof reads CLOCK_THREAD_CPUTIME_ID "
            "instead, a system call at each reading; PROF_CLOCK=wall is quicker");
#else
    say(PROBLEM, "processor", "not x86; libprof supports x86-64 only");
#endif
    long rseq = syscall(SYS_rseq, 0, 0, 0, 0);
    bool kernel = !(rseq < 0 && errno == ENOSYS);
    if (&__rseq_size && __rseq_size)
        say(OK, "rseq", "registered by glibc %s; preemption is taken out of every strand",
            gnu_get_libc_version());
    else if (!kernel)
        say(LESS, "rseq",
            "not in this kernel (Linux 4.18 has it); a preemption shorter than 50 us counts as "
            "work");
    else
        say(LESS, "rseq",
            "not registered by glibc %s; 2.35 does, unless GLIBC_TUNABLES=glibc.pthread.rseq=0 "
            "forbids it: a preemption shorter than 50 us counts as work",
            gnu_get_libc_version());
}

/* How does unwind/objects.c find the object that holds a return address? */
static void look_at_objects(void)
{
    if (dlsym(RTLD_DEFAULT, "_dl_find_object"))
        say(OK, "call paths", "glibc %s finds loaded objects without a lock",
            gnu_get_libc_version());
    else
        say(LESS, "call paths",
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
        say(LESS, "/proc",
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
            say(LESS, "time off the CPU",
                "%s cannot be read (%s); how long strands were blocked is measured, but not where",
                files[i], strerror(errno));
            if (fd >= 0)
                close(fd);
            return;
        }
        close(fd);
    }
    if (syscall(SYS_close_range, ~0u, ~0u, CLOSE_RANGE_UNSHARE)) {
        say(LESS, "time off the CPU",
            "no close_range (%s; Linux 5.9 has it); how long strands were blocked is measured, but "
            "not where",
            strerror(errno));
        return;
    }
    say(OK, "time off the CPU",
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
        say(OK, "gdb",
            "does not stop at samples with this line in .gdbinit: handle SIG60 nostop noprint "
            "pass");
    free(path);
}

static void look_at_counters(void)
{
    long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", -100);
    if (!has_proc())
        ;                       /* nobody says what is permitted; below, events are tried */
    else if (paranoid == -100)
        say(LESS, "perf events", "not in this kernel; PROF_EVENTS and counter clocks are off");
    else if (paranoid > 2 && geteuid())
        say(LESS, "perf events",
            "perf_event_paranoid is %ld; sysctl kernel.perf_event_paranoid=2 permits counting "
            "one's own programs",
            paranoid);
    else
        say(OK, "perf events", "perf_event_paranoid is %ld", paranoid);
    if (pfm_initialize() != PFM_SUCCESS) {
        say(LESS, "libpfm4",
            "does not know this processor; PROF_EVENTS and counter clocks are off");
        return;
    }
    int hardware = try_event("instructions"), software = try_event("page-faults");
    if (!hardware)
        say(OK, "hardware counters", "usable; PROF_CLOCK=instructions works");
    else if (hardware == -EACCES || hardware == -EPERM)
        say(LESS, "hardware counters",
            "not permitted; lower kernel.perf_event_paranoid to 2, or give CAP_PERFMON (a "
            "container's seccomp filter may forbid perf_event_open)");
    else
        say(LESS, "hardware counters",
            "none (%s), as in a virtual machine without a virtual PMU; enable it in the "
            "hypervisor, or use PROF_CLOCK=tsc, the default",
            strerror(-hardware));
    if (!software)
        say(OK, "software events",
            "usable; PROF_EVENTS=page-faults,context-switches,cpu-migrations");
    else
        say(LESS, "software events", "%s; PROF_EVENTS is off", strerror(-software));
}

/* ---- oneTBB ---- */

/* The path at which a program with RUN_PATH finds libtbb; the caller frees it. NULL: there is
 * none. */
static char *find_tbb(const char *run_path, const char *program)
{
    char *real = program ? realpath(program, 0) : 0, *slash = real ? strrchr(real, '/') : 0;
    for (const char *p = run_path; slash && *p;) {
        size_t n = strcspn(p, ":");
        bool origin = !strncmp(p, "$ORIGIN", 7) && n >= 7;
        char *full = origin ? format_text("%.*s%.*s/" TBB_LIBRARY, (int)(slash - real), real,
                                          (int)n - 7, p + 7)
                            : format_text("%.*s/" TBB_LIBRARY, (int)n, p);
        if (!access(full, R_OK)) {
            free(real);
            return full;
        }
        free(full);
        p += n + (p[n] == ':');
    }
    free(real);
    struct link_map *map = 0;
    void *h = dlopen(TBB_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    char *path = h && !dlinfo(h, RTLD_DI_LINKMAP, &map) ? format_text("%s", map->l_name) : 0;
    if (h)
        dlclose(h);
    return path;
}

static void look_at_tbb(const char *run_path, const char *program, bool needed)
{
    struct program p;
    char *path = find_tbb(run_path, program);
    if (!path || program_inspect(path, &p)) {
        say(needed ? PROBLEM : LESS, "oneTBB", TBB_LIBRARY " is not installed; Debian: libtbb12");
        free(path);
        return;
    }
    unsigned missing = 0;
    for (unsigned i = 0; i < PROGRAM_TBB_SYMBOLS; i++)
        if (!p.tbb_symbol[i] && !missing++)
            say(needed ? PROBLEM : LESS, "oneTBB",
                "%s lacks %s; this version has other entry points than libprof knows: its tasks "
                "are not seen",
                path, program_tbb_symbols[i]);
    if (!missing)
        say(OK, "oneTBB", "%s, version %s, has the entry points that libprof needs", path,
            p.tbb_version[0] ? p.tbb_version : "unknown");
    free(path);
}

/* ---- a program ---- */

/* Reports whether LD_PRELOAD reaches the program that NAME executes; P is NAME's file. False: there
 * is nothing more to report. */
static bool look_at_reach(const char *name, const struct program *p)
{
    struct reach r;
    reach_look(&r, name);
    if (r.missing)
        say(PROBLEM, name, "%s, which it needs to run, is not there", r.missing);
    else if (r.why)
        say(PROBLEM, name, "%s%s%s%s; %s", r.script ? "its interpreter " : "",
            r.script ? r.file : "", r.script ? " " : "", r.why, r.advice);
    else if (!p->elf)
        say(LESS, name,
            "not an ELF file; the programs that a script starts are profiled one by one");
    else
        say(OK, name, "dynamically linked%s",
            p->pie ? ", position-independent" : ", at a fixed address");
    bool more = p->elf && p->machine == EM_X86_64 && !r.harmful;
    if (!p->elf && !r.why && !r.missing)
        look_at_tbb("", 0, false);
    reach_free(&r);
    return more;
}

static void look_at_openmp(const struct program *p)
{
    const char *tools = getenv("OMP_TOOL_LIBRARIES"), *tool = getenv("OMP_TOOL");
    /* libomp also has libgomp's entry points, so it comes first */
    if (p->contains_omp && p->contains_tools)
        say(PROBLEM, "OpenMP",
            "libomp is linked into the program itself: regions and tasks are seen, but not their "
            "places, nor which tasks are undeferred and what loops hand out; link libomp.so "
            "instead");
    else if (p->contains_omp || p->contains_gomp)
        say(PROBLEM, "OpenMP",
            "%s is linked into the program itself: its calls are invisible; link %s.so instead",
            p->contains_omp ? "libomp" : "libgomp", p->contains_omp ? "libomp" : "libgomp");
    if (p->needs_gomp)
        say(OK, "OpenMP", "libgomp is seen by its entry points");
    if (p->needs_omp && ((tools && *tools) || (tool && !strcmp(tool, "disabled"))))
        say(PROBLEM, "OpenMP",
            "libomp is used, and OMP_TOOL_LIBRARIES or OMP_TOOL=disabled keeps libprof out of it: "
            "unset them");
    else if (p->needs_omp && p->exports_tool)
        say(PROBLEM, "OpenMP",
            "libomp is used, and the program's own ompt_start_tool keeps libprof out of it");
    else if (p->needs_omp)
        say(OK, "OpenMP", "libomp is seen through its tools interface");
}

static void look_at_debug_info(const struct program *p)
{
    if (p->debug_info && p->line_info)
        say(OK, "debug information", "DWARF with line tables");
    else if (p->debug_info)
        say(LESS, "debug information",
            "DWARF without line tables; compile with -g for source lines");
    else if (p->separate_debug_info)
        say(LESS, "debug information",
            "in a separate file, if it is beside the program or in /usr/lib/debug");
    else
        say(LESS, "debug information", "%s; compile with -g for source lines: it costs no speed",
            p->symbols ? "none, but symbols" : "stripped");
}

static void look_at_program(const char *name)
{
    struct program p;
    char *path = program_find(name);
    int error = path ? program_inspect(path, &p) : -ENOENT;
    if (error) {
        say(PROBLEM, name, "%s", strerror(-error));
        free(path);
        return;
    }
    if (access(path, X_OK))
        say(PROBLEM, name, "not executable; chmod +x");
    if (!look_at_reach(name, &p)) {
        free(path);
        return;
    }
    if (p.contains_tbb)
        say(PROBLEM, "oneTBB",
            "linked into the program itself: its calls are invisible; link libtbb.so instead");
    else
        look_at_tbb(p.run_path, path, p.needs_tbb);     /* plug-ins may need it, too */
    if (!p.needs_tbb && !p.contains_tbb && !p.needs_gomp && !p.needs_omp && !p.contains_gomp &&
        !p.contains_omp)
        say(LESS, "runtimes",
            "the program links neither oneTBB nor OpenMP itself%s; its libraries or plug-ins may, "
            "and threads are seen anyway",
            p.symbols ? "" : ", or statically, which does not show in a stripped program");
    if (p.go)
        say(LESS, "Go",
            "its programs end by a system call that libprof does not see: the profile is the last "
            "checkpoint, and the first comes half a second after the first thread");
    look_at_openmp(&p);
    look_at_debug_info(&p);
    free(path);
}

int doctor_main(int argc, char **argv)
{
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        puts("usage: prof doctor [PROGRAM...]\n"
             "Shows what this machine, its libraries and PROGRAM allow, one line a finding. Exit "
             "status 1:\n"
             "profiling would not work.");
        return 0;
    }
    int first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;
    if (first == 1 && argc > 1 && argv[1][0] == '-') {
        fprintf(stderr, "prof: doctor has no option %s\n", argv[1]);
        return 2;
    }
    look_at_clock();
    look_at_objects();
    look_at_proc();
    look_at_waits();
    look_at_counters();
    look_at_debugger();
    if (first == argc)
        look_at_tbb("", 0, false);
    for (int i = first; i < argc; i++)
        look_at_program(argv[i]);
    return problems != 0;
}
