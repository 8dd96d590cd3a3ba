/* newest.h - the profile that a command uses if you name none. */
#ifndef REPORT_PROFILE_NEWEST_H
#define REPORT_PROFILE_NEWEST_H

/* Returns the path of the newest *.prof in the current directory, and names it on stderr. The
 * caller frees it. NULL: there is none; one line on stderr reports that and names COMMAND. */
char *profile_newest(const char *command);

#endif
