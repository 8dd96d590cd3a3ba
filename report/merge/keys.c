/* keys.c - see keys.h. Slots with open addressing, at most half of them in use. */
#define _GNU_SOURCE
#include "merge/keys.h"
#include <stdlib.h>
#include <string.h>
#include "base/format.h"

enum { UNIT = 8, FIRST_SLOTS = 64 }; /* keys begin at multiples of UNIT */

struct record {
    uint32_t index, size;
    char key[];
};

/* The table's address is part of the hash: no file can have keys that all collide. */
static uint32_t hash(const struct keys *k, const char *key, uint32_t size)
{
    uint64_t h = (uint64_t)(uintptr_t)k + size, word;
    for (; size >= sizeof word; key += sizeof word, size -= sizeof word) {
        memcpy(&word, key, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    if (size) {
        word = 0;
        memcpy(&word, key, size);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    h *= 0xd6e8feb86659fd93u;
    return h >> 32;
}

static struct record *record_at(const struct keys *k, size_t at)
{
    return (struct record *)(k->data + at);
}

static bool is_key(const struct record *r, const void *key, uint32_t size)
{
    return r->size == size && !memcmp(r->key, key, size);
}

static size_t record_bytes(uint32_t size)
{
    return (sizeof(struct record) + size + UNIT - 1) / UNIT * UNIT;
}

static void put_slot(struct keys *k, uint64_t slot)
{
    size_t i = (slot >> 32) & k->mask;
    while (k->slots[i])
        i = (i + 1) & k->mask;
    k->slots[i] = slot;
}

static void grow(struct keys *k)
{
    uint64_t *old = k->slots;
    size_t n = old ? k->mask + 1 : 0, larger = n ? 2 * n : FIRST_SLOTS;
    k->slots = format_memory(calloc(larger, sizeof *k->slots));
    k->mask = larger - 1;
    for (size_t i = 0; i < n; i++)
        if (old[i])
            put_slot(k, old[i]);
    free(old);
}

static struct record *append(struct keys *k, const void *key, uint32_t size, uint32_t h)
{
    size_t at = k->used, bytes = record_bytes(size);
    if (at + bytes > k->capacity) {
        k->capacity = 2 * (at + bytes) + 4096;
        k->data = format_memory(realloc(k->data, k->capacity));
    }
    if (at / UNIT >= UINT32_MAX)
        format_memory(0);
    if (!k->slots || 2 * k->count > k->mask)
        grow(k);
    k->used += bytes;
    k->count++;
    put_slot(k, (uint64_t)h << 32 | (at / UNIT + 1));
    struct record *r = record_at(k, at);
    r->size = size;
    memcpy(r->key, key, size);
    return r;
}

static struct record *find(const struct keys *k, const void *key, uint32_t size, uint32_t h)
{
    if (!k->slots)
        return 0;
    for (size_t i = h & k->mask; k->slots[i]; i = (i + 1) & k->mask) {
        if (k->slots[i] >> 32 != h)
            continue;
        struct record *r = record_at(k, ((uint32_t)k->slots[i] - 1) * (size_t)UNIT);
        if (is_key(r, key, size))
            return r;
    }
    return 0;
}

uint32_t keys_index(struct keys *k, const void *key, uint32_t size, uint32_t index, bool *fresh)
{
    struct record *r = k->next < k->used ? record_at(k, k->next) : 0;
    *fresh = false;
    if (!r || !is_key(r, key, size)) {
        uint32_t h = hash(k, key, size);
        r = find(k, key, size, h);
        *fresh = !r;
        if (!r) {
            r = append(k, key, size, h);
            r->index = index;
        }
    }
    k->next = (size_t)((char *)r - k->data) + record_bytes(size);
    return r->index;
}

void keys_free(struct keys *k)
{
    free(k->data);
    free(k->slots);
}
