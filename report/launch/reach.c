/* reach.c - see reach.h. Files are only read, never run.
 *
 * LD_PRELOAD names a 64-bit library that is linked with glibc. In a static program nothing reads
 * LD_PRELOAD; in a set-user-id program the loader ignores it. Both are harmless, and the programs
 * that they start may be reached. Other loaders read LD_PRELOAD, too. musl's loader tries to load
 * the library, prints each symbol that it does not know and ends the program with status 127.
 * glibc's loader for 32 bits prints a line.
 */
#define _GNU_SOURCE
#include "arch/names.h"
#include "launch/reach.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/format.h"
#include "launch/program.h"

#define SCRIPTS 5               /* the most interpreters that are scripts themselves; as in Linux */
#define LINE_BYTES 256          /* what the kernel reads of a script */

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258        /* glibc 2.36 */
#endif

static const char *machine_name(unsigned machine)
{
    static const struct { unsigned machine; const char *name; } names[] = {
        { EM_X86_64, "x86-64" },   { EM_386, "x86" },
        { EM_AARCH64, "AArch64" }, { EM_ARM, "Arm" },       { EM_RISCV, "RISC-V" },
        { EM_PPC64, "POWER" },     { EM_PPC, "PowerPC" },   { EM_S390, "S/390" },
        { EM_MIPS, "MIPS" },       { EM_SPARCV9, "SPARC" }, { EM_LOONGARCH, "LoongArch" },
        { EM_IA_64, "Itanium" },   { EM_ALPHA, "Alpha" },   { EM_68K, "m68k" },
    };
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another";
}

/* Is LOADER glibc's? glibc's loader and library share a version name that no other loader has. If
 * LOADER cannot be read, the answer is yes: the kernel will report that error. */
static bool is_glibc(const char *loader)
{
    static const char mark[] = "GLIBC_PRIVATE";
    struct stat st;
    bool found = true;
    int fd = open(loader, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *all = mmap(0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (all != MAP_FAILED) {
            found = memmem(all, st.st_size, mark, sizeof mark);
            munmap(all, st.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return found;
}

static bool is_musl(const char *loader)
{
    const char *base = strrchr(loader, '/');
    return !strncmp(base ? base + 1 : loader, "ld-musl-", 8);
}

static void refuse(struct reach *r, bool harmful, char *why, const char *advice)
{
    r->why = why;
    r->advice = format_text("%s", advice);
    r->harmful = harmful;
}

/* Sets R's reasons for R->file, which is the ELF file P. */
static void look_at_elf(struct reach *r, const struct program *p)
{
    r->strange = p->cut ||
                 (p->machine != ARCH_MACHINE_32 && (p->machine != ARCH_MACHINE || p->bits == 32));
    if (p->machine == ARCH_MACHINE_32)
        refuse(r, true, format_text("is a 32-bit program, and libprof.so is of 64 bits"),
               "compile it for 64 bits");
    else if (p->machine == ARCH_MACHINE && p->bits == 32)
        refuse(r, true, format_text("is an " ARCH_ILP32 " program, and libprof.so is of 64 bits"),
               "compile it for 64 bits");
    else if (p->machine != ARCH_MACHINE)
        refuse(r, true,
               format_text("is a program for %s processors, and libprof.so for " ARCH_NAME,
                           machine_name(p->machine)),
               "compile it for " ARCH_NAME);
    else if (p->cut)
        refuse(r, false, format_text("is damaged: the file ends before the program does"),
               "copy it again");
    else if (!p->dynamic)
        refuse(r, false, format_text("is statically linked: LD_PRELOAD does not reach it"),
               "link it dynamically");
    else if (is_musl(p->loader))
        refuse(r, true, format_text("is linked with musl, and libprof.so with glibc"),
               "link it with glibc");
    else if (!is_glibc(p->loader))
        refuse(r, true, format_text("has a loader that is not glibc's, %s", p->loader),
               "link it with glibc");
    else if (p->privileged)
        refuse(
            r, false,
            format_text(
                "is set-user-id, set-group-id or has capabilities: LD_PRELOAD does not reach it"),
            "profile a copy without them");
    if (p->dynamic && access(p->loader, F_OK) && errno == ENOENT)
        r->missing = format_text("%s", p->loader);
}

/* The next word of the line at *AT, as a string. Moves *AT past it. NULL: there is none. */
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    size_t n = strcspn(word, " \t");
    *at = word + n + (word[n] != 0);
    word[n] = 0;
    return n ? word : 0;
}

/* The file that the kernel would execute for a script that begins with LINE; for "#!/usr/bin/env
 * NAME", NAME. The caller frees it. NULL: /bin/sh, as in execvp. */
static char *interpreter(char *line)
{
    char *rest = line + 2;
    if (strncmp(line, "#!", 2))
        return 0;
    line[strcspn(line, "\n")] = 0;
    char *file = next_word(&rest), *base = file ? strrchr(file, '/') : 0, *word = 0;
    if (base && !strcmp(base, "/env"))
        while ((word = next_word(&rest)) && (*word == '-' || strchr(word, '=')))
            ;
    char *found = word ? program_find(word) : 0;
    return found ? found : file ? format_text("%s", file) : 0;
}

void reach_look(struct reach *r, const char *name)
{
    struct program p;
    memset(r, 0, sizeof *r);
    r->file = program_find(name);
    for (unsigned i = 0; r->file && i <= SCRIPTS; i++) {
        char line[LINE_BYTES + 1], *next;
        /* exec will fail for a file without the right to execute it */
        if (access(r->file, X_OK) || program_inspect(r->file, &p))
            break;
        if (p.elf) {
            look_at_elf(r, &p);
            break;
        }
        int fd = open(r->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        ssize_t n = fd < 0 ? -1 : read(fd, line, LINE_BYTES);
        if (fd >= 0)
            close(fd);
        line[n > 0 ? n : 0] = 0;
        next = interpreter(line);
        if (next && access(next, F_OK)) {
            r->missing = next;
            break;
        }
        r->script = true;
        free(r->file);
        r->file = next ? next : format_text("/bin/sh");
    }
}

void reach_free(struct reach *r)
{
    free(r->file);
    free(r->why);
    free(r->advice);
    free(r->missing);
}

bool reach_is_go(const char *name)
{
    struct reach r;
    struct program p;
    reach_look(&r, name);
    bool is = r.file && !program_inspect(r.file, &p) && p.go;
    reach_free(&r);
    return is;
}
