/* ancestor.h - does this process descend from another profiled process? */
#ifndef PRELOAD_LIFECYCLE_ANCESTOR_H
#define PRELOAD_LIFECYCLE_ANCESTOR_H

#include <stdbool.h>

/* [writer] Does a living ancestor have libprof.so and a library whose file name begins with
 * LIBRARY? False where /proc cannot be read. */
bool ancestor_has(const char *library);

#endif
