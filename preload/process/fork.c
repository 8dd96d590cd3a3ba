/* fork.c - both sides of a fork: all locks are held across it, and the child's profile starts anew. */
#define _GNU_SOURCE
#include "process/fork.h"
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/real.h"
#include "clock/events.h"
#include "libprof_format.h"
#include "model/run.h"
#include "output/writer.h"
#include "process/checkpoint.h"
#include "process/helper.h"
#include "process/lifecycle.h"
#include "process/state.h"
#include "process/thread.h"
#include "process/write.h"
#include "signals/fatal.h"
#include "signals/signals.h"
#include "base/forbid.h"

/* What a thread that forks keeps until both sides go on; the child has a copy. */
static __thread struct {
    bool blocked, locked;       /* its signals; all locks */
    uint64_t mask;
    struct thread *thread;      /* its state, taken off it while it holds the locks */
} forking __attribute__((tls_model("initial-exec")));

/* All locks are held while the child is made: it finds every table whole. A handler of the program's that interrupted a section and
 * forks would wait for itself: there nothing is held, and the child is not recorded. Nor is it where a lock was not to be had. */
static void before_fork(void)
{
    forking.locked = forking.blocked = false;
    if (!recording_here())
        return;
    forking.mask = block_signals();
    forking.blocked = true;
    forking.locked = lock_all_take(WAIT_NS);
    if (!forking.locked)
        return;
    /* Other handlers of fork, which run with the locks held, may create threads: they are not seen. */
    forking.thread = thread_self_;
    thread_self_ = 0;
    engine_forking_pid = getpid();
    engine_forking = syscall(SYS_gettid);
}

static void unlock_all(void)
{
    engine_forking = 0;
    thread_self_ = forking.thread;
    lock_all_release();
}

static void after_fork_parent(void)
{
    if (forking.locked)
        unlock_all();
    if (forking.blocked)
        restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

static void record_child(void)
{
    process_pid = getpid();
    process_state = RUNNING;
    checkpoint_forked();
    main_is_here();             /* who forked is the child's main thread */
    signals_forked();
    fatal_forked();
    engine_forked();
    events_forked();
    writer_forked();
}

/* Nothing of it is recorded. The hook that its thread may be inside of goes on, and so do later ones, on tables that nobody will read. */
static void pass_child(void)
{
    process_state = BOOT;
    engine_recording = false;
    engine_forking = 0;         /* another thread of the parent's may have been forking */
    lifecycle_checkpoints_started = 1;
}

static void after_fork_child(void)
{
    lock_forked();
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == BOOT)
        return;
    if (forking.locked)
        unlock_all();
    if (forking.locked && engine_recording)
        record_child();
    else
        pass_child();           /* or the parent had written its last */
    if (forking.blocked)
        restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

void fork_setup(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* Our threads count towards what a user, or a container, may have of threads and processes. A call
 * that was refused one is made once more without them; a failing fork has run the program's
 * handlers of fork, which come in pairs. */
#define RETRY(type, failed, call)                                                               \
    int saved = errno;                                                                          \
    bool had = lifecycle_has_threads();                                                         \
    type result = call;                                                                         \
    if (result == (failed) && (errno == EAGAIN || errno == ENOMEM) && lifecycle_dismiss(had)) { \
        errno = saved;                                                                          \
        result = call;                                                                          \
    }                                                                                           \
    return result;

/* The parent leaves inside libc, by an _exit that nobody sees. */
EXPORT int daemon(int stay, int keep)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == process_pid)
        write_ahead(LPF_END_QUICK);
    RETRY(int, -1, real()->daemon(stay, keep))
}

EXPORT pid_t fork(void)
{
    RETRY(pid_t, -1, real()->fork())
}
