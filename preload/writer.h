/* writer.h - the profile file (include/libprof_format.h), written without malloc and stdio. */
#ifndef PRELOAD_WRITER_H
#define PRELOAD_WRITER_H

#include <stdint.h>
#include "engine.h"

/* [init] Names the file from PROF_OUTPUT; CHILD: in a forked child, whose exact name must differ. */
void writer_setup(int child);
const char *writer_path(void);
/* [init] facts of the process: program, arguments. */
void writer_process(void);

/* [hook] ADDRESS (code) will be reported: remember its module, which may be unloaded later. */
void writer_note_module(uintptr_t address);

/* [writer] Writes the snapshot to the temporary name and renames it. END is enum lpf_end. 0 or
 * -errno; a failure is reported once, and the last good file stays. */
int writer_write(const struct snapshot *s, uint32_t end, uint32_t status);

#endif
