/* reader.c - see reader.h. gzip cannot be read from the middle, so the whole file is read once, and
 * the contents go to one file without a name, the store. A block of zeros becomes a hole there: an
 * archive of nothing but zeros, however large, takes no space.
 *
 * Only files and directories are members of an archive of prof's. Anything else (a link, a device,
 * a name that leads out of the archive) makes the whole file refused: nobody packed it with prof.
 */
#define _GNU_SOURCE
#include "tar/reader.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include "base/format.h"
#include "base/progress.h"
#include "tar/header.h"
#include "tar/stream.h"

enum {
    NAME_BYTES = 4096,          /* the longest name */
    MEMBERS = 100000,           /* the most members */
    PIECE = 1 << 16,            /* bytes read at a time */
};
#define ALL_BYTES ((uint64_t)16 << 30)  /* the most contents together */
/* Contents of an archive of N bytes: debug information compresses to a fifth, text to a tenth. */
#define SOUND_BYTES(n) ((uint64_t)(n) * 100 + (64 << 20))

struct entry {
    struct tar_member member;   /* first, so that a member is its entry */
    uint64_t offset;            /* in the store */
    UT_hash_handle hh;
};

struct tar {
    struct entry *entries;      /* in the file's order */
    int store;
    uint64_t used;              /* bytes of the store */
};

struct reading {
    struct stream *in;
    struct tar *t;
    char *why;
    char *long_name;            /* of the next member; NULL: its header has its name */
    uint64_t at;                /* bytes read */
    uint64_t most;              /* bytes of contents that the store takes */
};

static bool fail(struct reading *r, const char *why)
{
    if (!r->why)
        r->why = format_text("%s", why);
    return false;
}

/* A new file without a name, in the temporary directory; in memory if that cannot have one. */
static int nameless(void)
{
    const char *directory = getenv("TMPDIR");
    int fd = open(directory && *directory ? directory : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
                  0600);
    return fd >= 0 ? fd : memfd_create("prof", MFD_CLOEXEC);
}

/* Reads N bytes, all or none but the end. False: the file has no more, or is damaged. */
static bool get(struct reading *r, void *to, size_t n)
{
    const char *why;
    ssize_t got = stream_read(r->in, to, n, &why);
    r->at += got == (ssize_t)n ? n : 0;
    return got == (ssize_t)n || fail(r, got < 0 ? why : "truncated");
}

static bool is_zero(const void *p, size_t n)
{
    const char *c = p;
    return !n || (!*c && !memcmp(c, c + 1, n - 1));
}

/* The octal number in FIELD. False: it is none, or takes more than 62 bits. */
static bool octal(const char *field, size_t n, uint64_t *v)
{
    size_t i = 0;
    *v = 0;
    while (i < n && field[i] == ' ')
        i++;
    for (; i < n && field[i] >= '0' && field[i] <= '7'; i++) {
        if (*v >> 59)
            return false;
        *v = *v << 3 | (field[i] - '0');
    }
    return i == n || !field[i] || field[i] == ' ';
}

/* Skips what fills a content of SIZE bytes up to whole blocks. */
static bool get_fill(struct reading *r, uint64_t size)
{
    char fill[TAR_BLOCK];
    return !(size % TAR_BLOCK) || get(r, fill, TAR_BLOCK - size % TAR_BLOCK);
}

/* ---- names ---- */

/* Is NAME relative, without an empty part, "." and ".."? A "./" at its start is skipped. */
static bool good_name(const char **name)
{
    while (!strncmp(*name, "./", 2))
        *name += 2;
    if (!**name)
        return false;
    for (const char *p = *name;;) {
        size_t n = strcspn(p, "/");
        if (!n || (n == 1 && *p == '.') || (n == 2 && !memcmp(p, "..", 2)))
            return false;
        if (!p[n])
            return true;
        p += n + 1;
    }
}

/* Takes the name of the next member from the records "LENGTH KEY=VALUE\n" of a pax header. */
static bool pax_name(struct reading *r, char *text, size_t size)
{
    for (char *p = text, *end = text + size; p < end;) {
        char *key;
        unsigned long n = strtoul(p, &key, 10);
        if (*key != ' ' || n > (size_t)(end - p) || n < (size_t)(key - p) + 2 || p[n - 1] != '\n')
            return fail(r, "damaged: a header's record makes no sense");
        p[n - 1] = 0;
        if (!strncmp(key, " path=", 6)) {
            free(r->long_name);
            r->long_name = format_text("%s", key + 6);
        } else if (!strncmp(key, " size=", 6)) {
            return fail(r, "a member is too large");
        }
        p += n;
    }
    return true;
}

/* Reads the SIZE bytes of a header that holds the next member's name: of type 'x' (POSIX) or 'L'
 * (GNU). Of type 'g', a header of all members, nothing is used. */
static bool get_long_name(struct reading *r, char type, uint64_t size)
{
    if (size > 2 * NAME_BYTES)
        return fail(r, "damaged: a name is too long");
    char *text = format_memory(calloc(size + 1, 1));
    bool good = get(r, text, size) && get_fill(r, size);
    if (good && type == 'x') {
        good = pax_name(r, text, size);
    } else if (good && type == 'L') {
        free(r->long_name);
        r->long_name = text;
        return true;
    }
    free(text);
    return good;
}

/* The name of the member whose header is H. The caller frees it. */
static char *take_name(struct reading *r, const struct tar_header *h)
{
    char *name = r->long_name;
    r->long_name = 0;
    if (name)
        return name;
    if (*h->prefix && !memcmp(h->magic, "ustar", 6))
        return format_text("%.*s/%.*s", TAR_PREFIX, h->prefix, TAR_NAME, h->name);
    return format_text("%.*s", TAR_NAME, h->name);
}

/* ---- members ---- */

/* Writes N bytes to the store; zeros become a hole. */
static bool put(struct reading *r, const char *data, size_t n)
{
    uint64_t at = r->t->used;
    r->t->used += n;
    if (is_zero(data, n))
        return true;
    while (n) {
        ssize_t done = pwrite(r->t->store, data, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            char *why = format_text("cannot be unpacked: %s (TMPDIR names the folder)",
                                    strerror(errno));
            fail(r, why);
            free(why);
            return false;
        }
        data += done;
        at += done;
        n -= done;
    }
    return true;
}

static bool get_content(struct reading *r, uint64_t size)
{
    char *piece = format_memory(malloc(PIECE));
    bool good = true;
    for (uint64_t left = size; good && left;) {
        size_t n = left < PIECE ? left : PIECE;
        good = get(r, piece, n) && put(r, piece, n);
        left -= n;
        progress("unpacking the archive, MB", r->at >> 20);
    }
    free(piece);
    return good && get_fill(r, size);
}

static bool get_file(struct reading *r, const char *name, uint64_t size, uint64_t mtime)
{
    struct entry *e;
    HASH_FIND_STR(r->t->entries, name, e);
    if (e)
        return fail(r, "damaged: two members have one name");
    if (HASH_COUNT(r->t->entries) == MEMBERS || size > r->most - r->t->used)
        return fail(r, "larger than any archive");
    e = format_memory(calloc(1, sizeof *e));
    e->member = (struct tar_member){ format_text("%s", name), size, mtime };
    e->offset = r->t->used;
    HASH_ADD_KEYPTR(hh, r->t->entries, e->member.name, strlen(e->member.name), e);
    return get_content(r, size);
}

static bool get_member(struct reading *r, const struct tar_header *h)
{
    uint64_t size, mtime, sum;
    if (!octal(h->checksum, sizeof h->checksum, &sum) || sum != tar_checksum(h) ||
        memcmp(h->magic, "ustar", 5) || !octal(h->size, sizeof h->size, &size) ||
        !octal(h->mtime, sizeof h->mtime, &mtime))
        return fail(r, "damaged: a member's header makes no sense");
    if (h->type == 'x' || h->type == 'L' || h->type == 'g')
        return get_long_name(r, h->type, size);
    char *whole = take_name(r, h);
    const char *name = whole;
    bool good;
    size_t n = strlen(whole);
    if (h->type == '5') {
        while (n && whole[n - 1] == '/')
            whole[--n] = 0;
        /* "./" is the archive itself */
        good = !strcmp(whole, ".") || good_name(&name) ? !size || fail(r, "damaged")
                                     : fail(r, "refused: a name leads out of the archive");
    } else if (h->type && h->type != '0') {
        good = fail(r, "refused: it holds a link or a device");
    } else if (!good_name(&name) || n > NAME_BYTES) {
        good = fail(r, "refused: a name leads out of the archive");
    } else {
        good = get_file(r, name, size, mtime);
    }
    free(whole);
    return good;
}

/* Reads up to the two blocks of zeros, and on to the file's end, where gzip's checksum is. */
static bool get_all(struct reading *r)
{
    struct tar_header h;
    while (get(r, &h, sizeof h)) {
        if (!is_zero(&h, sizeof h)) {
            if (!get_member(r, &h))
                return false;
            continue;
        }
        char rest[TAR_BLOCK];
        const char *why;
        ssize_t n;
        while ((n = stream_read(r->in, rest, sizeof rest, &why)) > 0)
            if (!is_zero(rest, n))
                return fail(r, "damaged: bytes follow its end");
        return !n || fail(r, why);
    }
    return false;
}

bool tar_begins(int fd)
{
    struct tar_header h;
    const char *why;
    struct stream *in = stream_new(fd);
    bool is = in && stream_read(in, &h, sizeof h, &why) == sizeof h &&
              !memcmp(h.magic, "ustar", 5);
    stream_free(in);
    return !lseek(fd, 0, SEEK_SET) && is;
}

struct tar *tar_read(int fd, char **why)
{
    struct reading r = { .in = stream_new(fd) };
    struct stat st;
    r.most = fstat(fd, &st) || st.st_size > (off_t)(ALL_BYTES / 100) ? ALL_BYTES
                                                                     : SOUND_BYTES(st.st_size);
    r.t = format_memory(calloc(1, sizeof *r.t));
    r.t->store = nameless();
    bool good = r.in && r.t->store >= 0 ? get_all(&r) : fail(&r, strerror(errno));
    if (good && !r.t->entries)
        good = fail(&r, "an archive of nothing");
    if (good && ftruncate(r.t->store, r.t->used))
        good = fail(&r, strerror(errno));
    stream_free(r.in);
    free(r.long_name);
    if (good)
        return r.t;
    *why = r.why;
    tar_free(r.t);
    return 0;
}

void tar_free(struct tar *t)
{
    struct entry *e, *next;
    if (!t)
        return;
    HASH_ITER(hh, t->entries, e, next) {
        HASH_DEL(t->entries, e);
        free((char *)e->member.name);
        free(e);
    }
    if (t->store >= 0)
        close(t->store);
    free(t);
}

const struct tar_member *tar_first(const struct tar *t)
{
    return &t->entries->member;
}

const struct tar_member *tar_find(const struct tar *t, const char *name)
{
    struct entry *e;
    HASH_FIND_STR(t->entries, name, e);
    return e ? &e->member : 0;
}

int tar_file(const struct tar *t, const struct tar_member *m)
{
    const struct entry *e = (const struct entry *)m;
    char *piece = format_memory(malloc(PIECE));
    int fd = nameless(), error = fd < 0 || ftruncate(fd, m->size) ? errno : 0;
    for (uint64_t at = 0; !error && at < m->size;) {
        size_t n = m->size - at < PIECE ? m->size - at : PIECE;
        ssize_t got = pread(t->store, piece, n, e->offset + at);
        if (got > 0 && !is_zero(piece, got) && pwrite(fd, piece, got, at) != got)
            error = errno ? errno : EIO;
        else if (got <= 0)
            error = got ? errno : EIO;
        at += got > 0 ? got : 0;
    }
    free(piece);
    if (!error)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}
