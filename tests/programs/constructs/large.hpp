// large.hpp - an item of a pipeline that is too large to travel as a pointer, and counts its living
// instances.
#ifndef TESTS_PROGRAMS_CONSTRUCTS_LARGE_HPP
#define TESTS_PROGRAMS_CONSTRUCTS_LARGE_HPP

#include "cases.hpp"

struct Large {
    static std::atomic<long> alive;
    long i;
    std::string text;
    char bytes[1000];
    explicit Large(long n) : i(n), text(100, 'x') { alive++; }
    Large(const Large &o) : i(o.i), text(o.text) { alive++; }
    Large(Large &&o) : i(o.i), text(std::move(o.text)) { alive++; }
    ~Large() { alive--; }
};

inline std::atomic<long> Large::alive{ 0 };

#endif
