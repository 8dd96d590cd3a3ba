/* call.c - see call.h. arch/call_code.h reads the machine code. */
#define _GNU_SOURCE
#include "unwind/call.h"
#include "arch/call_code.h"
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

#define LOWEST 4096u            /* no code lies below this address */

/* Is AT in an executable segment of O? True where O's headers cannot be read. */
static bool executable(const struct object *o, uintptr_t at)
{
    uintptr_t lo = o->start, hi = o->end;
    const ElfW(Ehdr) *e = (const void *)lo;
    /* as in code_place.c: the headers are in the first page of the mapping */
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

/* Reads the call before BACK. CALL_NONE: no call ends there. CALL_UNKNOWN: the code cannot be
 * read. */
enum call_found { CALL_NONE, CALL_FOUND, CALL_UNKNOWN };
static enum call_found read_call(uintptr_t back, struct call_code *call)
{
    uint8_t code[CALL_CODE_MAX] = { 0 };
    unsigned there = CALL_CODE_MAX;
    if (back < LOWEST)
        return CALL_NONE;
    enum copied copied = copy_code(code, back - there, there);
    if (copied == NOT_THERE) {          /* a function may begin right after unmapped memory */
        there = back - ((back - CALL_CODE_LEAST) & -8ul);
        there = there < CALL_CODE_MAX ? there : CALL_CODE_MAX;
        copied = copy_code(code + CALL_CODE_MAX - there, back - there, there);
    }
    if (copied != COPIED)
        return copied == NOT_ALLOWED ? CALL_UNKNOWN : CALL_NONE;
    *call = call_code_before(code + CALL_CODE_MAX, there, back);
    return call->bytes ? CALL_FOUND : CALL_NONE;
}

bool call_before(uintptr_t back)
{
    struct call_code call;
    return read_call(back, &call) != CALL_NONE;
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

/* The function to which the linkage table's entry at AT leads. 0: AT holds no such entry, or the
 * function is not known. */
static uintptr_t linkage(uintptr_t at)
{
    if (!in_object(at) || !in_object(at + LINKAGE_BYTES - 1))
        return 0;
    uintptr_t slot = call_code_linkage((const uint8_t *)at);
    return slot ? linked(slot) : 0;
}

bool call_enters(uintptr_t back, uintptr_t start)
{
    struct call_code call;
    enum call_found found = read_call(back, &call);
    if (found != CALL_FOUND)
        return found == CALL_UNKNOWN;
    uintptr_t to = call.slot ? linked(call.slot) : call.to;
    if (call.to && to != start && cfi_function(to) != to)   /* the linkage table has no functions */
        to = linkage(to);
    return !to || to == start;
}
