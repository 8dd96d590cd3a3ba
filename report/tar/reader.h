/* reader.h - the members of a tar file, compressed by gzip or not. The file may be hostile. A
 * member is found by its name, and its name never becomes that of a file: contents go to files
 * without a name, which end with prof however it ends.
 */
#ifndef REPORT_TAR_READER_H
#define REPORT_TAR_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tar;

struct tar_member {
    const char *name;           /* relative, without "." and ".."; it lives as long as the tar */
    uint64_t size;              /* bytes */
    int64_t mtime;              /* of the last change, in s since 1970 */
};

/* [any thread] Does the file FD begin like a tar, compressed or not? Leaves FD's position at its
 * start. */
bool tar_begins(int fd);
/* [any thread] Reads all of FD, which stays open. NULL: it cannot be used; *WHY is the reason, in
 * words, which the caller frees. */
struct tar *tar_read(int fd, char **why);
void tar_free(struct tar *t);

/* The first member; there is one. */
const struct tar_member *tar_first(const struct tar *t);
/* The member called NAME, or NULL. */
const struct tar_member *tar_find(const struct tar *t, const char *name);
/* A new file without a name that holds M's content: a descriptor, which the caller closes, at its
 * start. -1 and errno: it cannot be made. */
int tar_file(const struct tar *t, const struct tar_member *m);

#endif
