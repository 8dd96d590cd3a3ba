/* fsbase.h - threads whose FS base is not their own.
 *
 * Thread-local storage lies at the FS base: errno, thread_self_, a stack protector's canary. A user
 * mode emulator runs another program's code with that program's FS base, or with none. The kernel
 * starts our handlers with that FS base, too. So they check it before they touch thread-local
 * storage.
 *
 * A sample leads to the state of its thread, and the state keeps the FS base (thread.h). Other
 * signals do not lead to a state. But libprof's storage can be recognised, because that of each
 * thread has the same mark (fsbase.c).
 */
#ifndef PRELOAD_SIGNALS_FSBASE_H
#define PRELOAD_SIGNALS_FSBASE_H

#include <asm/prctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include "base/memory.h"
#include "dag/thread.h"

/* FSBASE_BEFORE: a function that runs before the FS base was checked, so it has no canary.
 * FSBASE_AFTER: a function that runs after. noipa, because a compiler that saw both could read
 * thread-local storage before the check. */
#define FSBASE_BEFORE __attribute__((no_stack_protector))
#define FSBASE_AFTER __attribute__((noipa))

extern bool fsbase_instruction; /* rdfsbase is there; written by fsbase_setup */

/* A system call without errno. */
FSBASE_BEFORE static inline long fsbase_call(long number, long a, long b, long c, long d,
                                             long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return number;
}

/* [any] */
FSBASE_BEFORE static inline uintptr_t fsbase_get(void)
{
    uintptr_t base = 0;
    if (__builtin_expect(fsbase_instruction, 1))
        __asm__ volatile("rdfsbase %0" : "=r"(base));
    else
        fsbase_call(SYS_arch_prctl, ARCH_GET_FS, (long)&base, 0, 0, 0, 0);
    return base;
}

/* [init] */
void fsbase_setup(void);
/* [any] In a handler: sets the FS base to this thread's. *BEFORE: the old one. False: we know no
 * storage of this thread, so the handler must not touch thread-local storage. */
bool fsbase_enter(uintptr_t *before);
/* [any] Sets the FS base to BEFORE again. */
void fsbase_leave(uintptr_t before);

#endif
