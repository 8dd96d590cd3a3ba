/* folder.c - see folder.h. */
#define _GNU_SOURCE
#include "merge/folder.h"
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/format.h"

struct files {
    char **names;
    int count, capacity;
};

static void add(struct files *f, char *name)
{
    if (f->count + 1 >= f->capacity) {
        f->capacity = 2 * f->capacity + 64;
        f->names = format_memory(realloc(f->names, f->capacity * sizeof *f->names));
    }
    f->names[f->count++] = name;
    f->names[f->count] = 0;
}

static int is_profile(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return e->d_name[0] != '.' && dot && !strcmp(dot, ".prof");
}

static bool add_folder(struct files *f, const char *folder)
{
    struct dirent **list = 0;
    int n = scandir(folder, &list, is_profile, versionsort);
    char *clean = n > 0 ? 0 : format_clean(folder);
    if (clean)
        fprintf(stderr, "prof: %s: %s\n", clean, n ? strerror(errno) : "no *.prof in it");
    free(clean);
    for (int i = 0; i < n; i++) {
        add(f, format_text("%s/%s", folder, list[i]->d_name));
        free(list[i]);
    }
    free(list);
    return n > 0;
}

char **folder_files(char *const *names, int count, int *all)
{
    struct files f = { 0 };
    struct stat st;
    bool good = true;
    for (int i = 0; i < count; i++)
        if (!stat(names[i], &st) && S_ISDIR(st.st_mode))
            good &= add_folder(&f, names[i]);
        else
            add(&f, format_text("%s", names[i]));
    *all = f.count;
    if (good)
        return f.names;
    while (f.count)
        free(f.names[--f.count]);
    free(f.names);
    return 0;
}
