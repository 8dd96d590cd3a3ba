/* inject.h - what the injector and the driver share: a page that both map, and the names of errors.
 *
 * The page counts the calls of a whole tree of processes, whatever becomes of them. Calls are
 * numbered from 1 in the order in which they are made; with several threads that order is not the
 * same in every run, and the driver does not rely on it. */
#ifndef TESTS_FAULT_INJECT_H
#define TESTS_FAULT_INJECT_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

enum fault {
#define FAULT(name, number, errors) FAULT_##name,
#include "faults.def"
#undef FAULT
    FAULTS
};

enum { ERROR_SHORT = -1, ERROR_END = -2, ERROR_SIGNAL = -3 };

struct inject_page {
    uint32_t calls[FAULTS]; /* by the injector */
    uint32_t injected;      /* by the injector: calls that were refused */
    /* By the driver, before the program starts: calls FIRST to LAST of KIND get ERROR. FIRST 0:
     * none. */
    int32_t kind, error;
    uint32_t first, last;
    uint32_t
        programs; /* 1: the program's own calls, not libprof's: to see that the driver notices */
};

static const struct {
    const char *name;
    int error;
} inject_errors[] = {
    { "EACCES", EACCES },     { "EAGAIN", EAGAIN }, { "ECHILD", ECHILD },
    { "EFAULT", EFAULT },     { "EINTR", EINTR },   { "EINVAL", EINVAL },
    { "EIO", EIO },           { "EMFILE", EMFILE }, { "ENODEV", ENODEV },
    { "ENOENT", ENOENT },     { "ENOMEM", ENOMEM }, { "ENOSPC", ENOSPC },
    { "ENOSYS", ENOSYS },     { "ENOTTY", ENOTTY }, { "EOVERFLOW", EOVERFLOW },
    { "EPERM", EPERM },       { "ESRCH", ESRCH },   { "EXDEV", EXDEV },
    { "short", ERROR_SHORT }, { "end", ERROR_END }, { "signal", ERROR_SIGNAL },
};

#endif
