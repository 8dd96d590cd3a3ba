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
 * There may be two unwinders in a process: libunwind has libgcc_s's names, and comes with tcmalloc
 * and gperftools' profiler. One cannot read the other's frames. So we call the functions of the
 * unwinder that has called us, and have a personality routine of our own: libgcc_s's would call
 * those that the loader found first.
 *
 * Without LTO, for the assembly's sake.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/* Of the unwinder that last entered a frame of libprof's on this thread. */
__thread resume *unwinder_resume __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* ---- by the unwinder that calls ---- */

struct unwinder {
    const void *caller;         /* the address in it to which the personality routine returns */
    const uint8_t *(*table)(struct _Unwind_Context *);
    _Unwind_Ptr (*region)(struct _Unwind_Context *);
    _Unwind_Ptr (*ip)(struct _Unwind_Context *, int *);
    void (*set_register)(struct _Unwind_Context *, int, _Unwind_Word);
    void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
    resume *resume;
};

static bool find_functions(struct unwinder *u, const void *caller)
{
    *(const void **)&u->table = lookup_within(caller, "_Unwind_GetLanguageSpecificData");
    *(const void **)&u->region = lookup_within(caller, "_Unwind_GetRegionStart");
    *(const void **)&u->ip = lookup_within(caller, "_Unwind_GetIPInfo");
    *(const void **)&u->set_register = lookup_within(caller, "_Unwind_SetGR");
    *(const void **)&u->set_ip = lookup_within(caller, "_Unwind_SetIP");
    *(const void **)&u->resume = lookup_within(caller, "_Unwind_Resume");
    return u->table && u->region && u->ip && u->set_register && u->set_ip && u->resume;
}

/* An unwinder calls from two or three places. False: the caller is in no library that has an
 * unwinder's functions. */
static bool unwinder_of(const void *caller, struct unwinder *u)
{
    enum { CALLERS = 8 };
    static struct unwinder known[CALLERS];
    static unsigned count;
    for (unsigned i = 0; i < CALLERS; i++)
        if (__atomic_load_n(&known[i].caller, __ATOMIC_ACQUIRE) == caller) {
            *u = known[i];
            return true;
        }
    if (!find_functions(u, caller))
        return false;
    unsigned i = __atomic_load_n(&count, __ATOMIC_RELAXED);
    if (i < CALLERS && (i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) < CALLERS) {
        struct unwinder *k = &known[i];
        u->caller = 0;
        *k = *u;
        __atomic_store_n(&k->caller, caller, __ATOMIC_RELEASE);
    }
    return true;
}

static uint64_t uleb(const uint8_t **p)
{
    uint64_t value = 0;
    unsigned shift = 0;
    do
        value |= (uint64_t)(**p & 0x7f) << shift, shift += 7;
    while (*(*p)++ & 0x80);
    return value;
}

/* The place at which the frame is left: the table of the function's calls, as gcc writes it for C
 * (Itanium C++ ABI, exception handling tables, 7.4). 0: there is nothing to do. */
static _Unwind_Ptr landing(const struct unwinder *u, struct _Unwind_Context *frame)
{
    enum { OMITTED = 0xff, ULEB128 = 1 };
    int before = 0;
    const uint8_t *p = u->table(frame);
    _Unwind_Ptr start = u->region(frame), ip = u->ip(frame, &before);
    ip -= !before + start;      /* the call, not the instruction after it */
    if (!p || *p++ != OMITTED)
        return 0;
    if (*p++ != OMITTED)
        uleb(&p);
    if (*p++ != ULEB128)
        return 0;
    uint64_t bytes = uleb(&p);
    for (const uint8_t *end = p + bytes; p < end;) {
        uint64_t from = uleb(&p), length = uleb(&p), to = uleb(&p);
        uleb(&p);               /* the action: C has none but to clean up */
        if (ip - from < length)
            return to ? start + to : 0;
    }
    return 0;
}

static _Unwind_Reason_Code left(const struct unwinder *u, struct _Unwind_Exception *exception,
                                struct _Unwind_Context *frame)
{
    _Unwind_Ptr to = landing(u, frame);
    if (!to)
        return _URC_CONTINUE_UNWIND;
    unwinder_resume = u->resume;
    u->set_register(frame, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
    u->set_register(frame, __builtin_eh_return_data_regno(1), 0);
    u->set_ip(frame, to);
    return _URC_INSTALL_CONTEXT;
}

/* ---- by libgcc_s: the caller is a copy of it inside the program (-static-libgcc) ---- */

/* Written before programs_personality, by the first frame that is left so; the same by each thread
 * that does. */
static resume *programs_resume;
static personality *programs_personality;

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
    __atomic_store_n(&programs_resume, leave, __ATOMIC_RELAXED);
    __atomic_store_n(&programs_personality, found, __ATOMIC_RELEASE);
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
    struct unwinder u;
    if (unwinder_of(__builtin_return_address(0), &u))
        return left(&u, exception, frame);
    personality *found = __atomic_load_n(&programs_personality, __ATOMIC_ACQUIRE);
    if (!found && !(found = find_unwinder()))
        return _URC_CONTINUE_UNWIND;
    unwinder_resume = __atomic_load_n(&programs_resume, __ATOMIC_RELAXED);
    return found(version, actions, class, exception, frame);
}

/* It goes on from the frame that calls it. So it must be a jump, without a frame of its own. */
__asm__(".text\n"
        ".globl __wrap__Unwind_Resume\n"
        ".hidden __wrap__Unwind_Resume\n"
        ".type __wrap__Unwind_Resume, @function\n"
        "__wrap__Unwind_Resume:\n"
        "    .cfi_startproc\n"
        "    movq unwinder_resume@gottpoff(%rip), %rax\n"
        "    jmp *%fs:(%rax)\n"
        "    .cfi_endproc\n"
        ".size __wrap__Unwind_Resume, . - __wrap__Unwind_Resume\n");
