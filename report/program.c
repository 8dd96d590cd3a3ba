/* program.c - see program.h. */
#define _GNU_SOURCE
#include "program.h"
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void look_at_dynamic(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct program *p)
{
    Elf_Data *data = elf_getdata(scn, 0);
    GElf_Dyn dyn;
    for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++) {
        const char *name = dyn.d_tag == DT_NEEDED ? elf_strptr(elf, sh->sh_link, dyn.d_un.d_val) : 0;
        if (!name)
            continue;
        p->needs_tbb |= !strncmp(name, "libtbb.so", 9);
        p->needs_openmp |= !strncmp(name, "libgomp.so", 10) || !strncmp(name, "libomp", 6);
    }
}

static void look_at_symbols(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct program *p)
{
    Elf_Data *data = elf_getdata(scn, 0);
    GElf_Sym sym;
    for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
        const char *name = sym.st_shndx != SHN_UNDEF ? elf_strptr(elf, sh->sh_link, sym.st_name) : 0;
        if (name && !strcmp(name, "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE"))
            p->contains_tbb = true;
    }
}

int program_inspect(const char *path, struct program *p)
{
    memset(p, 0, sizeof *p);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    struct stat st;
    if (!fstat(fd, &st))
        p->setuid = (st.st_mode & (S_ISUID | S_ISGID)) && getuid() != st.st_uid;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, 0);
    size_t n = 0, names = 0;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        p->elf = true;
        elf_getphdrnum(elf, &n);
        GElf_Phdr ph;
        for (size_t i = 0; i < n; i++)
            if (gelf_getphdr(elf, i, &ph) && ph.p_type == PT_INTERP)
                p->dynamic = true;
        elf_getshdrstrndx(elf, &names);
        GElf_Shdr sh;
        for (Elf_Scn *scn = 0; (scn = elf_nextscn(elf, scn));) {
            if (!gelf_getshdr(scn, &sh))
                continue;
            const char *name = elf_strptr(elf, names, sh.sh_name);
            if (sh.sh_type == SHT_DYNAMIC)
                look_at_dynamic(elf, scn, &sh, p);
            else if (sh.sh_type == SHT_SYMTAB)
                look_at_symbols(elf, scn, &sh, p);
            if (name && !strcmp(name, ".debug_line"))
                p->line_info = true;
        }
    }
    elf_end(elf);
    close(fd);
    return 0;
}

char *program_find(const char *name)
{
    if (strchr(name, '/'))
        return access(name, F_OK) ? 0 : strdup(name);
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        char *full;
        struct stat st;
        if (asprintf(&full, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name) < 0)
            return 0;
        if (!access(full, X_OK) && !stat(full, &st) && S_ISREG(st.st_mode))
            return full;
        free(full);
        p += n + (p[n] == ':');
    }
    return 0;
}
