/* library.h - finds libprof.so for a program that prof starts. */
#ifndef REPORT_LAUNCH_LIBRARY_H
#define REPORT_LAUNCH_LIBRARY_H

/* The path of libprof.so: PROF_LIBRARY; else beside prof (the build tree), or where `make install`
 * puts it. The caller frees it. NULL: it was not found, which a line on stderr reports. */
char *library_find(void);

#endif
