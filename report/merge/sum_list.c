/* sum_list.c - lists of entries that are found by their keys, so that equal entries become one; and
 * the list of a sum's strings. The other files know what an entry is. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "merge/sum_private.h"
#include "profile/profile.h"

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
    return keys_index(&l->keys, key, size, l->count, fresh);
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
    keys_free(&l->keys);
    free(l->data);
}
