/* fork.c - fork, forkpty, daemon, and both sides of a fork. All listed locks (base/lock.h) but
 * LOCK_LOADER's are held across it. The child's profile starts anew; output/profile_name.c names
 * it. If the kernel refuses a fork, libprof may be the reason (retry.h). */
#define _GNU_SOURCE
#include "lifecycle/fork.h"
#include <errno.h>
#include <pthread.h>
#include <pty.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/printed.h"
#include "base/real.h"
#include "clock/events.h"
#include "libprof_format.h"
#include "dag/job.h"
#include "dag/run.h"
#include "lifecycle/checkpoint.h"
#include "lifecycle/lifecycle.h"
#include "lifecycle/own_threads.h"
#include "lifecycle/retry.h"
#include "lifecycle/state.h"
#include "lifecycle/thread.h"
#include "lifecycle/write.h"
#include "output/writer.h"
#include "signals/fatal.h"
#include "signals/signals.h"
#include "base/forbid.h"

/* The state of a fork, of the forking thread. The child has a copy. */
static __thread struct {
    bool blocked, locked;       /* signals are blocked; the locks are held */
    uint64_t mask;
    struct thread *thread;      /* thread_self_, which is NULL while the locks are held */
} forking __attribute__((tls_model("initial-exec")));

/* These locks are held while the child is made, so that it finds every table whole. A signal
 * handler that interrupted a locked section and forks would wait for its own thread. In that case
 * no lock is taken, and the child is not recorded. Nor is the child recorded if a lock could not be
 * taken in time. */
static void before_fork(void)
{
    forking.locked = forking.blocked = false;
    fatal_hold();
    if (!state_is_recording())
        return;
    forking.mask = state_block_signals();
    forking.blocked = true;
    forking.locked = lock_all_take(WAIT_NS);
    if (!forking.locked)
        return;
    printed_share();
    /* Other fork handlers run with the locks held. Threads that they create are not recorded. */
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
        state_restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

static void record_child(void)
{
    process_pid = getpid();
    process_state = RUNNING;
    checkpoint_forked();
    own_threads_main_is_here(); /* the forking thread is the child's main thread */
    signals_forked();
    fatal_forked();
    threads_forked();
    events_forked();
    job = (struct job){ 0 };    /* a child of a rank is no rank */
    writer_forked();
}

/* The child is not recorded. If its thread forked inside a hook, that hook goes on, and so do later
 * hooks. They write to tables that nobody will read. */
static void pass_child(void)
{
    process_state = BOOT;
    engine_recording = false;
    engine_forking = 0;         /* another thread of the parent may have been forking */
    lifecycle_had_event = 1;
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
        pass_child();           /* also where the parent has written its last profile */
    if (forking.blocked)
        state_restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

void fork_setup(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* ---- the calls ---- */

#define RETRY_FORK(call)                                               \
    RETRY(pid_t, pid, call, pid == -1 && retry_limit(errno), NEEDED)   \
    if (pid > 0)                                                       \
        writer_add_child();                                            \
    return pid;

/* The parent ends inside libc, by an _exit that we cannot interpose. So its profile comes first. */
EXPORT int daemon(int stay, int keep)
{
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == RUNNING && getpid() == process_pid)
        write_ahead(LPF_END_QUICK);
    RETRY_FORK(real()->daemon(stay, keep))
}

EXPORT pid_t fork(void)
{
    RETRY_FORK(real()->fork())
}

EXPORT pid_t forkpty(int *master, char *name, const struct termios *terminal,
                     const struct winsize *size)
{
    if (!real()->forkpty) {
        errno = ENOSYS;
        return -1;
    }
    RETRY_FORK(real()->forkpty(master, name, terminal, size))
}
