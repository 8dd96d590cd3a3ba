/* writer.c - see writer.h. By hand, because reading a hostile archive must be, and the writer is
 * the smaller half: a header is 512 bytes, and zlib compresses. A name that does not fit a header
 * stands in a header before it (POSIX, "pax Header Block"). */
#define _GNU_SOURCE
#include "tar/writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/format.h"
#include "base/progress.h"
#include "tar/header.h"

enum { PIECE = 1 << 16 };

struct tar_writer {
    gzFile out;
    int error;                  /* errno of the first failure; 0: none */
    uint64_t bytes;             /* of contents so far */
};

struct tar_writer *tar_new(int fd)
{
    gzFile out = gzdopen(fd, "wb5");
    if (!out)
        return 0;
    struct tar_writer *w = format_memory(calloc(1, sizeof *w));
    w->out = out;
    gzbuffer(out, PIECE);
    return w;
}

static void put(struct tar_writer *w, const void *data, size_t n)
{
    errno = 0;
    if (!w->error && n && gzwrite(w->out, data, n) != (int)n)
        w->error = errno ? errno : EIO;
}

static void put_fill(struct tar_writer *w, uint64_t size)
{
    static const char zeros[TAR_BLOCK];
    if (size % TAR_BLOCK)
        put(w, zeros, TAR_BLOCK - size % TAR_BLOCK);
}

/* Splits NAME at a slash into H's prefix and name. False: it does not fit. */
static bool put_name(struct tar_header *h, const char *name)
{
    size_t n = strlen(name);
    const char *at = name;
    if (n > TAR_NAME) {
        at = strchr(name + n - TAR_NAME - 1, '/');
        if (!at || !at[1] || at - name > TAR_PREFIX || at == name)
            return false;
        memcpy(h->prefix, name, at - name);
        at++;
    }
    memcpy(h->name, at, n - (at - name));
    return true;
}

static void put_header(struct tar_writer *w, const char *name, char type, uint64_t size,
                       int64_t mtime)
{
    struct tar_header h = { .type = type, .magic = "ustar", .version = { '0', '0' } };
    char field[16];
    if (!put_name(&h, name)) {
        /* the record's length counts its own digits */
        size_t rest = strlen(name) + 7, n = rest + 1;
        while (n != rest + snprintf(field, sizeof field, "%zu", n))
            n = rest + strlen(field);
        char *record = format_text("%zu path=%s\n", n, name);
        put_header(w, "long-name", 'x', n, mtime);
        put(w, record, n);
        put_fill(w, n);
        free(record);
        memcpy(h.name, "long-name", 9);
    }
    memcpy(h.mode, "0000644", 8);
    memcpy(h.uid, "0000000", 8);
    memcpy(h.gid, "0000000", 8);
    snprintf(field, sizeof field, "%011llo", (unsigned long long)size);
    memcpy(h.size, field, sizeof h.size);
    snprintf(field, sizeof field, "%011llo",
             (unsigned long long)(mtime < 0 || mtime >> 33 ? 0 : mtime));
    memcpy(h.mtime, field, sizeof h.mtime);
    snprintf(field, sizeof field, "%06o", tar_checksum(&h));
    memcpy(h.checksum, field, 7);
    h.checksum[7] = ' ';
    put(w, &h, sizeof h);
}

void tar_add(struct tar_writer *w, const char *name, const void *data, size_t size, int64_t mtime)
{
    put_header(w, name, '0', size, mtime);
    for (size_t at = 0; at < size; at += PIECE)
        put(w, (const char *)data + at, size - at < PIECE ? size - at : PIECE);
    put_fill(w, size);
    w->bytes += size;
}

bool tar_add_file(struct tar_writer *w, const char *name, int fd)
{
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > TAR_MOST)
        return false;
    char *piece = format_memory(malloc(PIECE));
    put_header(w, name, '0', st.st_size, st.st_mtime);
    for (off_t at = 0; at < st.st_size && !w->error;) {
        size_t n = st.st_size - at < PIECE ? st.st_size - at : PIECE;
        ssize_t got = pread(fd, piece, n, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)           /* it became shorter while it was read */
            w->error = got ? errno : EIO;
        else
            put(w, piece, got);
        at += got > 0 ? got : 0;
        w->bytes += got > 0 ? got : 0;
        progress("packing, MB", w->bytes >> 20);
    }
    put_fill(w, st.st_size);
    free(piece);
    return true;
}

int tar_finish(struct tar_writer *w)
{
    static const char zeros[2 * TAR_BLOCK];
    put(w, zeros, sizeof zeros);
    errno = 0;
    int closed = gzclose(w->out), error = w->error;
    if (!error && closed != Z_OK)
        error = errno ? errno : EIO;
    free(w);
    return error;
}
