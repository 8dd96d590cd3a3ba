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
#include "base/self.h"

#ifndef MULTIARCH
#define MULTIARCH "x86_64-linux-gnu"
#endif

char *library_find(void)
{
    static const char *const places[] = { "libprof.so", "../lib/libprof/libprof.so",
                                          "../lib/" MULTIARCH "/libprof/libprof.so",
                                          "../lib/" MULTIARCH "/libprof.so" };
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
            fputs("prof: /proc is not mounted, so prof cannot tell where it is, and does not find "
                  "libprof.so beside itself (PROF_LIBRARY names it)\n",
                  stderr);
        else if (!found)
            fputs("prof: libprof.so was not found beside prof or in ../lib/libprof (PROF_LIBRARY "
                  "names it)\n",
                  stderr);
        free(exe);
    }
    if (found && strpbrk(found, ": ")) {
        fprintf(stderr, "prof: %s: LD_PRELOAD takes no path with a blank or a colon\n", found);
        free(found);
        found = 0;
    }
    return found;
}
