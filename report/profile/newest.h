/* newest.h - the profile that a command uses if you name none, or its folder. */
#ifndef REPORT_PROFILE_NEWEST_H
#define REPORT_PROFILE_NEWEST_H

/* Returns the path of the newest *.prof in the current directory, and names it on stderr. The
 * caller frees it. NULL: there is none; one line on stderr reports that and names COMMAND. */
char *profile_newest(const char *command);
/* What to say if FOLDER is given for a profile: that it is a directory, and which profiles are in
 * it, the newest first. The caller frees it. */
char *profile_folder_words(const char *folder);

#endif
