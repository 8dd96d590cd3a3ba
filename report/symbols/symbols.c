/* symbols.c - see symbols.h. module.c reads the ELF files. */
#define _GNU_SOURCE
#include "symbols/symbols.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/format.h"
#include "base/progress.h"
#include "profile/profile.h"
#include "symbols/construct_names.h"
#include "symbols/die_names.h"
#include "symbols/line_table.h"
#include "symbols/module.h"
#include "symbols/module_open.h"
#include "symbols/names.h"
#include "symbols/outlined.h"
#include "symbols/spin_code.h"
#include "symbols/symbols_private.h"
#include "symbols/unit.h"

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
    struct symbols *s = format_memory(calloc(1, sizeof *s));
    s->profile = p;
    s->modules = format_memory(calloc(p->module_count + 1, sizeof *s->modules));
    s->module_count = p->module_count;
    for (size_t i = 0; i < p->module_count; i++) {
        s->modules[i].profile = p;
        s->modules[i].map = &p->modules[i];
        s->modules[i].path = profile_string(p, p->modules[i].path);
        s->modules[i].profiled_ns = p->has_totals ? p->totals.start_unix_ns : 0;
    }
    qsort(s->modules, s->module_count, sizeof *s->modules, compare_modules);
    return s;
}

struct symbols *symbols_unread(const struct profile *p)
{
    struct symbols *s = symbols_new(p);
    for (size_t i = 0; i < s->module_count; i++)
        s->modules[i].opened = true;
    return s;
}

void symbols_forget_addresses(struct symbols *s)
{
    struct named_file *file, *next_file;
    HASH_ITER(hh, s->files, file, next_file) {
        HASH_DEL(s->files, file);
        free(file);
    }
    struct known_address *known, *next_known;
    HASH_ITER(hh, s->addresses, known, next_known) {
        HASH_DEL(s->addresses, known);
        free(known->frames);
        free(known);
    }
    s->directory_count = 0;
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
    symbols_forget_addresses(s);
    for (size_t i = 0; i < s->module_count; i++)
        module_close(&s->modules[i]);
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

static struct known_address *known_address(struct symbols *s, uint64_t address)
{
    struct known_address *k;
    HASH_FIND(hh, s->addresses, &address, sizeof address, k);
    if (!k) {
        k = format_memory(calloc(1, sizeof *k));
        k->address = address;
        HASH_ADD(hh, s->addresses, address, sizeof address, k);
    }
    return k;
}

const char *symbols_code(struct symbols *s, uint64_t address)
{
    struct known_address *k = known_address(s, address);
    const struct module *m = find_module(s, address);
    const char *base = m ? strrchr(m->path, '/') : 0;
    if (!k->code && m && !base && strstr(m->path, "vdso"))
        k->code = "[vdso]";     /* some functions, of which nothing else is known */
    if (!k->code)
        k->code = keep(s, format_text("%s+0x%llx", base ? base + 1 : m ? m->path : "?",
                                      (unsigned long long)(m ? address - m->map->bias
                                                             : address)));
    return k->code;
}

/* ---- what was looked up ---- */

const char *const symbols_lack_names[] = {
    [SYMBOLS_WHOLE] = "none",
    [SYMBOLS_NOT_HERE] = "not here",
    [SYMBOLS_OTHER_BUILD] = "another build id",
    [SYMBOLS_UNREADABLE] = "no ELF file",
    [SYMBOLS_STRIPPED] = "stripped",
};

static enum symbols_lack lack_of(struct module *m)
{
    return m->found == MODULE_GONE         ? SYMBOLS_NOT_HERE
           : m->found == MODULE_OTHER      ? SYMBOLS_OTHER_BUILD
           : m->found == MODULE_UNREADABLE ? SYMBOLS_UNREADABLE
           : m->nameless && module_is_stripped(m) ? SYMBOLS_STRIPPED
                                                  : SYMBOLS_WHOLE;
}

size_t symbols_modules(struct symbols *s, struct symbols_module **modules)
{
    size_t n = 0;
    *modules = format_memory(calloc(s->module_count + 1, sizeof **modules));
    for (size_t i = 0; i < s->module_count; i++) {
        struct module *m = &s->modules[i];
        if (m->found == MODULE_NONE)
            continue;
        struct symbols_module *to = &(*modules)[n++];
        *to = (struct symbols_module){ .map = m->map,
                                       .path = m->path,
                                       .lack = lack_of(m),
                                       .lookups = m->lookups,
                                       .nameless = m->nameless,
                                       .file = m->file,
                                       .elf = m->elf };
        if (m->elf)
            dwfl_module_info(m->elf, 0, 0, 0, 0, 0, 0, &to->debug);
    }
    return n;
}

Dwarf *symbols_module_dwarf(const struct symbols_module *m)
{
    Dwarf_Addr bias;
    return m->elf ? dwfl_module_getdwarf(m->elf, &bias) : 0;
}

static void note_file(struct symbols *s, const char *name)
{
    struct named_file *f;
    if (!name)
        return;
    HASH_FIND_STR(s->files, name, f);
    if (!f) {
        f = format_memory(calloc(1, sizeof *f));
        f->name = name;
        HASH_ADD_KEYPTR(hh, s->files, name, strlen(name), f);
    }
}

size_t symbols_sources(const struct symbols *s, const char ***files)
{
    size_t n = 0;
    *files = format_memory(calloc(HASH_COUNT(s->files) + 1, sizeof **files));
    for (struct named_file *f = s->files; f; f = f->hh.next)
        (*files)[n++] = f->name;
    return n;
}

const struct profile *symbols_profile(const struct symbols *s)
{
    return s->profile;
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
        /* gcc declares no line of such a function: it has that of the function around it. Its code
         * begins at the construct's pragma. */
        bool unsaid = name_is_gcc_outlined(k->name) || (!k->line && name_is_outlined(k->name));
        Dwarf_Line *first = unsaid ? line_table_start(die) : 0;
        if (first)
            dwarf_lineno(first, &k->line);
        HASH_ADD_PTR(s->names, declaration, k);
    }
    return k;
}

/* ---- frames ---- */

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

/* unit_scopes for PC in the unit CU, which is read to its end if it must be. */
static size_t scopes_at(struct symbols *s, struct module *m, Dwarf_Die *cu, Dwarf_Addr pc,
                        Dwarf_Addr bias, Dwarf_Die *scopes)
{
    struct unit *u = units_get(&s->units, cu);
    size_t n = unit_scopes(u, pc, false, scopes);
    return n || !module_has_function(m, pc + bias) ? n : unit_scopes(u, pc, true, scopes);
}

/* FUNCTION's code at PC has *FILE and *LINE in a library's header, though no inlined function is
 * known there: then they become those of FUNCTION's own file. */
static void place_in_own(struct symbols *s, Dwarf_Die *function, Dwarf_Addr pc, const char **file,
                         int *line)
{
    const char *own, *name = scope_name(s, function)->name;
    int declared;
    if (!*file || !name_is_library(name, *file))
        return;
    die_place(function, &s->units, &own, &declared);
    if (!own || name_is_library(name, own))
        return;
    Dwarf_Line *last = line_table_own(function, pc, own);
    *file = own;
    *line = declared;
    if (last)
        dwarf_lineno(last, line);
}

/* The functions around PC as FRAMES, innermost first; the outermost is the physical function. The
 * innermost frame's line is that of PC, any other's is that of the call that was inlined. Returns
 * their number, at most CAPACITY. */
static size_t inlined_frames(struct symbols *s, struct module *m, Dwarf_Die *cu, Dwarf_Addr pc,
                             Dwarf_Addr bias, struct frame *frames, size_t capacity)
{
    Dwarf_Die scopes[UNIT_DEPTH];
    note_directory(s, cu);
    unit_full(cu);
    Dwarf_Line *at = dwarf_getsrc_die(cu, pc);
    const char *file = at ? dwarf_linesrc(at, 0, 0) : 0;
    int line = 0;
    if (at)
        dwarf_lineno(at, &line);
    Dwarf_Files *files = 0;
    size_t file_count = 0, used = 0;
    dwarf_getsrcfiles(cu, &files, &file_count);
    size_t n = scopes_at(s, m, cu, pc, bias, scopes);
    for (size_t i = 0; i < n && used < capacity; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        const struct known_name *k = scope_name(s, &scopes[i]);
        if (!used && tag == DW_TAG_subprogram)
            place_in_own(s, &scopes[i], pc, &file, &line);
        frames[used++] = (struct frame){ .function = k->name,
                                         .file = file,
                                         .line = line,
                                         .declared = k->line,
                                         .header = k->header };
        if (tag == DW_TAG_subprogram)
            break;
        Dwarf_Word number = die_number(&scopes[i], DW_AT_call_file);
        file = files && number < file_count ? dwarf_filesrc(files, number, 0, 0) : 0;
        line = file ? die_number(&scopes[i], DW_AT_call_line) : 0;
    }
    return used;
}

/* Is PC in a function of libc that starts the program or a thread? Every path has one. Its symbol
 * says all that a reader needs, and libc's debug information takes longer to read than all the
 * rest of a small profile. */
static bool is_libc_start(struct module *m, Dwarf_Addr pc)
{
    const char *base = format_base(m->path);
    GElf_Off offset;
    const char *name = format_starts(base, "libc.so") || format_starts(base, "libc-")
                           ? module_symbol(m, pc, &offset) : 0;
    return name && name_is_start(name);
}

size_t symbols_lookup(struct symbols *s, uint64_t address, struct frame *frames, size_t capacity)
{
    struct module *m = find_module(s, address);
    struct known_address *k = known_address(s, address);
    size_t n = 0;
    progress("looking up names of code addresses", s->lookups++);
    if (m)
        m->lookups++;
    if (k->count && k->count < capacity) {
        memcpy(frames, k->frames, k->count * sizeof *frames);
        if (m)
            m->nameless += frames[0].nameless;
        return k->count;
    }
    if (m && module_open(m)) {
        uint64_t pc = address - m->map->bias;
        Dwarf_Addr bias;
        Dwarf_Die cu;
        if (!is_libc_start(m, pc) && module_unit(m, pc, &cu, &bias))
            n = inlined_frames(s, m, &cu, pc - bias, bias, frames, capacity);
        GElf_Off offset;
        const char *name = n ? 0 : module_symbol(m, pc, &offset);
        if (name && *name) {
            frames[0] = (struct frame){ .function = keep(s, name_demangle(name)),
                                        .offset = offset };
            n = 1;
        }
    }
    for (size_t i = 0; i < n; i++)
        note_file(s, frames[i].file);
    if (!n) {
        if (m)
            m->nameless++;
        frames[0] = (struct frame){ .function = symbols_code(s, address), .nameless = true };
        n = 1;
    }
    if (!k->count && n < capacity) {    /* else CAPACITY may have cut them */
        k->frames = format_memory(malloc(n * sizeof *frames));
        memcpy(k->frames, frames, n * sizeof *frames);
        k->count = n;
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

/* Sets *FUNCTION to the physical function at ADDRESS, and *PC to what ADDRESS is there. False: it
 * is not known. */
static bool function_at(struct symbols *s, uint64_t address, Dwarf_Die *function, Dwarf_Addr *pc)
{
    struct module *m = find_module(s, address);
    Dwarf_Addr bias;
    Dwarf_Die cu, scopes[UNIT_DEPTH];
    if (!m || !module_open(m) || !module_unit(m, address - m->map->bias, &cu, &bias))
        return false;
    *pc = address - m->map->bias - bias;
    unit_full(&cu);
    size_t n = scopes_at(s, m, &cu, *pc, bias, scopes);
    for (size_t i = 0; i < n; i++)
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
            *function = scopes[i];
            return true;
        }
    return false;
}

bool symbols_body(struct symbols *s, uint64_t address, struct frame *body)
{
    Dwarf_Addr pc;
    Dwarf_Die function, type, call;
    if (!function_at(s, address, &function, &pc) || !begins_at(&function, pc) ||
        !scope_name(s, &function)->header || !functor_of(s, &function, &type, &call))
        return false;
    *body = (struct frame){ .function = scope_name(s, &call)->name };
    die_place(&call, &s->units, &body->file, &body->line);
    note_file(s, body->file);
    return true;
}

/* Sets *PLACE to the construct that gcc made the function at ADDRESS of, in the function that the
 * construct is in. False: gcc made it of none. */
static bool construct_of(struct symbols *s, uint64_t address, struct frame *place)
{
    Dwarf_Addr pc;
    Dwarf_Die function;
    if (!function_at(s, address, &function, &pc) || !begins_at(&function, pc))
        return false;
    const struct known_name *k = scope_name(s, &function);
    Dwarf_Line *first = name_is_gcc_outlined(k->name) ? line_table_start(&function) : 0;
    if (!first)
        return false;
    *place = (struct frame){ .function = keep(s, name_origin(k->name)),
                             .file = dwarf_linesrc(first, 0, 0),
                             .line = k->line };
    note_file(s, place->file);
    return true;
}

#define JUMPS 4u                /* functions that end with a jump, one after the other */

bool symbols_construct(struct symbols *s, uint64_t call, struct frame *place)
{
    Dwarf_Addr pc, values[OUTLINED_MOST];
    Dwarf_Die function;
    if (!function_at(s, call - 1, &function, &pc))
        return false;
    bool found = false;
    struct module *m = find_module(s, call - 1);
    uint64_t bias = call - 1 - pc++;
    for (unsigned jumps = 0; !found && jumps < JUMPS; jumps++) {
        if (jumps && !outlined_jump(&function, &pc))
            break;
        size_t n = outlined_arguments(m->elf, bias - m->map->bias, &function, pc, values);
        for (size_t i = 0; i < n && !found; i++)
            found = construct_of(s, bias + values[i], place);
    }
    if (!found)
        return false;
    struct frame frames[UNIT_DEPTH];
    size_t n = symbols_lookup(s, call - 1, frames, UNIT_DEPTH);
    for (size_t i = 0; i < n; i++) {
        char *origin = name_origin(frames[i].function), *plain = name_plain(origin);
        bool same = !strcmp(plain, place->function);
        free(origin);
        free(plain);
        if (same) {
            place->function = frames[i].function;
            break;
        }
    }
    return true;
}

bool symbols_library(const struct frame *f)
{
    return !f->nameless && name_is_library(f->function, f->file);
}

const char *symbols_plain(struct symbols *s, const char *function)
{
    return keep(s, name_plain(function));
}

const char *symbols_function(struct symbols *s, uint64_t address)
{
    struct module *m = find_module(s, address);
    uint64_t start;
    if (!m || !module_open(m) || !module_function_start(m, address - m->map->bias, &start))
        return 0;
    return symbols_code(s, start + m->map->bias);
}

bool symbols_spins(struct symbols *s, uint64_t address)
{
    struct module *m = find_module(s, address);
    unsigned machine;
    const uint8_t *code;
    size_t size, at;
    return m && module_open(m) &&
           module_code(m, address - m->map->bias, &machine, &code, &size, &at) &&
           spin_code_is(machine, code, size, at);
}
