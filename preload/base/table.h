/* table.h - uthash, for tables off the hot path. Memory comes from memory_keep(), because tables
 * only grow. Out of memory, uthash by default ends the program. With HASH_NONFATAL_OOM it leaves
 * the item out of the table instead.
 *
 * A key is a few addresses. One multiplication a word hashes such keys as well as uthash's own
 * function, which goes byte by byte and takes ten times the instructions.
 */
#ifndef PRELOAD_BASE_TABLE_H
#define PRELOAD_BASE_TABLE_H

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
