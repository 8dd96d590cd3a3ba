// cause: serial|few_tasks place=unite
// A merge sort whose merges are serial: the last one goes over all elements.
#include <cstdint>
#include <cstdio>
#include <tbb/parallel_invoke.h>
#include <vector>

static void insertion(uint32_t *a, long n) {
    for (long i = 1; i < n; i++) {
        uint32_t x = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

__attribute__((noinline)) static void unite(uint32_t *a, uint32_t *room, long half, long n) {
    long i = 0, j = half;
    for (long k = 0; k < n; k++)
        room[k] = j >= n || (i < half && a[i] <= a[j]) ? a[i++] : a[j++];
    for (long k = 0; k < n; k++)
        a[k] = room[k];
}

static void arrange(uint32_t *a, uint32_t *room, long n) {
    if (n < 64) {
        insertion(a, n);
        return;
    }
    long half = n / 2;
    if (n < 20000) {
        arrange(a, room, half);
        arrange(a + half, room + half, n - half);
    } else {
        tbb::parallel_invoke([=] { arrange(a, room, half); },
                             [=] { arrange(a + half, room + half, n - half); });
    }
    unite(a, room, half, n);
}

int main() {
    std::vector<uint32_t> a(8000000), room(a.size());
    uint32_t x = 1;
    for (uint32_t &v : a)
        v = x = x * 1664525u + 1013904223u;
    arrange(a.data(), room.data(), a.size());
    std::printf("%u %u\n", a[0], a[a.size() / 2]);
}
