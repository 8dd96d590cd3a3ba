/* stream.h - a file's bytes, inflated if gzip compressed them. Unlike zlib's gzread, which since
 * zlib 1.3.2 takes a file that breaks off for one that will grow, it demands gzip's own end.
 */
#ifndef REPORT_TAR_STREAM_H
#define REPORT_TAR_STREAM_H

#include <stddef.h>
#include <sys/types.h>

struct stream;

/* [any thread] FD from its start; FD stays open. NULL and errno: it cannot be read. */
struct stream *stream_new(int fd);
/* Reads N bytes; fewer: there are no more. -1: *WHY is the reason, in words that nobody frees; then
 * every later call fails, too. */
ssize_t stream_read(struct stream *s, void *to, size_t n, const char **why);
void stream_free(struct stream *s);

#endif
