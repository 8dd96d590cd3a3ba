/* state.c - see state.h. */
#define _GNU_SOURCE
#include "lifecycle/state.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/lock.h"
#include "base/forbid.h"

uint32_t process_state;
LOCK_DEFINE(write_lock, LOCK_WRITER);

uint64_t state_mask_signals(uint64_t mask)
{
    uint64_t old = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &old, 8L);
    return old;
}

uint64_t state_block_signals(void)
{
    return state_mask_signals(~0ull);
}

void state_restore_signals(uint64_t old)
{
    state_mask_signals(old);
}

bool state_lock_writer_within(uint64_t ns)
{
    return lock_take_within(&write_lock, ns);
}

bool state_lock_writer(void)
{
    return state_lock_writer_within(WAIT_NS);
}

void state_unlock_writer(void)
{
    lock_release(&write_lock);
}

bool state_is_recording(void)
{
    return __atomic_load_n(&process_state, __ATOMIC_ACQUIRE) != BOOT && getpid() == process_pid;
}
