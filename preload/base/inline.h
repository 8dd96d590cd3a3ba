/* inline.h - functions that the hooks' short ways need inline. With plain `inline`, link-time
 * optimization decides by a budget that the program as a whole has, and by the order of its files:
 * the new name of a file once cost each task 70 instructions.
 */
#ifndef PRELOAD_BASE_INLINE_H
#define PRELOAD_BASE_INLINE_H

#include <stddef.h>
#include <stdint.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Zeroes BYTES, a constant multiple of 8, from AT on. memset would become a slow string instruction
 * or a loop here, and one store a word takes twice as many. */
static ALWAYS_INLINE void zero_words(void *at, size_t bytes)
{
    typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
    typedef uint64_t word __attribute__((may_alias));
    pair *p = at;
#pragma GCC unroll 16
    for (size_t i = 0; i < bytes / 16; i++)
        p[i] = (pair){ 0, 0 };
    if (bytes % 16)
        ((word *)at)[bytes / 8 - 1] = 0;
}

#endif
