/* code_place.c - see code_place.h. Signal handlers call these functions, so nothing here waits.
 * Entries are complete before they are published. All else is single words. */
#define _GNU_SOURCE
#include "unwind/code_place.h"
#include <link.h>
#include <string.h>
#include "unwind/objects.h"
#include "base/memory.h"
#include "base/forbid.h"

#define NONE 0u                  /* no object's hash */

/* The first objects that were mapped at their addresses and have measurements. They are never
 * removed, as the profile's modules. */
struct kept {
    struct kept *next;
    uintptr_t start, end;
    uint64_t object;
};
static struct kept *kept;

/* Hashes of objects that came later. An object's number is its index here plus 1. 0: free. */
#define LATER 1024u
static SELDOM uint64_t later[LATER];

/* A cache of results, for objects that are mapped. A word is
 * (page where the object starts) << 16 | its number. */
#define MEMO_BITS 12
static SELDOM uint64_t memo[1u << MEMO_BITS];

static uint64_t *memo_of(uintptr_t start)
{
    return &memo[(start >> 12) * 0x9e3779b97f4a7c15ull >> (64 - MEMO_BITS)];
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 0x100000001b3ull;       /* FNV-1a */
    return hash;
}

/* A hash of the object's path, address, headers and notes. The build ID is a note. Never NONE. */
static uint64_t object_hash(const struct object *o)
{
    uintptr_t lo = o->start, hi = o->end;
    const ElfW(Ehdr) *e = (const void *)lo;
    uint64_t hash = mix(0xcbf29ce484222325ull, &o->bias, sizeof o->bias);
    hash = mix(hash, o->path, strlen(o->path));
    /* the headers are in the first page of the mapping; no known linker puts them elsewhere */
    if (hi - lo < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) ||
        e->e_phentsize != sizeof(ElfW(Phdr)) || e->e_phoff > 4096 ||
        e->e_phoff + e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
        return hash + (hash == NONE);
    const ElfW(Phdr) *p = (const void *)(lo + e->e_phoff);
    hash = mix(mix(hash, e, sizeof *e), p, e->e_phnum * sizeof *p);
    for (unsigned i = 0; i < e->e_phnum; i++) {
        uintptr_t at = o->bias + p[i].p_vaddr;
        if (p[i].p_type == PT_NOTE && at >= lo && at < hi && p[i].p_memsz <= hi - at)
            hash = mix(hash, (const void *)at, p[i].p_memsz);
    }
    return hash + (hash == NONE);
}

/* The number of OBJECT, which is not the first at its addresses. */
static unsigned later_number(uint64_t object)
{
    for (unsigned i = 0; i < LATER; i++) {
        unsigned at = (object + i) % LATER;
        uint64_t there = __atomic_load_n(&later[at], __ATOMIC_RELAXED);
        if (!there && __atomic_compare_exchange_n(&later[at], &there, object, false,
                                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            there = object;
        if (there == object)
            return at + 1;
    }
    return PLACE_NOWHERE;
}

/* The number of OBJECT, which is mapped from START to END. */
static unsigned number_of(uintptr_t start, uintptr_t end, uint64_t object)
{
    bool first = true;
    for (const struct kept *k = __atomic_load_n(&kept, __ATOMIC_ACQUIRE); k; k = k->next) {
        if (k->start >= end || start >= k->end)
            continue;
        if (k->object == object)
            return 0;
        first = false;
    }
    return first ? 0 : object == NONE ? PLACE_NOWHERE : later_number(object);
}

uintptr_t place_slow(uintptr_t pc)
{
    struct object o;
    if (pc >> (PLACE_SHIFT - 1))
        return pc;
    if (!objects_find(pc, &o))
        return pc | (uintptr_t)number_of(pc, pc + 1, NONE) << PLACE_SHIFT;
    uint64_t known = o.start >> 12 << 16, *m = memo_of(o.start);
    uint64_t word = __atomic_load_n(m, __ATOMIC_RELAXED);
    if ((word ^ known) >> 16) {
        word = known | number_of(o.start, o.end, object_hash(&o));
        __atomic_store_n(m, word, __ATOMIC_RELAXED);
    }
    return pc | (word & 0xffff) << PLACE_SHIFT;
}

bool place_is_mapped(uintptr_t place)
{
    struct object o;
    uintptr_t pc = place_address(place);
    return !__atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE) ||
           (objects_find(pc, &o) && place_slow(pc) == place);
}

void place_keep(uintptr_t start, uintptr_t end)
{
    struct object o;
    struct kept *k = objects_find(start, &o) ? memory_keep(sizeof *k) : 0;
    if (!k)
        return;
    *k = (struct kept){ .start = start, .end = end, .object = object_hash(&o) };
    k->next = __atomic_load_n(&kept, __ATOMIC_RELAXED);
    while (
        !__atomic_compare_exchange_n(&kept, &k->next, k, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

void place_unloaded(bool all)
{
    struct object o;
    for (unsigned i = 0; i < sizeof memo / sizeof *memo; i++) {
        uint64_t word = __atomic_load_n(&memo[i], __ATOMIC_RELAXED);
        if (word && (all || !objects_find(word >> 16 << 12, &o)))
            __atomic_store_n(&memo[i], 0, __ATOMIC_RELAXED);
    }
}
