/* folder.h - the profiles that a folder stands for on the command line. */
#ifndef REPORT_MERGE_FOLDER_H
#define REPORT_MERGE_FOLDER_H

/* NAMES, COUNT of them, in a new array of *ALL new strings, NULL-terminated. A folder is replaced
 * by its files *.prof, those with numbers in the order of the numbers. NULL, after a line on
 * stderr: a folder cannot be read, or has none. */
char **folder_files(char *const *names, int count, int *all);

#endif
