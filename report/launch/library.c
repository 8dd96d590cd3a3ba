/* library.c - see library.h.
 *
 * The loader separates the names in LD_PRELOAD by blanks and colons, and knows no way to quote one.
 * A folder with such a path gets another one for the run: a symbolic link in a directory that
 * nobody else can change. The link is to the folder, because libprof.so opens what stands beside
 * it. Nothing stands beside /proc/PID/fd. LD_LIBRARY_PATH would change where the program's own
 * libraries are searched.
 */
#define _GNU_SOURCE
#include "arch/names.h"
#include "launch/library.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "base/self.h"

static const char separators[] = ": ";

/* The directory of the link, from library_find to library_done; NULL: there is no link. */
static char *private;

/* Can only this user and root exchange what this user makes in the folder PATH, or PATH itself? In
 * a sticky folder, others can exchange only what is theirs. */
static bool is_safe(const char *path)
{
    char *at = realpath(path, 0), *slash = at;
    bool safe = at && !strpbrk(at, separators);
    while (safe && slash) {
        struct stat folder;
        safe = !stat(*at ? at : "/", &folder) &&
               (folder.st_uid == geteuid() || folder.st_uid == 0) &&
               (!(folder.st_mode & (S_IWGRP | S_IWOTH)) || folder.st_mode & S_ISVTX);
        slash = strrchr(at, '/');
        if (slash)
            *slash = 0;
    }
    free(at);
    return safe;
}

static void remove_link(void)
{
    if (!private)
        return;
    char *link = format_text("%s/lib", private);
    unlink(link);
    rmdir(private);
    free(link);
    free(private);
    private = 0;
}

/* FOUND by a path through a link in the folder PARENT. The caller frees it. NULL: it cannot be. */
static char *linked_in(const char *parent, const char *found)
{
    const char *slash = strrchr(found, '/');
    if (!parent || *parent != '/' || !is_safe(parent) || strpbrk(slash, separators))
        return 0;
    private = format_text("%s/prof.XXXXXX", parent);
    if (!mkdtemp(private)) {
        free(private);
        private = 0;
        return 0;
    }
    char *folder = format_text("%.*s", (int)(slash - found), found);
    char *link = format_text("%s/lib", private), *path = format_text("%s%s", link, slash);
    /* The program may change its user. */
    if (chmod(private, 0711) || symlink(folder, link) || access(path, R_OK)) {
        remove_link();
        free(path);
        path = 0;
    }
    free(link);
    free(folder);
    return path;
}

/* FOUND by a path that LD_PRELOAD takes; it frees FOUND. NULL: there is none, which it reports. */
static char *preloadable(char *found)
{
    if (!strpbrk(found, separators))
        return found;
    const char *parents[] = { getenv("TMPDIR"), "/tmp", getenv("XDG_RUNTIME_DIR") };
    char *path = 0;
    for (unsigned i = 0; !path && i < sizeof parents / sizeof parents[0]; i++)
        path = linked_in(parents[i], found);
    if (!path)
        fprintf(stderr,
                "prof: %s: LD_PRELOAD takes no path with a blank or a colon, and no folder can "
                "hold a link that is safe from others (TMPDIR names one)\n",
                found);
    free(found);
    return path;
}

char *library_find(void)
{
    static const char *const places[] = { "libprof.so", "../lib/libprof/libprof.so",
                                          "../lib/" ARCH_MULTIARCH "/libprof/libprof.so",
                                          "../lib/" ARCH_MULTIARCH "/libprof.so" };
    const char *set = getenv("PROF_LIBRARY");
    char *found = 0;
    if (set && *set) {
        found = access(set, R_OK) ? 0 : realpath(set, 0);
        if (!found)
            fprintf(stderr, "prof: PROF_LIBRARY %s: %s\n", set, strerror(errno));
    } else {
        char *exe = self_path(), *slash = exe ? strrchr(exe, '/') : 0;
        for (unsigned i = 0; slash && !found && i < sizeof places / sizeof places[0]; i++) {
            char *full = format_text("%.*s/%s", (int)(slash - exe), exe, places[i]);
            found = realpath(full, 0);
            free(full);
        }
        if (!found && !exe)
            fputs("prof: /proc is not mounted, so prof does not know where it is, and does not "
                  "find libprof.so beside itself (PROF_LIBRARY names it)\n",
                  stderr);
        else if (!found)
            fputs("prof: libprof.so was not found beside prof or in ../lib/libprof (PROF_LIBRARY "
                  "names it)\n",
                  stderr);
        free(exe);
    }
    return found ? preloadable(found) : 0;
}

void library_done(char *library)
{
    remove_link();
    free(library);
}
