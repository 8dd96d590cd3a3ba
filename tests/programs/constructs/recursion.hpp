// recursion.hpp - the recursive program that other cases nest: a task and a call.
#ifndef TESTS_PROGRAMS_CONSTRUCTS_RECURSION_HPP
#define TESTS_PROGRAMS_CONSTRUCTS_RECURSION_HPP

#include "cost.hpp"

long fib_one(long n);
Cost fib_one_cost(long n);

#endif
