/* libc.c - libprof.so's own versions of the string functions that it uses.
 *
 * Sanitizers and some programs interpose memcpy and the like. They would see libprof's memory.
 * ThreadSanitizer does not know our locks: it would report data races in the writer, and end the
 * program with status 66. So libprof.so calls the functions below. It does not export their names.
 *
 * Agents copy the arguments of each task, some tens of bytes. So short copies and fills are a few
 * moves that overlap (bench/libc.sh). The Makefile keeps this file out of the link-time
 * optimisation, and keeps the compiler from turning these loops into calls of themselves.
 */
#include "arch/cpu.h"
#include <stddef.h>
#include <stdint.h>
#include "base/forbid.h"

#define OWN __attribute__((visibility("hidden"), used))

OWN void *memcpy(void *restrict to, const void *restrict from, size_t n);
OWN void *memmove(void *to, const void *from, size_t n);
OWN void *memset(void *to, int byte, size_t n);
OWN int memcmp(const void *a, const void *b, size_t n);
OWN size_t strlen(const char *s);
OWN size_t strcspn(const char *s, const char *reject);
OWN int strcmp(const char *a, const char *b);
OWN int strncmp(const char *a, const char *b, size_t n);
OWN char *strchr(const char *s, int c);
OWN char *strrchr(const char *s, int c);
OWN char *strstr(const char *s, const char *what);
OWN char *strcpy(char *restrict to, const char *restrict from);
OWN char *strncpy(char *restrict to, const char *restrict from, size_t n);

/* Words that need no alignment and may alias any object. */
typedef uint16_t u16 __attribute__((aligned(1), may_alias));
typedef uint32_t u32 __attribute__((aligned(1), may_alias));
typedef uint64_t u64 __attribute__((aligned(1), may_alias));
typedef uint64_t u128 __attribute__((vector_size(16), aligned(1), may_alias));

enum { SHORT = 256 };           /* bytes; longer fills use `rep stosb`. For copies `rep movsb` was
                                 * never faster */

/* Stores N bytes, one to two words: the first and the last word, which may overlap. */
#define BOTH_ENDS(word, to, n, first, last)                                                        \
    do {                                                                                           \
        word first_ = (first), last_ = (last);                                                     \
        *(word *)(to) = first_;                                                                    \
        *(word *)((char *)(to) + (n) - sizeof(word)) = last_;                                      \
    } while (0)
#define COPY_ENDS(word, to, from, n)                                                               \
    BOTH_ENDS(word, to, n, *(const word *)(from),                                                  \
              *(const word *)((const char *)(from) + (n) - sizeof(word)))

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    char *t = to;
    const char *f = from;
    if (n > 16) {
        char *end = t + n - 16;
        u128 last = *(const u128 *)(f + n - 16);
        for (; end - t >= 64; t += 64, f += 64) {
            const u128 *four = (const u128 *)f;
            u128 a = four[0], b = four[1], c = four[2], d = four[3];
            ((u128 *)t)[0] = a, ((u128 *)t)[1] = b, ((u128 *)t)[2] = c, ((u128 *)t)[3] = d;
        }
        for (; t < end; t += 16, f += 16)
            *(u128 *)t = *(const u128 *)f;
        *(u128 *)end = last;
    } else if (n >= 8) {
        COPY_ENDS(u64, t, f, n);
    } else if (n >= 4) {
        COPY_ENDS(u32, t, f, n);
    } else if (n >= 2) {
        COPY_ENDS(u16, t, f, n);
    } else if (n) {
        *t = *f;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    if ((uintptr_t)to - (uintptr_t)from >= n)
        return memcpy(to, from, n);
    unsigned char *t = to;
    const unsigned char *f = from;
    while (n--)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int byte, size_t n)
{
    char *t = to;
    uint64_t word = (unsigned char)byte * 0x0101010101010101ull;
    u128 wide = { word, word };
    if (n > SHORT) {
        cpu_fill(t, byte, n);
    } else if (n > 16) {
        for (size_t i = 0; i < n - 16; i += 16)
            *(u128 *)(t + i) = wide;
        *(u128 *)(t + n - 16) = wide;
    } else if (n >= 8) {
        BOTH_ENDS(u64, t, n, word, word);
    } else if (n >= 4) {
        BOTH_ENDS(u32, t, n, word, word);
    } else if (n >= 2) {
        BOTH_ENDS(u16, t, n, word, word);
    } else if (n) {
        *t = byte;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strlen(const char *s)
{
    const char *end = s;
    while (*end)
        end++;
    return end - s;
}

size_t strcspn(const char *s, const char *reject)
{
    const char *end = s;
    while (*end && !strchr(reject, *end))
        end++;
    return end - s;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n; n--, a++, b++)
        if (*a != *b || !*a)
            return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (!*s)
            return 0;
    return (char *)s;
}

char *strrchr(const char *s, int c)
{
    const char *found = 0;
    do
        if (*s == (char)c)
            found = s;
    while (*s++);
    return (char *)found;
}

char *strstr(const char *s, const char *what)
{
    size_t n = strlen(what);
    for (; *s || !n; s++)
        if (!strncmp(s, what, n))
            return (char *)s;
    return 0;
}

char *strcpy(char *restrict to, const char *restrict from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    memset(to + i, 0, n - i);
    return to;
}
