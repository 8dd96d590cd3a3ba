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
#include "arch/tail_jump.h"
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

/* Of the unwinder that last entered a frame of libprof's on this thread. */
__thread resume *unwinder_resume __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* ---- which unwinder it is ---- */

struct unwinder {
    const void *caller;         /* the address in it to which the personality routine returns */
    const uint8_t *(*table)(struct _Unwind_Context *);
    _Unwind_Ptr (*region)(struct _Unwind_Context *);
    _Unwind_Ptr (*ip)(struct _Unwind_Context *, int *);
    void (*set_register)(struct _Unwind_Context *, int, _Unwind_Word);
    void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
    resume *resume;
};

/* FIND: the function of that name in the library that WHERE is in, or is a handle of. */
static bool find_functions(struct unwinder *u, const void *(*find)(const void *, const char *),
                           const void *where)
{
    *(const void **)&u->table = find(where, "_Unwind_GetLanguageSpecificData");
    *(const void **)&u->region = find(where, "_Unwind_GetRegionStart");
    *(const void **)&u->ip = find(where, "_Unwind_GetIPInfo");
    *(const void **)&u->set_register = find(where, "_Unwind_SetGR");
    *(const void **)&u->set_ip = find(where, "_Unwind_SetIP");
    *(const void **)&u->resume = find(where, "_Unwind_Resume");
    return u->table && u->region && u->ip && u->set_register && u->set_ip && u->resume;
}

static const void *find_by_handle(const void *handle, const char *name)
{
    return lookup((void *)handle, name);
}

static _Unwind_Reason_Code stop_unwinding(struct _Unwind_Context *frame, void *unused)
{
    (void)frame, (void)unused;
    return _URC_NORMAL_STOP;
}

/* For a copy of libgcc_s inside the caller (-static-libgcc), whose functions are hidden: those of
 * libgcc_s itself, if the program has loaded it by now; else the system's, unless a filter of
 * system calls forbids to open it. It has not unwound anything, so its table of register sizes is
 * empty. Unwinding fills the table. */
static bool find_libgcc(struct unwinder *u)
{
    bool loaded = lookup_defined("__gcc_personality_v0");
    void *libgcc =
        loaded || !kernel_closed ? lookup_object("libgcc_s.so.1", RTLD_LAZY, 0, 0) : 0;
    _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void *) =
        libgcc ? lookup(libgcc, "_Unwind_Backtrace") : 0;
    if (backtrace)
        backtrace(stop_unwinding, 0);
    return backtrace && find_functions(u, find_by_handle, libgcc);
}

/* An unwinder calls from two or three places. False: there is none. */
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
    *u = (struct unwinder){ 0 };
    if (!find_functions(u, lookup_within, caller) && !find_libgcc(u))
        return false;
    unsigned i = __atomic_load_n(&count, __ATOMIC_RELAXED);
    if (i < CALLERS && (i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) < CALLERS) {
        known[i] = *u;
        __atomic_store_n(&known[i].caller, caller, __ATOMIC_RELEASE);
    }
    return true;
}

/* ---- leaving a frame ---- */

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

/* libprof catches nothing. Without an unwinder that it knows, its frames do nothing when they are
 * left. */
personality __wrap___gcc_personality_v0 __attribute__((visibility("hidden")));
_Unwind_Reason_Code __wrap___gcc_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class class,
                                                struct _Unwind_Exception *exception,
                                                struct _Unwind_Context *frame)
{
    (void)version, (void)class;
    struct unwinder u;
    if (actions & _UA_SEARCH_PHASE || !unwinder_of(__builtin_return_address(0), &u))
        return _URC_CONTINUE_UNWIND;
    _Unwind_Ptr to = landing(&u, frame);
    if (!to)
        return _URC_CONTINUE_UNWIND;
    unwinder_resume = u.resume;
    u.set_register(frame, __builtin_eh_return_data_regno(0), (_Unwind_Word)exception);
    u.set_register(frame, __builtin_eh_return_data_regno(1), 0);
    u.set_ip(frame, to);
    return _URC_INSTALL_CONTEXT;
}

/* It goes on from the frame that calls it. So it must be a jump, without a frame of its own. */
TAIL_JUMP(__wrap__Unwind_Resume, unwinder_resume);
