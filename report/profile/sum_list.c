/* sum_list.c - lists of entries that are found by their keys, so that equal entries become one; and
 * the list of a sum's strings. The other files know what an entry is. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include "base/format.h"
#include "profile/profile.h"
#include "profile/sum_private.h"

void *list_append(struct list *l, const void *item, size_t count)
{
    if (!l->data || l->count + count > l->capacity) {
        l->capacity = (l->count + count) * 2 + 64;
        l->data = format_memory(realloc(l->data, l->capacity * l->size));
    }
    void *at = (char *)l->data + l->count * l->size;
    if (count)
        memcpy(at, item, count * l->size);
    l->count += count;
    return at;
}

uint32_t list_index(struct list *l, const void *key, size_t size, bool *fresh)
{
    struct entry *e;
    HASH_FIND(hh, l->by_key, key, size, e);
    *fresh = !e;
    if (!e) {
        e = format_memory(malloc(sizeof *e + size));
        memcpy(e->key, key, size);
        e->index = l->count;
        HASH_ADD_KEYPTR(hh, l->by_key, e->key, size, e);
    }
    return e->index;
}

uint32_t sum_string(struct sum *m, const char *text)
{
    bool fresh;
    if (!*text)
        return 0;
    uint32_t at = list_index(&m->strings, text, strlen(text), &fresh);
    if (fresh)
        list_append(&m->strings, text, strlen(text) + 1);
    return at;
}

uint32_t sum_string_from(struct mapping *x, uint32_t offset)
{
    return sum_string(x->m, profile_string(x->p, offset));
}

void list_free(struct list *l)
{
    struct entry *e, *next;
    HASH_ITER(hh, l->by_key, e, next) {
        HASH_DEL(l->by_key, e);
        free(e);
    }
    free(l->data);
}
