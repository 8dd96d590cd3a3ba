/* unwind.c - see unwind.h.
 *
 * libunwind is loaded privately, not linked: it exports _Unwind_* and backtrace of its own, which in
 * the global scope would mix with libgcc_s's (a plain C program then loses its thread cleanups), and
 * a program that brings another libunwind (perf does) would lend us that one's functions.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "unwind.h"
#include <dlfcn.h>
#include <errno.h>
#include <libunwind.h>
#include <sched.h>
#include <stdbool.h>
#include "message.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

static int (*backtrace_)(void **, int);
static int (*proc_info)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *);
static unw_accessors_t *accessors;
static unw_addr_space_t space;

/* 0: not tried, 1: somebody is at it, 2: done. At the first spawn site, not at start-up: most
 * processes under a preload never have one. */
static unsigned state;

static void load(void)
{
    /* A sanitizer's dlopen ends the program when it sees DEEPBIND. */
    int deep = dlsym(RTLD_DEFAULT, "__sanitizer_set_report_path") ? 0 : RTLD_DEEPBIND;
    void *h = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL | deep);
    if (!h) {
        message(MESSAGE_WARNING, "libunwind.so.8 is missing (Debian package libunwind8): spawn sites are "
                "known by address alone");
        return;
    }
    unw_addr_space_t *local = dlsym(h, STRING(UNW_OBJ(local_addr_space)));
    unw_accessors_t *(*get)(unw_addr_space_t) = dlsym(h, STRING(UNW_ARCH_OBJ(get_accessors)));
    *(void **)&proc_info = dlsym(h, STRING(UNW_OBJ(get_proc_info_by_ip)));
    *(void **)&backtrace_ = dlsym(h, "unw_backtrace");
    if (!local || !get || !proc_info || !backtrace_) {
        backtrace_ = 0;
        proc_info = 0;
        return;
    }
    void *frame[1];
    backtrace_(frame, 1);       /* its first use initialises it: now, not in a hook */
    space = *local;
    accessors = get(space);
}

static void ready(void)
{
    unsigned none = 0;
    if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
        return;
    if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        int saved = errno;
        load();
        errno = saved;
        __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2)
        sched_yield();
}

uintptr_t unwind_function_start(uintptr_t ip)
{
    ready();
    int saved = errno;
    unw_proc_info_t info;
    uintptr_t start = 0;
    if (proc_info && proc_info(space, ip, &info, 0) == 0)
        start = info.start_ip;
    errno = saved;
    return start;
}

int unwind_function_name(uintptr_t ip, char *name, size_t size)
{
    ready();
    if (!accessors || !accessors->get_proc_name)
        return -ENOENT;
    int saved = errno;
    unw_word_t offset;
    /* libunwind 1.6 has no lookup by address but the accessor behind its own cursors. */
    int r = accessors->get_proc_name(space, ip, name, size, &offset, 0);
    errno = saved;
    if (r != 0 && r != -UNW_ENOMEM)     /* ENOMEM: the name was cut */
        return -ENOENT;
    /* libunwind takes the nearest symbol below, which in a stripped file is another function's. */
    uintptr_t start = unwind_function_start(ip);
    return start && ip - offset != start ? -ENOENT : 0;
}

size_t unwind_callers(uintptr_t from, uintptr_t *address, size_t capacity)
{
    ready();
    if (!backtrace_)
        return 0;
    int saved = errno;
    void *frames[48];
    int n = backtrace_(frames, 48);
    size_t stored = 0;
    int i = 0;
    while (i < n && (uintptr_t)frames[i] != from)
        i++;
    for (; i < n && stored < capacity; i++)
        address[stored++] = (uintptr_t)frames[i];
    errno = saved;
    return stored;
}
