/* symbols.c - see symbols.h. Every module has a Dwfl of its own, at bias 0. Addresses are converted
 * into the ELF file's, so modules cannot overlap, whatever a hostile load map contains. A module is
 * opened when an address in it is first looked up, so that libc's debug information is not read in
 * vain.
 *
 * A module's file is not used if its build id is not the one in the profile: its lines would be
 * wrong, and nothing would show it.
 */
#define _GNU_SOURCE
#include "symbols/symbols.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include "base/format.h"
#include "base/progress.h"
#include "profile/profile.h"
#include "symbols/dies.h"
#include "symbols/names.h"
#include "symbols/unit.h"

#define BIG_FILE (64 << 20)     /* bytes: reading its debug information takes seconds */

/* The addresses of a CU, for compilers that write no .debug_aranges (clang). */
struct cu_range {
    Dwarf_Addr start, end;
    Dwarf_Off cu;
};

/* A symbol, and the addresses that it covers. SIZE 0: the table has no size for it. */
struct label {
    GElf_Addr start, size;
    GElf_Addr end;              /* the highest end of all labels that start at START or before */
    int index;                  /* in the symbol table */
};

struct module {
    const struct lpf_module *map;
    const char *path;
    uint64_t profiled_ns;       /* CLOCK_REALTIME when the profiled program started; 0: unknown */
    Dwfl *dwfl;
    Dwfl_Module *elf;           /* NULL: it cannot be used */
    bool opened, indexed, unwound;
    /* once unwound: the starts of functions, in the ELF file's addresses, ascending */
    uint64_t *starts;
    size_t start_count;
    struct cu_range *ranges;    /* once indexed; ascending by start */
    size_t range_count, range_capacity;
    struct label *labels;       /* once labelled; ascending by start */
    size_t label_count;
    bool labelled;
};

/* The name of a declaration. The key is the declaring DIE's address in memory. */
struct known_name {
    void *declaration;
    const char *name;
    bool header;
    int line;
    UT_hash_handle hh;
};

struct symbols {
    struct units *units;
    struct known_name *names;
    struct module *modules;     /* sorted by start */
    size_t module_count;
    char **strings;             /* all strings that callers got; symbols_free frees them */
    size_t count, capacity;
    uint64_t lookups;
    const char *directories[SYMBOLS_DIRECTORIES];   /* see symbols_directories */
    size_t directory_count;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
};

static char *keep(struct symbols *s, char *text)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? s->capacity * 2 : 64;
        s->strings = format_memory(realloc(s->strings, s->capacity * sizeof *s->strings));
    }
    return s->strings[s->count++] = format_memory(text);
}

static int compare_modules(const void *a, const void *b)
{
    const struct module *x = a, *y = b;
    return x->map->start < y->map->start ? -1 : x->map->start > y->map->start;
}

struct symbols *symbols_new(const struct profile *p)
{
    unsetenv("DEBUGINFOD_URLS");        /* never over the network */
    struct symbols *s = format_memory(calloc(1, sizeof *s));
    s->modules = format_memory(calloc(p->module_count + 1, sizeof *s->modules));
    s->module_count = p->module_count;
    for (size_t i = 0; i < p->module_count; i++) {
        s->modules[i].map = &p->modules[i];
        s->modules[i].path = profile_string(p, p->modules[i].path);
        s->modules[i].profiled_ns = p->has_totals ? p->totals.start_unix_ns : 0;
    }
    qsort(s->modules, s->module_count, sizeof *s->modules, compare_modules);
    return s;
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    units_free(&s->units);
    struct known_name *name, *next_name;
    HASH_ITER(hh, s->names, name, next_name) {
        HASH_DEL(s->names, name);
        free(name);
    }
    for (size_t i = 0; i < s->module_count; i++) {
        dwfl_end(s->modules[i].dwfl);
        free(s->modules[i].ranges);
        free(s->modules[i].labels);
        free(s->modules[i].starts);
    }
    for (size_t i = 0; i < s->count; i++)
        free(s->strings[i]);
    free(s->strings);
    free(s->modules);
    free(s);
}

/* The module that holds ADDRESS, or NULL. Only the last one that starts at ADDRESS or before
 * counts. */
static struct module *find_module(const struct symbols *s, uint64_t address)
{
    size_t low = 0, high = s->module_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->modules[middle].map->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && address < s->modules[low - 1].map->end ? &s->modules[low - 1] : 0;
}

const char *symbols_module(const struct symbols *s, uint64_t address)
{
    const struct module *m = find_module(s, address);
    return m ? m->path : 0;
}

const char *symbols_code(struct symbols *s, uint64_t address)
{
    const struct module *m = find_module(s, address);
    const char *base = m ? strrchr(m->path, '/') : 0;
    return keep(s, format_text("%s+0x%llx", base ? base + 1 : m ? m->path : "?",
                               (unsigned long long)(m ? address - m->map->bias : address)));
}

/* ---- opening ---- */

static void complain(const struct module *m, const char *reason, const char *result)
{
    char *clean = format_clean(m->path);
    format_fit(clean, 200);
    progress_done();
    fprintf(stderr, "prof: %s: %s: %s\n", clean, reason, result);
    free(clean);
}

static bool build_id_matches(Dwfl_Module *elf, const struct lpf_module *m)
{
    const unsigned char *bits;
    GElf_Addr where;
    int n = dwfl_module_build_id(elf, &bits, &where);
    return !m->build_id_len || (n == (int)m->build_id_len && !memcmp(bits, m->build_id, n));
}

static void open_module(struct module *m)
{
    struct stat st;
    m->opened = true;
    if (!strchr(m->path, '/'))          /* [vdso], linux-vdso.so.1: there is no file */
        return;
    int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        complain(m, fd < 0 ? "the profiled file cannot be opened" : "not a regular file",
                 "showing addresses");
        if (fd >= 0)
            close(fd);
        return;
    }
    if (st.st_size > BIG_FILE)
        progress_now("reading debug information");
    m->dwfl = dwfl_begin(&callbacks);
    if (m->dwfl) {
        dwfl_report_begin(m->dwfl);
        m->elf = dwfl_report_elf(m->dwfl, "module", m->path, fd, 0, true);
        dwfl_report_end(m->dwfl, 0, 0);
    }
    if (!m->elf) {
        close(fd);
        complain(m, "not an ELF file that can be read", "showing addresses");
    } else if (!build_id_matches(m->elf, m->map)) {
        m->elf = 0;
        complain(m, "not the file that was profiled (its build id differs)", "showing addresses");
    } else if (!m->map->build_id_len && m->profiled_ns &&
               (uint64_t)st.st_mtime * 1000000000u > m->profiled_ns) {
        complain(m, "has no build id and is newer than the profile",
                 "names and lines may be wrong");
    }
    Dwarf_Addr bias;
    if (st.st_size > BIG_FILE && m->elf)
        dwfl_module_getdwarf(m->elf, &bias);
}

/* ---- the compilation unit of an address ---- */

static void add_ranges(struct module *m, Dwarf_Die *cu)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(cu, at, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (m->range_count == m->range_capacity) {
            m->range_capacity = m->range_capacity ? m->range_capacity * 2 : 256;
            m->ranges = format_memory(realloc(m->ranges, m->range_capacity * sizeof *m->ranges));
        }
        m->ranges[m->range_count++] = (struct cu_range){ start, end, dwarf_dieoffset(cu) };
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct cu_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Sets *CU to the unit that covers PC, an address of the ELF file. False: none does. */
static bool find_cu(struct module *m, Dwarf_Addr pc, Dwarf_Die *cu)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(m->elf, &bias);
    if (!dwarf)
        return false;
    pc -= bias;
    if (dwarf_addrdie(dwarf, pc, cu))
        return true;
    if (!m->indexed) {
        m->indexed = true;
        Dwarf_CU *unit = 0;
        Dwarf_Die die, split;
        uint8_t type;
        while (!dwarf_get_units(dwarf, unit, &unit, 0, &type, &die, &split))
            if (type != DW_UT_type && type != DW_UT_split_type)
                add_ranges(m, &die);
        if (m->range_count)
            qsort(m->ranges, m->range_count, sizeof *m->ranges, compare_ranges);
    }
    size_t low = 0, high = m->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->ranges[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < m->ranges[low - 1].end && dwarf_offdie(dwarf, m->ranges[low - 1].cu, cu);
}

/* ---- the symbol of an address ---- */

static int compare_labels(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->index > y->index) - (x->index < y->index);
}

/* Reads the symbols that dwfl_module_addrinfo knows. That function searches all of them each time,
 * which takes half a millisecond in a large library. */
static void read_labels(struct module *m)
{
    int n = dwfl_module_getsymtab(m->elf);
    m->labelled = true;
    m->labels = format_memory(calloc(n > 0 ? n : 1, sizeof *m->labels));
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr start;
        const char *name = dwfl_module_getsym_info(m->elf, i, &symbol, &start, 0, 0, 0);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name && *name && symbol.st_shndx != SHN_UNDEF && type != STT_SECTION &&
            type != STT_FILE && type != STT_TLS)
            m->labels[m->label_count++] = (struct label){ .start = start,
                                                          .size = symbol.st_size,
                                                          .index = i };
    }
    if (m->label_count)
        qsort(m->labels, m->label_count, sizeof *m->labels, compare_labels);
    GElf_Addr last = 0;
    for (size_t i = 0; i < m->label_count; i++) {
        struct label *l = &m->labels[i];
        GElf_Addr end = l->start + l->size < l->start ? ~(GElf_Addr)0 : l->start + l->size;
        l->end = last = end > last ? end : last;
    }
}

/* The name of the symbol that covers PC, as dwfl_module_addrinfo returns it. *OFFSET: the distance
 * from the symbol's start. NULL: there is none. */
static const char *find_label(struct module *m, Dwarf_Addr pc, GElf_Off *offset)
{
    if (!m->labelled)
        read_labels(m);
    GElf_Sym symbol;
    GElf_Addr start;
    const struct label *only = 0;
    size_t low = 0, high = m->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->labels[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    unsigned covering = 0;
    for (size_t i = low; i-- > 0 && m->labels[i].end > pc && covering < 2;)
        if (pc - m->labels[i].start < m->labels[i].size) {
            only = &m->labels[i];
            covering++;
        }
    if (covering == 1) {
        const char *name = dwfl_module_getsym_info(m->elf, only->index, &symbol, &start, 0, 0, 0);
        *offset = pc - start;
        return name;
    }
    /* A label without a size reaches up to the next label, so only the last one before PC
     * counts. */
    if (!covering) {
        bool sizeless = false;
        for (size_t i = low; i-- > 0 && m->labels[i].start == m->labels[low - 1].start;)
            sizeless |= !m->labels[i].size;
        if (!sizeless)
            return 0;
    }
    return dwfl_module_addrinfo(m->elf, pc, offset, &symbol, 0, 0, 0);
}

/* Does anything at PC have a name or an unwind table? If nothing has, PC lies between functions,
 * and debug information is not searched for it. */
static bool in_function(struct module *m, Dwarf_Addr pc)
{
    Dwarf_Addr bias;
    GElf_Off offset;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(m->elf, &bias);
    Dwarf_Frame *frame = 0;
    bool covered = !cfi || !dwarf_cfi_addrframe(cfi, pc - bias, &frame) ||
                   find_label(m, pc, &offset);
    free(frame);
    return covered;
}

/* ---- names of DIEs ---- */

static const struct known_name *scope_name(struct symbols *s, Dwarf_Die *die)
{
    Dwarf_Die at = die_declaration(die);
    const char *file;
    struct known_name *k;
    HASH_FIND_PTR(s->names, &at.addr, k);
    if (!k) {
        k = format_memory(malloc(sizeof *k));
        k->declaration = at.addr;
        k->name = keep(s, die_name(die, &s->units));
        k->header = die_is_header(die, k->name);
        die_place(die, &s->units, &file, &k->line);
        HASH_ADD_PTR(s->names, declaration, k);
    }
    return k;
}

/* ---- frames ---- */

static Dwarf_Word attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute at;
    Dwarf_Word value = 0;
    return dwarf_attr(die, name, &at) && !dwarf_formudata(&at, &value) ? value : 0;
}

static void note_directory(struct symbols *s, Dwarf_Die *cu)
{
    Dwarf_Attribute at;
    const char *directory = dwarf_attr(cu, DW_AT_comp_dir, &at) ? dwarf_formstring(&at) : 0;
    if (!directory || *directory != '/' || s->directory_count == SYMBOLS_DIRECTORIES)
        return;
    for (size_t i = 0; i < s->directory_count; i++)
        if (!strcmp(s->directories[i], directory))
            return;
    s->directories[s->directory_count++] = keep(s, format_text("%s", directory));
}

size_t symbols_directories(const struct symbols *s, const char *const **directories)
{
    *directories = s->directories;
    return s->directory_count;
}

/* If *CU is a skeleton, replaces it by its split unit. */
static void full_unit(Dwarf_Die *cu)
{
    Dwarf_Die skeleton, split;
    uint8_t type;
    if (!dwarf_cu_info(cu->cu, 0, &type, &skeleton, &split, 0, 0, 0) && type == DW_UT_skeleton)
        *cu = split;
}

/* The functions around PC as FRAMES, innermost first; the outermost is the physical function. The
 * innermost frame's line is that of PC, any other's is that of the call that was inlined. Returns
 * their number, at most CAPACITY. */
static size_t inlined_frames(struct symbols *s, struct module *m, Dwarf_Die *cu, Dwarf_Addr pc,
                             Dwarf_Addr bias, struct frame *frames, size_t capacity)
{
    Dwarf_Die scopes[UNIT_DEPTH];
    note_directory(s, cu);
    full_unit(cu);
    Dwarf_Line *at = dwarf_getsrc_die(cu, pc);
    const char *file = at ? dwarf_linesrc(at, 0, 0) : 0;
    int line = 0;
    if (at)
        dwarf_lineno(at, &line);
    Dwarf_Files *files = 0;
    size_t file_count = 0, used = 0;
    dwarf_getsrcfiles(cu, &files, &file_count);
    struct unit *u = units_get(&s->units, cu);
    size_t n = unit_scopes(u, pc, false, scopes);
    if (!n && in_function(m, pc + bias))
        n = unit_scopes(u, pc, true, scopes);
    for (size_t i = 0; i < n && used < capacity; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        const struct known_name *k = scope_name(s, &scopes[i]);
        frames[used++] = (struct frame){ .function = k->name,
                                         .file = file,
                                         .line = line,
                                         .declared = k->line,
                                         .header = k->header };
        if (tag == DW_TAG_subprogram)
            break;
        Dwarf_Word number = attribute(&scopes[i], DW_AT_call_file);
        file = files && number < file_count ? dwarf_filesrc(files, number, 0, 0) : 0;
        line = file ? attribute(&scopes[i], DW_AT_call_line) : 0;
    }
    return used;
}

size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity)
{
    struct module *m = find_module(s, address);
    size_t n = 0;
    progress("looking up names of code addresses", s->lookups++);
    if (m && !m->opened)
        open_module(m);
    if (m && m->elf) {
        uint64_t pc = address - m->map->bias;
        Dwarf_Addr bias;
        Dwarf_Die cu;
        if (find_cu(m, pc, &cu) && dwfl_module_getdwarf(m->elf, &bias))
            n = inlined_frames(s, m, &cu, pc - bias, bias, frames, capacity);
        GElf_Off offset;
        const char *name = n ? 0 : find_label(m, pc, &offset);
        if (name && *name) {
            frames[0] = (struct frame){ .function = keep(s, name_demangle(name)),
                                        .offset = offset };
            n = 1;
        }
    }
    if (!n) {
        frames[0] = (struct frame){ .function = symbols_code(s, address), .nameless = true };
        n = 1;
    }
    return n;
}

/* Sets *TYPE and *CALL as die_functor does, by the template arguments of the class that declares
 * FUNCTION. False: there is no such class. */
static bool functor_of(struct symbols *s, Dwarf_Die *function, Dwarf_Die *type, Dwarf_Die *call)
{
    Dwarf_Die at = die_declaration(function), cu, around[UNIT_DEPTH];
    size_t n = dwarf_diecu(&at, &cu, 0, 0) ? unit_parents(units_get(&s->units, &cu), &at, around)
                                           : 0;
    return n && die_functor(&around[0], type, call);
}

/* Does one of FUNCTION's ranges begin at PC? That of its entry does. */
static bool begins_at(Dwarf_Die *function, Dwarf_Addr pc)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &start, &end)) > 0;)
        if (start == pc)
            return true;
    return false;
}

bool symbols_body(struct symbols *s, uint64_t address, struct frame *body)
{
    struct module *m = find_module(s, address);
    Dwarf_Addr bias;
    Dwarf_Die cu, scopes[UNIT_DEPTH], type, call;
    if (m && !m->opened)
        open_module(m);
    uint64_t pc = m ? address - m->map->bias : 0;
    if (!m || !m->elf || !find_cu(m, pc, &cu) || !dwfl_module_getdwarf(m->elf, &bias))
        return false;
    full_unit(&cu);
    size_t n = unit_scopes(units_get(&s->units, &cu), pc - bias, false, scopes);
    Dwarf_Die *function = n ? &scopes[n - 1] : 0;
    if (!function || dwarf_tag(function) != DW_TAG_subprogram ||
        !begins_at(function, pc - bias) || !scope_name(s, function)->header ||
        !functor_of(s, function, &type, &call))
        return false;
    *body = (struct frame){ .function = scope_name(s, &call)->name };
    die_place(&call, &s->units, &body->file, &body->line);
    return true;
}

bool symbols_library(const struct frame *f)
{
    return !f->nameless && name_is_library(f->function, f->file);
}

/* ---- functions without a symbol ---- */

/* Reads the binary search table of .eh_frame_hdr (LSB, "Exception Frames") as GNU linkers write it:
 * pairs of 32-bit offsets from the section's address, sorted by the function's start. */
static void read_starts(struct module *m)
{
    enum { HEADER = 12, PAIR = 8 };
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(m->elf, &bias);
    size_t names;
    m->unwound = true;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return;
    for (Elf_Scn *scn = 0; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : 0;
        if (!name || strcmp(name, ".eh_frame_hdr"))
            continue;
        Elf_Data *data = elf_rawdata(scn, 0);
        const unsigned char *p = data ? data->d_buf : 0;
        uint32_t count;
        if (!p || data->d_size < HEADER || p[0] != 1 || p[2] != 3 || p[3] != 0x3b)
            return;
        memcpy(&count, p + 8, sizeof count);
        if (count > (data->d_size - HEADER) / PAIR)
            return;
        m->starts = format_memory(calloc(count + 1, sizeof *m->starts));
        m->start_count = count;
        for (uint32_t i = 0; i < count; i++) {
            int32_t offset;
            memcpy(&offset, p + HEADER + (size_t)i * PAIR, sizeof offset);
            m->starts[i] = header.sh_addr + offset;
        }
        return;
    }
}

const char *symbols_function(struct symbols *s, uint64_t address)
{
    struct module *m = find_module(s, address);
    if (m && !m->opened)
        open_module(m);
    if (!m || !m->elf)
        return 0;
    if (!m->unwound)
        read_starts(m);
    uint64_t pc = address - m->map->bias;
    size_t low = 0, high = m->start_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->starts[middle] <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? symbols_code(s, m->starts[low - 1] + m->map->bias) : 0;
}
