/* writer.h - the profile file (include/libprof_format.h), written without malloc and stdio. */
#ifndef PRELOAD_WRITER_H
#define PRELOAD_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include "model/totals.h"

/* [init] Facts of the process (program, arguments, host, directory), and the file's name from
 * PROF_OUTPUT. A name without %p is one process's: the others append their pid, see writer.c. */
void writer_setup(void);
/* [hook] In the child of fork: its own name, its own start. */
void writer_forked(void);
/* [start] The engine starts now; [writer] the writing of a profile starts, before its snapshot. What the process needed the CPU for
 * before, and what the writer needs it for, is in none of the engine's figures. */
void writer_recording(void);
void writer_begin(void);
/* [writer] CPU time of libprof's own thread that is not writing. */
void writer_add_cpu(uint64_t ns);
/* [any] `prof run` started this very process: it wants a profile even of nothing. */
bool writer_wanted(void);

/* [writer] Writes the snapshot to the temporary name and renames it. END is enum lpf_end. 0 or
 * -errno, and the last good file stays. */
int writer_write(const struct snapshot *s, uint32_t end, uint32_t status);
/* [writer] Says what writer_write returned, once a process; on a thread that has the program's stderr. */
void writer_report(int error);

#endif
