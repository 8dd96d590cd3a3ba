/* pages.h - what software events count: page faults. */
#ifndef TESTS_UNIT_PAGES_H
#define TESTS_UNIT_PAGES_H

#include <sys/mman.h>

/* Touches 64 fresh pages, each of which is a page fault. */
static inline int touch_pages(void)
{
    char *p = mmap(0, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, 64 * 4096, MADV_NOHUGEPAGE);
    for (int i = 0; i < 64; i++)
        ((volatile char *)p)[i * 4096] = 1;
    return munmap(p, 64 * 4096);
}

#endif
