/* process_time.h - when the process started, and the CPU time of it that no thread's life in the
 * engine contains. For this folder only.
 */
#ifndef PRELOAD_OUTPUT_PROCESS_TIME_H
#define PRELOAD_OUTPUT_PROCESS_TIME_H

#include <stdint.h>

/* cpu_before_ns: CPU time of the process before libprof started (exec, the loader). cpu_start_ns:
 * from then until the engine started. cpu_written_ns: of the threads that wrote profiles. Written
 * by process_time_start, writer_recording, and the one writer. children_before_ns: CPU time of
 * children that this process had waited for before (an earlier program of the process).
 * children: calls that made a child process, since; any thread counts them. */
struct process_time {
    uint64_t start_unix_ns, start_wall_ns;
    uint64_t cpu_before_ns, cpu_start_ns, cpu_written_ns;
    uint64_t children_before_ns, children;
};
extern struct process_time process_time;

/* [init] libprof starts now. [hook] Also in the child of fork. */
void process_time_start(void);
/* [writer] The CPU time of all writing so far. */
uint64_t process_time_writing_ns(void);
/* [any] The CPU time of children that the process has waited for, since libprof started. */
uint64_t process_time_children_ns(void);
/* [writer] The writing that writer_begin started has ended. */
void process_time_written(void);

#endif
