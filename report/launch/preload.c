/* preload.c - see preload.h. */
#define _GNU_SOURCE
#include "launch/preload.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "launch/program.h"
#include "launch/reach.h"

#ifndef MULTIARCH
#define MULTIARCH "x86_64-linux-gnu"
#endif

char *preload_find_library(void)
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

enum reached preload_look_at(const char *name, char asan[32])
{
    struct reach r;
    struct program p;
    enum reached reached = REACHED;
    *asan = 0;
    reach_look(&r, name);
    char *clean = format_clean(name), *path = r.file ? format_clean(r.file) : 0,
         *why = r.why ? format_clean(r.why) : 0;
    if (why && !r.missing) {
        fprintf(stderr, "prof: %s%s%s %s; it %s\n", r.script ? clean : "",
                r.script ? ": its interpreter " : "", path, why,
                r.strange ? "cannot be profiled" : "runs without being profiled");
        reached = r.harmful ? NOT_TO_BE_PRELOADED : NOT_REACHED;
    } else if (!why && path && !program_inspect(r.file, &p) && p.elf) {
        if (p.contains_tbb)
            fprintf(stderr, "prof: %s has TBB linked into it: its tasks are out of reach\n", path);
        else if (p.contains_omp && p.contains_tools)
            fprintf(stderr,
                    "prof: %s has libomp linked into it: places and loops of its OpenMP constructs "
                    "are out of reach\n",
                    path);
        else if (p.contains_omp || p.contains_gomp)
            fprintf(stderr,
                    "prof: %s has %s linked into it: its OpenMP constructs are out of reach\n",
                    path, p.contains_omp ? "libomp" : "libgomp");
        strcpy(asan, p.asan);
    }
    free(why);
    free(path);
    free(clean);
    reach_free(&r);
    return reached;
}

bool preload_is_go(const char *name)
{
    struct reach r;
    struct program p;
    reach_look(&r, name);
    bool is = r.file && !program_inspect(r.file, &p) && p.go;
    reach_free(&r);
    return is;
}

int preload_not_started(const char *name, int error)
{
    struct reach r;
    reach_look(&r, name);
    char *clean = format_clean(name),
         *missing = error == ENOENT && r.missing ? format_clean(r.missing) : 0;
    if (missing)
        fprintf(stderr, "prof: %s: %s, which it needs to run, is not there\n", clean, missing);
    else
        fprintf(stderr, "prof: %s: %s\n", clean, strerror(error));
    free(missing);
    free(clean);
    reach_free(&r);
    return error == ENOENT ? 127 : 126;
}
