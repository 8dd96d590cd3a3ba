/* name_to_code.c - see name_to_code.h. */
#define _GNU_SOURCE
#include "symbols/name_to_code.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/format.h"
#include "symbols/die_names.h"
#include "symbols/names.h"
#include "symbols/unit.h"

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

struct wanted {
    char *function;             /* "": any */
    char *base;                 /* the last component of FUNCTION, as debug information has it */
    char *file;                 /* NULL: any */
    int line;                   /* 0: any */
    bool shared;                /* name_is_shared: FUNCTION is all code of the name at LINE */
    bool own;                   /* without what it calls */
};

struct search {
    struct wanted *wanted;
    unsigned count;
    FILE *out;
    unsigned long *found;
    const char *module;         /* the module's name in OUT */
    Dwarf_Addr bias;            /* from the debug information's addresses to the file's */
    struct units *units;        /* of MODULE */
};

/* ---- names ---- */

/* The last component of a qualified name: after the last :: that no bracket encloses. */
static const char *last_component(const char *name)
{
    const char *last = name;
    int depth = 0;
    for (const char *c = name; *c; c++) {
        depth += (*c == '<' || *c == '(' || *c == '{') - (*c == '>' || *c == ')' || *c == '}');
        if (!depth && c[0] == ':' && c[1] == ':')
            last = c + 2;
    }
    return last;
}

/* NAME without the template arguments of its components. */
static char *without_arguments(const char *name)
{
    char *text = format_text("%s", name), *to = text;
    int depth = 0;
    for (const char *c = name; *c; c++) {
        if (*c == '<' && !(c > name && c[-1] == 'r' && strstr(name, "operator<")))
            depth++;
        else if (*c == '>' && depth)
            depth--;
        else if (!depth)
            *to++ = *c;
    }
    *to = 0;
    return text;
}

/* Does TEXT end with END, and begin with it or have BOUNDARY before it? */
static bool ends_with(const char *text, const char *end, const char *boundary)
{
    size_t n = strlen(text), m = strlen(end), b = strlen(boundary);
    return n >= m && !strcmp(text + n - m, end) &&
           (n == m || (n >= m + b && !memcmp(text + n - m - b, boundary, b)));
}

static bool function_matches(const struct wanted *w, const char *demangled)
{
    char *plain = name_plain(demangled), *bare = without_arguments(plain);
    bool yes = ends_with(plain, w->function, "::") || ends_with(bare, w->function, "::");
    free(bare);
    free(plain);
    return yes;
}

static struct wanted parse(const char *name)
{
    struct wanted w = { .function = format_text("%s", name) };
    char *at = strrchr(w.function, '@');
    if (at && !strcmp(at + 1, "own")) {
        w.own = true;
        *at = 0;
        at = strrchr(w.function, '@');
    }
    if (at) {
        *at = 0;
        w.file = at + 1;
        char *colon = strrchr(w.file, ':'), *end;
        long line = colon ? strtol(colon + 1, &end, 10) : 0;
        if (colon && line > 0 && !*end) {
            *colon = 0;
            w.line = line;
        }
    }
    w.base = without_arguments(last_component(w.function));
    w.shared = name_is_shared(w.function);
    if (!strncmp(w.base, "{lambda", 7))
        strcpy(w.base = format_memory(realloc(w.base, sizeof "operator()")), "operator()");
    return w;
}

bool code_names(const char *name, const char *function, const char *file)
{
    struct wanted w = parse(name);
    bool yes = *w.function && !w.line && (!w.file || ends_with(file, w.file, "/")) &&
               function_matches(&w, function);
    free(w.function);
    free(w.base);
    return yes;
}

/* ---- ranges ---- */

static void emit(struct search *s, unsigned i, Dwarf_Addr start, Dwarf_Addr end)
{
    if (start >= end)
        return;
    fprintf(s->out, "%x %llx %llx %s\n", i | (s->wanted[i].own ? 0x100 : 0),
            (unsigned long long)(start + s->bias), (unsigned long long)(end + s->bias), s->module);
    s->found[i] += end - start;
}

/* Emits the parts of [START, END) that CU's line table assigns to the file and line of name I. */
static void emit_lines(struct search *s, unsigned i, Dwarf_Die *cu, Dwarf_Addr start,
                       Dwarf_Addr end)
{
    const struct wanted *w = &s->wanted[i];
    Dwarf_Lines *lines;
    size_t n;
    if (dwarf_getsrclines(cu, &lines, &n))
        return;
    for (size_t k = 0; k + 1 < n; k++) {
        Dwarf_Line *at = dwarf_onesrcline(lines, k), *next = dwarf_onesrcline(lines, k + 1);
        Dwarf_Addr from, to;
        int number = 0;
        bool ended = false;
        if (dwarf_lineaddr(at, &from) || dwarf_lineaddr(next, &to) || dwarf_lineno(at, &number) ||
            number != w->line || dwarf_lineendsequence(at, &ended) || ended ||
            !ends_with(dwarf_linesrc(at, 0, 0), w->file, "/"))
            continue;
        emit(s, i, from > start ? from : start, to < end ? to : end);
    }
}

/* Emits the code that was inlined below DIE by calls in the line of name I. The line table assigns
 * such code to the callee's lines. */
static void emit_inlined(struct search *s, unsigned i, Dwarf_Die *cu, Dwarf_Die *die, int depth)
{
    const struct wanted *w = &s->wanted[i];
    Dwarf_Die child;
    Dwarf_Files *files;
    size_t n;
    if (depth > 256 || dwarf_child(die, &child) || dwarf_getsrcfiles(cu, &files, &n))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block && !die_qualifies(tag))
            continue;
        Dwarf_Word file = die_number(&child, DW_AT_call_file);
        const char *name = file < n ? dwarf_filesrc(files, file, 0, 0) : 0;
        if (tag == DW_TAG_inlined_subroutine &&
            die_number(&child, DW_AT_call_line) == (Dwarf_Word)w->line && name &&
            ends_with(name, w->file, "/")) {
            Dwarf_Addr unused, start, end;
            for (ptrdiff_t at = 0; (at = dwarf_ranges(&child, at, &unused, &start, &end)) > 0;)
                emit(s, i, start, end);
        } else {
            emit_inlined(s, i, cu, &child, depth + 1);
        }
    } while (!dwarf_siblingof(&child, &child));
}

/* Is DIE's function declared where W's file, and the line of a shared name, are? */
static bool place_matches(struct search *s, const struct wanted *w, Dwarf_Die *die)
{
    const char *file;
    int line;
    if (!w->file || (w->line && !w->shared))
        return true;
    die_place(die, &s->units, &file, &line);
    return file && ends_with(file, w->file, "/") && (!w->line || w->line == line);
}

static void look_at_function(struct search *s, Dwarf_Die *cu, Dwarf_Die *die)
{
    const char *base = dwarf_diename(die);
    for (unsigned i = 0; base && i < s->count; i++) {
        const struct wanted *w = &s->wanted[i];
        size_t n = strlen(w->base);
        if (!*w->function || strncmp(base, w->base, n) || (base[n] && base[n] != '<'))
            continue;
        char *name = die_name(die, &s->units);
        bool matches = function_matches(w, name) && place_matches(s, w, die);
        bool lines = w->line && !w->shared;
        free(name);
        Dwarf_Addr unused, start, end;
        for (ptrdiff_t at = 0;
             matches && (at = dwarf_ranges(die, at, &unused, &start, &end)) > 0;) {
            if (lines)
                emit_lines(s, i, cu, start, end);
            else
                emit(s, i, start, end);
        }
        if (matches && lines)
            emit_inlined(s, i, cu, die, 0);
    }
}

static void look_below(struct search *s, Dwarf_Die *cu, Dwarf_Die *die, int depth)
{
    Dwarf_Die child;
    if (depth > 256 || dwarf_child(die, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            look_at_function(s, cu, &child);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || die_qualifies(tag))
            look_below(s, cu, &child, depth + 1);
    } while (!dwarf_siblingof(&child, &child));
}

static void look_at_unit(struct search *s, Dwarf_Die *cu)
{
    look_below(s, cu, cu, 0);
    for (unsigned i = 0; i < s->count; i++)
        if (!*s->wanted[i].function && s->wanted[i].line) {
            emit_lines(s, i, cu, 0, ~(Dwarf_Addr)0);
            emit_inlined(s, i, cu, cu, 0);
        }
}

/* Finds functions in the symbol table of a module without debug information. */
static void look_at_symbols(struct search *s, Dwfl_Module *m, GElf_Addr bias)
{
    int n = dwfl_module_getsymtab(m);
    for (int k = 1; k < n; k++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(m, k, &symbol, &address, 0, 0, 0);
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size)
            continue;
        char *demangled = 0;
        for (unsigned i = 0; i < s->count; i++) {
            const struct wanted *w = &s->wanted[i];
            if (!*w->function || w->file ||
                !strstr(name, strncmp(name, "_Z", 2) ? w->function : w->base))
                continue;
            if (!demangled)
                demangled = name_demangle(name);
            if (function_matches(w, demangled))
                emit(s, i, address - bias, address - bias + symbol.st_size);
        }
        free(demangled);
    }
}

/* ---- modules ---- */

static char *module_name(Dwfl_Module *m, const char *path)
{
    const unsigned char *bits;
    GElf_Addr where;
    int n = dwfl_module_build_id(m, &bits, &where);
    if (n <= 0 || n > 32)
        return format_text("%s", path);
    char *text = format_memory(calloc(2 * n + 1, 1));
    for (int i = 0; i < n; i++)
        sprintf(text + 2 * i, "%02x", bits[i]);
    return text;
}

static int look_at_module(struct search *s, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *m = 0;
    if (dwfl) {
        dwfl_report_begin(dwfl);
        m = dwfl_report_elf(dwfl, "module", path, fd, 0, true);
        dwfl_report_end(dwfl, 0, 0);
    }
    if (!m) {
        close(fd);
        dwfl_end(dwfl);
        return -1;
    }
    GElf_Addr elf_bias = 0;
    dwfl_module_getelf(m, &elf_bias);
    char *name = module_name(m, path);
    s->module = name;
    Dwarf *dwarf = dwfl_module_getdwarf(m, &s->bias);
    s->bias -= elf_bias;        /* OUT has the file's own addresses */
    if (dwarf) {
        Dwarf_CU *unit = 0;
        Dwarf_Die die, split;
        uint8_t type;
        while (!dwarf_get_units(dwarf, unit, &unit, 0, &type, &die, &split))
            if (type == DW_UT_compile)
                look_at_unit(s, &die);
            else if (type == DW_UT_skeleton && dwarf_tag(&split))
                look_at_unit(s, &split);
    } else {
        s->bias = 0;
        look_at_symbols(s, m, elf_bias);
    }
    free(name);
    units_free(&s->units);
    dwfl_end(dwfl);
    return 0;
}

/* The interpreter of the program at PATH: the loader, which finds its libraries. NULL: it has none.
 * The caller frees it. */
static char *interpreter(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    Elf *elf = fd < 0 ? 0 : (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ, 0));
    char *found = 0;
    size_t n = 0;
    if (elf && !elf_getphdrnum(elf, &n))
        for (size_t i = 0; i < n && !found; i++) {
            GElf_Phdr h;
            size_t size;
            char *raw;
            if (gelf_getphdr(elf, i, &h) && h.p_type == PT_INTERP &&
                (raw = elf_rawfile(elf, &size)) && h.p_offset < size &&
                h.p_filesz <= size - h.p_offset && h.p_filesz && !raw[h.p_offset + h.p_filesz - 1])
                found = format_text("%s", raw + h.p_offset);
        }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return found;
}

/* Opens the output of `LOADER --list PROGRAM`, which has a line "NAME => PATH (ADDRESS)" for each
 * library. The program does not run. *PID: the process, for waitpid. NULL: it could not start. */
static FILE *list_libraries(const char *loader, const char *program, pid_t *pid)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC))
        return 0;
    *pid = fork();
    if (!*pid) {
        int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(pipes[1], STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        unsetenv("LD_PRELOAD");
        execl(loader, loader, "--list", program, (char *)0);
        _exit(127);
    }
    close(pipes[1]);
    if (*pid < 0) {
        close(pipes[0]);
        return 0;
    }
    return fdopen(pipes[0], "re");
}

int code_write(const char *program, char *const *names, unsigned count, FILE *out,
               unsigned long *found)
{
    struct search s = { .wanted = format_memory(calloc(count + 1, sizeof *s.wanted)),
                        .count = count,
                        .out = out,
                        .found = found };
    for (unsigned i = 0; i < count; i++) {
        s.wanted[i] = parse(names[i]);
        found[i] = 0;
    }
    /* Not over the network: this reads every library of the program. */
    char *urls = getenv("DEBUGINFOD_URLS");
    urls = urls ? format_text("%s", urls) : 0;
    unsetenv("DEBUGINFOD_URLS");
    int result = look_at_module(&s, program);
    char *loader = result ? 0 : interpreter(program), *line = 0;
    size_t size = 0;
    pid_t pid;
    FILE *list = loader ? list_libraries(loader, program, &pid) : 0;
    while (list && getline(&line, &size, list) > 0) {
        char *path = strstr(line, "=> /"), *end = path ? strstr(path, " (0x") : 0;
        if (!end)
            continue;
        *end = 0;
        look_at_module(&s, path + 3);
    }
    if (list) {
        fclose(list);
        while (waitpid(pid, 0, 0) < 0 && errno == EINTR)
            ;
    }
    free(line);
    free(loader);
    for (unsigned i = 0; i < count; i++) {
        free(s.wanted[i].function);
        free(s.wanted[i].base);
    }
    free(s.wanted);
    if (urls)
        setenv("DEBUGINFOD_URLS", urls, 1);
    free(urls);
    return result;
}
