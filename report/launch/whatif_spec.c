/* whatif_spec.c - see whatif_spec.h. */
#define _GNU_SOURCE
#include "launch/whatif_spec.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/format.h"
#include "launch/program.h"
#include "symbols/name_to_code.h"

void whatif_spec_put_name(FILE *f, const char *name)
{
    for (; *name; name++) {
        if (strchr("\\=;&", *name))
            fputc('\\', f);
        fputc(*name, f);
    }
}

/* Sets NAMES to the names in SPEC, at most CAPACITY, in the order of their numbers in libprof.so.
 * Returns how many there are. */
static unsigned spec_names(const char *spec, char **names, unsigned capacity)
{
    unsigned n = 0;
    for (const char *p = spec; *p;) {
        char *name = format_memory(calloc(strlen(p) + 1, 1)), *to = name;
        while (*p && *p != '=') {
            if (*p == '\\' && p[1])
                p++;
            *to++ = *p++;
        }
        p += strcspn(p, ";&");
        p += *p != 0;
        bool known = !*name || n == capacity;
        for (unsigned i = 0; i < n; i++)
            known |= !strcmp(names[i], name);
        if (known)
            free(name);
        else
            names[n++] = name;
    }
    return n;
}

char *whatif_spec_code(const char *spec, const char *program)
{
    enum { NAMES = 16 };
    char *names[NAMES];
    unsigned long found[NAMES];
    unsigned n = spec_names(spec, names, NAMES);
    const char *directory = getenv("TMPDIR");
    char *path = format_text("%s/prof-whatif.XXXXXX", directory && *directory ? directory : "/tmp");
    char *file = program_find(program);
    struct program info;
    FILE *out = 0;
    bool ok = false;
    int fd = file && !program_inspect(file, &info) && info.elf ? mkstemp(path) : -2;
    if (fd >= 0)
        out = fdopen(fd, "w");
    if (fd == -2)
        fprintf(stderr, "prof: %s is not an ELF file: only regions can be tried\n", program);
    else if (!out)
        fprintf(stderr, "prof: %s: %s: only regions can be tried\n", path, strerror(errno));
    else if (code_write(file, names, n, out, found))
        fprintf(stderr, "prof: %s cannot be read: only regions can be tried\n", file);
    else {
        ok = !ferror(out) && !fflush(out);
        if (!ok)
            fprintf(stderr, "prof: %s: %s: only regions can be tried\n", path, strerror(errno));
        for (unsigned i = 0; ok && i < n; i++)
            if (!found[i])
                fprintf(stderr,
                        "prof: %s: there is no code of that name, with an address, in %s or its "
                        "libraries: only a region of that name will count\n",
                        names[i], program);
    }
    if (out)
        fclose(out);
    else if (fd >= 0)
        close(fd);
    if (!ok) {
        if (fd >= 0)
            unlink(path);
        free(path);
        path = 0;
    }
    for (unsigned i = 0; i < n; i++)
        free(names[i]);
    free(file);
    return path;
}
