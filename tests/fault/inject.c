/* inject.c - preloaded behind libprof.so: refuses libprof's own calls of libc and of the kernel,
 * and nobody else's.
 *
 * libprof.so binds what it imports in the order of the global scope, where this object stands
 * before libc. A call is libprof's if it returns into libprof.so: what libprof does in the
 * program's name (sigprocmask, exec) it leaves by a jump, and so returns to the program. Two
 * calls that do return into libprof are the program's nevertheless: pthread_create with an
 * argument (a thread of the program, started in libprof's hook), and sigaction with a handler
 * that is not libprof's.
 *
 * Nothing is refused that the original is looked up with: dlsym and dlopen fail for libraries of
 * libprof's own alone. Calls pass on as jumps, where the return address matters (RTLD_NEXT), and
 * errno is the caller's.
 */
#define _GNU_SOURCE
#include "inject.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* All of it written once, at libprof's first call, when there is one thread. */
static struct {
    long (*syscall)(long, long, long, long, long, long, long);
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    int (*mprotect)(void *, size_t, int);
    int (*clone)(int (*)(void *), void *, int, void *, void *, void *, void *);
    int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*sigaction)(int, const struct sigaction *, struct sigaction *);
    void *(*dlopen)(const char *, int);
    void *(*dlsym)(void *, const char *);
    int (*dladdr)(const void *, Dl_info *);
    int (*getrlimit)(int, struct rlimit *);
    ssize_t (*readlink)(const char *, char *, size_t);
    int (*uname)(struct utsname *);
    int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
    int (*on_exit)(void (*)(int, void *), void *);
    int (*__cxa_at_quick_exit)(void (*)(void *), void *);
    int (*pthread_key_create)(pthread_key_t *, void (*)(void *));
    int (*pthread_setspecific)(pthread_key_t, const void *);
    int (*pthread_attr_setstacksize)(pthread_attr_t *, size_t);
    int (*__register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
} real;
static uintptr_t start, end; /* of libprof.so's code */
static struct inject_page *page;
static bool ready;

static int find_libprof(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *base = strrchr(info->dlpi_name, '/');
    if (strcmp(base ? base + 1 : info->dlpi_name, "libprof.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_flags & PF_X) {
            start = info->dlpi_addr + h->p_vaddr;
            end = start + h->p_memsz;
        }
    }
    return 1;
}

static void setup(void)
{
    int saved = errno;
    ready = true;
    real.dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
    if (!real.dlsym)
        real.dlsym = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
#define RESOLVE(name) *(void **)&real.name = real.dlsym(RTLD_NEXT, #name)
    RESOLVE(syscall);
    RESOLVE(mmap);
    RESOLVE(mprotect);
    RESOLVE(clone);
    RESOLVE(pthread_create);
    RESOLVE(sigaction);
    RESOLVE(dlopen);
    RESOLVE(dladdr);
    RESOLVE(getrlimit);
    RESOLVE(readlink);
    RESOLVE(uname);
    RESOLVE(prctl);
    RESOLVE(on_exit);
    RESOLVE(__cxa_at_quick_exit);
    RESOLVE(pthread_key_create);
    RESOLVE(pthread_setspecific);
    RESOLVE(pthread_attr_setstacksize);
    RESOLVE(__register_atfork);
#undef RESOLVE
    dl_iterate_phdr(find_libprof, 0);
    const char *name = getenv("FAULT_PAGE");
    int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        page = real.mmap(0, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        page = page == MAP_FAILED ? 0 : page;
        close(fd);
    }
    errno = saved;
}

/* Constructors of libprof's may be first, or ours. */
__attribute__((constructor(101))) static void begin(void)
{
    if (!ready)
        setup();
}

static bool ours(uintptr_t from)
{
    return from - start < end - start;
}

/* The call of KIND that returns to FROM: 0: the call is made; else it fails with this error. */
static int refuse(enum fault kind, const void *from)
{
    if (!page || ours((uintptr_t)from) == (bool)page->programs)
        return 0;
    uint32_t n = __atomic_add_fetch(&page->calls[kind], 1, __ATOMIC_RELAXED);
    if (!page->first || kind != (enum fault)page->kind || n < page->first || n > page->last)
        return 0;
    struct sigaction
        now; /* before the program has a handler, the signal would end it with or without libprof */
    if (page->error == ERROR_SIGNAL &&
        (real.sigaction(SIGUSR1, 0, &now) || now.sa_handler == SIG_DFL))
        return 0;
    __atomic_fetch_add(&page->injected, 1, __ATOMIC_RELAXED);
    if (page->error != ERROR_SIGNAL)
        return page->error;
    int saved = errno;
    real.syscall(SYS_tgkill, getpid(), real.syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGUSR1, 0, 0,
                 0);
    errno = saved;
    return 0;
}

static enum fault kind_of(long number)
{
    switch (number) {
    case SYS_getpid:
    case SYS_gettid:
    case SYS_rt_sigprocmask:
    case SYS_exit:
    case SYS_exit_group:
        return FAULTS;
#define FAULT(name, number, errors)                                                                \
    case number < 0 ? -1000 - FAULT_##name:                                                        \
    number:                                                                                        \
        return FAULT_##name;
#include "faults.def"
#undef FAULT
    }
    return FAULT_other;
}

/* libc declares it with an ellipsis; a jump needs the arguments where they are. */
EXPORT long any_call(long number, long a, long b, long c, long d, long e,
                     long f) __asm__("syscall");
long any_call(long number, long a, long b, long c, long d, long e, long f)
{
    if (!ready)
        setup();
    enum fault kind = kind_of(number);
    int error = kind < FAULTS ? refuse(kind, __builtin_return_address(0)) : 0;
    if (!error)
        return real.syscall(number, a, b, c, d, e, f);
    if (error == ERROR_END)
        return 0;
    if (error == ERROR_SHORT)
        return real.syscall(number, a, b, c > 1 ? 1 : c, d, e, f);
    if (kind == FAULT_close) /* Linux closes the descriptor, even if close fails */
        real.syscall(number, a, b, c, d, e, f);
    errno = error;
    return -1;
}

/* A function of libc's that returns RESULT and sets errno if it fails. */
#define REFUSE(kind, result, ...)                                                                  \
    if (!ready)                                                                                    \
        setup();                                                                                   \
    int error = refuse(FAULT_##kind, __builtin_return_address(0));                                 \
    if (error) {                                                                                   \
        errno = error;                                                                             \
        return result;                                                                             \
    }                                                                                              \
    return real.__VA_ARGS__

EXPORT void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    REFUSE(mmap, MAP_FAILED, mmap(at, bytes, access, flags, fd, offset));
}
EXPORT int mprotect(void *at, size_t bytes, int access)
{
    REFUSE(mprotect, -1, mprotect(at, bytes, access));
}
EXPORT int clone(int (*f)(void *), void *stack, int flags, void *argument, ...)
{
    va_list ap;
    va_start(ap, argument);
    void *a = va_arg(ap, void *), *b = va_arg(ap, void *), *c = va_arg(ap, void *);
    va_end(ap);
    REFUSE(clone, -1, clone(f, stack, flags, argument, a, b, c));
}
EXPORT int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
    REFUSE(getrlimit, -1, getrlimit(resource, limit));
}
EXPORT ssize_t readlink(const char *path, char *to, size_t size)
{
    REFUSE(readlink, -1, readlink(path, to, size));
}
EXPORT int uname(struct utsname *name)
{
    REFUSE(uname, -1, uname(name));
}
EXPORT int prctl(int option, ...)
{
    va_list ap;
    va_start(ap, option);
    unsigned long a = va_arg(ap, long), b = va_arg(ap, long), c = va_arg(ap, long),
                  d = va_arg(ap, long);
    va_end(ap);
    REFUSE(prctl, -1, prctl(option, a, b, c, d));
}
EXPORT int on_exit(void (*f)(int, void *), void *argument)
{
    REFUSE(on_exit, -1, on_exit(f, argument));
}
EXPORT int __cxa_at_quick_exit(void (*f)(void *), void *object)
{
    REFUSE(at_quick_exit, -1, __cxa_at_quick_exit(f, object));
}
EXPORT int dladdr(const void *address, Dl_info *info)
{
    REFUSE(dladdr, 0, dladdr(address, info));
}

/* These return the error. */
#define REFUSE_BY_VALUE(kind, ...) REFUSE(kind, error, __VA_ARGS__)
EXPORT int pthread_key_create(pthread_key_t *key, void (*f)(void *))
{
    REFUSE_BY_VALUE(pthread_key_create, pthread_key_create(key, f));
}
EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    REFUSE_BY_VALUE(pthread_setspecific, pthread_setspecific(key, value));
}
EXPORT int pthread_attr_setstacksize(pthread_attr_t *attr, size_t bytes)
{
    REFUSE_BY_VALUE(pthread_attr_setstacksize, pthread_attr_setstacksize(attr, bytes));
}
EXPORT int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void),
                             void *object)
{
    REFUSE_BY_VALUE(register_atfork, __register_atfork(before, parent, child, object));
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*f)(void *),
                          void *argument)
{
    if (!ready)
        setup();
    int error = argument || !ours((uintptr_t)f)
                    ? 0
                    : refuse(FAULT_pthread_create, __builtin_return_address(0));
    return error ? error : real.pthread_create(id, attr, f, argument);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (!ready)
        setup();
    int error = action && ours((uintptr_t)action->sa_sigaction)
                    ? refuse(FAULT_sigaction, __builtin_return_address(0))
                    : 0;
    if (error) {
        errno = error;
        return -1;
    }
    return real.sigaction(number, action, old);
}

EXPORT void *dlopen(const char *name, int flags)
{
    if (!ready)
        setup();
    bool own = name && (!strncmp(name, "libunwind", 9) || !strncmp(name, "libpfm", 6));
    if (own && refuse(FAULT_dlopen, __builtin_return_address(0)))
        return real.dlopen("libnothing-of-that-name.so", flags); /* dlerror has a message */
    return real.dlopen(name, flags);
}

EXPORT void *dlsym(void *handle, const char *name)
{
    if (!ready)
        setup();
    bool own = !strncmp(name, "_dl_", 4) || !strncmp(name, "unw_", 4) || !strncmp(name, "_U", 2) ||
               !strncmp(name, "pfm_", 4) || !strncmp(name, "__libc_", 7);
    if (own && refuse(FAULT_dlsym, __builtin_return_address(0)))
        return 0;
    return real.dlsym(handle, name);
}
