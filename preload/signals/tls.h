/* tls.h - threads whose thread pointer is not their own.
 *
 * Thread-local storage lies at the thread pointer (arch/thread_pointer.h): errno, thread_self_, a
 * stack protector's canary. A user mode emulator runs another program's code with that program's
 * thread pointer, or with none. The kernel starts our handlers with that thread pointer, too. So
 * they check it before they touch thread-local storage.
 *
 * A sample leads to the state of its thread, and the state keeps the thread pointer
 * (dag/thread.h). Other signals do not lead to a state. But libprof's storage can be recognised,
 * because that of each thread has the same mark (tls.c).
 */
#ifndef PRELOAD_SIGNALS_TLS_H
#define PRELOAD_SIGNALS_TLS_H

#include "arch/thread_pointer.h"
#include <stdbool.h>
#include <stdint.h>
#include "base/memory.h"
#include "dag/thread.h"

/* TLS_BEFORE: a function that runs before the thread pointer was checked, so it has no canary.
 * TLS_AFTER: a function that runs after. noipa, because a compiler that saw both could read
 * thread-local storage before the check. */
#define TLS_BEFORE __attribute__((no_stack_protector))
#define TLS_AFTER __attribute__((noipa))

extern bool tls_quick; /* of thread_pointer_now; written by tls_setup */

/* [any] */
TLS_BEFORE static inline uintptr_t tls_now(void)
{
    return thread_pointer_now(tls_quick);
}

/* [init] */
void tls_setup(void);
/* [any] In a handler: sets the thread pointer to this thread's. *BEFORE: the old one. False: we
 * know no storage of this thread, so the handler must not touch thread-local storage. */
bool tls_enter(uintptr_t *before);
/* [any] Sets the thread pointer to BEFORE again. */
void tls_leave(uintptr_t before);

#endif
