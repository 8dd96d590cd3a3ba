/* newest.c - see newest.h. */
#define _GNU_SOURCE
#include "profile/newest.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "base/format.h"

struct found {
    char *name;
    struct timespec time;       /* of its last change */
};

static bool is_later(const struct found *a, const struct found *b)
{
    return a->time.tv_sec > b->time.tv_sec ||
           (a->time.tv_sec == b->time.tv_sec && a->time.tv_nsec > b->time.tv_nsec);
}

/* "*.prof", but no hidden file. */
static bool has_name(const char *name)
{
    size_t n = strlen(name);
    return *name != '.' && n >= 5 && !strcmp(name + n - 5, ".prof");
}

static bool is_file(const char *folder, const char *name, struct stat *st)
{
    char *path = format_text("%s/%s", folder, name);
    bool is = !stat(path, st) && S_ISREG(st->st_mode);
    free(path);
    return is;
}

/* Sets NEWEST to the MOST newest *.prof in FOLDER, the newest first; the rest has no name. Returns
 * how many there are. */
static size_t find_newest(const char *folder, struct found *newest, size_t most)
{
    DIR *d = opendir(folder);
    struct stat st;
    size_t count = 0;
    memset(newest, 0, most * sizeof *newest);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!has_name(e->d_name) || !is_file(folder, e->d_name, &st))
            continue;
        struct found one = { .name = e->d_name, .time = st.st_mtim };
        size_t at = count < most ? count : most;
        while (at && is_later(&one, &newest[at - 1]))
            at--;
        count++;
        if (at == most)
            continue;
        free(newest[most - 1].name);
        memmove(&newest[at + 1], &newest[at], (most - 1 - at) * sizeof *newest);
        one.name = format_text("%s", e->d_name);
        newest[at] = one;
    }
    if (d)
        closedir(d);
    return count;
}

char *profile_newest(const char *command)
{
    struct found newest;
    if (!find_newest(".", &newest, 1)) {
        fprintf(stderr, "prof: which profile? There is no *.prof here (prof %s FILE)\n", command);
        return 0;
    }
    char *clean = format_clean(newest.name);
    fprintf(stderr, "prof: the newest profile here is %s\n", clean);
    free(clean);
    return newest.name;
}

char *profile_folder_words(const char *folder)
{
    enum { NAMED = 3 };
    struct found newest[NAMED];
    size_t count = find_newest(folder, newest, NAMED), length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    char *text = count > 1    ? format_text("a directory with %zu profiles, newest first:", count)
                 : count == 1 ? format_text("a directory; its profile is")
                              : format_text("a directory without a *.prof");
    for (size_t i = 0; i < NAMED && i < count; i++) {
        char *more = format_text("%s%s %s%s%s", text, i ? "," : "", folder, slash, newest[i].name);
        free(text);
        free(newest[i].name);
        text = more;
    }
    char *all = format_text("%s%s", text, count > NAMED ? ", ..." : ""), *clean = format_clean(all);
    free(text);
    free(all);
    return clean;
}
