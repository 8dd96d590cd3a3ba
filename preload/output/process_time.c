/* process_time.c - see process_time.h; writer.h declares the functions that other rooms call. */
#define _GNU_SOURCE
#include "output/process_time.h"
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "output/writer.h"
#include "clock/clock.h"
#include "base/forbid.h"

struct process_time process_time;
static uint64_t write_start_ns; /* CPU time of the writing thread, by writer_begin */

static uint64_t ns_of(struct timeval t)
{
    return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull;
}

static uint64_t children_ns(void)
{
    struct rusage r;
    if (syscall(SYS_getrusage, (long)RUSAGE_CHILDREN, &r))
        return 0;
    return ns_of(r.ru_utime) + ns_of(r.ru_stime);
}

uint64_t process_time_children_ns(void)
{
    return children_ns() - process_time.children_before_ns;
}

void writer_add_child(void)
{
    __atomic_add_fetch(&process_time.children, 1, __ATOMIC_RELAXED);
}

void process_time_start(void)
{
    process_time.children_before_ns = children_ns();
    process_time.children = 0;
    process_time.cpu_before_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
    process_time.cpu_start_ns = process_time.cpu_written_ns = 0;
    process_time.start_unix_ns = clock_read_ns(CLOCK_REALTIME);
    process_time.start_wall_ns = clock_read_ns(CLOCK_MONOTONIC);
}

void writer_recording(void)
{
    process_time.cpu_start_ns =
        clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - process_time.cpu_before_ns;
}

void writer_begin(void)
{
    write_start_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void writer_add_cpu(uint64_t ns)
{
    __atomic_add_fetch(&process_time.cpu_written_ns, ns, __ATOMIC_RELAXED);
}

uint64_t process_time_writing_ns(void)
{
    return process_time.cpu_written_ns + clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - write_start_ns;
}

void process_time_written(void)
{
    process_time.cpu_written_ns += clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - write_start_ns;
}
