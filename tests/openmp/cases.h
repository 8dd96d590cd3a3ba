/* cases.h - what the cases in constructs/ and the program around them (main.c) share.
 *
 * A case is a program on the runtime and, beside it, the same shape on the model (model.h):
 *
 *     CASE(name)
 *     static void name_run(void) { ... }
 *     static void name_expect(void) { ...; closed(WORK, SPAN); }
 *
 * CASE registers it: no list names the cases. A new file in constructs/ needs nothing else.
 */
#ifndef TESTS_OPENMP_CASES_H
#define TESTS_OPENMP_CASES_H

#include <omp.h>
#include <stdlib.h>
#include "model.h"

struct omp_case {
    const char *name, *file;
    int line;
    void (*run)(void);      /* on the runtime */
    void (*expect)(void);   /* on the model; ends with closed() where there is a formula */
};

/* The linker joins the section of all files into one array of pointers. */
#define CASE(NAME)                                                                              \
    static void NAME##_run(void), NAME##_expect(void);                                          \
    static const struct omp_case NAME##_case = {                                                \
        #NAME, __FILE__, __LINE__, NAME##_run, NAME##_expect                                    \
    };                                                                                          \
    static const struct omp_case *NAME##_entry __attribute__((section("omp_cases"), used)) =    \
        &NAME##_case;

extern int P;               /* OMP_NUM_THREADS */

void cost(long c);
void check(int holds);      /* the program computed what it should */

/* The model must have found this (without main's own costs): a second, independent sum. */
void closed(long work, long span);
void work_unknown(void);
void span_between(long min, long max);  /* the schedule decides */
void tasks_unknown(void);
void divisible(long span);              /* the longest path of the divided dag */
/* the chunks that regions handed out: how many, their own work, the longest */
void handed(long chunks, long work, long longest);
void skip(const char *reason);
/* libprof does not see the case in full: the report's work is WORK, and it names CONSTRUCT. */
void named(long work, const char *construct);

/* `parallel` and `single` around BODY, on the runtime and on the model. */
void in_single(void (*body)(void));
void m_in_single(void (*body)(void));

/* The random programs: random_program makes the program of one seed, random_case runs it.
 * FOR_ALL: the program is the same for all compilers. */
void random_program(long seed, int for_all);
extern const struct omp_case random_case;

enum { TEAM = 4 };          /* threads of a region that needs a fixed number */

static inline long larger(long a, long b) { return a > b ? a : b; }

/* The sum of i in [from, to). */
static inline long sum(long from, long to) { return (to - from) * (from + to - 1) / 2; }

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

#ifdef __clang__
enum { LIBOMP = 1 };
#else
enum { LIBOMP = 0 };
#endif

/* Before gcc 11, libgomp nests no regions unless it is told that it may. (libomp, which may be in
 * its place, says that this is old.) */
#if !defined(__clang__) && __GNUC__ < 11
extern int kmp_get_library(void) __attribute__((weak));
#define omp_set_max_active_levels(n)                                                            \
    (kmp_get_library ? (void)0 : omp_set_nested((n) > 1), omp_set_max_active_levels(n))
#endif

/* What some compilers lack. */
#if defined(__clang__) || __GNUC__ >= 11
#define HAS_DETACH 1
#endif
#if !defined(__clang__) || __clang_major__ >= 14
#define HAS_TASKWAIT_DEPEND 1
#endif
/* In place of a case that the compiler cannot compile: it is skipped. */
#define CASE_WITHOUT(NAME, WHAT)                                                                \
    CASE(NAME)                                                                                  \
    static void NAME##_run(void) {}                                                             \
    static void NAME##_expect(void) { skip("this compiler " WHAT); }

#endif
