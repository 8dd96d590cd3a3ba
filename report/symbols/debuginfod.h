/* debuginfod.h - files of a build id from the servers of DEBUGINFOD_URLS, by elfutils' client. The
 * client keeps them in its cache (debuginfod_find_debuginfo(3)). */
#ifndef REPORT_SYMBOLS_DEBUGINFOD_H
#define REPORT_SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

/* Does DEBUGINFOD_URLS name a server? Without, nothing here uses the network. */
bool debuginfod_is_set(void);
/* The file of build id ID, LENGTH bytes: its debug information, or with EXECUTABLE the file that
 * runs. A descriptor, and *PATH, which the caller frees. -1: no server has it. */
int debuginfod_file(const unsigned char *id, size_t length, bool executable, char **path);

#endif
