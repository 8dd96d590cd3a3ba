/* library.c - see library.h. */
#define _GNU_SOURCE
#include "launch/library.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"

#ifndef MULTIARCH
#define MULTIARCH "x86_64-linux-gnu"
#endif

char *library_find(void)
{
    static const char *const places[] = { "libprof.so", "../lib/libprof/libprof.so",
                                          "../lib/" MULTIARCH "/libprof/libprof.so",
                                          "../lib/" MULTIARCH "/libprof.so" };
    const char *set = getenv("PROF_LIBRARY");
    char exe[PATH_MAX], *found = 0;
    if (set && *set) {
        found = access(set, R_OK) ? 0 : realpath(set, 0);
        if (!found)
            fprintf(stderr, "prof: PROF_LIBRARY %s: %s\n", set, strerror(errno));
    } else {
        ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
        exe[n > 0 ? n : 0] = 0;
        char *slash = strrchr(exe, '/');
        for (unsigned i = 0; slash && !found && i < sizeof places / sizeof places[0]; i++) {
            char *full = format_text("%.*s/%s", (int)(slash - exe), exe, places[i]);
            found = realpath(full, 0);
            free(full);
        }
        if (!found)
            fputs("prof: libprof.so was not found beside prof or in ../lib/libprof (PROF_LIBRARY "
                  "names it)\n",
                  stderr);
    }
    if (found && strpbrk(found, ": ")) {
        fprintf(stderr, "prof: %s: LD_PRELOAD takes no path with a blank or a colon\n", found);
        free(found);
        found = 0;
    }
    return found;
}
