/* thread_facts.c - see thread_facts.h. */
#define _GNU_SOURCE
#include "sampling/thread_facts.h"
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/message.h"
#include "clock/clock.h"
#include "clock/cpu_clock.h"
#include "base/forbid.h"

uint64_t thread_facts_cpu(uint32_t tid)
{
    return clock_read_ns(cpu_clock_of(tid));
}

void thread_facts_file(uint32_t tid, const char *name, char *text, size_t size)
{
    char path[64];
    message_format(path, sizeof path, "/proc/self/task/%lu/%s", (unsigned long)tid, name);
    int fd = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
    ssize_t n = fd < 0 ? 0 : syscall(SYS_read, (long)fd, text, size - 1);
    if (fd >= 0)
        syscall(SYS_close, (long)fd);
    text[n > 0 ? n : 0] = 0;
}

static uint64_t number_at(const char *at)
{
    uint64_t n = 0;
    while (*at == ' ' || *at == '\t')
        at++;
    for (; *at >= '0' && *at <= '9'; at++)
        n = n * 10 + (*at - '0');
    return n;
}

/* The second of three numbers. */
static uint64_t delay_in(const char *schedstat)
{
    const char *at = strchr(schedstat, ' ');
    return at ? number_at(at) : 0;
}

static uint64_t field(const char *status, const char *name)
{
    const char *at = strstr(status, name);
    return at ? number_at(at + strlen(name)) : 0;
}

static struct switches switches_in(const char *status)
{
    return (struct switches){ .voluntary = field(status, "\nvoluntary_ctxt_switches:"),
                              .involuntary = field(status, "\nnonvoluntary_ctxt_switches:") };
}

/* The counts are at the end of a file of some 1400 bytes; its lists of CPUs and of memory nodes may
 * be longer. */
#define STATUS_BYTES 4096u
#define SCHEDSTAT_BYTES 96u

uint64_t thread_facts_run_delay(uint32_t tid)
{
    char text[SCHEDSTAT_BYTES];
    thread_facts_file(tid, "schedstat", text, sizeof text);
    return delay_in(text);
}

struct switches thread_facts_switches(uint32_t tid)
{
    char text[STATUS_BYTES];
    thread_facts_file(tid, "status", text, sizeof text);
    return switches_in(text);
}

/* ---- files that stay open ---- */

#define KEPT_MOST 192u          /* in all, of at least 1024 that a process may have */
static unsigned kept;           /* files that are open; the sampling thread's */

static void forget(int *fd)
{
    if (!*fd)
        return;
    syscall(SYS_close, (long)*fd - 1);
    *fd = 0;
    kept--;
}

void thread_files_read(struct thread_files *f, uint32_t tid, enum thread_file file, char *text,
                       size_t size)
{
    static const char *const names[] = { "syscall", "schedstat", "status" };
    if (f->tid != tid)
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
            forget(&f->fd[i]);
    f->tid = tid;
    if (!f->fd[file] && kept < KEPT_MOST) {
        char path[64];
        message_format(path, sizeof path, "/proc/self/task/%lu/%s", (unsigned long)tid,
                       names[file]);
        int fd = syscall(SYS_openat, (long)AT_FDCWD, path, (long)(O_RDONLY | O_CLOEXEC), 0L);
        f->fd[file] = fd + 1;
        kept += fd >= 0;
    } else if (!f->fd[file]) {
        thread_facts_file(tid, names[file], text, size);
        return;
    }
    ssize_t n = f->fd[file] ? syscall(SYS_pread64, (long)f->fd[file] - 1, text, size - 1, 0L) : 0;
    text[n > 0 ? n : 0] = 0;
    if (n <= 0)
        forget(&f->fd[file]);
}

uint64_t thread_files_run_delay(struct thread_files *f, uint32_t tid)
{
    char text[SCHEDSTAT_BYTES];
    thread_files_read(f, tid, THREAD_FILE_SCHEDSTAT, text, sizeof text);
    return delay_in(text);
}

struct switches thread_files_switches(struct thread_files *f, uint32_t tid)
{
    char text[STATUS_BYTES];
    thread_files_read(f, tid, THREAD_FILE_STATUS, text, sizeof text);
    return switches_in(text);
}

void thread_files_forked(struct thread_files *f)
{
    *f = (struct thread_files){ .tid = 0 };
    kept = 0;
}
