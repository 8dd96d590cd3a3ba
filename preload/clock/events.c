/* events.c - see events.h.
 *
 * The crux: our descriptors are in the program's table. The program may close them all (daemons do)
 * and get the same number for a socket. Then a read(2) of ours would take the socket's data, and a
 * close(2) would be worse. So before each use we ask the kernel whether the descriptor is still our
 * event (PERF_EVENT_IOC_ID, about 100 ns). We also move our descriptors far up in the table. So the
 * program gets the numbers that it would get without us.
 *
 * System calls go through syscall(2): read and close are cancellation points, and the program may
 * interpose them.
 */
#define _GNU_SOURCE
#include "clock/events.h"
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/memory.h"
#include "base/message.h"
#include "clock/pfm.h"
#include "base/forbid.h"

static SELDOM struct event {
    char name[64];
    struct perf_event_attr attr;
    int fd;
    uint64_t id;
} events[EVENTS_MAX];
static unsigned count;
static pid_t owner;             /* the process that the events count; by events_setup, _forked */

/* ---- descriptors ---- */

/* Does the event count the same with the kernel's own work and without it? A fault counts for the
 * instruction that caused it. Time events ignore modes. But a switch happens in the kernel. */
static int same_without_kernel(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE && !attr->exclude_kernel &&
           attr->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
           attr->config != PERF_COUNT_SW_CPU_MIGRATIONS;
}

/* Moves FD to the middle of the table: above the program's own, below the limit. */
static int move_up(int fd)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < 64)
        return fd;
    int floor = limit.rlim_cur > 2048 ? 1024 : (int)limit.rlim_cur / 2;
    int up = kernel_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, floor);
    if (up < 0)
        return fd;
    kernel_call(SYS_close, fd);
    return up;
}

/* Linux 5.13 has it. Older headers do not name it: a bit of the word after read_format. */
#define INHERIT_THREAD (1ull << 35)
static __u64 *flags_of(struct perf_event_attr *a)
{
    return (void *)((char *)a + offsetof(struct perf_event_attr, read_format) +
                    sizeof a->read_format);
}

int events_open(const struct perf_event_attr *attr, uint64_t *id)
{
    int saved = errno;
    struct perf_event_attr a = *attr;
    int fd = pfm_open(&a, 0);
    if ((fd == -EACCES || fd == -EPERM) && same_without_kernel(&a)) {
        a.exclude_kernel = 1;
        fd = pfm_open(&a, 0);
    }
    /* Linux before 5.13 lacks inherit_thread. The event then counts forked processes, too. */
    if (fd == -EINVAL && *flags_of(&a) & INHERIT_THREAD) {
        *flags_of(&a) &= ~INHERIT_THREAD;
        fd = pfm_open(&a, 0);
    }
    if (fd >= 0) {
        fd = move_up(fd);
        if (kernel_call(SYS_ioctl, fd, PERF_EVENT_IOC_ID, id) < 0) {
            int error = errno;
            kernel_call(SYS_close, fd);
            fd = -error;
        }
    }
    errno = saved;
    return fd;
}

static int is_ours(int fd, uint64_t id)
{
    uint64_t now;
    return fd >= 0 && !kernel_call(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &now) && now == id;
}

int events_fetch(int fd, uint64_t id, void *buffer, unsigned long size)
{
    int saved = errno;
    int r = is_ours(fd, id) && kernel_call(SYS_read, fd, buffer, size) == (long)size ? 0 : -EBADF;
    errno = saved;
    return r;
}

void events_close(int fd, uint64_t id)
{
    int saved = errno;
    if (is_ours(fd, id))
        kernel_call(SYS_close, fd);
    errno = saved;
}

/* ---- PROF_EVENTS ---- */

/* The result of read(2) with the read_format below. */
struct reading { uint64_t value, enabled, running; };

static int start(struct event *e)
{
    e->fd = events_open(&e->attr, &e->id);
    return e->fd < 0 ? e->fd : 0;
}

static void add(const char *name, size_t length)
{
    struct event *e = &events[count];
    const char *why = "";
    memcpy(e->name, name, length);
    e->name[length] = 0;
    int r = pfm_event(e->name, &e->attr, &why);
    if (!r) {
        e->attr.inherit = 1;
        *flags_of(&e->attr) |= INHERIT_THREAD;
        e->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        r = start(e);
        if (r)
            why = pfm_why(r);
    }
    if (r)
        message(MESSAGE_WARNING, "PROF_EVENTS: %s: %s", e->name, why);
    else
        count++;
}

void events_setup(const char *list)
{
    owner = getpid();
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n >= sizeof events[0].name || (n && count == EVENTS_MAX)) {
            message(MESSAGE_WARNING,
                    "PROF_EVENTS: %s: at most %d events of at most %d bytes; this and what "
                    "follows is not counted",
                    list, EVENTS_MAX, (int)sizeof events[0].name - 1);
            return;
        }
        if (n)
            add(list, n);
        list += n + (list[n] == ',');
    }
}

int events_read(unsigned i, const char **name, uint64_t *value)
{
    struct reading r;
    if (i >= count || getpid() != owner)
        return -ENOENT;
    int error = events_fetch(events[i].fd, events[i].id, &r, sizeof r);
    if (error)
        return error;
    *name = events[i].name;
    *value = r.running && r.running < r.enabled
                 ? (uint64_t)((__uint128_t)r.value * r.enabled / r.running)
                 : r.value;
    return 0;
}

void events_forked(void)
{
    owner = getpid();
    for (unsigned i = 0; i < count; i++) {
        events_close(events[i].fd, events[i].id);
        start(&events[i]);
    }
}
