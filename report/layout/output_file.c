/* output_file.c - see output_file.h. The file is opened first, so that no one waits for what cannot
 * be written. It is written at the end. */
#define _GNU_SOURCE
#include "layout/output_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "libprof_format.h"
#include "layout/options.h"
#include "tar/reader.h"

static bool complain(const char *path, const char *what)
{
    char *clean = format_clean(path);
    fprintf(stderr, "prof: %s: %s\n", clean, what);
    free(clean);
    return false;
}

/* May PATH be overwritten, by an archive or by something else? */
static bool allowed(const char *path, bool by_archive)
{
    static const char why[] = "this is %s, and prof does not overwrite it: --output names "
                              "the file to write";
    char magic[sizeof LPF_MAGIC - 1], *reason = 0;
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode))
        return true;            /* there is nothing to lose; a pipe must not be read */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    if (read(fd, magic, sizeof magic) == sizeof magic && !memcmp(magic, LPF_MAGIC, sizeof magic))
        reason = format_text(why, "a profile");
    else if (!by_archive && tar_begins(fd))
        reason = format_text(why, "an archive");
    close(fd);
    if (reason)
        complain(path, reason);
    free(reason);
    return !reason;
}

bool output_allowed(const char *path)
{
    return allowed(path, false);
}

bool output_replaces_archive(const char *path)
{
    return allowed(path, true);
}

bool output_open(struct output *out, struct options *o, const char *path)
{
    if (path && !strcmp(path, "-"))
        path = 0;
    *out = (struct output){ .stream = stdout, .path = path, .fd = -1 };
    if (!path)
        return true;
    if (!output_allowed(path))
        return false;
    out->created = true;
    out->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->fd < 0 && errno == EEXIST) {
        out->created = false;
        /* O_CREAT again: PATH may be a link to a file that does not exist */
        out->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    }
    if (out->fd < 0)
        return complain(path, strerror(errno));
    /* no open_memstream, because pprof's writer needs a descriptor */
    int memory = memfd_create("prof", MFD_CLOEXEC);
    out->stream = memory < 0 ? tmpfile() : fdopen(memory, "w");
    format_memory(out->stream);
    options_output(o, out->stream);
    return true;
}

/* Copies the SIZE bytes of FROM to TO. Returns 0 or an errno. */
static int copy(int to, int from, off_t size)
{
    char buffer[1 << 16];
    struct stat st;
    if (!fstat(to, &st) && S_ISREG(st.st_mode) && ftruncate(to, 0))
        return errno;
    for (off_t at = 0; at < size;) {
        ssize_t n = pread(from, buffer, sizeof buffer, at);
        for (ssize_t done = 0, part; done < n; done += part > 0 ? part : 0) {
            part = write(to, buffer + done, n - done);
            if (part < 0 && errno != EINTR)
                return errno;
        }
        if (n <= 0)
            return n ? errno : EIO;
        at += n;
    }
    return 0;
}

int output_close(struct output *out, int status)
{
    struct stat st = { 0 };
    if (!out->path)
        return status;
    int memory = fileno(out->stream), error = fflush(out->stream) || fstat(memory, &st) ? errno : 0;
    bool keep = !st.st_size && status;
    if (!keep && !error)
        error = copy(out->fd, memory, st.st_size);
    fclose(out->stream);
    if (close(out->fd) && !error)
        error = errno;
    if (keep && out->created)
        unlink(out->path);
    if (!error)
        return status;
    complain(out->path, strerror(error));
    return 2;
}
