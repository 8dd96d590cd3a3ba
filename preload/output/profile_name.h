/* profile_name.h - the name of the profile, from PROF_OUTPUT. For this folder only. */
#ifndef PRELOAD_OUTPUT_PROFILE_NAME_H
#define PRELOAD_OUTPUT_PROFILE_NAME_H

#include "base/config.h"

/* The file's absolute name. "": none, because the working directory was gone. Written by
 * writer_setup and profile_name_forked. */
extern char profile_name[CONFIG_STRING + 1400];

/* [hook] In the child of fork, after process_time_start: the child's own name. */
void profile_name_forked(void);

#endif
