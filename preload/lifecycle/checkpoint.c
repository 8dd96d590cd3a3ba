/* checkpoint.c - libprof's own two threads. One orders checkpoints. The other takes off-CPU samples
 * and writes the ordered checkpoints. own_threads.h describes how they start and end.
 */
#define _GNU_SOURCE
#include "lifecycle/lifecycle_private.h"
#include <errno.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/aside.h"
#include "base/config.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "clock/clock.h"
#include "libprof_format.h"
#include "dag/own_overhead.h"
#include "dag/run.h"
#include "engine/burden.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/own_threads.h"
#include "lifecycle/state.h"
#include "lifecycle/thread.h"
#include "lifecycle/write.h"
#include "output/writer.h"
#include "sampling/cpus.h"
#include "sampling/off_cpu.h"
#include "signals/fatal.h"
#include "unwind/cfi.h"
#include "base/forbid.h"

#define CHECKPOINT_FIRST_NS 500000000ull
#define LOCK_TURN_NS 10000000ull        /* so often the checkpoint thread checks if it must end */

READ_MOSTLY uint32_t lifecycle_had_event;

/* To write a checkpoint, a thread opens a file and so takes a descriptor. A daemon may close all
 * descriptors that it does not know, and then open a file of its own under the same number. So the
 * sampling thread, which has its own table of descriptors, writes the checkpoints. The checkpoint
 * thread holds the lock, orders a checkpoint and waits. With PROF_EVENTS or a counter as the clock,
 * the checkpoint thread writes by itself: the counters are descriptors of the program's table. */
enum { NO_ORDER, ORDERED, CARRIED_OUT_NOW };
/* The checkpoint thread sets ORDERED, and may withdraw it. The sampling thread sets the rest. */
static uint32_t order;
static int order_error;         /* the result; set before NO_ORDER */
static bool takes_orders;       /* written by the sampling thread */

/* Off-CPU samples take at most a hundredth of a CPU, unless they would then come less than once a
 * second. */
#define SAMPLE_SHARE 100
#define SAMPLE_REST_MOST_NS 1000000000ull

/* On the sampling thread: writes the checkpoint if one is ordered. */
static bool carry_out(void)
{
    uint32_t ordered = ORDERED;
    if (!__atomic_compare_exchange_n(&order, &ordered, CARRIED_OUT_NOW, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_fetch_and(&announced, ~(uint32_t)ORDER, __ATOMIC_SEQ_CST);
    order_error = write_silently(false, LPF_END_RUNNING, 0);
    __atomic_store_n(&order, NO_ORDER, __ATOMIC_RELEASE);
    syscall(SYS_futex, &order, FUTEX_WAKE_PRIVATE, INT32_MAX, 0L, 0L, 0);
    return true;
}

/* Runs on the checkpoint thread, which holds the writer's lock. False: no thread takes the
 * order. */
static bool let_write(void)
{
    const struct timespec patience = { 0, 50000000 };
    if (*config.events || clock_kind == CLOCK_COUNTER ||
        !__atomic_load_n(&takes_orders, __ATOMIC_SEQ_CST))
        return false;
    __atomic_store_n(&order, ORDERED, __ATOMIC_RELEASE);
    own_threads_announce(ORDER);
    for (uint32_t now; (now = __atomic_load_n(&order, __ATOMIC_ACQUIRE)) != NO_ORDER;) {
        uint32_t ordered = ORDERED;
        if (!__atomic_load_n(&takes_orders, __ATOMIC_SEQ_CST) &&
            __atomic_compare_exchange_n(&order, &ordered, NO_ORDER, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            __atomic_fetch_and(&announced, ~(uint32_t)ORDER, __ATOMIC_SEQ_CST);
            return false;
        }
        syscall(SYS_futex, &order, FUTEX_WAIT_PRIVATE, now, &patience, 0L, 0);
    }
    writer_report(order_error);
    return true;
}

/* The sampling thread. Its creator has blocked all signals. It often opens files, so it has its own
 * table of descriptors, for two reasons. In the program's table it would take numbers that the
 * program relies on (close(0), then open). And the program may close all descriptors that it does
 * not know, then open others. libprof would read and close those. */
static void *sampling_main(void *unused)
{
    (void)unused;
    __atomic_store_n(&sampling_thread, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    prctl(PR_SET_NAME, "libprof");
    if (syscall(SYS_close_range, 0L, (long)UINT32_MAX, (long)CLOSE_RANGE_UNSHARE))
        return 0;               /* Linux before 5.9 */
    __atomic_store_n(&takes_orders, true, __ATOMIC_SEQ_CST);
    cpus_start();
    uint64_t counted = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    writer_add_cpu(counted);    /* once: the samples need not rest for it */
    while (!own_threads_announced(MAIN_GONE | DISMISSED)) {
        if (carry_out())
            counted = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);  /* the writer counts its own time */
        cfi_follow();
        uint64_t next = engine_recording ? off_cpu_sample() : 1000000000u;
        uint64_t cpu = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
        uint64_t spent = cpu - counted, once = off_cpu_once();
        uint64_t often = spent > once ? spent - once : 0;
        uint64_t rest = often < SAMPLE_REST_MOST_NS / SAMPLE_SHARE ? often * SAMPLE_SHARE
                                                                  : SAMPLE_REST_MOST_NS;
        if (next < rest)
            next = rest;        /* thousands of threads: fewer samples, each for more time */
        writer_add_cpu(spent);
        counted = cpu;
        own_threads_sleep_until(own_threads_from_now(next));
    }
    __atomic_store_n(&takes_orders, false, __ATOMIC_SEQ_CST);
    own_threads_leave();
    return 0;
}

/* A short run must not lose much either. So the pause is as long as the program has run so far,
 * but PROF_CHECKPOINT seconds at most. */
static uint64_t checkpoint_pause(uint64_t run)
{
    const uint64_t most = config.checkpoint * 1000000000ull;
    uint64_t pause = run < CHECKPOINT_FIRST_NS ? CHECKPOINT_FIRST_NS : run;
    return pause < most ? pause : most;
}

/* Another thread may hold the lock for long, and a third one may dismiss this one meanwhile. So
 * this one must not wait for the lock without end. */
static bool lock_for_checkpoint(void)
{
    while (!own_threads_announced(MAIN_GONE | DISMISSED))
        if (state_lock_writer_within(LOCK_TURN_NS))
            return true;
    return false;
}

/* The program's threads have left, and one of them without a word (lifecycle_thread_leaves). If
 * they did as libc wants it, libc ends the process with this thread, and the profile is written
 * then. If not, this is its last. */
static void *last_thread(void)
{
    if (state_lock_writer()) {
        if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING && engine_recording)
            write_profile(false, LPF_END_RUNNING, 0);
        state_unlock_writer();
    }
    own_threads_leave();
    return 0;
}

/* The checkpoint thread. It has the program's descriptors: PROF_EVENTS' counters, and stderr. */
static void *checkpoint_main(void *unused)
{
    (void)unused;
    __atomic_store_n(&checkpoint_thread, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
    prctl(PR_SET_NAME, "libprof");
    struct timespec poll = { 0, 10000000 };
    uint64_t start = clock_read_ns(CLOCK_MONOTONIC);
    for (;;) {
        if (own_threads_announced(DISMISSED | LAST_GONE))
            return 0;
        if (!own_threads_announced(MAIN_GONE)) {
            uint64_t run = clock_read_ns(CLOCK_MONOTONIC) - start;
            own_threads_sleep_until(own_threads_from_now(checkpoint_pause(run)));
        } else {
            syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0L, &poll, 0L);
            if (own_threads_in_process() <= 2)
                return last_thread();
            continue;
        }
        if (!lock_for_checkpoint())
            continue;
        bool running = __atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING &&
                       engine_recording;
        if (running) {
            __atomic_store_n(&checkpoint_written, true, __ATOMIC_RELAXED);
            if (!let_write())
                write_profile(false, LPF_END_RUNNING, 0);
            __atomic_store_n(&checkpoint_written, false, __ATOMIC_RELAXED);
            /* signals that system(3) or a debugger has put back to their default */
            fatal_arm();
        }
        state_unlock_writer();
        if (!running)
            return 0;
    }
}

/* glibc's pthread_create calls the program's calloc for the thread's TLS vector. Besides, only the
 * first spawn site (unwind/function_at.c), base/lookup.c, and at the start clock/pfm.c call the
 * program's allocator. It is safe here, because the program itself calls into a runtime at this
 * moment. */
static void first_event(void *unused)
{
    (void)unused;
    message_release();
    fatal_arm();
    clock_settle();
    burden_settle();
    threads_calibrate();
    /* gcc's ThreadSanitizer counts our threads as the program's: it ends a child of fork that
     * starts a thread, and delays the exit. memcheck counts what libc allocates for them as leaks
     * of the program. */
    if (program_has_tsan() || in_valgrind)
        return;
    int saved = errno;
    if (off_cpu_wanted()) {
        off_cpu_start();
        own_threads_start(&sampling_thread, MAIN_GONE | DISMISSED, sampling_main);
    }
    if (config.checkpoint > 0 &&
        !own_threads_start(&checkpoint_thread, DISMISSED | LAST_GONE, checkpoint_main) &&
        !own_threads_announced(DISMISSED | LAST_GONE))
        message(MESSAGE_SHORTAGE, "no thread for checkpoints: a killed process leaves no profile");
    errno = saved;
}

void lifecycle_first_event_slow(void)
{
    if (__atomic_exchange_n(&lifecycle_had_event, 1, __ATOMIC_ACQ_REL))
        return;
    struct thread *th = thread_self_;
    struct own own = { .nested = true };
    if (th)
        own = own_begin(th);
    aside_run(first_event, 0);
    if (th)
        own_end(th, &own);
}

void checkpoint_forked(void)
{
    lifecycle_had_event = 0;
    sampling_thread = checkpoint_thread = 0;
    order = NO_ORDER;
    takes_orders = false;
    announced &= DISMISSED;
}
