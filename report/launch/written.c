/* written.c - see written.h. */
#define _GNU_SOURCE
#include "launch/written.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "profile/profile.h"

#define DEFAULT_OUTPUT "%e.%p.prof"     /* libprof's default */
#define MAX_OUTPUT 4095                 /* libprof accepts no longer PROF_OUTPUT */

char *written_literal(const char *path)
{
    char *pattern = format_memory(malloc(2 * strlen(path) + 1)), *to = pattern;
    for (const char *c = path; *c; *to++ = *c++)
        if (*c == '%')
            *to++ = '%';
    *to = 0;
    return pattern;
}

/* SET, or the default name, with an absolute path. */
static char *absolute(const char *set)
{
    if (!set || !*set)
        set = DEFAULT_OUTPUT;
    char *cwd = *set == '/' ? 0 : getcwd(0, 0);
    if (!cwd)
        return format_text("%s", set);
    char *escaped = written_literal(cwd);
    char *full = format_text("%s/%s", escaped, set);
    free(escaped);
    free(cwd);
    if (strlen(full) <= MAX_OUTPUT)
        return full;
    free(full);
    return format_text("%s", set);
}

/* The folder in which PATTERN puts files; NULL: it depends on the process. The caller frees it. */
static char *folder_of(const char *pattern)
{
    const char *slash = strrchr(pattern, '/');
    char *folder = slash == pattern ? format_text("/")
                   : slash          ? format_text("%.*s", (int)(slash - pattern), pattern)
                                    : format_text(".");
    char *to = folder;
    for (const char *c = folder; *c; c++) {
        if (*c == '%' && c[1] != '%') {
            free(folder);
            return 0;
        }
        c += *c == '%';
        *to++ = *c;
    }
    *to = 0;
    return folder;
}

/* PATTERN, or the same name in TMPDIR if its folder takes no files. The program's run may be long,
 * so prof prints that before it starts. Frees PATTERN. */
static char *writable(char *pattern)
{
    char *folder = folder_of(pattern);
    if (!folder || !faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS)) {
        free(folder);
        return pattern;
    }
    int why = errno;
    const char *set = getenv("TMPDIR"), *slash = strrchr(pattern, '/');
    const char *instead = set && *set == '/' && !strchr(set, '%') ? set : "/tmp";
    char *name = format_text("%s/%s", instead, slash ? slash + 1 : pattern);
    /* with a process's name in it, the file is named when there is one */
    char *clean = format_clean(folder), *to = format_clean(strchr(name, '%') ? instead : name);
    fprintf(stderr, "prof: no profile can be written in %s: %s; it goes to %s\n", clean,
            strerror(why), to);
    free(clean);
    free(to);
    free(folder);
    free(pattern);
    return name;
}

char *written_pattern(const char *output)
{
    return writable(absolute(output));
}

char *written_glob(const char *pattern, pid_t pid)
{
    size_t n = 0;
    char *text = NULL;
    bool has_pid = false;
    FILE *f = format_memory(open_memstream(&text, &n));
    for (const char *c = pattern; *c; c++) {
        if (*c == '%' && c[1]) {
            switch (*++c) {
            case 'p':
                has_pid = true;
                if (pid)
                    fprintf(f, "%d", (int)pid);
                else
                    fputc('*', f);
                break;
            case 'e': case 'h': case 'r': case 't': fputc('*', f); break;
            case '%': fputc('%', f); break;
            default: fprintf(f, strchr("*?[\\", *c) ? "%%\\%c" : "%%%c", *c);
            }
        } else {
            if (strchr("*?[\\", *c))
                fputc('\\', f);
            fputc(*c, f);
        }
    }
    if (!pid && !has_pid)
        fputs(".*", f);         /* other processes append this */
    fclose(f);
    return format_memory(text);
}

static bool written_since(const char *path, const struct timespec *start, struct stat *st)
{
    return !stat(path, st) && (st->st_mtim.tv_sec > start->tv_sec ||
           (st->st_mtim.tv_sec == start->tv_sec && st->st_mtim.tv_nsec >= start->tv_nsec));
}

char *written_newest(const char *pattern, pid_t pid, const struct timespec *start)
{
    char *search = written_glob(pattern, pid), *path = 0;
    struct timespec best = *start;
    struct stat st;
    glob_t g;
    if (!glob(search, GLOB_NOSORT, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++)
            if (written_since(g.gl_pathv[i], &best, &st)) {
                best = st.st_mtim;
                free(path);
                path = format_text("%s", g.gl_pathv[i]);
            }
        globfree(&g);
    }
    free(search);
    return path;
}

unsigned written_by_others(const char *pattern, const struct timespec *start, char **path)
{
    char *search = written_glob(pattern, 0), run[16];
    snprintf(run, sizeof run, "%d", (int)getpid());
    struct profile p;
    struct stat st;
    unsigned others = 0;
    double most = -1;
    if (*path && !profile_open(&p, *path)) {
        most = p.totals.tasks ? 1e300 : -1;
        profile_close(&p);
    }
    glob_t g;
    if (!glob(search, 0, 0, &g)) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            char *one = g.gl_pathv[i];
            if ((*path && !strcmp(one, *path)) || !written_since(one, start, &st) ||
                profile_open(&p, one))
                continue;
            if (!strcmp(profile_setting(&p, "PROF_RUN"), run)) {
                double work = profile_ns(&p, p.totals.work_cost);
                others += p.totals.tasks != 0;
                if (p.totals.tasks && work > most) {
                    most = work;
                    free(*path);
                    *path = format_text("%s", one);
                }
            }
            profile_close(&p);
        }
        globfree(&g);
    }
    free(search);
    return others;
}
