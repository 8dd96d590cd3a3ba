/* pfm.c - see pfm.h. */
#define _GNU_SOURCE
#include "clock/pfm.h"
#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int (*encode)(const char *, int, pfm_os_t, void *);

static int load(const char **why)
{
    if (encode)
        return 0;
    void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    int (*initialize)(void) = handle ? (int (*)(void))dlsym(handle, "pfm_initialize") : 0;
    encode = handle ? (int (*)(const char *, int, pfm_os_t, void *))
                      dlsym(handle, "pfm_get_os_event_encoding") : 0;
    if (!initialize || !encode || initialize() != PFM_SUCCESS) {
        encode = 0;
        *why = "libpfm.so.4 is missing (Debian package libpfm4): event names cannot be looked up";
        return -ENOENT;
    }
    return 0;
}

int pfm_event(const char *name, struct perf_event_attr *attr, const char **why)
{
    int r = load(why);
    if (r)
        return r;
    memset(attr, 0, sizeof *attr);
    attr->size = sizeof *attr;
    pfm_perf_encode_arg_t arg;
    memset(&arg, 0, sizeof arg);
    arg.attr = attr;
    arg.size = sizeof arg;
    /* Software events happen in the kernel, so they count both modes. Others count user mode. */
    r = encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    if (r != PFM_SUCCESS) {
        *why = r == PFM_ERR_NOTFOUND
                   ? "libpfm4 does not know this event on this CPU (hardware events need a PMU; "
                     "virtual machines often have none)"
                   : "libpfm4 cannot encode this event";
        return -EINVAL;
    }
    attr->exclude_hv = 1;
    if (attr->type != PERF_TYPE_SOFTWARE)
        attr->exclude_kernel = 1;
    return 0;
}

int pfm_open(struct perf_event_attr *attr, int pid)
{
    int fd = syscall(SYS_perf_event_open, attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

const char *pfm_why(int error)
{
    switch (-error) {
    case EACCES: case EPERM:
        return "not permitted: lower /proc/sys/kernel/perf_event_paranoid or grant CAP_PERFMON";
    case ENOENT: case ENODEV: case EOPNOTSUPP:
        return "this machine has no such counter (no PMU: bare metal or a VM with vPMU has one)";
    case EMFILE:
        return "out of file descriptors";
    case ENOSYS:
        return "the kernel has no perf_event";
    default:
        return "perf_event_open failed";
    }
}
