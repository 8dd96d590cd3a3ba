/* keys.h - indexes found by keys: sequences of bytes. Entries with equal keys become one by it.
 *
 * A merge of the ranks of a job asks for each entry of each rank, 10^8 times and more, so a request
 * costs two cache misses. It costs none if the key follows that of the last request: profiles of
 * one program have most entries in one order.
 */
#ifndef REPORT_MERGE_KEYS_H
#define REPORT_MERGE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct keys {
    char *data;            /* the keys, each behind its index and size */
    size_t used, capacity; /* bytes of data */
    size_t next;           /* where in data the key after that of the last request is */
    uint64_t *slots;       /* a hash table: 32 bits of the hash, then the place in data */
    size_t mask, count;    /* slots - 1; keys */
};

/* The index of the KEY of SIZE bytes. If there was none, it is INDEX from now on, and *FRESH. */
uint32_t keys_index(struct keys *k, const void *key, uint32_t size, uint32_t index, bool *fresh);
void keys_free(struct keys *k);

#endif
