/* wait_kind.c - what a thread waits for, by the system call in which it is. */
#define _GNU_SOURCE
#include "sampling/thread_facts.h"
#include <sys/syscall.h>
#include "libprof_format.h"
#include "base/forbid.h"

uint32_t wait_kind_of(long number)
{
    switch (number) {
    case -1:
        return LPF_WAIT_FAULT;
    case SYS_futex: case SYS_futex_waitv:
        return LPF_WAIT_FUTEX;
    case SYS_nanosleep: case SYS_clock_nanosleep:
        return LPF_WAIT_SLEEP;
    case SYS_read: case SYS_write: case SYS_readv: case SYS_writev: case SYS_pread64:
    case SYS_pwrite64: case SYS_preadv: case SYS_pwritev: case SYS_preadv2: case SYS_pwritev2:
    case SYS_sendfile: case SYS_splice: case SYS_tee: case SYS_vmsplice: case SYS_copy_file_range:
    case SYS_recvfrom: case SYS_sendto: case SYS_recvmsg: case SYS_sendmsg: case SYS_recvmmsg:
    case SYS_sendmmsg: case SYS_accept: case SYS_accept4: case SYS_connect:
    case SYS_openat: case SYS_openat2: case SYS_close: case SYS_getdents64: case SYS_statx:
    case SYS_fsync: case SYS_fdatasync: case SYS_sync: case SYS_syncfs: case SYS_sync_file_range:
    case SYS_msync: case SYS_fallocate: case SYS_ftruncate: case SYS_readahead:
    case SYS_io_getevents: case SYS_io_submit: case SYS_io_uring_enter:
        return LPF_WAIT_IO;
    case SYS_ppoll: case SYS_pselect6: case SYS_epoll_pwait: case SYS_epoll_pwait2:
        return LPF_WAIT_POLL;
    case SYS_wait4: case SYS_waitid:
        return LPF_WAIT_CHILD;
    case SYS_mmap: case SYS_munmap: case SYS_mprotect: case SYS_mremap: case SYS_madvise:
    case SYS_brk:
        return LPF_WAIT_MEMORY;
#ifdef SYS_open                 /* only older processors have these */
    case SYS_open: case SYS_creat: case SYS_stat: case SYS_lstat:
        return LPF_WAIT_IO;
    case SYS_poll: case SYS_select: case SYS_epoll_wait:
        return LPF_WAIT_POLL;
#endif
    default:
        return LPF_WAIT_OTHER;
    }
}
