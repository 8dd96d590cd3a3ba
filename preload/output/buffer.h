/* buffer.h - a buffer that grows, in mapped memory: a section of the profile, or the whole file.
 *
 * [writer] all functions. Where memory runs out, the buffer has FAILED: later additions do nothing,
 * and the writer checks the flag once, at the end.
 */
#ifndef PRELOAD_OUTPUT_BUFFER_H
#define PRELOAD_OUTPUT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {                 /* empty: all 0 */
    char *data;
    size_t used, size;
    bool failed;
};

/* Room for BYTES more, zeroed, at the end. NULL: the buffer has failed. */
void *buffer_grow(struct buffer *b, size_t bytes);
/* Copies BYTES from P to the end. */
void buffer_add(struct buffer *b, const void *p, size_t bytes);
void buffer_release(struct buffer *b);

/* Adds S to the strings section. Returns its offset there. 0: the empty string, also for NULL. */
uint32_t buffer_string(struct buffer *strings, const char *s);

/* The CRC-32 (as zlib's) of earlier data, whose CRC-32 is CRC (0 at first), and N bytes of DATA. */
uint32_t buffer_crc32(uint32_t crc, const void *data, size_t n);

#endif
