/* process_time.c - see process_time.h; writer.h declares the functions that other rooms call. */
#define _GNU_SOURCE
#include "output/process_time.h"
#include <time.h>
#include "output/writer.h"
#include "clock/clock.h"
#include "base/forbid.h"

struct process_time process_time;
static uint64_t write_start_ns; /* CPU time of the writing thread, by writer_begin */

void process_time_start(void)
{
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
