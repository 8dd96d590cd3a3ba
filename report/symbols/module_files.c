/* module_files.c - see module_files.h. The folders may be of any of these kinds: what prof archive
 * packs or /usr/lib/debug is, the cache of perf-buildid-cache or of debuginfod, a copy of another
 * machine's tree, or a folder that somebody has filled with modules.
 */
#define _GNU_SOURCE
#include "symbols/module_files.h"
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "symbols/debuginfod.h"
#include "tar/reader.h"

enum { FOLDERS = 64 };

/* The folders of --symbols, in the order of the command line. files_add_folder writes them, before
 * a profile is read. */
static const char *folders[FOLDERS];
static size_t folder_count;

/* Where a file is in a folder: %1 the first two digits of the build id, %2 the others, %p the
 * module's path, %b its last component. */
static const char *const layouts[][12] = {
    [FILES_ELF] = { ".build-id/%1/%2", ".build-id/%1/%2/elf", "%1/%2", "%1/%2/elf",
                    "%1%2/executable", "%p", "%b", 0 },
    [FILES_DEBUG] = { ".build-id/%1/%2.debug", ".build-id/%1/%2/debug", "%1/%2.debug",
                      "%1/%2/debug", "%1%2/debuginfo", "usr/lib/debug/.build-id/%1/%2.debug",
                      "usr/lib/debug/%p.debug", "%p.debug", "%b.debug", 0 },
};

const char *files_build_id(const struct lpf_module *map, char text[FILES_ID])
{
    *text = 0;
    for (uint32_t i = 0; i < map->build_id_len; i++)
        sprintf(text + 2 * i, "%02x", map->build_id[i]);
    return text;
}

bool files_add_folder(const char *folder)
{
    struct stat st;
    const char *why = 0;
    if (stat(folder, &st))
        why = strerror(errno);
    else if (!S_ISDIR(st.st_mode))
        why = "not a folder (unpack an archive first, or report it itself)";
    else if (folder_count == FOLDERS)
        why = "one folder too many";
    if (why) {
        char *clean = format_clean(folder);
        fprintf(stderr, "prof: --symbols %s: %s\n", clean, why);
        free(clean);
        return false;
    }
    folders[folder_count++] = folder;
    return true;
}

bool files_have_server(void)
{
    return debuginfod_is_set();
}

/* The next folder of PROF_SYMBOLS from *REST on, *LENGTH bytes; NULL: there is no more. */
static const char *next_folder(const char **rest, int *length)
{
    while (*rest && **rest) {
        const char *start = *rest, *colon = strchrnul(start, ':');
        *rest = *colon ? colon + 1 : colon;
        *length = colon - start;
        if (*length)
            return start;
    }
    return 0;
}

/* Folder number I, or NULL: there is none. The caller frees it. */
static char *folder_at(size_t i)
{
    if (i < folder_count)
        return format_text("%s", folders[i]);
    const char *rest = getenv("PROF_SYMBOLS"), *found;
    int length = 0;
    do
        found = next_folder(&rest, &length);
    while (found && i-- > folder_count);
    return found ? format_text("%.*s", length, found) : 0;
}

char *files_inside(const char *path)
{
    char *inside = format_memory(calloc(strlen(path) + 1, 1));
    size_t n = 0;
    while (*path) {
        size_t part = strcspn(path, "/");
        if (part == 2 && !memcmp(path, "..", 2)) {
            while (n && inside[--n] != '/')
                ;
        } else if (part && !(part == 1 && *path == '.')) {
            if (n)
                inside[n++] = '/';
            memcpy(inside + n, path, part);
            n += part;
        }
        path += part + (path[part] == '/');
    }
    inside[n] = 0;
    return inside;
}

int files_open(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    errno = 0;
    return -1;
}

enum files_match files_match(int fd, const struct lpf_module *map)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, 0);
    const void *id = 0;
    enum files_match match = FILES_NO_ELF;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        ssize_t n = map->build_id_len ? dwelf_elf_gnu_build_id(elf, &id) : 0;
        match = n == (ssize_t)map->build_id_len && (!n || !memcmp(id, map->build_id, n))
                    ? FILES_SAME
                    : FILES_OTHER;
    }
    elf_end(elf);
    return match;
}

const char *files_shared(Dwarf *dwarf, const struct lpf_module *module, struct lpf_module *map)
{
    const char *name;
    const void *id;
    ssize_t n = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) : 0;
    *map = *module;
    if (n <= 0 || n > (ssize_t)sizeof map->build_id)
        return 0;
    memcpy(map->build_id, id, n);
    map->build_id_len = n;
    return name;
}

/* ---- one module ---- */

struct search {
    const struct profile *p;
    const struct lpf_module *map;
    char id[FILES_ID];
    const char *path;           /* of the module */
    char *inside;               /* files_inside of PATH */
    files_try *try;
    void *context;
};

/* LAYOUT with S's build id and names. NULL: it needs a build id, and there is none, or it is too
 * short to be one. The caller frees it. */
static char *fill_in(const struct search *s, const char *layout)
{
    char *text = 0;
    size_t size;
    if (strchr(layout, '1') && strlen(s->id) < 4)
        return 0;
    FILE *f = format_memory(open_memstream(&text, &size));
    for (const char *c = layout; *c; c++)
        if (*c != '%')
            putc(*c, f);
        else if (*++c == '1')
            fprintf(f, "%.2s", s->id);
        else
            fputs(*c == '2' ? s->id + 2 : *c == 'p' ? s->inside : format_base(s->path), f);
    fclose(f);
    return format_memory(text);
}

/* Closes FD if nobody has taken it. */
static bool offer(const struct search *s, int fd, const char *path)
{
    if (fd < 0)
        return false;
    if (s->try(s->context, fd, path))
        return true;
    close(fd);
    return false;
}

static bool in_archive(const struct search *s, enum files_kind kind)
{
    bool taken = false;
    for (const char *const *l = layouts[kind]; s->p->archive && *l && !taken; l++) {
        char *inside = fill_in(s, *l);
        char *name = inside ? format_text("%s%s", s->p->folder, inside) : 0;
        const struct tar_member *m = name ? tar_find(s->p->archive, name) : 0;
        if (m) {
            char *path = format_text("%s(%s)", s->p->path, name);
            taken = offer(s, tar_file(s->p->archive, m), path);
            free(path);
        }
        free(name);
        free(inside);
    }
    return taken;
}

static bool in_folders(const struct search *s, enum files_kind kind)
{
    bool taken = false;
    char *folder;
    for (size_t i = 0; !taken && (folder = folder_at(i)); i++) {
        for (const char *const *l = layouts[kind]; *l && !taken; l++) {
            char *inside = fill_in(s, *l);
            char *path = inside ? format_text("%s/%s", folder, inside) : 0;
            if (path)
                taken = offer(s, files_open(path), path);
            free(path);
            free(inside);
        }
        free(folder);
    }
    return taken;
}

static bool at_server(const struct search *s, bool executable)
{
    char *path;
    int fd = debuginfod_file(s->map->build_id, s->map->build_id_len, executable, &path);
    bool taken = offer(s, fd, path);
    free(path);
    return taken;
}

bool files_each(const struct profile *p, const struct lpf_module *map, enum files_kind kind,
                files_try *try, void *context)
{
    struct search s = { .p = p, .map = map, .path = profile_string(p, map->path), .try = try,
                        .context = context };
    files_build_id(map, s.id);
    s.inside = files_inside(s.path);
    bool taken = in_archive(&s, kind);
    if (!taken && kind == FILES_ELF)
        taken = offer(&s, files_open(s.path), s.path);
    taken = taken || in_folders(&s, kind);
    if (!taken && kind == FILES_DEBUG)
        taken = in_folders(&s, FILES_ELF);
    else if (!taken)
        taken = in_archive(&s, FILES_DEBUG) || in_folders(&s, FILES_DEBUG) ||
                at_server(&s, false) || at_server(&s, true);
    free(s.inside);
    return taken;
}

/* ---- source ---- */

int files_source(const struct profile *p, const char *name, uint64_t *changed_ns, bool *archived)
{
    char *inside = files_inside(name), *folder;
    int fd = -1;
    if (p->archive) {
        char *member = format_text("%s%s", p->folder, inside);
        const struct tar_member *m = tar_find(p->archive, member);
        if (m && (fd = tar_file(p->archive, m)) >= 0)
            *changed_ns = (uint64_t)m->mtime * 1000000000u;
        *archived = fd >= 0;
        free(member);
    }
    for (size_t i = 0; fd < 0 && (folder = folder_at(i)); i++) {
        char *path = format_text("%s/%s", folder, inside);
        fd = files_open(path);
        free(path);
        free(folder);
    }
    free(inside);
    return fd;
}
