/* state.c - see state.h. */
#define _GNU_SOURCE
#include "process/state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/forbid.h"

uint32_t process_state;
pid_t process_pid;
LOCK_DEFINE(write_lock, LOCK_WRITER);

uint64_t mask_signals(uint64_t mask)
{
    uint64_t old = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, 8L);
    return old;
}

uint64_t block_signals(void)
{
    return mask_signals(~0ull);
}

void restore_signals(uint64_t old)
{
    mask_signals(old);
}

void nap(void)
{
    struct timespec t = { 0, 100000 };
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0L, &t, 0L);
}

bool lock_writer_within(uint64_t ns)
{
    return lock_take_within(&write_lock, ns);
}

bool lock_writer(void)
{
    return lock_writer_within(WAIT_NS);
}

void unlock_writer(void)
{
    lock_release(&write_lock);
}

bool recording_here(void)
{
    return __atomic_load_n(&process_state, __ATOMIC_ACQUIRE) != BOOT && getpid() == process_pid;
}
