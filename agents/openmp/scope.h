/* scope.h - which of several runtimes a caller means. A runtime that the program itself was linked with is everybody's: the
 * loader looks there first. Otherwise each object that was opened with RTLD_LOCAL (a Python module) has brought its own, which
 * nobody else sees, and there may be several, under any name (libgomp-a34b3233.so.1). Their calls come to us all the same.
 */
#ifndef AGENTS_OPENMP_SCOPE_H
#define AGENTS_OPENMP_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

/* What code means what, a page of it each: one load, one compare. All-zero when empty. Written by anybody. */
enum { SCOPE_PAGES = 64, SCOPE_RUNTIMES = 8 };
struct scope_cache {
    uint64_t page[SCOPE_PAGES]; /* its address | unloads << 4, of 8 bits | index of the runtime + 1 */
};
/* [any] objects that were unmapped so far, of 8 bits: what a page held before means nothing. */
uint32_t scope_unloads(void);

static inline uint64_t scope_page(const void *code)
{
    return ((uintptr_t)code & ~(uint64_t)0xfff) | (uint64_t)scope_unloads() << 4;
}
/* [any] The index that was kept for CODE; -1: none. */
static inline int scope_find(const struct scope_cache *c, const void *code)
{
    uint64_t word = __atomic_load_n(&c->page[(uintptr_t)code >> 12 & (SCOPE_PAGES - 1)], __ATOMIC_ACQUIRE);
    return (word & ~(uint64_t)0xf) == scope_page(code) ? (int)(word & 0xf) - 1 : -1;
}
static inline void scope_keep(struct scope_cache *c, const void *code, unsigned index)
{
    __atomic_store_n(&c->page[(uintptr_t)code >> 12 & (SCOPE_PAGES - 1)], scope_page(code) | (index + 1), __ATOMIC_RELEASE);
}

/* The runtimes of one kind that objects have brought, a table of entry points each. */
struct scope_entries {
    const char *name;           /* what every such runtime has */
    bool (*resolve)(void *table, void *handle); /* fills a table by dlsym; false: it is no such runtime */
    size_t identity;            /* where in a table the pointer is that tells runtimes apart */
    char *tables;               /* SCOPE_RUNTIMES of them, written once each, before the cache leads to it */
    size_t bytes;               /* of a table */
    const void *none;           /* the table of no runtime */
    uint64_t none_loads;        /* objects that had been loaded when there was none; 0: not known. Written by anybody */
    unsigned count;
    struct lock lock;           /* a leaf lock: the loader is not called under it, for its own locks may be held around us */
    struct scope_cache cache;
};
/* [init, hook] What a runtime's TABLE of function pointers has not, it has from NONE, up to BYTES. */
void scope_complete(void *table, const void *none, size_t bytes);
/* [hook] The table of the runtime that the code at CODE means; of any that is loaded, if that cannot be told; `none`, if
 * there is none: one that is opened later is found then. A first call may use
 * the loader and its locks; the runtime stays loaded from then on. */
const void *scope_entry(struct scope_entries *s, const void *code);

#endif
