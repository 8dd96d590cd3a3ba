/* table.h - uthash for tables off the hot path: its memory comes from memory_keep() (tables only
 * grow), and running out of it must not end the application, which is uthash's default. With
 * HASH_NONFATAL_OOM a failed insertion leaves the item out of the table.
 *
 * Keys are a few addresses: a multiplication a word hashes them as well as uthash's function does a
 * byte at a time, in a tenth of the instructions.
 */
#ifndef PRELOAD_TABLE_H
#define PRELOAD_TABLE_H

#include <string.h>
#include "base/memory.h"

static inline unsigned table_hash(const void *key, size_t bytes)
{
    const char *p = key;
    uint64_t h = bytes, word;
    for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 32;
    }
    for (; bytes; bytes--)
        h = (h ^ (unsigned char)*p++) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 32;
}

#define HASH_FUNCTION(key, bytes, value) ((value) = table_hash((key), (bytes)))
#define HASH_NONFATAL_OOM 1
#define uthash_malloc(bytes) memory_keep(bytes)
#define uthash_free(p, bytes) ((void)(p), (void)(bytes))
#define uthash_nonfatal_oom(item) ((void)(item))
#include <uthash.h>

#endif
