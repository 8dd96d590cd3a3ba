/* writer.h - the profile file (include/libprof_format.h), written without malloc and stdio. */
#ifndef PRELOAD_OUTPUT_WRITER_H
#define PRELOAD_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include "dag/snapshot.h"

/* [init] Facts of the process (program, arguments, host, directory), and the file's name from
 * PROF_OUTPUT. ENVIRONMENT has TMPDIR, where the profile goes if the working directory takes no
 * files. A name without %p is for one process: the others append their pid (profile_name.c).
 */
void writer_setup(char *const *environment);
/* [hook] In the child of fork: sets the child's own name and start. */
void writer_forked(void);
/* [init] The engine starts now. The CPU time of the process until now is in none of the engine's
 * figures. */
void writer_recording(void);
/* [writer] The writing of a profile starts, before its snapshot. The engine's figures do not
 * contain the writer's CPU time either. */
void writer_begin(void);
/* [writer] Adds NS of CPU time that libprof's sampling thread needed for samples. */
void writer_add_cpu(uint64_t ns);
/* [any] The program has made a child process. */
void writer_add_child(void);
/* [any] Did `prof run` start this process itself? Then a profile is written even if nothing
 * parallel ran. */
bool writer_wanted(void);

/* [writer] Writes the snapshot to the temporary name and renames it. END is enum lpf_end. 0 or
 * -errno, and the last good file stays. */
int writer_write(const struct snapshot *s, uint32_t end, uint32_t status);
/* [writer] Reports an error that writer_write returned, once a process. The calling thread must
 * have the program's stderr. */
void writer_report(int error);

#endif
