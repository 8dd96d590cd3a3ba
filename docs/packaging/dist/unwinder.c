/* unwinder.c - what the compiler's code in libprof.so asks of libgcc_s while an exception or a
 * cancellation passes through it (-Wl,--wrap).
 *
 * WHY not link with libgcc_s: then the loader would not take libprof.so where there is none, and a
 * program that throws nothing needs none. Who throws through libprof has one: libtbb needs it, and
 * glibc opens it to cancel a thread. WHY not one of libprof's own: the code that a just-in-time
 * compiler registers is known to the program's alone.
 *
 * Without LTO, for the assembly's sake.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unwind.h>
#include "base/lookup.h"

typedef _Unwind_Reason_Code personality(int, _Unwind_Action, _Unwind_Exception_Class,
                                        struct _Unwind_Exception *, struct _Unwind_Context *);
typedef void resume(struct _Unwind_Exception *);

/* What the loader has found in the program's libraries, as if libprof.so needed libgcc_s; NULL:
 * they have no unwinder. */
extern resume __real__Unwind_Resume __attribute__((weak));
extern personality __real___gcc_personality_v0 __attribute__((weak));

/* Written once, before the program runs. NULL: there is no libgcc_s. */
resume *unwinder_resume __attribute__((visibility("hidden")));
static personality *unwinder_personality;

static void find_unwinder(void)
{
    unwinder_resume = __real__Unwind_Resume;
    unwinder_personality = __real___gcc_personality_v0;
    if (unwinder_resume && unwinder_personality)
        return;
    void *libgcc = lookup_object("libgcc_s.so.1", RTLD_LAZY, 0, 0);
    if (libgcc && !unwinder_resume)
        unwinder_resume = lookup(libgcc, "_Unwind_Resume");
    if (libgcc && !unwinder_personality)
        unwinder_personality = lookup(libgcc, "__gcc_personality_v0");
}
/* Before start() (preload/process/start.c), which unwinds once. */
__attribute__((section(".init_array.00100"), used)) static void (*const find_first)(void) =
    find_unwinder;

/* Without libgcc_s, libprof's frames have nothing to do when they are left. */
personality __wrap___gcc_personality_v0 __attribute__((visibility("hidden")));
_Unwind_Reason_Code __wrap___gcc_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class class,
                                                struct _Unwind_Exception *exception,
                                                struct _Unwind_Context *frame)
{
    if (!unwinder_resume || !unwinder_personality)
        return _URC_CONTINUE_UNWIND;
    return unwinder_personality(version, actions, class, exception, frame);
}

/* It goes on from the frame that calls it. So it must be a jump, without a frame of its own. */
__asm__(".text\n"
        ".globl __wrap__Unwind_Resume\n"
        ".hidden __wrap__Unwind_Resume\n"
        ".type __wrap__Unwind_Resume, @function\n"
        "__wrap__Unwind_Resume:\n"
        "    .cfi_startproc\n"
        "    jmp *unwinder_resume(%rip)\n"
        "    .cfi_endproc\n"
        ".size __wrap__Unwind_Resume, . - __wrap__Unwind_Resume\n");
