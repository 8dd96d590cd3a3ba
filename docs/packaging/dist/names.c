/* names.c - libprof_names.so: the functions of libunwind that libprof opens at run time
 * (unwind/function_at.c), with the names that they have in libunwind.so.8.
 *
 * WHY not Debian's libunwind: its archive is not position-independent, and its library needs glibc
 * 2.34. Another name than libunwind.so.8, because a plug-in of the program may ask for that one
 * later, and must not get this.
 *
 * The start of a function comes from the search table that linkers make of the unwind tables. The
 * name comes from the file's symbol tables, also from the one that is not loaded. Unlike libunwind,
 * this reads no file of debugging information beside it, and no .gnu_debugdata.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <elf.h>
#include <fcntl.h>
#include <libunwind.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct found {
    unw_word_t target, value;   /* the address in the file; that of the symbol, once there is one */
    char *name;
    size_t size;
    bool any, cut;
};

static bool inside(size_t size, size_t offset, size_t length)
{
    return offset <= size && length <= size - offset;
}

static void search(const char *file, size_t size, const Elf64_Shdr *table, const Elf64_Shdr *names,
                   struct found *found)
{
    if (!inside(size, table->sh_offset, table->sh_size) || table->sh_offset % 8 ||
        !inside(size, names->sh_offset, names->sh_size))
        return;
    const Elf64_Sym *symbol = (const Elf64_Sym *)(file + table->sh_offset);
    const char *strings = file + names->sh_offset;
    for (size_t n = table->sh_size / sizeof *symbol; n--; symbol++) {
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            symbol->st_value > found->target || symbol->st_name >= names->sh_size ||
            (found->any && symbol->st_value <= found->value))
            continue;
        const char *name = strings + symbol->st_name;
        size_t length = strnlen(name, names->sh_size - symbol->st_name);
        found->any = true;
        found->value = symbol->st_value;
        found->cut = length >= found->size;
        size_t copied = found->cut ? found->size - 1 : length;
        memcpy(found->name, name, copied);
        found->name[copied] = 0;
    }
}

static void search_file(const char *file, size_t size, struct found *found)
{
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)file;
    if (size < sizeof *elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) ||
        elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_shentsize != sizeof(Elf64_Shdr) ||
        elf->e_shoff % 8 || !inside(size, elf->e_shoff, elf->e_shnum * sizeof(Elf64_Shdr)))
        return;
    const Elf64_Shdr *section = (const Elf64_Shdr *)(file + elf->e_shoff);
    for (unsigned i = 0; i < elf->e_shnum; i++)
        if ((section[i].sh_type == SHT_SYMTAB || section[i].sh_type == SHT_DYNSYM) &&
            section[i].sh_link < elf->e_shnum)
            search(file, size, &section[i], &section[section[i].sh_link], found);
}

struct object { uintptr_t ip, base; const char *path, *table; };

/* Not dladdr: it waits for a dlopen whose constructors wait for tasks, perhaps for this one. */
static int has_ip(struct dl_phdr_info *info, size_t size, void *data)
{
    struct object *object = data;
    bool found = false;
    object->table = 0;
    for (const Elf64_Phdr *p = info->dlpi_phdr; p < info->dlpi_phdr + info->dlpi_phnum; p++) {
        if (p->p_type == PT_LOAD && object->ip - info->dlpi_addr - p->p_vaddr < p->p_memsz)
            found = true;
        if (p->p_type == PT_GNU_EH_FRAME)
            object->table = (const char *)info->dlpi_addr + p->p_vaddr;
    }
    object->base = info->dlpi_addr;
    object->path = info->dlpi_name;
    return found;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t ip, char *name, size_t size,
                         unw_word_t *offset, void *arg)
{
    struct object object = { .ip = ip };
    if (!size || !dl_iterate_phdr(has_ip, &object))
        return -UNW_ENOINFO;
    int fd = open(*object.path ? object.path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -UNW_ENOINFO;
    off_t length = lseek(fd, 0, SEEK_END);
    void *file = length > 0 ? mmap(0, length, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (file == MAP_FAILED)
        return -UNW_ENOINFO;
    struct found found = { .target = ip - object.base, .name = name, .size = size };
    search_file(file, length, &found);
    munmap(file, length);
    if (!found.any)
        return -UNW_ENOINFO;
    *offset = found.target - found.value;
    return found.cut ? -UNW_ENOMEM : 0;
}

static unw_accessors_t accessors = { .get_proc_name = get_proc_name };

EXPORT unw_addr_space_t unw_local_addr_space;

EXPORT unw_accessors_t *unw_get_accessors(unw_addr_space_t space)
{
    return &accessors;
}

static int64_t number(const char *at, unsigned bytes)
{
    int32_t narrow;
    int64_t wide;
    memcpy(&narrow, at, sizeof narrow);
    if (bytes == sizeof narrow)
        return narrow;
    memcpy(&wide, at, sizeof wide);
    return wide;
}

/* The bytes of the function at START, from its ENTRY in .eh_frame. That starts with the function's
 * address, from there or absolute, in as many bytes as the size. 0: it is of another kind. */
static uint64_t size_of(const char *entry, uintptr_t start)
{
    const char *at = entry + 8;         /* after its length and its CIE */
    if (at + number(at, 4) == (const char *)start)
        return (uint32_t)number(at + 4, 4);
    if (at + number(at, 8) == (const char *)start || number(at, 8) == (int64_t)start)
        return number(at + 8, 8);
    return 0;
}

/* The start of the function at IP; 0: not known. TABLE is the object's .eh_frame_hdr (LSB): four
 * bytes of encodings, the address of .eh_frame, a count, and the functions in ascending order. Each
 * has its address and that of its entry, from the table's. */
static uintptr_t start_of(const char *table, uintptr_t ip)
{
    static const char usual[4] = { 1, 0x1b, 0x03, 0x3b };
    if (!table || memcmp(table, usual, sizeof usual))
        return 0;
    uint32_t low = 0, high = number(table + 8, 4);
    const char *pairs = table + 12;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)table + number(pairs + 8ul * middle, 4) <= ip)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const char *pair = pairs + 8ul * (low - 1);
    uintptr_t start = (uintptr_t)table + number(pair, 4);
    return ip - start < size_of(table + number(pair + 4, 4), start) ? start : 0;
}

EXPORT int unw_get_proc_info_by_ip(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info,
                                   void *arg)
{
    struct object object = { .ip = ip };
    memset(info, 0, sizeof *info);
    if (dl_iterate_phdr(has_ip, &object))
        info->start_ip = start_of(object.table, ip);
    return info->start_ip ? 0 : -UNW_ENOINFO;
}

/* Nothing is to be initialised, and no frame is walked. */
EXPORT int unw_init_local(unw_cursor_t *cursor, unw_context_t *context)
{
    return 0;
}

EXPORT int UNW_ARCH_OBJ(getcontext)(unw_context_t *context)
{
    return 0;
}
