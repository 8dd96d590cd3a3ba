/* module_open.c - see module_open.h. A file is not used if its build id is not the one in the
 * profile: its lines would be wrong, and nothing would show it.
 */
#define _GNU_SOURCE
#include "symbols/module_open.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "base/progress.h"
#include "symbols/module_files.h"

#define BIG_FILE (64 << 20)     /* bytes: reading its debug information takes seconds */

static void complain(const struct module *m, const char *reason, const char *result)
{
    char *clean = format_clean(m->path);
    format_fit(clean, 200);
    progress_done();
    fprintf(stderr, "prof: %s: %s: %s\n", clean, reason, result);
    free(clean);
}

/* ---- separate debug information ---- */

struct debug {
    const struct lpf_module *map;       /* whose build id it must have */
    int fd;                     /* -1: none was found */
    char *path;
};

/* Has ELF debug information, or with SYMBOLS a symbol table? */
static bool has_debug_information(Elf *elf, bool symbols)
{
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    for (Elf_Scn *scn = 0; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : 0;
        if (name && header.sh_type != SHT_NOBITS &&
            (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info") ||
             (symbols && header.sh_type == SHT_SYMTAB)))
            return true;
    }
    return false;
}

static bool try_debug(void *context, int fd, const char *path)
{
    struct debug *d = context;
    if (files_match(fd, d->map) != FILES_SAME)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, 0);
    bool good = has_debug_information(elf, true);
    elf_end(elf);
    if (good) {
        d->fd = fd;
        d->path = format_text("%s", path);
    }
    return good;
}

/* libdwfl asks for the separate debug information of a module that has none itself. Once it has
 * read some, it asks for the file that this shares with others, if there is one. */
static int find_debug(Dwfl_Module *elf, void **data, const char *name, Dwarf_Addr base,
                      const char *file, const char *link, GElf_Word crc, char **path)
{
    struct module *m = *data;
    struct lpf_module shared;
    struct debug d = { .map = m ? m->map : 0, .fd = -1 };
    Dwarf_Addr bias;
    if (m && m->debug_asking)
        return -1;              /* dwfl_module_getdwarf below has found no DWARF, and asks again */
    if (m)
        m->debug_asking = true;
    if (m && (m->debug_asked || has_debug_information(dwfl_module_getelf(elf, &bias), false)))
        d.map = files_shared(dwfl_module_getdwarf(elf, &bias), m->map, &shared) ? &shared : 0;
    if (m) {
        m->debug_asked = true;
        m->debug_asking = false;
    }
    if (d.map && d.map->build_id_len &&
        files_each(m->profile, d.map, FILES_DEBUG, try_debug, &d)) {
        *path = d.path;
        return d.fd;
    }
    if (files_have_server())
        progress_now("looking for debug information, also at the servers of DEBUGINFOD_URLS");
    return dwfl_standard_find_debuginfo(elf, data, name, base, file, link, crc, path);
}

/* ---- the module's file ---- */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debug,
};

static bool try_file(void *context, int fd, const char *path)
{
    struct module *m = context;
    struct stat st;
    enum files_match match = files_match(fd, m->map);
    if (match != FILES_SAME) {
        if (m->found != MODULE_OTHER)
            m->found = match == FILES_OTHER ? MODULE_OTHER : MODULE_UNREADABLE;
        return false;
    }
    if (fstat(fd, &st))
        return false;
    if (st.st_size > BIG_FILE)
        progress_now("reading debug information");
    m->dwfl = dwfl_begin(&callbacks);
    if (m->dwfl) {
        dwfl_report_begin(m->dwfl);
        m->elf = dwfl_report_elf(m->dwfl, "module", path, fd, 0, true);
        dwfl_report_end(m->dwfl, 0, 0);
    }
    if (!m->elf) {
        dwfl_end(m->dwfl);
        m->dwfl = 0;
        m->found = MODULE_UNREADABLE;
        return false;
    }
    void **data;
    if (dwfl_module_info(m->elf, &data, 0, 0, 0, 0, 0, 0))
        *data = m;
    m->found = MODULE_HERE;
    m->file = format_text("%s", path);
    if (!m->map->build_id_len && m->profiled_ns &&
        (uint64_t)st.st_mtime * 1000000000u > m->profiled_ns && !m->profile->archive)
        complain(m, "has no build id and is newer than the profile",
                 "names and lines may be wrong");
    Dwarf_Addr bias;
    if (st.st_size > BIG_FILE)
        dwfl_module_getdwarf(m->elf, &bias);
    return true;
}

/* The vdso is in no file. But prof has the same one, if it runs on the kernel that the program ran
 * on. */
static void try_vdso(struct module *m)
{
    const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)vdso;
    int fd = vdso && m->map->build_id_len ? memfd_create("vdso", MFD_CLOEXEC) : -1;
    if (fd < 0)
        return;
    size_t size = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
    if (write(fd, vdso, size) != (ssize_t)size || !try_file(m, fd, m->path))
        close(fd);
    m->found = MODULE_NONE;
}

static void find(struct module *m)
{
    if (!strchr(m->path, '/')) {        /* [vdso], linux-vdso.so.1 */
        try_vdso(m);
        return;
    }
    m->found = MODULE_GONE;
    if (files_each(m->profile, m->map, FILES_ELF, try_file, m))
        return;
    /* prof run may have preloaded libprof by a link that is gone. All its code has one name. */
    if (m->found == MODULE_GONE && m->map->flags & LPF_MODULE_LIBPROF)
        return;
    struct stat st;
    bool other_kind = !stat(m->path, &st) && !S_ISREG(st.st_mode);
    if (m->found == MODULE_GONE && other_kind)
        m->found = MODULE_UNREADABLE;
    complain(m,
             m->found == MODULE_OTHER  ? "not the file that was profiled (its build id differs)"
             : m->found == MODULE_GONE ? "the profiled file cannot be opened"
             : other_kind              ? "not a regular file"
                                       : "not an ELF file that can be read",
             "showing addresses");
}

bool module_open(struct module *m)
{
    if (!m->opened) {
        m->opened = true;
        find(m);
    }
    return m->elf;
}
