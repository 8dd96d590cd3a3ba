// cilksort.cpp - Cilk sort with the settings of Acar, Chargueraud and Rainey, section 3.1, which
// have what factored speedup plots show: a small array and a small cutoff (a), a small array and a
// large cutoff (b), a large array and a small cutoff (c), a large array and a cutoff that is not
// too small (d). Their 40 cores had arrays of 200,000 and 10 million numbers; here sizes are for a
// few cores, and small arrays are sorted again and again, so that there is something to measure.
//
//     prof bench --baseline "./cilksort a baseline" --elision "./cilksort a elision" --copies --
//         ./cilksort a
//     prof bench --baseline './cilksort d baseline' --work-by-p -- ./cilksort d parallel 0 {P}
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include "common.h"

static const long SMALL = 20; // below it, insertion sort

static long cutoff;

static uint32_t number_at(uint64_t i, uint64_t round)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + round;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x >> 32;
}

static void insertion_sort(uint32_t *a, long n)
{
    for (long i = 1; i < n; i++) {
        uint32_t v = a[i];
        long j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

// Sequential quicksort: the baseline, and what Cilk sort does below its cutoff.
static void quicksort(uint32_t *a, long n)
{
    while (n > SMALL) {
        uint32_t x = a[0], y = a[n / 2], z = a[n - 1];
        uint32_t pivot = std::max(std::min(x, y), std::min(std::max(x, y), z));
        long l = 0, r = n - 1;
        while (l <= r) {
            while (a[l] < pivot)
                l++;
            while (a[r] > pivot)
                r--;
            if (l <= r)
                std::swap(a[l++], a[r--]);
        }
        quicksort(a, r + 1);
        a += l;
        n -= l;
    }
    insertion_sort(a, n);
}

// F and G in parallel, or, in the elision, one after the other.
template <bool Parallel, class F, class G> static void both(const F &f, const G &g)
{
    if (Parallel) {
        tbb::parallel_invoke(f, g);
    } else {
        f();
        g();
    }
}

template <bool Parallel>
static void merge(const uint32_t *a, long na, const uint32_t *b, long nb, uint32_t *out)
{
    if (na + nb <= cutoff) {
        std::merge(a, a + na, b, b + nb, out);
        return;
    }
    if (na < nb) {
        std::swap(a, b);
        std::swap(na, nb);
    }
    long ma = na / 2, mb = std::lower_bound(b, b + nb, a[ma]) - b;
    both<Parallel>([=] { merge<Parallel>(a, ma, b, mb, out); },
                   [=] { merge<Parallel>(a + ma, na - ma, b + mb, nb - mb, out + ma + mb); });
}

// Sorts quarters, merges two and two into TMP, and these back into A.
template <bool Parallel> static void cilksort(uint32_t *a, uint32_t *tmp, long n)
{
    if (n <= cutoff) {
        quicksort(a, n);
        return;
    }
    long q = n / 4, rest = n - 3 * q;
    both<Parallel>(
        [=] {
            both<Parallel>([=] { cilksort<Parallel>(a, tmp, q); },
                           [=] { cilksort<Parallel>(a + q, tmp + q, q); });
            merge<Parallel>(a, q, a + q, q, tmp);
        },
        [=] {
            both<Parallel>([=] { cilksort<Parallel>(a + 2 * q, tmp + 2 * q, q); },
                           [=] { cilksort<Parallel>(a + 3 * q, tmp + 3 * q, rest); });
            merge<Parallel>(a + 2 * q, q, a + 3 * q, rest, tmp + 2 * q);
        });
    merge<Parallel>(tmp, 2 * q, tmp + 2 * q, q + rest, a);
}

// Calls F(from, to) for parts of 0 .. n.
template <class F> static void for_parts(bool parallel, long n, const F &f)
{
    if (parallel && n > 100000)
        tbb::parallel_for(
            tbb::blocked_range<long>(0, n, 50000), [&](const auto &r) { f(r.begin(), r.end()); },
            tbb::simple_partitioner());
    else
        f(0, n);
}

static bool is_sorted(bool parallel, const uint32_t *a, long n)
{
    std::atomic<bool> sorted{ true };
    for_parts(parallel, n, [&](long from, long to) {
        if (!std::is_sorted(a + from - (from > 0), a + to))
            sorted = false;
    });
    return sorted;
}

int main(int argc, char **argv)
{
    static const struct { long n, cutoff, rounds; } settings[] = {
        { 20000, 100, 300 }, { 20000, 5000, 300 }, { 4000000, 100, 1 }, { 4000000, 2000, 1 },
    };
    Arguments args(argc, argv,
                   "a|b|c|d [parallel|baseline|elision] [rounds] [P: a P-th of the cutoff]");
    const char *name = args.count ? args.values[0] : "d",
               *mode = args.count > 1 ? args.values[1] : "parallel";
    if (strlen(name) != 1 || *name < 'a' || *name > 'd') {
        std::fprintf(stderr, "cilksort: %s: the settings are a, b, c, d\n", name);
        return 2;
    }
    auto setting = settings[*name - 'a'];
    bool baseline = !strcmp(mode, "baseline"), elision = !strcmp(mode, "elision"), sorted = true;
    long rounds = args.number(2, 0) > 0 ? args.number(2, 0) : setting.rounds;
    cutoff = std::max(setting.cutoff / std::max(args.number(3, 1), 1l), SMALL);
    const long n = setting.n;
    // not initialised: who writes a page first gets it
    std::unique_ptr<uint32_t[]> a(new uint32_t[n]), tmp(new uint32_t[n]);
    double ms = 0;
    for (long r = 0; r < rounds; r++) {
        for_parts(!baseline && !elision, n, [&](long from, long to) {
            for (long i = from; i < to; i++)
                a[i] = number_at(i, r);
        });
        Stopwatch watch;
        if (baseline)
            quicksort(a.get(), n);
        else if (elision)
            cilksort<false>(a.get(), tmp.get(), n);
        else
            cilksort<true>(a.get(), tmp.get(), n);
        ms += watch.ms();
        if (r == 0)
            sorted = is_sorted(!baseline && !elision, a.get(), n);
    }
    std::printf("%ld numbers, %ld times, %s\n", n, rounds, sorted ? "sorted" : "NOT SORTED");
    std::fprintf(stderr, "%.3f ms\n", ms);
    return !sorted;
}
