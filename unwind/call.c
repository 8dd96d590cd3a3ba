/* call.c - see call.h. The calls of x86-64 are call rel32, call *register and call *memory. Each
 * may have prefixes. */
#define _GNU_SOURCE
#include "unwind/call.h"
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "unwind/cfi.h"
#include "unwind/objects.h"
#include "unwind/walk.h"
#include "base/kernel.h"
#include "base/forbid.h"

#define CALL_MAX 7u             /* bytes of a call, without its prefixes */
#define LOWEST 4096u            /* no code lies below this address */

/* Is AT in an executable segment of O? True where O's headers cannot be read. */
static bool executable(const struct object *o, uintptr_t at)
{
    uintptr_t lo = o->start, hi = o->end;
    const ElfW(Ehdr) *e = (const void *)lo;
    /* as in place.c: the headers are in the first page of the mapping */
    if (hi - lo < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
        e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff > 4096 ||
        e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return true;
    const ElfW(Phdr) *p = (const void *)(lo + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X &&
            at - o->bias - p[i].p_vaddr < p[i].p_memsz)
            return true;
    return false;
}

/* Is AT in the code of an object? The object stays mapped while it is read (cfi.h). */
static bool in_object(uintptr_t at)
{
    struct object o;
    return objects_find(at, &o) && executable(&o, at);
}

/* Copies BYTES of code. Code that the program made at run time is in no object, and another thread
 * may unmap it at any moment. So the kernel copies such code: it returns an error, not a fault. */
enum copied { COPIED, NOT_THERE, NOT_ALLOWED };
static enum copied copy_code(uint8_t *to, uintptr_t from, unsigned bytes)
{
    struct object o;
    if (in_object(from) && in_object(from + bytes - 1)) {
        memcpy(to, (const void *)from, bytes);
        return COPIED;
    }
    if (from < LOWEST || objects_find(from, &o) || objects_find(from + bytes - 1, &o))
        return NOT_THERE;
    int saved = errno;
    struct iovec local = { to, bytes }, remote = { (void *)from, bytes };
    long copied = kernel_call(SYS_process_vm_readv, (long)getpid(), &local, 1L, &remote, 1L, 0L);
    bool allowed = copied >= 0 || errno == EFAULT;      /* a short copy: a part was mapped */
    errno = saved;
    return copied == (long)bytes ? COPIED : allowed ? NOT_THERE : NOT_ALLOWED;
}

/* The length of the instruction at C if it is call *register or call *memory; else 0. */
static unsigned indirect_call(const uint8_t *c)
{
    unsigned mode = c[1] >> 6, base = c[1] & 7, n = 2;
    if (c[0] != 0xff || (c[1] >> 3 & 7) != 2)
        return 0;
    if (mode != 3 && base == 4) {       /* a scaled index */
        base = c[2] & 7;
        n += 1 + (mode == 0 && base == 5) * 4;
    } else if (mode == 0 && base == 5) {
        n += 4;                         /* relative to the next instruction */
    }
    return n + (mode == 1) + (mode == 2) * 4;
}

/* The length of the call before BACK. CODE then ends with this call. 0: no call ends at BACK.
 * UNKNOWN: the code cannot be read. */
#define UNKNOWN (CALL_MAX + 1)
static unsigned call_length(uintptr_t back, uint8_t code[CALL_MAX])
{
    unsigned there = CALL_MAX;
    memset(code, 0, CALL_MAX);
    if (back < LOWEST)
        return 0;
    enum copied copied = copy_code(code, back - there, there);
    if (copied == NOT_THERE) {          /* a function may begin right after unmapped memory */
        there = back - ((back - 2) & -8ul);
        there = there < CALL_MAX ? there : CALL_MAX;
        copied = copy_code(code + CALL_MAX - there, back - there, there);
    }
    if (copied != COPIED)
        return copied == NOT_ALLOWED ? UNKNOWN : 0;
    if (there >= 5 && code[CALL_MAX - 5] == 0xe8)
        return 5;
    for (unsigned n = 2; n <= there; n++)
        if (indirect_call(code + CALL_MAX - n) == n)
            return n;
    return 0;
}

bool call_before(uintptr_t back)
{
    uint8_t code[CALL_MAX];
    return call_length(back, code) != 0;
}

/* The function whose address is in the word at SLOT. 0: the loader has not stored the address yet,
 * or the word cannot be read. */
static uintptr_t linked(uintptr_t slot)
{
    struct object o;
    bool readable = !(slot & 7) && objects_find(slot, &o) && walk_mapped(slot);
    uintptr_t to = readable ? *(const uintptr_t *)slot : 0;
    return to && cfi_function(to) == to ? to : 0;
}

/* The target of a relative jump. The four bytes before CODE hold the distance. AFTER is the address
 * after the jump. */
static uintptr_t relative(const uint8_t *code, uintptr_t after)
{
    int32_t distance;
    memcpy(&distance, code - sizeof distance, sizeof distance);
    return after + distance;
}

/* The target of the linkage table's entry at AT: [endbr64] [bnd] jmp *SLOT(%rip). 0: AT holds no
 * such entry, or the target is not known. */
static uintptr_t linkage(uintptr_t at)
{
    static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    if (!in_object(at) || !in_object(at + 15))
        return 0;
    const uint8_t *c = (const uint8_t *)at;
    c += memcmp(c, endbr64, sizeof endbr64) ? 0 : sizeof endbr64;
    c += *c == 0xf2;
    return c[0] == 0xff && c[1] == 0x25 ? linked(relative(c + 6, (uintptr_t)c + 6)) : 0;
}

bool call_enters(uintptr_t back, uintptr_t start)
{
    uint8_t code[CALL_MAX];
    unsigned n = call_length(back, code);
    if (!n || n == UNKNOWN)
        return n;
    const uint8_t *end = code + CALL_MAX, *call = end - n;
    uintptr_t to = 0;
    if (call[0] == 0xe8) {
        to = relative(end, back);
        if (to != start && cfi_function(to) != to)      /* the linkage table has no functions */
            to = linkage(to);
    } else if (call[1] == 0x15) {
        to = linked(relative(end, back));
    }
    return !to || to == start;
}
