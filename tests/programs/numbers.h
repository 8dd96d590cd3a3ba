// numbers.h - the fixed input of the sorting cases, and how they divide it.
#ifndef TESTS_PROGRAMS_NUMBERS_H
#define TESTS_PROGRAMS_NUMBERS_H

#include <algorithm>
#include <vector>

inline long lcg(unsigned long &s)
{
    return (s = s * 6364136223846793005ul + 1442695040888963407ul) >> 40;
}

inline std::vector<long> numbers(long n)
{
    std::vector<long> a(n);
    unsigned long s = 42;
    for (long &x : a)
        x = lcg(s);
    return a;
}

inline long partition(std::vector<long> &a, long lo, long hi)
{
    long pivot = a[(lo + hi) / 2], i = lo - 1, j = hi;
    for (;;) {
        while (a[++i] < pivot)
            ;
        while (a[--j] > pivot)
            ;
        if (i >= j)
            return i == lo ? lo + 1 : i;
        std::swap(a[i], a[j]);
    }
}

#endif
