/* function_at.c - see function_at.h.
 *
 * libprof loads libunwind privately and does not link it, for two reasons. First, libunwind exports
 * _Unwind_* and backtrace. In the global scope these would mix with libgcc_s's, and a plain C
 * program would lose its thread cleanups. Second, a program may have another libunwind, as perf
 * does. Then libprof would call the functions of that one.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "unwind/function_at.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libunwind.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/aside.h"
#include "base/lock.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "base/forbid.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

/* make dist has one of its own, under another name (docs/packaging/dist/names.c). */
#ifndef LIBUNWIND
#define LIBUNWIND "libunwind.so.8"
#endif

static int (*init_local)(unw_cursor_t *, unw_context_t *);
static int (*get_context)(unw_context_t *);
static int (*proc_info)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *);
static unw_accessors_t *accessors;
static unw_addr_space_t space;

/* libunwind is loaded at the first spawn site, not at start-up: most processes under a preload
 * never have one. */
static bool loaded;             /* under load_lock */
LOCK_DEFINE(load_lock, LOCK_LOADER);

/* libunwind's own reader writes to a pipe to learn whether an address is readable. The pipe's
 * descriptors belong to the process. If the process closes them and opens files under the same
 * numbers, libunwind writes into these files. So libprof has this reader, which asks the kernel
 * without a descriptor. It remembers the last few readable pages. */
static int read_memory(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write,
                       void *arg)
{
    enum { PAGES = 8, PAGE_SHIFT = 12 };
    static __thread uintptr_t good[PAGES] __attribute__((tls_model("initial-exec")));
    if (write) {
        *(unw_word_t *)address = *value;
        return 0;
    }
    uintptr_t page = address >> PAGE_SHIFT;
    bool one_page = (address + sizeof *value - 1) >> PAGE_SHIFT == page;
    if (one_page && page && good[page % PAGES] == page) {
        *value = *(const unw_word_t *)address;
        return 0;
    }
    struct iovec to = { value, sizeof *value }, from = { (void *)address, sizeof *value };
    if (syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1ul, &from, 1ul, 0ul) !=
        (long)sizeof *value)
        return -UNW_EINVAL;
    if (one_page)
        good[page % PAGES] = page;
    return 0;
}

/* Calls F(ARGUMENT) on a thread that libc does not know, and waits for its end. False: the kernel
 * refused the thread (in a sandbox, or after unshare(CLONE_NEWPID)).
 *
 * What libunwind opens belongs to the program, if the program's thread opens it. A program that
 * starts another one at that moment would hand it over, since libunwind opens without O_CLOEXEC.
 * And the program's record locks (fcntl, lockf) on a file end when any descriptor of it is closed:
 * libunwind reads the program's own file, and a program may lock that to run only once. The thread
 * has a copy of the descriptors instead, and the kernel takes it for another owner of locks. The
 * calling thread waits, and the other one uses its thread-local storage meanwhile.
 *
 * Not a child process. That would count in the program's RUSAGE_CHILDREN. And after
 * unshare(CLONE_NEWPID) it would be the first process of the new namespace: with its end, the
 * namespace would be closed to the program.
 *
 * F must end by a return. Then AddressSanitizer removes its marks of this frame from the shared
 * memory. Otherwise they would lie on what is mapped here later. */
static bool call_apart(int (*f)(void *), void *argument)
{
    enum { STACK = 64 << 10, GONE = 1000 };
    /* not CLONE_VFORK, which debuggers take for the sign of a process */
    const int flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                      CLONE_CHILD_CLEARTID;
    uint32_t alive = 1;         /* the kernel clears it when the thread has left our memory */
    uint64_t all = UINT64_MAX, old;     /* no handler of the program's runs in the thread */
    char *stack = memory_map(STACK);
    if (!stack)
        return false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8L);
    aside_here.in_library = true;       /* the thread has this thread's storage */
    int thread = clone(f, stack + STACK, flags, argument, 0, 0, &alive);
    while (thread > 0 && __atomic_load_n(&alive, __ATOMIC_ACQUIRE))
        syscall(SYS_futex, &alive, (long)FUTEX_WAIT, 1L, 0L, 0L, 0L);
    /* It may still be listed in /proc/self/task. A program that must be alone for a call must not
     * fail because of it. */
    for (int i = 0; thread > 0 && i < GONE; i++) {
        if (syscall(SYS_tgkill, (long)getpid(), (long)thread, 0L) < 0)
            break;
        sched_yield();
    }
    aside_here.in_library = false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0L, 8L);
    memory_unmap(stack, STACK);
    return thread > 0;
}

/* The first use of libunwind initialises it, and opens that pipe, which ends with the thread apart.
 * No frame is walked: libunwind would map 256 KB for that, for good. */
static int first_use(void *unused)
{
    static unw_context_t context;
    static unw_cursor_t cursor;
    (void)unused;
    get_context(&context);
    init_local(&cursor, &context);
    return 0;
}

/* The same on the calling thread, where the kernel refuses the other one. The pipe gets the numbers
 * that a pipe just before it had. It is closed if the two are libunwind's, as far as we can see:
 * another thread may have taken a number. */
static void first_use_here(void)
{
    int fd[2];
    struct stat in, out;
    bool known = !syscall(SYS_pipe2, fd, (long)O_CLOEXEC);
    if (known) {
        syscall(SYS_close, fd[0]);
        syscall(SYS_close, fd[1]);
    }
    first_use(0);
    if (known && !syscall(SYS_fstat, fd[0], &in) && !syscall(SYS_fstat, fd[1], &out) &&
        S_ISFIFO(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino &&
        syscall(SYS_fcntl, fd[0], (long)F_GETFL) == (O_RDONLY | O_NONBLOCK) &&
        syscall(SYS_fcntl, fd[1], (long)F_GETFL) == (O_WRONLY | O_NONBLOCK)) {
        syscall(SYS_close, fd[0]);
        syscall(SYS_close, fd[1]);
    }
}

/* Not under valgrind, which refuses such threads. And memcheck reports as errors what libunwind
 * does here. */
static void initialise(void)
{
    if (!in_valgrind && !call_apart(first_use, 0))
        first_use_here();
}

static void load(void)
{
    /* When a thread ends, libunwind locks a mutex, after ThreadSanitizer has freed the thread's
     * state. */
    if (program_has_tsan())
        return;
    /* A sanitizer's dlopen ends the program if it is given DEEPBIND. Without, libunwind calls the
     * program's strcmp and the like, which libFuzzer records. */
    int deep = lookup_replaced("dlopen", "dlinfo") ? 0 : RTLD_DEEPBIND;
    char why[256];
    void *h = lookup_object(LIBUNWIND, RTLD_NOW | RTLD_LOCAL | deep, why, sizeof why);
    if (!h) {
        message_with_profile(
            LIBUNWIND "%s cannot be loaded: %s; spawn sites are known by address alone",
            strstr(why, "No such file") ? " (Debian package libunwind8)" : "", why);
        return;
    }
    unw_addr_space_t *local = lookup(h, STRING(UNW_OBJ(local_addr_space)));
    unw_accessors_t *(*get)(unw_addr_space_t) = lookup(h, STRING(UNW_ARCH_OBJ(get_accessors)));
    *(void **)&proc_info = lookup(h, STRING(UNW_OBJ(get_proc_info_by_ip)));
    *(void **)&init_local = lookup(h, STRING(UNW_OBJ(init_local)));
    *(void **)&get_context = lookup(h, STRING(UNW_ARCH_OBJ(getcontext)));
    if (!local || !get || !proc_info || !init_local || !get_context) {
        proc_info = 0;
        return;
    }
    initialise();
    space = *local;
    accessors = get(space);
    accessors->access_mem = read_memory;
}

/* Loads libunwind if needed. If another thread loads it, waits, but not for long. That thread may
 * wait for the loader's lock, and this thread may hold it: it may be in a constructor that spawns.
 * False: libunwind is not loaded yet, or would wait for ever, and the function stays without a
 * name. */
static bool ready(void)
{
    if (__builtin_expect(lookup_is_stuck(), 0))
        return false;           /* libunwind calls dl_iterate_phdr */
    if (__atomic_load_n(&loaded, __ATOMIC_ACQUIRE))
        return true;
    int saved = errno;
    if (!lock_take_within(&load_lock, LOCK_LOADER_NS))
        return false;
    if (!loaded) {
        load();
        __atomic_store_n(&loaded, true, __ATOMIC_RELEASE);
    }
    lock_release(&load_lock);
    errno = saved;
    return true;
}

uintptr_t unwind_function_start(uintptr_t ip)
{
    if (!ready())
        return 0;
    int saved = errno;
    unw_proc_info_t info;
    uintptr_t start = 0;
    aside_here.in_library = true;
    if (proc_info && proc_info(space, ip, &info, 0) == 0)
        start = info.start_ip;
    aside_here.in_library = false;
    errno = saved;
    return start;
}

struct wanted {
    uintptr_t ip;
    char *name;
    size_t size;
    unw_word_t offset;
    int result;
};

/* libunwind 1.6 looks an address up only through the accessors of its cursors. */
static int find_name(void *wanted)
{
    struct wanted *w = wanted;
    w->result = accessors->get_proc_name(space, w->ip, w->name, w->size, &w->offset, 0);
    return 0;
}

int unwind_function_name(uintptr_t ip, char *name, size_t size)
{
    if (!ready())
        return -ENOENT;
    if (!accessors || !accessors->get_proc_name)
        return -ENOENT;
    int saved = errno;
    struct wanted w = { .ip = ip, .name = name, .size = size };
    if (in_valgrind || !call_apart(find_name, &w)) {
        aside_here.in_library = true;
        find_name(&w);
        aside_here.in_library = false;
    }
    errno = saved;
    if (w.result != 0 && w.result != -UNW_ENOMEM)       /* ENOMEM: the name was cut */
        return -ENOENT;
    /* libunwind returns the nearest symbol below. In a stripped file that is another function's. */
    uintptr_t start = unwind_function_start(ip);
    return start && ip - w.offset != start ? -ENOENT : 0;
}
