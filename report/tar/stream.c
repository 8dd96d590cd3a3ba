/* stream.c - see stream.h. */
#define _GNU_SOURCE
#include "tar/stream.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "base/format.h"

enum {
    PIECE = 1 << 16,            /* bytes read at a time */
    GZIP = 16 + MAX_WBITS,      /* for inflateInit2: gzip's header and end, nothing else */
    MAGIC = 2,                  /* the first bytes of what gzip compressed */
};

struct stream {
    int fd;
    bool gzip;                  /* else its bytes are as they are */
    bool inside;                /* a part of gzip's has begun, and not ended */
    bool over;                  /* what follows the last part is no part */
    const char *why;            /* it cannot be read on */
    z_stream z;
    unsigned char in[PIECE];
};

static ssize_t fails(struct stream *s, const char *why)
{
    s->why = why;
    return -1;
}

/* Reads on, behind what is not used yet. Returns false at the end, and if that fails. */
static bool fill(struct stream *s)
{
    ssize_t got;
    memmove(s->in, s->z.next_in, s->z.avail_in);
    s->z.next_in = s->in;
    do
        got = read(s->fd, s->in + s->z.avail_in, PIECE - s->z.avail_in);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        fails(s, strerror(errno));
    s->z.avail_in += got > 0 ? got : 0;
    return got > 0;
}

/* Do at least N bytes wait, or can they be had? */
static bool has(struct stream *s, size_t n)
{
    while (s->z.avail_in < n)
        if (!fill(s))
            return false;
    return true;
}

static bool is_magic(const unsigned char *p)
{
    return p[0] == 0x1f && p[1] == 0x8b;
}

struct stream *stream_new(int fd)
{
    struct stream *s = format_memory(calloc(1, sizeof *s));
    s->fd = fd;
    s->z.next_in = s->in;
    if (lseek(fd, 0, SEEK_SET)) {
        free(s);
        return NULL;
    }
    s->gzip = has(s, MAGIC) && is_magic(s->in);
    if (s->gzip && inflateInit2(&s->z, GZIP) != Z_OK) {
        free(s);
        errno = ENOMEM;
        return NULL;
    }
    return s;
}

/* Inflates into what z.next_out has room for, at most to the end of a part. */
static void inflate_some(struct stream *s)
{
    if (!s->inside) {           /* gzip's own programs, too, ignore what follows and is no part */
        s->over = !has(s, MAGIC) || !is_magic(s->z.next_in);
        s->inside = !s->over;
        return;
    }
    if (!s->z.avail_in && !fill(s)) {
        fails(s, s->why ? s->why : "truncated");
        return;
    }
    int code = inflate(&s->z, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
        s->inside = false;
        inflateReset(&s->z);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fails(s, code == Z_MEM_ERROR ? "out of memory" : "damaged");
    }
}

ssize_t stream_read(struct stream *s, void *to, size_t n, const char **why)
{
    size_t left = n < INT_MAX ? n : INT_MAX;
    s->z.next_out = to;
    s->z.avail_out = left;
    while (!s->why && s->gzip && s->z.avail_out && !s->over)
        inflate_some(s);
    while (!s->why && !s->gzip && s->z.avail_out && (s->z.avail_in || fill(s))) {
        size_t some = s->z.avail_in < s->z.avail_out ? s->z.avail_in : s->z.avail_out;
        memcpy(s->z.next_out, s->z.next_in, some);
        s->z.next_in += some;
        s->z.avail_in -= some;
        s->z.next_out += some;
        s->z.avail_out -= some;
    }
    *why = s->why;
    return s->why ? -1 : (ssize_t)(left - s->z.avail_out);
}

void stream_free(struct stream *s)
{
    if (s && s->gzip)
        inflateEnd(&s->z);
    free(s);
}
