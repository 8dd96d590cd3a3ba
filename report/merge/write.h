/* write.h - writes a profile from memory into a file (docs/PROFILE-FORMAT.md). */
#ifndef REPORT_MERGE_WRITE_H
#define REPORT_MERGE_WRITE_H

#include "profile/profile.h"

/* Writes P to PATH, whole or not at all. Only the owner can read the file. Returns 0; or -1 after
 * one line on stderr. */
int profile_write(const struct profile *p, const char *path);

#endif
