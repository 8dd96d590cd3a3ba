/* library.h - finds libprof.so for a program that prof starts. */
#ifndef REPORT_LAUNCH_LIBRARY_H
#define REPORT_LAUNCH_LIBRARY_H

/* The path of libprof.so: PROF_LIBRARY; else beside prof (the build tree), or where `make install`
 * puts it. If LD_PRELOAD does not take that path, one through a link, which is there until
 * library_done. NULL: there is no such path, which a line on stderr reports. */
char *library_find(void);
/* Frees what library_find returned, and removes the link. */
void library_done(char *library);

#endif
