/* written.h - the profiles that a program which prof starts will write: their name as a pattern of
 * PROF_OUTPUT, and the files that have it. The caller frees all strings. */
#ifndef REPORT_LAUNCH_WRITTEN_H
#define REPORT_LAUNCH_WRITTEN_H

#include <sys/types.h>
#include <time.h>

/* PATH as a pattern that names PATH alone. */
char *written_literal(const char *path);
/* The value of PROF_OUTPUT for the program: OUTPUT; NULL or empty: libprof's default. Its path
 * is absolute, because the program may change its directory. If that folder takes no files, it is
 * the same name in TMPDIR, after a line on stderr. */
char *written_pattern(const char *output);
/* A glob(3) pattern for the files of process PID that PATTERN may name; PID 0: of any process. */
char *written_glob(const char *pattern, pid_t pid);
/* The newest file of process PID that PATTERN may name and that was written after START, or
 * NULL. */
char *written_newest(const char *pattern, pid_t pid, const struct timespec *start);
/* The program may be a script, or may have started others. These have profiles of their own. *PATH
 * is the profile to report: it stays if its process had tasks, else it becomes that with the most
 * work. Returns how many others there are. */
unsigned written_by_others(const char *pattern, const struct timespec *start, char **path);

#endif
