/* scope.h - which of several runtimes a caller means. A runtime that the program itself was linked with is everybody's: the
 * loader looks there first. Otherwise each object that was opened with RTLD_LOCAL (a Python module) has brought its own, which
 * nobody else sees, and there may be several, under any name (libgomp-a34b3233.so.1). Their calls come to us all the same.
 */
#ifndef AGENTS_OPENMP_SCOPE_H
#define AGENTS_OPENMP_SCOPE_H

#include <stdint.h>

/* [hook] A handle, for dlsym, of the object from which the code at CODE has NAME; of any that is loaded and has it, if that
 * cannot be told. NULL: there is none. It stays loaded from now on. */
void *scope_handle(const void *code, const char *name);

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

#endif
