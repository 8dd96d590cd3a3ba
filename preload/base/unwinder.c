/* unwinder.c - what the compiler's code in libprof.so asks of libgcc_s while an exception or a
 * cancellation passes through it (-Wl,--wrap).
 *
 * WHY not link with libgcc_s: the loader would give the system's to every library that asks for
 * this name later. A plug-in with a newer one beside it could then not be loaded. A program of C
 * would load a library that it does not need. And where there is no libgcc_s, the loader would not
 * take libprof.so. Who throws through libprof has one: libtbb needs it, and glibc opens it to
 * cancel a thread. WHY not one of libprof's own: the code that a just-in-time compiler registers is
 * known to the program's alone.
 *
 * Without LTO, for the assembly's sake.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <unwind.h>
#include "base/kernel.h"
#include "base/lookup.h"
#include "base/forbid.h"

typedef _Unwind_Reason_Code personality(int, _Unwind_Action, _Unwind_Exception_Class,
                                        struct _Unwind_Exception *, struct _Unwind_Context *);
typedef void resume(struct _Unwind_Exception *);

/* What the loader has found in the program's libraries, as if libprof.so needed libgcc_s; NULL:
 * they have no unwinder. */
extern resume __real__Unwind_Resume __attribute__((weak));
extern personality __real___gcc_personality_v0 __attribute__((weak));

/* Written before unwinder_personality, by the first frame that is left so; the same by each thread
 * that does. */
resume *unwinder_resume __attribute__((visibility("hidden")));
static personality *unwinder_personality;

static _Unwind_Reason_Code stop_unwinding(struct _Unwind_Context *frame, void *unused)
{
    (void)frame, (void)unused;
    return _URC_NORMAL_STOP;
}

/* If the program's unwinder is another (-static-libgcc), that of libgcc_s has not run: its table of
 * register sizes is empty, and its personality routine would abort. Unwinding fills the table. */
static void fill_table(void *libgcc)
{
    _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *) =
        lookup(libgcc, "_Unwind_Backtrace");
    if (backtrace)
        backtrace(stop_unwinding, 0);
}

/* What the loader has found; else libgcc_s, if the program has loaded it by now; else the system's,
 * unless a filter of system calls forbids to open it. The functions are libgcc_s's by its handle:
 * in a program that is linked with libunwind, their names are libunwind's. */
static personality *find_unwinder(void)
{
    resume *leave = __real__Unwind_Resume;
    personality *found = __real___gcc_personality_v0;
    bool known = leave && found, loaded = lookup_defined("__gcc_personality_v0");
    void *libgcc = 0;
    if (loaded || (!known && !kernel_closed))
        libgcc = lookup_object("libgcc_s.so.1", RTLD_LAZY, 0, 0);
    if (libgcc)
        fill_table(libgcc);
    if (libgcc && !known) {
        leave = lookup(libgcc, "_Unwind_Resume");
        found = lookup(libgcc, "__gcc_personality_v0");
    }
    if (!leave || !found)
        return 0;
    __atomic_store_n(&unwinder_resume, leave, __ATOMIC_RELAXED);
    __atomic_store_n(&unwinder_personality, found, __ATOMIC_RELEASE);
    return found;
}

/* libprof catches nothing. Without libgcc_s, its frames do nothing when they are left. */
personality __wrap___gcc_personality_v0 __attribute__((visibility("hidden")));
_Unwind_Reason_Code __wrap___gcc_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class class,
                                                struct _Unwind_Exception *exception,
                                                struct _Unwind_Context *frame)
{
    if (actions & _UA_SEARCH_PHASE)
        return _URC_CONTINUE_UNWIND;
    personality *found = __atomic_load_n(&unwinder_personality, __ATOMIC_ACQUIRE);
    if (!found && !(found = find_unwinder()))
        return _URC_CONTINUE_UNWIND;
    return found(version, actions, class, exception, frame);
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
