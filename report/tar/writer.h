/* writer.h - writes a tar file, compressed by gzip. It names neither its user nor its host, so
 * equal members make equal files. */
#ifndef REPORT_TAR_WRITER_H
#define REPORT_TAR_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tar_writer;

/* Writes to FD, which tar_finish closes. NULL and errno: it cannot. */
struct tar_writer *tar_new(int fd);
/* Adds a member: the SIZE bytes of DATA. MTIME is in s since 1970. */
void tar_add(struct tar_writer *w, const char *name, const void *data, size_t size, int64_t mtime);
/* Adds the regular file FD from its start to its end. False: it is none, or larger than TAR_MOST
 * bytes, and nothing was added. */
bool tar_add_file(struct tar_writer *w, const char *name, int fd);
#define TAR_MOST (((uint64_t)8 << 30) - 1)
/* Frees W. Returns 0, or the errno of the first failure since tar_new. */
int tar_finish(struct tar_writer *w);

#endif
