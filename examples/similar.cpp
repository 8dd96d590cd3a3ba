// similar.cpp - finds the two most similar of many documents, and is no faster on two cores:
// docs/WALKTHROUGH.md finds out why. With -DMENDED it is similar-mended.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <vector>
#include "common.h"

static const long TERMS = 64, WORDS = 500;

struct Document {
    double frequency[TERMS];        // as a vector of length 1
};

struct Pair {
    double similarity;
    long a, b;
};

using Range = tbb::blocked_range<long>;

static uint64_t random_next(uint64_t &s)
{
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

static void count_words(Document &document, long number)
{
    double *frequency = document.frequency;
    uint64_t seed = (number + 1) * 0x9e3779b97f4a7c15ull;
    for (long i = 0; i < WORDS; i++)
        frequency[random_next(seed) % TERMS]++;
    double length = std::sqrt(std::inner_product(frequency, frequency + TERMS, frequency, 0.0));
    for (long i = 0; i < TERMS; i++)
        frequency[i] /= length;
}

// The best of BEST and of what the documents of ROWS and all later ones make.
static Pair most_similar(const std::vector<Document> &all, Range rows, Pair best)
{
    for (long a = rows.begin(); a < rows.end(); a++)
        for (long b = a + 1; b < (long)all.size(); b++) {
            double product = 0;
            for (long i = 0; i < TERMS; i++)
                product += all[a].frequency[i] * all[b].frequency[i];
            if (product > best.similarity)
                best = {product, a, b};
        }
    return best;
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[documents]");
    std::vector<Document> all(args.number(0, 6000));
    Stopwatch watch;
    tbb::parallel_for(0L, (long)all.size(), [&](long i) { count_words(all[i], i); });
    Range rows(0, all.size());
#ifndef MENDED
    Pair best = most_similar(all, rows, Pair());
#else
    Pair best = tbb::parallel_reduce(
        rows, Pair(), [&](Range some, Pair best) { return most_similar(all, some, best); },
        [](Pair x, Pair y) { return x.similarity > y.similarity ? x : y; });
#endif
    double ms = watch.ms();
    std::printf("%ld and %ld are the most similar: %.4f\n", best.a, best.b, best.similarity);
    std::fprintf(stderr, "%.3f ms\n", ms);
    return 0;
}
