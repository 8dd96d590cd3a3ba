/* write.h - writes the profile of this process, with the writer's lock and signals blocked. */
#ifndef PRELOAD_PROCESS_WRITE_H
#define PRELOAD_PROCESS_WRITE_H

#include <stdbool.h>
#include <stdint.h>

/* [init] The writer's stack. */
void write_setup(void);
/* END is enum lpf_end. write_silently returns the result, 0 or -errno, for writer_report;
 * write_profile reports it. */
int write_silently(bool final, uint32_t end, uint32_t status);
void write_profile(bool final, uint32_t end, uint32_t status);
/* [hook] The next call may end the program: the profile is complete. If the program goes on,
 * recording goes on, and the file is written again at the end. Takes the lock. */
void write_ahead(uint32_t end);

#endif
