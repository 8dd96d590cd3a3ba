/* key.c - see key.h. */
#include "base/key.h"
#include "base/forbid.h"

#define IN_BLOCK 32     /* PTHREAD_KEY_2NDLEVEL_SIZE of glibc */

bool key_make(pthread_key_t *key, void (*destructor)(void *))
{
    pthread_key_t made[IN_BLOCK + 1];
    unsigned n = 0;
    /* libc hands out the lowest free key */
    while (n <= IN_BLOCK && !pthread_key_create(&made[n], destructor))
        if (made[n++] >= IN_BLOCK)
            break;
    /* the highest but the one beyond the block, unless there is no other */
    unsigned kept = n > 1 && made[n - 1] >= IN_BLOCK ? n - 2 : n - 1;
    for (unsigned i = 0; i < n; i++)
        if (i != kept)
            pthread_key_delete(made[i]);
    if (n)
        *key = made[kept];
    return n;
}
