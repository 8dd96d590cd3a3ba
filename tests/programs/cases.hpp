// cases.hpp - what the programs in constructs/, flow/ and sites/ share: one program a folder, one
// file a construct. The files of a folder are one translation unit (Makefile): their names must
// differ.
//
//   PROGRAM CASE P            run CASE on P workers
//   PROGRAM --expect CASE     print the expected values, lines "NAME VALUE..." (check.sh)
//   PROGRAM --where CASE      print the source file and line of CASE
//   PROGRAM --list            name the cases
//
// A file registers its cases, no list names them:
//
//     CASES(something)
//     {
//         add("name", [] { what runs }, [] { return what must be measured; });
//     }
#ifndef TESTS_PROGRAMS_CASES_HPP
#define TESTS_PROGRAMS_CASES_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/blocked_range3d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include "libprof.h"

extern long B;                          // the burden (PROF_BURDEN), for expectations

inline void cost(long c) { libprof_cost(c); }

// A case's place in its source. here() as a default argument is the place of the call.
struct Place {
    const char *file;
    int line;
    static Place here(const char *file = __builtin_FILE(), int line = __builtin_LINE())
    {
        return { file, line };
    }
};

// EXPECT returns the lines of --expect.
void add_case(const std::string &name, std::function<void()> run,
              std::function<std::string()> expect,
              Place place);

struct Registration {
    void (*add)();
    const Registration *next;
    explicit Registration(void (*add)());
};

#define CASES(NAME)                                                                             \
    static void NAME##_cases();                                                                 \
    static const Registration NAME##_registration(NAME##_cases);                                \
    static void NAME##_cases()

std::string format(const char *format, ...) __attribute__((format(printf, 1, 2)));

long resident_pages();                  // of this process

#endif
