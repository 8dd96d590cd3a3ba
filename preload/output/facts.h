/* facts.h - facts of the process that the profile needs: the file's name, when the process started,
 * and the CPU time that no thread's life in the engine contains. For this folder only.
 */
#ifndef PRELOAD_OUTPUT_FACTS_H
#define PRELOAD_OUTPUT_FACTS_H

#include <stdint.h>
#include <time.h>
#include "base/config.h"

/* The file's absolute name. Written by writer_setup and facts_forked. */
extern char facts_path[CONFIG_STRING + 1400];

/* CPU time of the process: when libprof started (exec and the loader); from then until the engine
 * started; of the threads that wrote profiles. Written by writer_setup, writer_recording, and the
 * one writer. */
struct facts {
    uint64_t start_unix_ns, start_wall_ns;
    uint64_t cpu_before_ns, cpu_start_ns, cpu_written_ns;
};
extern struct facts facts;

/* [hook] In the child of fork: its own name, its own start. */
void facts_forked(void);
/* [writer] CPU time of all writing so far; and the writing that writer_begin started has ended. */
uint64_t facts_writing_ns(void);
void facts_written(void);

#endif
