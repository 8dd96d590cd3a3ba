/* ancestor.c - does this process descend from another profiled process? A descendant that has
 * called exec has no memory of its ancestors, so this file reads /proc. An ancestor that has ended
 * hides those above it. */
#define _GNU_SOURCE
#include "lifecycle/lifecycle_private.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/message.h"
#include "base/forbid.h"

#define GENERATIONS 32

struct text {
    int fd;
    unsigned used;              /* bytes of BUFFER; those from AT on are not read yet */
    unsigned at;
    char buffer[8192];          /* ends with a 0 */
};

static bool text_open(struct text *t, int pid, const char *file)
{
    char path[40];
    message_format(path, sizeof path, "/proc/%d/%s", pid, file);
    t->used = t->at = t->buffer[0] = 0;
    t->fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    return t->fd >= 0;
}

/* The next line, without its end. NULL: there is none, or it is longer than any of /proc's
 * lines. */
static char *text_line(struct text *t)
{
    for (;;) {
        char *line = t->buffer + t->at, *end = strchr(line, '\n');
        if (end) {
            *end = 0;
            t->at = end + 1 - t->buffer;
            return line;
        }
        memmove(t->buffer, line, t->used -= t->at);
        t->at = 0;
        long n = syscall(SYS_read, t->fd, t->buffer + t->used, sizeof t->buffer - 1 - t->used);
        if (n <= 0)
            return 0;
        t->used += n;
        t->buffer[t->used] = 0;
    }
}

static bool has_both(int pid, const char *library)
{
    static const char own[] = "libprof.so";
    bool ours = false, its = false;
    struct text t;
    if (!text_open(&t, pid, "maps"))
        return false;
    for (char *line; !(ours && its) && (line = text_line(&t));) {
        const char *base = strrchr(line, '/');
        ours |= base && !strncmp(base + 1, own, sizeof own - 1);
        its |= base && !strncmp(base + 1, library, strlen(library));
    }
    syscall(SYS_close, t.fd);
    return ours && its;
}

/* 0: PID has no parent, or the parent is not known. */
static int parent_of(int pid)
{
    struct text t;
    int parent = 0;
    if (!text_open(&t, pid, "stat"))
        return 0;
    char *line = text_line(&t), *at = line ? strrchr(line, ')') : 0;    /* a name may contain ')' */
    if (at && strlen(at) > 4)
        for (at += 4; *at >= '0' && *at <= '9'; at++)   /* ") S 123" */
            parent = parent * 10 + (*at - '0');
    syscall(SYS_close, t.fd);
    return parent;
}

bool ancestor_has(const char *library)
{
    int saved = errno, pid = getppid();
    bool found = false;
    for (unsigned i = 0; i < GENERATIONS && pid > 0 && !found; i++) {
        found = has_both(pid, library);
        pid = parent_of(pid);
    }
    errno = saved;
    return found;
}
