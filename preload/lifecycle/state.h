/* state.h - what start, fork, exec and end of the process share. Only lifecycle/ includes it.
 *
 * Rules of these files:
 * - A thread that writes blocks all signals first, also the two that glibc keeps for itself (a
 *   cancellation must not unwind us). So a handler never finds its own thread inside the writer.
 * - If another thread writes the last profile, a thread waits for it before it ends the process.
 *   Else the file would be lost. Every such wait is bounded: a hung disk must not hang an exit.
 * - The original function is called in any case, with errno as the program left it.
 */
#ifndef PRELOAD_LIFECYCLE_STATE_H
#define PRELOAD_LIFECYCLE_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/export.h"
#include "base/program.h"

#define WAIT_NS 10000000000ull  /* after such a wait for another writer, an exit goes on */

/* The process's state. It moves forward, with three exceptions: a forked child starts at RUNNING;
 * a child that is not recorded, and a process that lifecycle_seal closes, go back to BOOT. */
enum state {
    BOOT,                       /* not recording: start-up, PROF_DISABLE, no memory, ... */
    RUNNING,
    ENDING,                     /* the last profile is being written */
    FINAL,
};
extern uint32_t process_state;

/* The writer's lock. One thread writes at a time: a checkpoint, exec or final. The lock is held
 * during file output, and across fork, so that a child never inherits half a write. All other locks
 * but LOCK_LOADER's nest in it. [writer] The first two return false if the lock was not free in
 * time. */
bool state_lock_writer(void);
bool state_lock_writer_within(uint64_t ns);
void state_unlock_writer(void);

/* [any] MASK is the kernel's set of blocked signals. The first two return the old set. */
uint64_t state_mask_signals(uint64_t mask);
uint64_t state_block_signals(void);
void state_restore_signals(uint64_t old);

/* [any] This process is recorded. */
bool state_is_recording(void);

#endif
