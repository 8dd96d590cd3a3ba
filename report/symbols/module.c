/* module.c - see module.h. Every module has a Dwfl of its own, at bias 0. Addresses are converted
 * into the ELF file's, so modules cannot overlap, whatever a hostile load map contains. A module is
 * not opened (module_open.h) before an address needs it, so that libc's debug information is not
 * read in vain.
 */
#define _GNU_SOURCE
#include "symbols/module.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"

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

void module_close(struct module *m)
{
    dwfl_end(m->dwfl);
    free(m->file);
    free(m->ranges);
    free(m->labels);
    free(m->starts);
}

/* How many of the COUNT elements of TABLE, SIZE bytes each, start at PC or before. Each begins with
 * its start; they ascend. */
static size_t up_to(const void *table, size_t count, size_t size, uint64_t pc)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)table + middle * size) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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

bool module_unit(struct module *m, Dwarf_Addr pc, Dwarf_Die *cu, Dwarf_Addr *bias)
{
    Dwarf *dwarf = dwfl_module_getdwarf(m->elf, bias);
    if (!dwarf)
        return false;
    pc -= *bias;
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
    size_t low = up_to(m->ranges, m->range_count, sizeof *m->ranges, pc);
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

const char *module_symbol(struct module *m, Dwarf_Addr pc, GElf_Off *offset)
{
    if (!m->labelled)
        read_labels(m);
    GElf_Sym symbol;
    GElf_Addr start;
    const struct label *only = 0;
    size_t low = up_to(m->labels, m->label_count, sizeof *m->labels, pc);
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

bool module_is_stripped(struct module *m)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(m->elf, &bias);
    const char *debug = 0;
    if (dwfl_module_getdwarf(m->elf, &bias))
        return false;
    dwfl_module_info(m->elf, 0, 0, 0, 0, 0, 0, &debug);
    for (Elf_Scn *scn = 0; !debug && elf && (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB)
            return false;
    }
    return !debug;
}

bool module_has_function(struct module *m, Dwarf_Addr pc)
{
    Dwarf_Addr bias;
    GElf_Off offset;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(m->elf, &bias);
    Dwarf_Frame *frame = 0;
    bool covered = !cfi || !dwarf_cfi_addrframe(cfi, pc - bias, &frame) ||
                   module_symbol(m, pc, &offset);
    free(frame);
    return covered;
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

bool module_code(struct module *m, Dwarf_Addr pc, unsigned *machine, const uint8_t **code,
                 size_t *size, size_t *at)
{
    GElf_Addr bias;
    GElf_Ehdr header;
    GElf_Phdr h;
    size_t n = 0, all = 0;
    Elf *elf = dwfl_module_getelf(m->elf, &bias);
    const char *raw = elf ? elf_rawfile(elf, &all) : 0;
    if (!raw || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n))
        return false;
    pc -= bias;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, i, &h) && h.p_type == PT_LOAD && h.p_flags & PF_X &&
            pc >= h.p_vaddr && pc - h.p_vaddr < h.p_filesz && h.p_offset < all &&
            h.p_filesz <= all - h.p_offset) {
            *machine = header.e_machine;
            *code = (const uint8_t *)raw + h.p_offset;
            *size = h.p_filesz;
            *at = pc - h.p_vaddr;
            return true;
        }
    return false;
}

bool module_function_start(struct module *m, Dwarf_Addr pc, uint64_t *start)
{
    if (!m->unwound)
        read_starts(m);
    size_t low = up_to(m->starts, m->start_count, sizeof *m->starts, pc);
    if (low)
        *start = m->starts[low - 1];
    return low;
}
