/* lifecycle.h - the states of a profiled process: start, fork, exec, end.
 *
 *   BOOT -> RUNNING -> ENDING -> FINAL    once, by the thread that ends the process first
 *           RUNNING -> FINAL              the same, where nothing is to be written
 *           RUNNING -> (fork) child: RUNNING anew, with its own file; BOOT if it is not recorded
 *           RUNNING -> (exec) file written, RUNNING again if exec fails
 *           RUNNING -> (seal) file written, BOOT for good: the process enters a sandbox
 *
 * A vfork child shares our memory under another pid: it changes no state and writes nothing.
 * posix_spawn, system and popen make such children inside libc (posix_spawn.c).
 */
#ifndef PRELOAD_LIFECYCLE_LIFECYCLE_H
#define PRELOAD_LIFECYCLE_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

/* [hook] Writes the profile and stops recording. END is enum lpf_end. A second caller waits
 * (bounded) until the first is done. Preserves errno and the signal mask. */
void lifecycle_end(uint32_t end, uint32_t status);

/* [hook] The same. After it libprof does nothing in this process: no thread, no sample, no system
 * call. */
void lifecycle_seal(void);

/* [hook] Ends libprof's threads for good. They count towards limits of threads and processes
 * (RLIMIT_NPROC, pids.max), and the kernel refuses other namespaces to a process that has threads.
 * Call this after such a refusal. True: try again. HAD: libprof had threads before the refusal
 * (another refused thread may have dismissed them since). WHY chooses the message: the program
 * needs the threads' places, or must have one thread. Waits until the threads have ended: 1 s at
 * most for each, and 10 s more for a checkpoint that is being written. errno is kept. */
enum dismissal { NEEDED, ALONE };
bool lifecycle_has_threads(void);
bool lifecycle_dismiss(bool had, enum dismissal why);

/* The program's threads, which end the process when the last of them has left. libprof's own must
 * be gone by then: libc counts them, too, so the last one of the program would not see that it is
 * the last, and would not run the exit handlers. [hook] CHANGE: 1 before a thread is created, -1 if
 * it could not be. A thread that leaves without lifecycle_thread_leaves stays in the count. Then
 * the checkpoint thread finds out that the others have left. */
void lifecycle_thread_counts(int change);
/* [hook] The last thing that the calling thread does for libprof. SILENTLY: by a system call of its
 * own. May wait for libprof's threads. */
void lifecycle_thread_leaves(bool silently);

/* 1: the process had an event, or its events are to start nothing (lifecycle_seal, pass_child in
 * fork.c). A recorded child of fork begins with 0 again. */
extern uint32_t lifecycle_had_event;
/* [hook] At each event of a thread or task. The first one of the process sets libprof's handlers of
 * deadly signals, and starts libprof's threads. */
void lifecycle_first_event_slow(void);
static inline void lifecycle_first_event(void)
{
    if (__builtin_expect(!lifecycle_had_event, 0))
        lifecycle_first_event_slow();
}

#endif
