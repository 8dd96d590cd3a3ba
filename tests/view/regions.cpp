/* regions.cpp - code whose compiled names are in no source: an OpenMP region in a C++ function, a
 * lambda in it, and functions of the C++ library below. At -O1 gcc inlines none of the latter.
 */
#include <algorithm>
#include <ctime>
#include <vector>

static double now_ms()
{
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static volatile unsigned odd = 3;

static void fill(std::vector<unsigned> &rows, double ms)
{
#pragma omp parallel num_threads(2)
    {
        unsigned x = odd;
        for (double end = now_ms() + ms; now_ms() < end;)
            for (unsigned i = 0; i < 1000000; i++)
                odd = x = x * 7 + i;
#pragma omp single
        for (unsigned &r : rows)
            r = x = x * 1664525 + 1013904223;
    }
}

int main()
{
    std::vector<unsigned> rows(300000);
    for (double end = now_ms() + 600; now_ms() < end;) {
        fill(rows, 60);
        std::sort(rows.begin(), rows.end(), [](unsigned a, unsigned b) {
            return a * odd < b * odd;
        });
    }
}
