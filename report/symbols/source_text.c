/* source_text.c - see source_text.h. The wanted lines of a file are collected first, so that it is
 * read once. */
#define _GNU_SOURCE
#include "symbols/source_text.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include "base/format.h"
#include "symbols/module_files.h"
#include "symbols/symbols.h"

enum {
    AROUND = 8,                 /* lines kept before and after a wanted one */
    WANTED_LINES = 4000,        /* the most wanted lines of all files together */
    FILE_BYTES = 8 << 20,       /* a larger file counts as no source */
    LINE_BYTES = 400,           /* a longer line is cut */
    ALL_BYTES = 1 << 20,        /* the most text in source_json's result */
};

struct file {
    const char *name;
    int *lines;                 /* the wanted lines, in the order of source_want */
    size_t count, capacity;
    UT_hash_handle hh;
};

struct source {
    const struct symbols *symbols;
    uint64_t profiled_ns;
    struct file *files;
    size_t wanted, bytes;
};

struct source *source_new(const struct symbols *symbols, uint64_t profiled_ns)
{
    struct source *s = format_memory(calloc(1, sizeof *s));
    s->symbols = symbols;
    s->profiled_ns = profiled_ns;
    return s;
}

void source_free(struct source *s)
{
    struct file *f, *next;
    HASH_ITER(hh, s->files, f, next) {
        HASH_DEL(s->files, f);
        free(f->lines);
        free(f);
    }
    free(s);
}

void source_want(struct source *s, const char *file, int line)
{
    struct file *f;
    if (!file || line <= 0 || s->wanted == WANTED_LINES)
        return;
    HASH_FIND_STR(s->files, file, f);
    if (!f) {
        f = format_memory(calloc(1, sizeof *f));
        f->name = file;
        HASH_ADD_KEYPTR(hh, s->files, f->name, strlen(f->name), f);
    }
    for (size_t i = 0; i < f->count; i++)
        if (f->lines[i] == line)
            return;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 16;
        f->lines = format_memory(realloc(f->lines, f->capacity * sizeof *f->lines));
    }
    f->lines[f->count++] = line;
    s->wanted++;
}

/* Can a file called NAME be a program's source? The suffix decides. A name without a suffix must be
 * below /usr/include, as the C++ library's headers are. */
static bool is_source(const char *name)
{
    static const char suffixes[] =
        " c cc cpp cxx c++ cp C h hh hpp hxx h++ H inl inc ipp ixx tcc tpp txx icc def cu cuh ispc "
        "f for f77 f90 f95 f03 f08 F F90 S s asm rs go d zig m mm adb ads ";
    const char *base = strrchr(name, '/'), *dot = strrchr(base ? base : name, '.');
    if (!dot)
        return !strncmp(name, "/usr/include/", 13);
    char word[12];
    int n = snprintf(word, sizeof word, " %s ", dot + 1);
    return n > 2 && n < (int)sizeof word && !strchr(dot + 1, ' ') && strstr(suffixes, word);
}

/* The text of the file FD, which this closes, *SIZE bytes. The caller frees it. NULL: it cannot be
 * shown; *WHY is the reason. */
static char *read_file(int fd, size_t *size, const char **why)
{
    struct stat st;
    char *text = 0;
    *why = "not a readable source file";
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_BYTES) {
        text = format_memory(malloc(st.st_size + 1));
        *size = 0;
        for (ssize_t n;
             *size < (size_t)st.st_size && (n = read(fd, text + *size, st.st_size - *size)) > 0;)
            *size += n;
        if (memchr(text, 0, *size)) {
            *why = "not a text";
            free(text);
            text = 0;
        }
    }
    close(fd);
    return text;
}

/* The source file PATH, and the time of its last change: from the profile's archive, a folder of
 * --symbols, or this machine. -1: *WHY is the reason. */
static int open_source(const struct source *s, const char *path, uint64_t *changed_ns,
                       const char **why)
{
    struct stat st;
    bool archived = false;
    int fd = files_source(symbols_profile(s->symbols), path, changed_ns, &archived);
    if (fd >= 0 && archived)
        return fd;
    if (fd < 0)
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        /* If one of several directories has the file, the reason is that file's. */
        if (!*why || errno != ENOENT)
            *why = strerror(errno);
        return -1;
    }
    char real[64], target[4096];
    snprintf(real, sizeof real, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(real, target, sizeof target - 1);
    target[length > 0 ? length : 0] = 0;
    /* A link may lead to any file: the name of its target counts, too. */
    if (!fstat(fd, &st) && is_source(target)) {
        *changed_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + st.st_mtim.tv_nsec;
        return fd;
    }
    *why = "not a readable source file";
    close(fd);
    return -1;
}

char *source_find(const struct source *s, const char *name, size_t *size, uint64_t *changed_ns,
                  char **path, const char **why)
{
    *why = 0;
    if (!is_source(name)) {
        *why = "its name is not that of source code";
        return 0;
    }
    const char *const *directories;
    size_t n = *name == '/' ? 0 : symbols_directories(s->symbols, &directories);
    for (size_t i = 0; i <= n; i++) {
        char *at = i < n ? format_text("%s/%s", directories[i], name) : format_text("%s", name);
        int fd = open_source(s, at, changed_ns, why);
        char *text = fd < 0 ? 0 : read_file(fd, size, why);
        if (text) {
            *path = at;
            return text;
        }
        free(at);
    }
    return 0;
}

char *source_text(const struct source *s, const char *name, size_t *size, uint64_t *changed_ns,
                  const char **why)
{
    char *path = 0, *text = source_find(s, name, size, changed_ns, &path, why);
    free(path);
    return text;
}

static int compare_lines(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

char *source_line(const char *start, size_t length)
{
    if (length && start[length - 1] == '\r')
        length--;
    char *text = format_text("%.*s", (int)(length > LINE_BYTES ? LINE_BYTES : length), start);
    json_t *j = json_string(text);
    if (!j) {                   /* not UTF-8, or cut inside a character */
        char *clean = format_clean(text);
        free(text);
        text = clean;
    }
    json_decref(j);
    return text;
}

static json_t *line_json(const char *start, size_t length)
{
    char *text = source_line(start, length);
    json_t *j = json_string(text);
    free(text);
    return j ? j : json_string("");
}

/* Appends to ALL the runs of lines around F's wanted lines in TEXT. */
static void add_runs(struct source *s, struct file *f, const char *text, size_t size, bool newer,
                     json_t *all)
{
    json_t *lines = 0;
    size_t next = 0;            /* the first wanted line that AT has not passed by AROUND */
    int at = 1;
    qsort(f->lines, f->count, sizeof *f->lines, compare_lines);
    for (const char *p = text, *end = text + size;
         p < end && next < f->count && s->bytes < ALL_BYTES; at++) {
        const char *stop = memchr(p, '\n', end - p);
        size_t length = (stop ? stop : end) - p;
        while (next < f->count && at - AROUND > f->lines[next])   /* a line may be INT_MAX */
            next++;
        if (next < f->count && at >= f->lines[next] - AROUND) {
            if (!lines) {
                json_t *run = json_object();
                json_object_set_new(run, "file", json_string(f->name));
                json_object_set_new(run, "newer", json_boolean(newer));
                json_object_set_new(run, "first", json_integer(at));
                json_object_set_new(run, "lines", lines = json_array());
                json_array_append_new(all, run);
            }
            json_array_append_new(lines, line_json(p, length));
            s->bytes += length > LINE_BYTES ? LINE_BYTES : length;
        } else {
            lines = 0;
        }
        p += length + 1;
    }
}

struct json_t *source_json(struct source *s)
{
    json_t *all = json_array();
    struct file *f, *next;
    HASH_ITER(hh, s->files, f, next) {
        size_t size = 0;
        uint64_t changed = 0;
        const char *why;
        char *text = source_text(s, f->name, &size, &changed, &why);
        if (text)
            add_runs(s, f, text, size, s->profiled_ns && changed > s->profiled_ns, all);
        free(text);
    }
    return all;
}
