/* caller.h - which of several runtimes a caller uses.
 *
 * If the program itself was linked with a runtime, all objects use it, because the loader searches
 * it first. Otherwise each object that was opened with RTLD_LOCAL (a Python module) may have its
 * own runtime, which no other object sees. There may be several, under any names
 * (libgomp-a34b3233.so.1). Objects that are loaded after one with RTLD_GLOBAL use its runtime, not
 * their own. All their calls come to our hooks.
 */
#ifndef AGENTS_OPENMP_CALLER_H
#define AGENTS_OPENMP_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"

/* A cache: from the page of the calling code to its runtime, by one load and one compare. All zero
 * when empty. Every thread writes it. */
enum { CALLER_PAGES = 64, CALLER_RUNTIMES = 8 };
struct caller_cache {
    uint64_t page[CALLER_PAGES]; /* address | unloads << 4, of 8 bits | index of the runtime + 1 */
};

/* The runtimes of one kind that objects have brought. Each has a table of entry points. */
struct caller_entries {
    const char *name;           /* a function that every such runtime has */
    /* Fills a table with what the object that holds RUNTIME sees, by lookup_seen_from. False: it is
     * not such a runtime. */
    bool (*resolve)(void *table, const void *runtime);
    size_t identity;            /* offset in a table of a pointer in which two runtimes differ */
    char *tables; /* CALLER_RUNTIMES, each written once, before the cache leads to it */
    size_t bytes;               /* of a table */
    const void *none;           /* the table of no runtime */
    /* How many objects had been loaded when there was no runtime; 0: not known. Every thread
     * writes it. */
    uint64_t none_loads;
    unsigned count;
    struct lock lock;
    struct caller_cache cache;
};
/* [init, hook] Copies the function pointers that TABLE lacks from NONE. BYTES: the size of these
 * pointers. */
void caller_complete(void *table, const void *none, size_t bytes);
/* [hook] The table of the runtime that the code at CODE uses. If that is not known: the table of
 * any loaded runtime. If none is loaded: `none`, until one is. From then on the runtime stays
 * loaded (lookup_keep). */
const void *caller_entry(struct caller_entries *s, const void *code);

#endif
