/* caller.c - see caller.h. */
#define _GNU_SOURCE
#include "caller.h"
#include <alloca.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include "dag/block.h"
#include "base/lookup.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

/* The address of CODE's page, with the low 8 bits of runtime_unloads. After an unmapping, earlier
 * entries of the cache do not match any more. */
static uint64_t page_word(const void *code)
{
    uint64_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_RELAXED) & 0xff;
    return ((uintptr_t)code & ~(uint64_t)0xfff) | unloads << 4;
}

/* The index that the cache has for CODE; -1: none. */
static inline int cache_find(const struct caller_cache *c, const void *code)
{
    uint64_t word = __atomic_load_n(&c->page[(uintptr_t)code >> 12 & (CALLER_PAGES - 1)],
                                    __ATOMIC_ACQUIRE);
    return (word & ~(uint64_t)0xf) == page_word(code) ? (int)(word & 0xf) - 1 : -1;
}
static inline void cache_keep(struct caller_cache *c, const void *code, unsigned index)
{
    __atomic_store_n(&c->page[(uintptr_t)code >> 12 & (CALLER_PAGES - 1)],
                     page_word(code) | (index + 1), __ATOMIC_RELEASE);
}

static const void *identity(const struct caller_entries *s, const char *table)
{
    return *(const void *const *)(table + s->identity);
}

void caller_complete(void *table, const void *none, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(void *); i++)
        if (!((void **)table)[i])
            ((void **)table)[i] = ((void *const *)none)[i];
}

static int loads_of(struct dl_phdr_info *info, size_t size, void *loads)
{
    *(uint64_t *)loads = info->dlpi_adds;
    return 1;
}

/* The number of objects that were ever loaded. If it has grown, there may be a runtime now. */
static uint64_t loads(void)
{
    uint64_t n = 0;
    lookup_objects(loads_of, &n);
    return n;
}

static __attribute__((noinline)) const void *entry_slow(struct caller_entries *s, const void *code)
{
    int saved = errno;
    uint64_t now = loads();
    if (now && __atomic_load_n(&s->none_loads, __ATOMIC_RELAXED) == now)
        return s->none;
    const void *found = s->none, *runtime = code ? lookup_global(code, s->name) : 0;
    char *table = memset(alloca(s->bytes), 0, s->bytes);
    unsigned i = 0;
    if (!runtime && code)
        runtime = lookup_seen_from(code, s->name, 0);
    if (!runtime)
        runtime = lookup_first(s->name);
    if (runtime && s->resolve(table, runtime)) {
        lock_take(&s->lock);
        while (i < s->count && identity(s, s->tables + i * s->bytes) != identity(s, table))
            i++;
        if (i == CALLER_RUNTIMES)
            i = 0;              /* no program has so many */
        if (i == s->count) {
            memcpy(s->tables + i * s->bytes, table, s->bytes);
            s->count++;
            lookup_keep(runtime);
        }
        lock_release(&s->lock);
        cache_keep(&s->cache, code, i);
        found = s->tables + i * s->bytes;
    } else {
        __atomic_store_n(&s->none_loads, now, __ATOMIC_RELAXED);
    }
    errno = saved;
    return found;
}

const void *caller_entry(struct caller_entries *s, const void *code)
{
    int known = cache_find(&s->cache, code);
    return __builtin_expect(known >= 0, 1) ? s->tables + known * s->bytes : entry_slow(s, code);
}
