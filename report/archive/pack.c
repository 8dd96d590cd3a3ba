/* pack.c - see pack.h. The report is made first, but not shown: what it looked up is what another
 * machine will look up. The archive is a folder as --symbols takes it, with the profile at its
 * start, so whoever unpacks it has such a folder.
 */
#define _GNU_SOURCE
#include "archive/pack.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include "analysis/paths.h"
#include "analysis/summary.h"
#include "base/format.h"
#include "base/progress.h"
#include "layout/output_file.h"
#include "profile/profile.h"
#include "symbols/module_files.h"
#include "symbols/source_text.h"
#include "symbols/symbols.h"
#include "tar/writer.h"
#include "words/names_words.h"

struct packed {
    char *name;
    UT_hash_handle hh;
};

struct pack {
    struct tar_writer *tar;
    char *folder;               /* of all members: "NAME/" */
    struct packed *packed;      /* the members so far */
    unsigned modules, debug, sources, lost;
};

/* FOLDER and NAME, the first time that this is asked for; else NULL. It lives as long as K. */
static const char *new_member(struct pack *k, const char *name)
{
    char *whole = format_text("%s%s", k->folder, name);
    struct packed *m;
    HASH_FIND_STR(k->packed, whole, m);
    if (m) {
        free(whole);
        return 0;
    }
    m = format_memory(calloc(1, sizeof *m));
    m->name = whole;
    HASH_ADD_KEYPTR(hh, k->packed, m->name, strlen(m->name), m);
    return whole;
}

/* ---- modules ---- */

/* Packs the file PATH. False: it cannot be read any more, or was packed before. */
static bool add_file(struct pack *k, const char *name, const char *path)
{
    int fd = files_open(path);
    const char *member = fd < 0 ? 0 : new_member(k, name);
    bool added = member && tar_add_file(k->tar, member, fd);
    if (fd >= 0)
        close(fd);
    return added;
}

/* Packs the file that M's debug information shares with that of other modules (dwz). Its name is
 * relative to the file that names it; by build id it may be where distributions have it. */
static void add_shared(struct pack *k, const struct symbols_module *m)
{
    struct lpf_module map;
    char id[FILES_ID];
    const char *link = files_shared(symbols_module_dwarf(m), m->map, &map),
               *of = m->debug ? m->debug : m->file;
    if (!link || strlen(files_build_id(&map, id)) < 4)
        return;
    int folder = *link == '/' ? 0 : format_base(of) - of;
    char *name = format_text(".build-id/%.2s/%s.debug", id, id + 2),
         *places[] = { format_text("/usr/lib/debug/%s", name),
                       format_text("%.*s%s", folder, of, link) };
    bool added = false;
    for (unsigned i = 0; i < 2; i++) {
        int fd = added ? -1 : files_open(places[i]);
        added |= fd >= 0 && files_match(fd, &map) == FILES_SAME && add_file(k, name, places[i]);
        if (fd >= 0)
            close(fd);
        free(places[i]);
    }
    k->debug += added;
    free(name);
}

static void add_module(struct pack *k, const struct symbols_module *m)
{
    char id[FILES_ID], *name;
    if (!m->file)
        return;
    if (strlen(files_build_id(m->map, id)) >= 4)
        name = format_text(".build-id/%.2s/%s", id, id + 2);
    else
        name = files_inside(m->path);
    k->modules += add_file(k, name, m->file);
    if (m->debug && strcmp(m->debug, m->file)) {
        char *debug = format_text("%s.debug", name);
        k->debug += add_file(k, debug, m->debug);
        free(debug);
    }
    free(name);
    add_shared(k, m);
}

/* ---- source ---- */

static void add_source(struct pack *k, const struct source *s, const char *file)
{
    size_t size;
    uint64_t changed;
    const char *why;
    char *path = 0, *text = source_find(s, file, &size, &changed, &path, &why);
    if (!text) {
        k->lost++;
        return;
    }
    char *inside = files_inside(path);
    const char *member = *inside ? new_member(k, inside) : 0;
    if (member) {
        tar_add(k->tar, member, text, size, changed / 1000000000u);
        k->sources++;
    }
    free(inside);
    free(path);
    free(text);
}

static void add_sources(struct pack *k, const struct summary *m)
{
    const char **files;
    size_t n = symbols_sources(m->symbols, &files);
    struct source *s = source_new(m->symbols, m->profile->totals.start_unix_ns);
    for (size_t i = 0; i < n; i++)
        add_source(k, s, files[i]);
    source_free(s);
    free(files);
}

/* ---- the archive ---- */

/* Packs the profile M's, and what belongs to it. */
static void add_all(struct pack *k, const struct summary *m, bool source)
{
    const struct profile *p = m->profile;
    struct stat st;
    struct symbols_module *modules;
    size_t n = symbols_modules(m->symbols, &modules);
    const char *member = new_member(k, format_base(p->path));
    tar_add(k->tar, member, p->data, p->size, stat(p->path, &st) ? 0 : st.st_mtime);
    for (size_t i = 0; i < n; i++)
        add_module(k, &modules[i]);
    free(modules);
    if (source)
        add_sources(k, m);
}

/* Writes the archive of M's profile to FD, which this closes. Returns 0 or an errno. */
static int write_archive(int fd, const struct summary *m, bool source, struct pack *k)
{
    const char *base = format_base(m->profile->path);
    size_t n = strlen(base);
    n -= n > 5 && !strcmp(base + n - 5, ".prof") ? 5 : 0;
    *k = (struct pack){ .tar = tar_new(fd), .folder = format_text("%.*s-archive/", (int)n, base) };
    int error = k->tar ? 0 : errno;
    if (error) {
        close(fd);
    } else {
        add_all(k, m, source);
        error = tar_finish(k->tar);
    }
    struct packed *one, *next;
    HASH_ITER(hh, k->packed, one, next) {
        HASH_DEL(k->packed, one);
        free(one->name);
        free(one);
    }
    free(k->folder);
    return error;
}

/* Where the archive goes. */
struct target {
    const char *name;
    char *temporary;            /* what NAME held is kept until this is whole; NULL: NAME is no
                                   regular file */
    int fd;
};

/* Opens it first, so that no one waits for what cannot be written. Returns 0 or an errno. */
static int target_open(struct target *t, const char *name)
{
    struct stat st;
    bool standard = !strcmp(name, "-");
    *t = (struct target){ .name = name };
    if (standard || (!stat(name, &st) && !S_ISREG(st.st_mode))) {
        t->fd = standard ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                         : open(name, O_WRONLY | O_CLOEXEC);
    } else {
        t->temporary = format_text("%s.XXXXXX", name);
        t->fd = mkostemp(t->temporary, O_CLOEXEC);
    }
    int error = t->fd < 0 ? errno : 0;
    if (error)
        free(t->temporary);
    return error;
}

/* ERROR: what kept the archive from being whole; 0: nothing. Returns it, or a new errno. */
static int target_close(struct target *t, int error)
{
    if (t->temporary && !error && rename(t->temporary, t->name))
        error = errno;
    if (t->temporary && error)
        unlink(t->temporary);
    free(t->temporary);
    return error;
}

/* Prints what was packed into OUTPUT, and which modules lack names. */
static void print_packed(const char *output, const struct pack *k, const struct summary *m)
{
    struct stat st;
    char *clean = format_clean(output), *lacking = names_lacking(m->symbols), lost[60] = "";
    if (k->lost)
        snprintf(lost, sizeof lost, " (%u more cannot be read)", k->lost);
    progress_done();
    fprintf(stderr, "prof: %s is written: %u module%s, %u with separate debug information, "
            "%u source file%s%s", clean, k->modules, k->modules == 1 ? "" : "s", k->debug,
            k->sources, k->sources == 1 ? "" : "s", lost);
    if (!stat(output, &st) && S_ISREG(st.st_mode))
        fprintf(stderr, "; %.1f MB", st.st_size / 1e6);
    fputc('\n', stderr);
    if (lacking)
        fprintf(stderr, "prof: names are missing of %s\n", lacking);
    free(lacking);
    free(clean);
}

/* Returns 0 or an errno. */
static int pack(const struct profile *p, struct target *to, bool source)
{
    struct summary m;
    struct paths t;
    struct pack k = { 0 };
    summary_new(&m, p, true);
    if (p->node_count) {
        paths_new(&t, &m, true, false, 0);
        paths_free(&t);
    }
    int error = target_close(to, write_archive(to->fd, &m, source, &k));
    progress_done();
    if (!error)
        print_packed(to->name, &k, &m);
    summary_free(&m);
    return error;
}

int archive_pack(const char *file, const char *output, bool source)
{
    struct profile p;
    if (profile_open(&p, file))
        return 2;
    char *name = output ? format_text("%s", output)
                        : format_text("%s.tar.gz", format_base(file));
    const char *of = file, *why = 0;
    bool good = false;
    if (p.archive) {
        why = "an archive already";
    } else if (output_replaces_archive(name)) {
        struct target to;
        int error = target_open(&to, name);
        if (!error)
            error = pack(&p, &to, source);
        good = !error;
        of = name;
        why = error ? strerror(error) : 0;
    }
    if (why) {
        char *clean = format_clean(of);
        fprintf(stderr, "prof: %s: %s\n", clean, why);
        free(clean);
    }
    free(name);
    profile_close(&p);
    return good ? 0 : 2;
}
