/* newest.h - the profile that a command uses if you name none. */
#ifndef REPORT_PROFILE_NEWEST_H
#define REPORT_PROFILE_NEWEST_H

/* The newest *.prof in the current directory, named on stderr; the caller frees it. NULL after one
 * line on stderr, which names COMMAND: there is none. */
char *profile_newest(const char *command);

#endif
