/* symbols.c - see symbols.h. One Dwfl holds every module of the load map at its run-time address. A
 * module whose file has another build id than the profile says is left out: its lines would be
 * wrong without a sign.
 */
#define _GNU_SOURCE
#include "symbols.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libstdc++'s; declared here because its header is C++. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

struct symbols {
    const struct profile *profile;
    Dwfl *dwfl;
    char **strings;             /* everything handed out, freed at the end */
    size_t count, capacity;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

static char *keep(struct symbols *s, char *text)
{
    if (s->count == s->capacity) {
        size_t capacity = s->capacity ? s->capacity * 2 : 64;
        char **more = realloc(s->strings, capacity * sizeof *more);
        if (!more)
            abort();
        s->strings = more;
        s->capacity = capacity;
    }
    if (!text)
        abort();
    return s->strings[s->count++] = text;
}

static bool build_id_matches(Dwfl_Module *mod, const struct lpf_module *m)
{
    const unsigned char *bits;
    GElf_Addr where;
    int n = dwfl_module_build_id(mod, &bits, &where);
    return !m->build_id_len || (n == (int)m->build_id_len && !memcmp(bits, m->build_id, n));
}

struct symbols *symbols_new(const struct profile *p)
{
    unsetenv("DEBUGINFOD_URLS");        /* never over the network */
    struct symbols *s = calloc(1, sizeof *s);
    if (!s)
        return 0;
    s->profile = p;
    s->dwfl = dwfl_begin(&callbacks);
    dwfl_report_begin(s->dwfl);
    for (size_t i = 0; i < p->module_count; i++) {
        const struct lpf_module *m = &p->modules[i];
        const char *path = profile_string(p, m->path);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        Dwfl_Module *mod = dwfl_report_elf(s->dwfl, path, path, fd, m->bias, false);
        if (!mod) {
            close(fd);
            continue;
        }
        if (!build_id_matches(mod, m)) {
            fprintf(stderr, "prof: %s is not the file that was profiled (its build id differs): "
                    "showing addresses\n", path);
            dwfl_report_end(s->dwfl, 0, 0);
            dwfl_report_begin_add(s->dwfl);
        }
    }
    dwfl_report_end(s->dwfl, 0, 0);
    return s;
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    dwfl_end(s->dwfl);
    for (size_t i = 0; i < s->count; i++)
        free(s->strings[i]);
    free(s->strings);
    free(s);
}

const char *symbols_module(const struct profile *p, uint64_t address)
{
    for (size_t i = 0; i < p->module_count; i++)
        if (address >= p->modules[i].start && address < p->modules[i].end)
            return profile_string(p, p->modules[i].path);
    return 0;
}

/* Demangled, without control characters: names come from files that we do not trust. */
static char *readable(struct symbols *s, const char *name)
{
    int status = 0;
    char *d = strlen(name) < 65536 ? __cxa_demangle(name, 0, 0, &status) : 0;
    if (!d)
        d = strdup(name);
    char *text = keep(s, d);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    return text;
}

static bool has_prefix(const char *s, const char *prefix)
{
    return !strncmp(s, prefix, strlen(prefix));
}

/* Code that a person did not write: by its namespace, or by where its source lies. */
static bool is_header(const char *function, const char *file)
{
    static const char *const spaces[] = { "tbb::", "std::", "__gnu_cxx::", "__pstl::", "pstl::" };
    const char *f = function;
    /* skip a return type: the name starts after the last space before the argument list, at depth 0 */
    int depth = 0;
    for (const char *c = function; *c; c++) {
        if (*c == '<')
            depth++;
        else if (*c == '>')
            depth--;
        else if (*c == '(' && depth == 0)
            break;
        else if (*c == ' ' && depth == 0)
            f = c + 1;
    }
    for (unsigned i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (has_prefix(f, spaces[i]))
            return true;
    static const char *const places[] = { "/oneapi/tbb/", "/include/tbb/", "/include/c++/", "/pstl/" };
    for (unsigned i = 0; file && i < sizeof places / sizeof places[0]; i++)
        if (strstr(file, places[i]))
            return true;
    return false;
}

/* An inlined function's name: of the scope's origin, qualified by what encloses its declaration. */
static void scope_name(Dwarf_Die *die, char *out, size_t size)
{
    Dwarf_Attribute at;
    const char *linkage = 0;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &at))
        linkage = dwarf_formstring(&at);
    if (!linkage && dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &at))
        linkage = dwarf_formstring(&at);
    const char *name = linkage ? linkage : dwarf_diename(die);
    snprintf(out, size, "%s", name ? name : "?");
}

struct found {
    Dwarf_Die cu;
    Dwarf_Addr bias;
};

/* The scopes around PC, innermost first, as frames; the outermost is the physical function. */
static size_t inlined_frames(struct symbols *s, Dwarf_Die *cu, Dwarf_Addr pc, Dwfl_Line *line,
                             struct frame *frames, size_t capacity)
{
    Dwarf_Die *scopes = 0;
    int n = dwarf_getscopes(cu, pc, &scopes);
    size_t used = 0;
    const char *file = 0;
    int number = 0, column;
    if (line)
        file = dwfl_lineinfo(line, 0, &number, &column, 0, 0);
    Dwarf_Files *files = 0;
    size_t file_count = 0;
    dwarf_getsrcfiles(cu, &files, &file_count);
    Dwarf_Die *abstract = 0;
    int m = n;
    /* dwarf_getscopes goes through the abstract parents of an inlined scope; the concrete chain
     * comes from the innermost DIE. */
    if (n > 0) {
        Dwarf_Die *chain = 0;
        m = dwarf_getscopes_die(&scopes[0], &chain);
        if (m > 0) {
            free(scopes);
            scopes = chain;
        } else {
            m = n;
        }
    }
    (void)abstract;
    for (int i = 0; i < m && used < capacity; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        char name[4096];
        scope_name(&scopes[i], name, sizeof name);
        frames[used].function = readable(s, name);
        frames[used].file = file ? keep(s, strdup(file)) : 0;
        frames[used].line = number;
        used++;
        if (tag == DW_TAG_subprogram)
            break;
        Dwarf_Attribute at;
        Dwarf_Word value;
        file = 0;
        number = 0;
        if (dwarf_attr(&scopes[i], DW_AT_call_file, &at) && !dwarf_formudata(&at, &value) && files)
            file = dwarf_filesrc(files, value, 0, 0);
        if (dwarf_attr(&scopes[i], DW_AT_call_line, &at) && !dwarf_formudata(&at, &value))
            number = value;
    }
    free(scopes);
    return used;
}

size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity)
{
    Dwfl_Module *mod = dwfl_addrmodule(s->dwfl, address);
    size_t n = 0;
    if (mod && symbols_module(s->profile, address)) {
        Dwarf_Addr bias;
        Dwarf_Die *cu = dwfl_module_addrdie(mod, address, &bias);
        if (cu)
            n = inlined_frames(s, cu, address - bias, dwfl_module_getsrc(mod, address), frames, capacity);
        const char *name = n ? 0 : dwfl_module_addrname(mod, address);
        if (name) {
            frames[0] = (struct frame){ .function = readable(s, name) };
            n = 1;
        }
    }
    if (!n) {
        const char *path = symbols_module(s->profile, address);
        const char *base = path ? strrchr(path, '/') : 0;
        uint64_t offset = address;
        for (size_t i = 0; i < s->profile->module_count; i++)
            if (address >= s->profile->modules[i].start && address < s->profile->modules[i].end)
                offset = address - s->profile->modules[i].bias;
        char *text;
        if (asprintf(&text, "%s+0x%llx", base ? base + 1 : path ? path : "?", (unsigned long long)offset) < 0)
            abort();
        frames[0] = (struct frame){ .function = keep(s, text), .nameless = true };
        n = 1;
    }
    for (size_t i = 0; i < n; i++)
        frames[i].program = !is_header(frames[i].function, frames[i].file);
    return n;
}
