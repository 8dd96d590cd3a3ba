/* profile_name.h - the name of the profile, from PROF_OUTPUT. For this folder only. */
#ifndef PRELOAD_OUTPUT_PROFILE_NAME_H
#define PRELOAD_OUTPUT_PROFILE_NAME_H

#include <stdbool.h>
#include "base/config.h"

/* The file's absolute name. "": none, because the working directory was gone. Written by
 * writer_setup, profile_name_forked and profile_name_elsewhere. */
extern char profile_name[CONFIG_STRING + 1400];

/* [writer] The directory of profile_name takes no files: the same name in TMPDIR, and after that in
 * /tmp, from now on and in children. False: the user chose where profiles go, or all were tried. */
bool profile_name_elsewhere(void);

/* [hook] In the child of fork, after process_time_start: the child's own name. */
void profile_name_forked(void);

#endif
