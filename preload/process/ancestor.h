/* ancestor.h - whether a process that this one descends from is of the same kind. */
#ifndef PRELOAD_PROCESS_ANCESTOR_H
#define PRELOAD_PROCESS_ANCESTOR_H

#include <stdbool.h>

/* [writer] Does a living ancestor have libprof.so and a library whose file name begins with
 * LIBRARY? What cannot be read has not. */
bool ancestor_has(const char *library);

#endif
