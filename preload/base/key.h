/* key.h - libprof's thread-specific keys. */
#ifndef PRELOAD_BASE_KEY_H
#define PRELOAD_BASE_KEY_H

#include <pthread.h>
#include <stdbool.h>

/* [init] Makes a key, the highest free one of the first 32. libc keeps the values of these in the
 * thread's own block, so to set one takes no memory.
 *
 * Not the lowest: each namespace of dlmopen or LD_AUDIT has a libc of its own, which hands out the
 * same numbers, but all share the thread's block. So code there would find our value under the key
 * that it gets first, and we would find its value. */
bool key_make(pthread_key_t *key, void (*destructor)(void *));

#endif
