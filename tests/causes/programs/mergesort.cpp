// cause: serial|few_tasks place=unite
// A merge sort whose merges are serial: the last one goes over all elements.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <tbb/parallel_invoke.h>
#include <vector>

static const long run = 65536;   /* elements that are in order from the start */

__attribute__((noinline)) static void unite(uint32_t *a, uint32_t *room, long half, long n) {
    long i = 0, j = half;
    for (long k = 0; k < n; k++)
        room[k] = j >= n || (i < half && std::cbrt(a[i]) <= std::cbrt(a[j])) ? a[i++] : a[j++];
    for (long k = 0; k < n; k++)
        a[k] = room[k];
}

static void arrange(uint32_t *a, uint32_t *room, long n) {
    if (n <= run)
        return;
    long half = n / 2;
    tbb::parallel_invoke([=] { arrange(a, room, half); },
                         [=] { arrange(a + half, room + half, n - half); });
    unite(a, room, half, n);
}

int main() {
    std::vector<uint32_t> a(64 * run), room(a.size());
    uint32_t x = 1;
    for (size_t i = 0; i < a.size(); i++) {
        x = x * 1664525u + 1013904223u;
        a[i] = uint32_t(i % run) * 60000 + x % 60000;
    }
    arrange(a.data(), room.data(), a.size());
    std::printf("%u %u\n", a[0], a[a.size() / 2]);
}
