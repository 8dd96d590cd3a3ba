/* fork.c - fork, forkpty, daemon, and both sides of a fork. The child's profile starts anew;
 * output/profile_name.c names it. If the kernel refuses a fork, libprof may be the reason
 * (retry.h).
 *
 * All listed locks (base/lock.h) but LOCK_LOADER's are held while the child is made. libc runs
 * prepare handlers in the reverse order of their registration. A handler of another library may
 * wait for a thread, for a mutex or for a signal, so none may run while we hold locks. Libraries
 * that the program links are initialised before libprof. So the first registration of any handler
 * registers ours before it.
 */
#define _GNU_SOURCE
#include "lifecycle/lifecycle_private.h"
#include <errno.h>
#include <pty.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/lookup.h"
#include "base/printed.h"
#include "base/real.h"
#include "clock/events.h"
#include "libprof_format.h"
#include "dag/job.h"
#include "dag/run.h"
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

extern void *__dso_handle __attribute__((visibility("hidden")));

/* The state of a fork, of the forking thread. The child has a copy. */
static __thread struct {
    bool blocked, locked;       /* signals are blocked; the locks are held */
    uint64_t mask;
} forking __attribute__((tls_model("initial-exec")));

/* These locks are held while the child is made, so that it finds every table whole. A signal
 * handler that interrupted a locked section and forks would wait for its own thread. In that case
 * no lock is taken, and the child is not recorded. Nor is the child recorded if a lock could not be
 * taken in time, or was lost meanwhile, or if the loader's list is locked in the child
 * (base/lookup.h). */
static void before_fork(void)
{
    forking.locked = forking.blocked = false;
    fatal_hold();
    if (!state_is_recording())
        return;
    forking.mask = state_block_signals();
    forking.blocked = true;
    lookup_before_fork();       /* first: who holds that lock may wait for one of ours */
    forking.locked = lock_all_take(WAIT_NS);
    if (forking.locked)
        printed_share();
}

static void after_fork_parent(void)
{
    if (forking.locked)
        lock_all_release();
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
    lifecycle_had_event = 1;
}

static void after_fork_child(void)
{
    bool whole = forking.locked && lock_all_release();
    lock_forked();
    whole &= lookup_forked();
    if (__atomic_load_n(&process_state, __ATOMIC_ACQUIRE) == BOOT)
        return;
    if (whole && engine_recording)
        record_child();
    else
        pass_child();           /* also where the parent has written its last profile */
    if (forking.blocked)
        state_restore_signals(forking.mask);
    forking.locked = forking.blocked = false;
}

void fork_setup(void)
{
    static bool registered;
    if (!__atomic_exchange_n(&registered, true, __ATOMIC_RELAXED))
        real()->__register_atfork(before_fork, after_fork_parent, after_fork_child, __dso_handle);
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

/* Each object has a pthread_atfork of its own, which calls this. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                      void *object);

EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                             void *object)
{
    fork_setup();
    return real()->__register_atfork(prepare, parent, child, object);
}

EXPORT pid_t fork(void)
{
    RETRY_FORK(real()->fork())
}

EXPORT pid_t forkpty(int *master, char *name, const struct termios *terminal,
                     const struct winsize *size)
{
    RETRY_FORK(real()->forkpty(master, name, terminal, size))
}
