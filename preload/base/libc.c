/* libc.c - the string functions that libprof.so uses, as its own.
 *
 * A sanitizer's runtime, and some programs, interpose memcpy and its like. They would then see
 * libprof's memory: ThreadSanitizer knows nothing of our locks, reports data races in the writer
 * and ends the program with status 66. So libprof.so calls these, by names that it does not export.
 *
 * None is on the fast path: the compiler writes small copies in line. `rep movsb` and `rep stosb`
 * are fast for large ones on every processor since 2013. This file is not part of the link-time
 * optimisation, and the compiler must not turn these loops into calls of themselves (Makefile).
 */
#include <stddef.h>
#include <stdint.h>

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

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(n) : : "memory");
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
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
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
