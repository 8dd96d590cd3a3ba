/* hits.c - see hits.h. */
#include "sampling/hits.h"
#include "base/memory.h"
#include "base/forbid.h"

static inline uint32_t slots_of(uint32_t table)
{
    return HITS_FIRST << 2 * table;
}

static inline struct hit *table_of(const struct hits *h, uint32_t table)
{
    return table ? __atomic_load_n(&h->table[table], __ATOMIC_ACQUIRE) : (struct hit *)h->first;
}

/* NODE's slot in TABLE, or the free slot where it would be. A table always has a free slot. */
static struct hit *probe(struct hit *table, uint32_t size, uint32_t node)
{
    uint32_t i = (uint32_t)(node * 0x9e3779b97f4a7c15ull >> 40) & (size - 1);
    while (table[i].key && table[i].key != node + 1)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static void add_table(struct hits *h, uint32_t n)
{
    if (n >= HITS_TABLES || table_of(h, n))
        return;
    struct hit *none = 0, *fresh = memory_map(slots_of(n) * sizeof *fresh);
    if (fresh && !__atomic_compare_exchange_n(&h->table[n], &none, fresh, false, __ATOMIC_RELEASE,
                                              __ATOMIC_RELAXED))
        memory_unmap(fresh, slots_of(n) * sizeof *fresh);
}

struct hit *hits_at(struct hits *h, uint32_t node)
{
    struct hit *at = 0;
    for (uint32_t n = 0; n <= h->newest; n++) {
        at = probe(table_of(h, n), slots_of(n), node);
        if (at->key)
            return at;
    }
    uint32_t size = slots_of(h->newest);
    if (h->used >= size - size / 4) {
        add_table(h, h->newest + 1);
        if (h->newest + 1 < HITS_TABLES && table_of(h, h->newest + 1)) {
            h->newest++;
            h->used = 0;
            at = probe(table_of(h, h->newest), slots_of(h->newest), node);
        } else if (h->used == size - 1) {
            return 0;
        }
    }
    h->used++;
    __atomic_store_n(&at->key, node + 1, __ATOMIC_RELEASE);
    return at;
}

void hits_prepare(struct hits *h)
{
    uint32_t newest = __atomic_load_n(&h->newest, __ATOMIC_RELAXED);
    if (__atomic_load_n(&h->used, __ATOMIC_RELAXED) >= slots_of(newest) / 2)
        add_table(h, newest + 1);
}

struct hit *hits_next(const struct hits *h, uint32_t *at)
{
    uint32_t i = *at, before = 0;
    for (uint32_t n = 0; n < HITS_TABLES; before += slots_of(n++)) {
        struct hit *table = table_of(h, n);
        if (!table)
            return 0;
        for (; i - before < slots_of(n); i++)
            if (__atomic_load_n(&table[i - before].key, __ATOMIC_ACQUIRE)) {
                *at = i + 1;
                return &table[i - before];
            }
    }
    return 0;
}

void hits_clear(struct hits *h)
{
    uint32_t at = 0;
    for (struct hit *hit; (hit = hits_next(h, &at));) {
        hit->weight = hit->shares = hit->shared = 0;
        hit->pending = 0;
        hit->late = 0;
        hit->next = 0;
    }
}
