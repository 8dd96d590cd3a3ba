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

/* The second of three numbers. */
uint64_t thread_facts_run_delay(uint32_t tid)
{
    char text[96];
    thread_facts_file(tid, "schedstat", text, sizeof text);
    const char *at = strchr(text, ' ');
    uint64_t ns = 0;
    while (at && *++at >= '0' && *at <= '9')
        ns = ns * 10 + (*at - '0');
    return ns;
}
