/* start.c - libprof's start-up, before the agents' and the program's own constructors. It reads the
 * settings, sets up every room in the order that start() shows, and starts recording. See
 * lifecycle.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>
#include "base/aside.h"
#include "base/config.h"
#include "base/kernel.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "base/real.h"
#include "contexts/context.h"
#include "clock/clock.h"
#include "clock/events.h"
#include "dagrec/dagrec.h"
#include "engine/burden.h"
#include "lifecycle/lifecycle_private.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/own_threads.h"
#include "lifecycle/state.h"
#include "lifecycle/thread.h"
#include "lifecycle/write.h"
#include "output/writer.h"
#include "sampling/off_cpu.h"
#include "sampling/sample_source.h"
#include "sampling/sampler.h"
#include "signals/fatal.h"
#include "signals/sigstack.h"
#include "signals/tls.h"
#include "unwind/call_tree.h"
#include "unwind/cfi.h"
#include "unwind/runtime_registry.h"
#include "whatif/whatif.h"
#include "base/forbid.h"

extern char **environ;

/* Call paths show this function's name for all code of libprof.so (runtime_leaf). */
static __attribute__((noinline, used)) void libprof_itself(void)
{
    __asm__ volatile("");
}

/* The setting NAME, if it is from LEAST to MOST; else its default, and a warning. */
static int in_range(const char *name, int value, int least, int most)
{
    if (value >= least && value <= most)
        return value;
    int usual = config_default_count(name);
    message(MESSAGE_WARNING, "%s=%d is not between %d and %d: using %d", name, value, least, most,
            usual);
    return usual;
}

/* OURS: the bytes of the address space that libprof may use; UINT64_MAX: any number. */
static void report_no_memory(uint64_t ours)
{
    if (ours == UINT64_MAX)
        message(MESSAGE_SHORTAGE, "no memory for the engine: not profiling");
    else
        message(MESSAGE_SHORTAGE,
                "no memory for the engine in a quarter of the address space, %lu MB (ulimit -v, "
                "PROF_NODES, PROF_CONTEXTS): not profiling",
                (unsigned long)(ours >> 20));
}

/* If code of .preinit_array makes libprof open a library, dlopen runs the constructors before libc
 * knows the environment. Then it is where the kernel put it: above argc and argv. */
static char **first_environment(void)
{
    char ***top = environ ? 0 : lookup(RTLD_DEFAULT, "__libc_stack_end");
    return top ? *top + *(long *)*top + 2 : environ;
}

static int errno_before;

/* glibc passes main's arguments to what is in .init_array. Under -flto, gcc makes one function
 * without arguments of all constructors of a priority. So this is not written as a constructor. */
static __attribute__((cold)) void take_arguments(int argc, char **argv)
{
    errno_before = errno;
    kernel_setup();
    program_arguments(argc, argv);
}
__attribute__((section(".init_array.00100"), used)) static void (*const arguments_first)(
    int, char **) = take_arguments;

/* 101: before the agents (110) and before the program's own constructors. */
__attribute__((constructor(101))) static void start(void)
{
    process_pid = getpid();
    message_setup();
    message_hold();
    char **environment = first_environment();
    config_setup(environment);
    /* a set-user-ID program: who started it may not say which file it writes */
    if (getauxval(AT_SECURE))
        config.disable = true;
    if (config.disable)
        return;
    if (writer_wanted())
        message_release();
    clock_start();
    if (real_missing()) {
        message(MESSAGE_WARNING, "libc's %s is not found: not profiling", real_missing());
        message_release();
        return;
    }
    writer_setup(environment);
    config.contexts = in_range("PROF_CONTEXTS", config.contexts, 16, 1000000);
    config.nodes = in_range("PROF_NODES", config.nodes, 1024, 10000000);
    config.mpi_turns = in_range("PROF_MPI_TURNS", config.mpi_turns, 64, 10000000);
    aside_setup(environment);
    tls_setup();
    if (!cfi_setup())
        message(MESSAGE_DEBUG,
                "the loader lists no objects: call paths are spawn sites alone");
    uint64_t ours = memory_setup();
    /* not earlier: it takes the time since clock_start for its measurement */
    const char *why = "";
    if (clock_setup(config.clock, &why) < 0)
        message(MESSAGE_WARNING, "PROF_CLOCK=%s: %s; using tsc", config.clock, why);
    burden_configure(config.burden);
    write_setup();
    events_setup(config.events);
    sampler_setup(config.sample);
    lookup_error_drop();        /* libpfm4 may be missing */
    if (config.signals)
        fatal_setup(write_at_signal);
    if (config.signals || sample_source_period_ns() || sample_source_period_events())
        sigstack_setup();
    bool memory = !cct_setup(config.nodes);
    if (memory)
        context_setup(config.contexts);
    if (memory)
        off_cpu_setup();
    if (memory)
        whatif_setup(config.whatif, config.delay, config.whatif_code);
    dagrec_setup(config.dag);
    writer_recording();
    if (!memory || threads_setup()) {
        report_no_memory(ours);
        message_release();
        return;
    }
    /* libprof's hooks are between the dispatcher and a task. So callsite/site.c must treat them
     * as the runtime's. */
    runtime_register_self((uintptr_t)libprof_itself, "libprof");
    __atomic_store_n(&process_state, RUNNING, __ATOMIC_RELEASE);
    lookup_setup();
    fork_setup();
    end_setup();
    own_threads_setup();
    if (writer_wanted())
        fatal_arm();
    if (config.verbose >= MESSAGE_DEBUG)
        message(MESSAGE_DEBUG, "recording; clock %s (%s)", clock_name(), clock_detail());
}

/* After all constructors of libprof.so, the agents' too: main may begin with errno 0. */
__attribute__((constructor(120))) static void restore_errno(void)
{
    errno = errno_before;
}
