/* test_libc.c - libprof's own string functions against libc's: every length up to where they change
 * their ways and beyond, at every alignment, and what stands around the result.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define memcpy own_memcpy
#define memmove own_memmove
#define memset own_memset
#define memcmp own_memcmp
#define strlen own_strlen
#define strcspn own_strcspn
#define strcmp own_strcmp
#define strncmp own_strncmp
#define strchr own_strchr
#define strrchr own_strrchr
#define strstr own_strstr
#define strcpy own_strcpy
#define strncpy own_strncpy
#include "../../preload/base/libc.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef strcspn
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strstr
#undef strcpy
#undef strncpy

enum { MOST = 600, ROOM = MOST + 64 };

static void fill(unsigned char *p, unsigned seed)
{
    for (unsigned i = 0; i < ROOM; i++)
        p[i] = (i * 131 + seed * 29) >> 2;
}

Test(libc, copies_and_fills)
{
    unsigned char from[ROOM], want[ROOM], got[ROOM];
    fill(from, 1);
    for (unsigned n = 0; n <= MOST; n++)
        for (unsigned at = 0; at < 17; at++) {
            fill(want, 2);
            fill(got, 2);
            memcpy(want + at, from + 16 - at, n);
            cr_assert_eq(own_memcpy(got + at, from + 16 - at, n), got + at);
            cr_assert(!memcmp(want, got, ROOM), "copy of %u at %u", n, at);
            memset(want + at, 0xa5, n);
            cr_assert_eq(own_memset(got + at, ~0x5a, n), got + at);
            cr_assert(!memcmp(want, got, ROOM), "fill of %u at %u", n, at);
        }
}

Test(libc, moves_that_overlap)
{
    unsigned char want[ROOM], got[ROOM];
    for (unsigned n = 0; n <= MOST; n++)
        for (int by = -20; by <= 20; by++) {
            fill(want, n);
            fill(got, n);
            memmove(want + 32 + by, want + 32, n);
            cr_assert_eq(own_memmove(got + 32 + by, got + 32, n), got + 32 + by);
            cr_assert(!memcmp(want, got, ROOM), "move of %u by %d", n, by);
        }
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

Test(libc, comparisons)
{
    static const char *const s[] = { "",     "a",    "ab",      "abc", "abd",
                                     "\xff", "\x7f", "ab/ab/c", "/",   "b" };
    enum { N = sizeof s / sizeof s[0] };
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            cr_expect_eq(sign(own_strcmp(s[i], s[k])), sign(strcmp(s[i], s[k])));
            for (size_t n = 0; n < 5; n++)
                cr_expect_eq(sign(own_strncmp(s[i], s[k], n)), sign(strncmp(s[i], s[k], n)));
            size_t both = strlen(s[i]) < strlen(s[k]) ? strlen(s[i]) : strlen(s[k]);
            cr_expect_eq(sign(own_memcmp(s[i], s[k], both + 1)),
                         sign(memcmp(s[i], s[k], both + 1)));
            cr_expect_eq(own_strstr(s[i], s[k]), strstr(s[i], s[k]), "\"%s\" in \"%s\"", s[k],
                         s[i]);
            cr_expect_eq(own_strcspn(s[i], s[k]), strcspn(s[i], s[k]));
        }
    for (unsigned i = 0; i < N; i++) {
        cr_expect_eq(own_strlen(s[i]), strlen(s[i]));
        for (const char *c = "ab/\xffz"; ; c++) {
            cr_expect_eq(own_strchr(s[i], *c), strchr(s[i], *c));
            cr_expect_eq(own_strrchr(s[i], *c), strrchr(s[i], *c));
            if (!*c)
                break;
        }
    }
}

Test(libc, string_copies)
{
    for (size_t n = 0; n < 12; n++) {
        char want[16], got[16];
        memset(want, 'x', sizeof want);
        memset(got, 'x', sizeof got);
        cr_assert_eq(own_strncpy(got, "seven..", n), got);
        memcpy(want, "seven..", n < 7 ? n : 7); /* no end where there is no room for it */
        if (n > 7)
            memset(want + 7, 0, n - 7);
        cr_expect(!memcmp(want, got, sizeof got), "%zu", n);
    }
    char got[8];
    cr_expect_str_eq(own_strcpy(got, "seven.."), "seven..");
    cr_expect_str_eq(own_strcpy(got, ""), "");
}
