/* newest.c - see newest.h. */
#define _GNU_SOURCE
#include "profile/newest.h"
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include "base/format.h"

/* The newest *.prof in the current directory, or NULL. The caller frees it. */
static char *newest_profile(void)
{
    glob_t g;
    struct stat st;
    struct timespec best = { -1, 0 };
    char *path = 0;
    if (glob("*.prof", GLOB_NOSORT, 0, &g))
        return 0;
    for (size_t i = 0; i < g.gl_pathc; i++) {
        if (stat(g.gl_pathv[i], &st) || !S_ISREG(st.st_mode) || st.st_mtim.tv_sec < best.tv_sec ||
            (st.st_mtim.tv_sec == best.tv_sec && st.st_mtim.tv_nsec <= best.tv_nsec))
            continue;
        best = st.st_mtim;
        free(path);
        path = format_text("%s", g.gl_pathv[i]);
    }
    globfree(&g);
    return path;
}

char *profile_newest(const char *command)
{
    char *newest = newest_profile();
    if (!newest) {
        fprintf(stderr, "prof: which profile? There is no *.prof here (prof %s FILE)\n", command);
        return 0;
    }
    char *clean = format_clean(newest);
    fprintf(stderr, "prof: the newest profile here is %s\n", clean);
    free(clean);
    return newest;
}
