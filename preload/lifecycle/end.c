/* end.c - every way in which the process ends: exit, _exit, quick_exit, abort, a signal, and a
 * sandbox that forbids libprof's system calls. See lifecycle.h.
 */
#define _GNU_SOURCE
#include "lifecycle/lifecycle_private.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/real.h"
#include "clock/clock.h"
#include "libprof_format.h"
#include "dag/run.h"
#include "engine/engine.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/own_threads.h"
#include "lifecycle/state.h"
#include "lifecycle/write.h"
#include "output/writer.h"
#include "sampling/sampler.h"
#include "signals/fatal.h"
#include "signals/sigstack.h"
#include "base/forbid.h"

static pid_t ending_tid;        /* the thread that writes the last profile */

static void nap(void)
{
    struct timespec t = { 0, 100000 };
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0L, &t, 0L);
}

/* The process is about to end on this thread while another one writes the last profile. */
static void wait_for_final(void)
{
    pid_t me = syscall(SYS_gettid);
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    while (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == ENDING) {
        /* Is it this thread itself? A fault in the writer, whose handler calls abort(). */
        if (__atomic_load_n(&ending_tid, __ATOMIC_RELAXED) == me ||
            clock_read_ns(CLOCK_MONOTONIC) - start > WAIT_NS)
            return;
        nap();
    }
}

/* While the checkpoint thread writes, the running strand waits for libprof, and that is no time of
 * its own. */
static bool lock_writer_aside(void)
{
    if (state_lock_writer_within(0))
        return true;
    struct thread *th = engine_recording ? thread_self_ : 0;
    struct task *strand = th ? engine_pause(th) : 0;
    bool locked = state_lock_writer();
    if (strand) {
        engine_resume(th, strand);
        between_was_own(th);
    }
    return locked;
}

void lifecycle_end(uint32_t end, uint32_t status)
{
    uint32_t running = RUNNING;
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == BOOT || getpid() != process_pid)
        return;
    fatal_hold();
    int saved = errno;
    /* Most processes of a build or a script. They need no system call for their end. */
    if (write_needs_nothing(end) &&
        __atomic_compare_exchange_n(&process_state, &running, FINAL, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        engine_recording = false;
        errno = saved;
        return;
    }
    running = RUNNING;
    uint64_t mask = state_block_signals();
    if (__atomic_compare_exchange_n(&process_state, &running, ENDING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&ending_tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
        if (lock_writer_aside()) {
            memory_all();
            if (engine_recording)       /* unless an agent has stopped recording for good */
                write_profile(true, end, status);
            engine_recording = false;
            state_unlock_writer();
        } else {
            writer_report(-EBUSY);
        }
        __atomic_store_n(&process_state, FINAL, __ATOMIC_RELEASE);
    } else {
        wait_for_final();
    }
    state_restore_signals(mask);
    errno = saved;
}

void write_at_signal(uint32_t number)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == ENDING)
        wait_for_final();
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) != RUNNING)
        return;
    if (!state_lock_writer()) {
        writer_report(-EBUSY);
        return;
    }
    memory_all();
    if (process_state == RUNNING && engine_recording)
        write_profile(true, LPF_END_SIGNAL, number);
    state_unlock_writer();
}

/* The program is about to forbid itself system calls. From then on any system call of libprof's
 * could end it, even the return from a sample's handler. So the profile is written now. After that
 * libprof does nothing and has no threads. Hooks find engine_recording false. */
void lifecycle_seal(void)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) != RUNNING) {
        kernel_closed = true;   /* hooks of a child that is not recorded still run */
        return;
    }
    if (getpid() != process_pid)
        return;                 /* a child of vfork, which has the parent's memory */
    int saved = errno;
    uint64_t mask = state_block_signals();
    if (state_lock_writer()) {
        if (process_state == RUNNING) {
            if (engine_recording)
                write_profile(true, LPF_END_RUNNING, 0);
            engine_recording = false;
            bool threads = __atomic_exchange_n(&lifecycle_had_event, 1, __ATOMIC_ACQ_REL);
            __atomic_store_n(&process_state, BOOT, __ATOMIC_RELEASE);
            own_threads_announce(DISMISSED);
            state_unlock_writer();
            sampler_stop();
            if (threads) {
                own_threads_wait(&sampling_thread, UINT64_MAX);
                own_threads_wait(&checkpoint_thread, UINT64_MAX);
            }
        } else {
            state_unlock_writer();
        }
    }
    state_restore_signals(mask);
    if (thread_self_)
        sigstack_thread_stop(thread_self_); /* relays would need a system call */
    kernel_closed = true;
    errno = saved;
}

/* exit() runs its handlers in reverse order. This handler is registered before the loader's own
 * (_dl_fini). So it runs after the program's atexit functions and its libraries' destructors. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    lifecycle_end(LPF_END_EXIT, status & 255);
}

/* Of the program's quick_exit; the thread that calls it writes. */
static int quick_status;
static bool quick_registered;   /* at_quick is; written by end_setup */

/* quick_exit() runs its handlers in reverse order, too, and this one is registered before the
 * program's. libc does not pass it the status. */
static void at_quick(void)
{
    lifecycle_end(LPF_END_QUICK, quick_status & 255);
}

void end_setup(void)
{
    if (on_exit(at_exit, 0))
        message(MESSAGE_WARNING, "no memory for an exit handler: no profile is written at exit");
    quick_registered = !at_quick_exit(at_quick);
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
    quick_status = status;
    if (!quick_registered)
        lifecycle_end(LPF_END_QUICK, status & 255);
    real()->quick_exit(status);
}

/* The program's handler of SIGABRT runs before the profile is written, because it may leave by
 * longjmp, or use threads. So this does what libc's abort does first. If the handler returns, libc
 * would call it a second time. */
static void raise_abort(void)
{
    const uint64_t only = 1ull << (SIGABRT - 1);
    const struct sigaction none = { .sa_handler = SIG_DFL };
    struct sigaction action;
    if (!state_is_recording() || real()->sigaction(SIGABRT, 0, &action) ||
        action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN ||
        fatal_is_ours((const void *)action.sa_handler))
        return;
    fatal_hold();
    syscall(SYS_rt_sigprocmask, (long)SIG_UNBLOCK, &only, 0L, 8L);
    syscall(SYS_tgkill, (long)getpid(), syscall(SYS_gettid), (long)SIGABRT);
    real()->sigaction(SIGABRT, &none, 0);
}

EXPORT void abort(void)
{
    raise_abort();
    lifecycle_end(LPF_END_SIGNAL, SIGABRT);
    real()->abort();
}
