/* call.c - see call.h. Calls of x86-64: call rel32; call *register, call *memory, with prefixes before either. */
#define _GNU_SOURCE
#include "call.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include "cfi.h"
#include "walk.h"
#include "forbid.h"

#define CALL_MAX 7u             /* bytes of a call, without its prefixes */

/* Is AT in an executable segment of O? Yes, where O's headers cannot be read. */
static bool executable(const struct dl_find_object *o, uintptr_t at)
{
    uintptr_t lo = (uintptr_t)o->dlfo_map_start, hi = (uintptr_t)o->dlfo_map_end;
    const ElfW(Ehdr) *e = o->dlfo_map_start;
    /* as in place.c: the file's first page is mapped first, but for files that nobody's linker makes */
    if (hi - lo < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phentsize != sizeof(ElfW(Phdr)) ||
        e->e_phoff > 4096 || e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return true;
    const ElfW(Phdr) *p = (const void *)(lo + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X && at - o->dlfo_link_map->l_addr - p[i].p_vaddr < p[i].p_memsz)
            return true;
    return false;
}

static bool in_code(uintptr_t at)
{
    struct dl_find_object o;
    return cfi_object(at, &o) ? executable(&o, at) : walk_mapped(at & -8ul);
}

/* Bytes of the instruction at C if it is call *register or call *memory, of CALL_MAX at most; 0: it is another. */
static unsigned indirect_call(const uint8_t *c)
{
    unsigned mode = c[1] >> 6, base = c[1] & 7, n = 2;
    if (c[0] != 0xff || (c[1] >> 3 & 7) != 2)
        return 0;
    if (mode != 3 && base == 4) {       /* a scaled index */
        base = c[2] & 7;
        n += 1 + (mode == 0 && base == 5) * 4;
    } else if (mode == 0 && base == 5) {
        n += 4;                         /* relative to what comes next */
    }
    return n + (mode == 1) + (mode == 2) * 4;
}

/* Bytes of the call before BACK; 0: there is none. */
static unsigned call_length(uintptr_t back)
{
    uint8_t code[CALL_MAX + 1] = { 0 };
    if (back < CALL_MAX || !in_code(back - 2))
        return 0;
    /* a function may begin right behind a hole */
    unsigned there = in_code(back - CALL_MAX) ? CALL_MAX : back - 2 - ((back - 2) & -8ul) + 2;
    if (there > CALL_MAX)
        there = CALL_MAX;
    memcpy(code + CALL_MAX - there, (const void *)(back - there), there);
    if (there >= 5 && code[CALL_MAX - 5] == 0xe8)
        return 5;
    for (unsigned n = 2; n <= there; n++)
        if (indirect_call(code + CALL_MAX - n) == n)
            return n;
    return 0;
}

bool call_before(uintptr_t back)
{
    return call_length(back) != 0;
}

/* The function whose address the word at SLOT is; 0: the loader has not looked it up, or there is no such word. */
static uintptr_t linked(uintptr_t slot)
{
    uintptr_t to = !(slot & 7) && walk_mapped(slot) ? *(const uintptr_t *)slot : 0;
    return to && cfi_function(to) == to ? to : 0;
}

static uintptr_t relative(uintptr_t after)
{
    int32_t distance;
    memcpy(&distance, (const void *)(after - sizeof distance), sizeof distance);
    return after + distance;
}

/* Where an entry of the linkage table at AT leads: [endbr64] [bnd] jmp *SLOT(%rip); 0: it is none, or not known. */
static uintptr_t linkage(uintptr_t at)
{
    static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    if (!in_code(at) || !in_code(at + 15))
        return 0;
    const uint8_t *c = (const uint8_t *)at;
    c += memcmp(c, endbr64, sizeof endbr64) ? 0 : sizeof endbr64;
    c += *c == 0xf2;
    return c[0] == 0xff && c[1] == 0x25 ? linked(relative((uintptr_t)c + 6)) : 0;
}

bool call_enters(uintptr_t back, uintptr_t start)
{
    unsigned n = call_length(back);
    const uint8_t *call = (const uint8_t *)back - n;
    uintptr_t to = 0;
    if (!n)
        return false;
    if (call[0] == 0xe8) {
        to = relative(back);
        if (to != start && cfi_function(to) != to)      /* the linkage table has no functions */
            to = linkage(to);
    } else if (call[1] == 0x15) {
        to = linked(relative(back));
    }
    return !to || to == start;
}
