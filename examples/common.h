// common.h - what every example shares: arguments, worker count, a clock.
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <tbb/global_control.h>

struct Arguments {
    std::unique_ptr<tbb::global_control> control;
    int count = 0;
    const char *values[8] = {};

    // PROGRAM [-t THREADS] [value...]; anything else is one line and status 2.
    Arguments(int argc, char **argv, const char *usage)
    {
        for (int i = 1; i < argc; i++) {
            if (!std::strcmp(argv[i], "-t") && i + 1 < argc && std::atoi(argv[i + 1]) > 0)
                control = std::make_unique<tbb::global_control>(
                    tbb::global_control::max_allowed_parallelism, std::atoi(argv[++i]));
            else if (argv[i][0] != '-' && count < 8)
                values[count++] = argv[i];
            else {
                std::fprintf(stderr, "usage: %s [-t threads] %s\n", argv[0], usage);
                std::exit(2);
            }
        }
    }
    long number(int i, long otherwise) const
    {
        return i < count ? std::atol(values[i]) : otherwise;
    }
};

struct Stopwatch {
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    double ms() const
    {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    }
};

#endif
