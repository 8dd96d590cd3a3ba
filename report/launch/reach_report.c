/* reach_report.c - see reach_report.h. */
#define _GNU_SOURCE
#include "launch/reach_report.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "launch/program.h"
#include "launch/reach.h"

enum reached reach_report(const char *name, char asan[32])
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

int reach_report_not_started(const char *name, int error)
{
    struct reach r;
    reach_look(&r, name);
    char *clean = format_clean(name),
         *missing = error == ENOENT && r.missing ? format_clean(r.missing) : 0;
    char *beside = error == ENOENT && !strchr(name, '/') ? format_text("./%s", name) : 0;
    struct stat st;
    if (missing)
        fprintf(stderr, "prof: %s: %s, which it needs to run, is not there\n", clean, missing);
    else if (error == EACCES && !stat(name, &st) && S_ISDIR(st.st_mode))
        fprintf(stderr, "prof: %s: a directory, not a program\n", clean);
    else if (beside && !stat(beside, &st) && S_ISDIR(st.st_mode))
        fprintf(stderr, "prof: %s: no such program in PATH; ./%s is a directory\n", clean, clean);
    else if (beside && !access(beside, X_OK))
        fprintf(stderr, "prof: %s: no such program in PATH; did you mean ./%s?\n", clean, clean);
    else
        fprintf(stderr, "prof: %s: %s\n", clean, strerror(error));
    free(beside);
    free(missing);
    free(clean);
    reach_free(&r);
    return error == ENOENT ? 127 : 126;
}
