/* scope.h - which of several runtimes a caller means.
 *
 * A runtime that the program itself was linked with is everybody's: the loader searches it first.
 * Otherwise each object that was opened with RTLD_LOCAL (a Python module) may have brought a
 * runtime of its own, which no other object sees. There may be several, under any names
 * (libgomp-a34b3233.so.1). Their calls come to us all the same.
 */
#ifndef AGENTS_OPENMP_SCOPE_H
#define AGENTS_OPENMP_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

/* Which runtime the code of a page means: one load and one compare. All zero when empty. Every
 * thread writes it. */
enum { SCOPE_PAGES = 64, SCOPE_RUNTIMES = 8 };
struct scope_cache {
    uint64_t page[SCOPE_PAGES]; /* address | unloads << 4, of 8 bits | index of the runtime + 1 */
};

/* The runtimes of one kind that objects have brought. Each has a table of entry points. */
struct scope_entries {
    const char *name;           /* a function that every such runtime has */
    /* Fills a table by dlsym. False: HANDLE is no such runtime's. */
    bool (*resolve)(void *table, void *handle);
    size_t identity;            /* offset in a table: two runtimes differ in this pointer */
    char *tables; /* SCOPE_RUNTIMES, each written once, before the cache leads to it */
    size_t bytes;               /* of a table */
    const void *none;           /* the table of no runtime */
    /* How many objects had been loaded when there was no runtime; 0: not known. Every thread
     * writes it. */
    uint64_t none_loads;
    unsigned count;
    /* A leaf lock. The loader is not called under it: the caller may hold the loader's own
     * locks. */
    struct lock lock;
    struct scope_cache cache;
};
/* [init, hook] What TABLE lacks of its function pointers, it gets from NONE, up to BYTES. */
void scope_complete(void *table, const void *none, size_t bytes);
/* [hook] The table of the runtime that the code at CODE means. If that is not known, the table of
 * any that is loaded. If none is loaded, `none`; a runtime that is opened later is found then. A
 * first call may use the loader and its locks. The runtime stays loaded from then on. */
const void *scope_entry(struct scope_entries *s, const void *code);

#endif
