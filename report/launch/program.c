/* program.c - see program.h. The file is only read, never run. */
#define _GNU_SOURCE
#include "launch/program.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "base/format.h"

const char *const program_tbb_symbols[PROGRAM_TBB_SYMBOLS] = {
    "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE",
    "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
    "contextES6_",
    "_ZN3tbb6detail2r14waitERNS0_2d112wait_contextERNS2_18task_group_contextE",
    "_ZN3tbb6detail2r18allocateERPNS0_2d117small_object_poolEmRKNS2_14execution_dataE",
    "_ZN3tbb6detail2r110initializeERNS0_2d118task_group_contextE",
};

static void look_at_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct program *p)
{
    Elf_Data *data = elf_getdata(scn, 0);
    GElf_Dyn dyn;
    for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
        const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, sh->sh_link, dyn.d_un.d_val)
                                                  : 0;
        if (dyn.d_tag == DT_RUNPATH || dyn.d_tag == DT_RPATH) {
            const char *dirs = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val);
            snprintf(p->run_path, sizeof p->run_path, "%s", dirs ? dirs : "");
        }
        p->pie |= dyn.d_tag == DT_FLAGS_1 && dyn.d_un.d_val & DF_1_PIE;
        if (!name)
            continue;
        p->needs_tbb |= format_starts(name, "libtbb.so");
        if (format_starts(name, "libasan.so") && !strchr(name, '/'))
            snprintf(p->asan, sizeof p->asan, "%s", name);
        p->needs_gomp |= format_starts(name, "libgomp.so");
        p->needs_omp |= format_starts(name, "libomp") || format_starts(name, "libiomp");
    }
}

static void look_at_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct program *p)
{
    Elf_Data *data = elf_getdata(scn, 0);
    GElf_Sym sym;
    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = sym.st_shndx != SHN_UNDEF ? elf_strptr(elf, sh->sh_link, sym.st_name)
                                                     : 0;
        if (!name)
            continue;
        p->contains_gomp |= !strcmp(name, "GOMP_parallel") || !strcmp(name, "GOMP_parallel_start");
        p->contains_omp |= !strcmp(name, "__kmpc_fork_call");
        if (!strcmp(name, "ompt_start_tool")) {
            p->contains_tools = true;
            p->exports_tool |= sh->sh_type == SHT_DYNSYM;
        }
        if (!format_starts(name, "_ZN3tbb6detail2r1"))
            continue;
        for (unsigned k = 0; k < PROGRAM_TBB_SYMBOLS; k++)
            if (!strcmp(name, program_tbb_symbols[k])) {
                p->contains_tbb = true;
                p->tbb_symbol[k] |= sh->sh_type == SHT_DYNSYM;
            }
    }
}

/* Finds the version in libtbb's text "oneTBB: VERSION\t\t2021.8". */
static void look_for_version(Elf_Scn *scn, struct program *p)
{
    static const char mark[] = "TBB: VERSION";
    Elf_Data *data = elf_getdata(scn, 0);
    const char *at = data && data->d_buf ? memmem(data->d_buf, data->d_size, mark, strlen(mark))
                                         : 0;
    if (!at)
        return;
    const char *end = (const char *)data->d_buf + data->d_size;
    for (at += strlen(mark); at < end && isspace((unsigned char)*at); at++)
        ;
    for (size_t n = 0;
         n + 1 < sizeof p->tbb_version && at < end && (isdigit((unsigned char)*at) || *at == '.');)
        p->tbb_version[n++] = *at++;
}

static void look_at_sections(Elf *elf, struct program *p)
{
    size_t names = 0;
    GElf_Shdr sh;
    if (elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *scn = 0; (scn = elf_nextscn(elf, scn));) {
        const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : 0;
        if (!name)
            continue;
        if (sh.sh_type == SHT_DYNAMIC)
            look_at_dynamic(elf, scn, &sh, p);
        if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
            look_at_symbols(elf, scn, &sh, p);
        if (!strcmp(name, ".rodata"))
            look_for_version(scn, p);
        p->go |= !strcmp(name, ".note.go.buildid") || !strcmp(name, ".go.buildinfo");
        p->symbols |= sh.sh_type == SHT_SYMTAB;
        p->debug_info |= !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info");
        p->line_info |= !strcmp(name, ".debug_line") || !strcmp(name, ".zdebug_line");
        p->separate_debug_info |= !strcmp(name, ".gnu_debuglink");
    }
}

int program_inspect(const char *path, struct program *p)
{
    struct stat st;
    size_t n = 0;
    GElf_Ehdr eh;
    GElf_Phdr ph;
    memset(p, 0, sizeof *p);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return -EINVAL;
    }
    struct statvfs fs;
    bool ignored = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ||
                   (!fstatvfs(fd, &fs) && fs.f_flag & ST_NOSUID);
    p->privileged = !ignored && ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
                                 (st.st_mode & S_ISGID && st.st_gid != getgid()) ||
                                 (getuid() && fgetxattr(fd, "security.capability", 0, 0) > 0));
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, 0);
    if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh)) {
        p->elf = true;
        p->machine = eh.e_machine;
        p->bits = gelf_getclass(elf) == ELFCLASS32 ? 32 : 64;
        uint64_t size = st.st_size;
        p->cut = elf_getphdrnum(elf, &n) || !n;
        for (size_t i = 0; i < n && !p->cut; i++) {
            p->cut = !gelf_getphdr(elf, i, &ph) ||
                     (ph.p_type == PT_LOAD &&
                      (ph.p_offset > size || ph.p_filesz > size - ph.p_offset));
            if (!p->cut && ph.p_type == PT_INTERP) {
                p->dynamic = true;
                ssize_t k = pread(fd, p->loader,
                                  ph.p_filesz < sizeof p->loader ? ph.p_filesz
                                                                 : sizeof p->loader - 1,
                                  ph.p_offset);
                p->loader[k > 0 ? k : 0] = 0;
            }
        }
        look_at_sections(elf, p);
    }
    elf_end(elf);
    close(fd);
    return 0;
}

/* The first regular file NAME in a folder of PATH for which access(2) grants MODE. */
static char *find_in_path(const char *name, int mode)
{
    struct stat st;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin";; p++) {
        size_t n = strcspn(p, ":");     /* an empty folder is the current one */
        char *full = format_text("%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
        if (!access(full, mode) && !stat(full, &st) && S_ISREG(st.st_mode))
            return full;
        free(full);
        p += n;
        if (!*p)
            return 0;
    }
}

char *program_find(const char *name)
{
    if (strchr(name, '/'))
        return access(name, F_OK) ? 0 : format_text("%s", name);
    return find_in_path(name, X_OK);
}

int program_error(const char *name, int error)
{
    if (error != EACCES || strchr(name, '/'))
        return error;
    char *file = find_in_path(name, F_OK);
    free(file);
    return file ? EACCES : ENOENT;
}
