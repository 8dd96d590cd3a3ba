/* divide.c - loops whose chunks divide further: in the divided dag a loop of equal iterations is as
 * long as one of them, however the runtime cut it for its team.
 *
 * libgomp's static loops make no call. They stay as they were executed, and are none of the chunks
 * that the report counts.
 */
#include "loop.h"

enum { M = 240, EACH = 5 };

static void as_executed(long work, long longest)
{
    m_cost(work);       /* the schedule decides the span, up to a thread that does it all */
    span_between(longest, work);
    tasks_unknown();
    divisible(longest);
}

#define LOOP(NAME, CLAUSE)                                                                      \
    CASE(divide_##NAME)                                                                         \
    static void divide_##NAME##_run(void)                                                       \
    {                                                                                           \
        _Pragma(CLAUSE) for (int i = 0; i < M; i++) cost(EACH);                                 \
    }                                                                                           \
    static void divide_##NAME##_expect(void)                                                    \
    {                                                                                           \
        as_executed(M *EACH, EACH);                                                             \
    }
LOOP(dynamic, "omp parallel for schedule(dynamic)")
LOOP(dynamic_chunk, "omp parallel for schedule(dynamic, 16)")
LOOP(guided, "omp parallel for schedule(guided)")
LOOP(runtime, "omp parallel for schedule(runtime)")

CASE(divide_static)
static void divide_static_run(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < M; i++)
        cost(EACH);
}
static void divide_static_expect(void)
{
    m_cost(M * EACH);
    span_between(LIBOMP ? EACH : (M + P - 1) / P * EACH, (M + P - 1) / P * EACH);
    tasks_unknown();
    divisible(LIBOMP ? EACH : (M + P - 1) / P * EACH);
}

CASE(divide_static_chunk)
static void divide_static_chunk_run(void)
{
#pragma omp parallel for schedule(static, 7)
    for (unsigned long i = 2 * M; i > 0; i -= 2)
        cost(EACH);
}
static void divide_static_chunk_expect(void)
{
    if (!LIBOMP)
        skip("libgomp's static loops make no call");
    as_executed(M * EACH, EACH);
}

/* Steps, directions, and types of the iterations. */
CASE(divide_types)
static void divide_types_run(void)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 9)
        for (long i = 3 * M; i > 0; i -= 3)
            cost(EACH);
#pragma omp for schedule(guided)
        for (unsigned long long i = 0; i < 2 * M; i += 2)
            cost(EACH);
#pragma omp for schedule(dynamic, 11)
        for (unsigned long long i = ~0ull; i > ~0ull - M; i--)
            cost(EACH);
#pragma omp for schedule(dynamic, 4) collapse(2)
        for (short i = 0; i < 12; i++)
            for (int k = 0; k < M / 12; k++)
                cost(EACH);
    }
}
static void divide_types_expect(void)
{
    as_executed(4 * M * EACH, 4 * EACH);
}

/* An iteration of the outer loop is 4, the longest path of the inner loop, 2. */
CASE(divide_nested)
static void divide_nested_run(void)
{
#pragma omp parallel for schedule(dynamic, 6)
    for (int i = 0; i < 24; i++) {
        cost(4);
#pragma omp parallel for schedule(dynamic, 5)
        for (int k = 0; k < 30; k++)
            cost(3);
        cost(2);
    }
}
static void divide_nested_expect(void)
{
    as_executed(24 * (6 + 30 * 3), 4 + 3 + 2);
}

/* Each task has as many iterations as every other: 240 divides by 10 threads' tasks up to 8. */
CASE(divide_taskloop)
static void divide_taskloop_body(void)
{
    cost(3);
#pragma omp taskloop
    for (int i = 0; i < M; i++)
        cost(EACH);
#pragma omp taskloop num_tasks(6)
    for (int i = 0; i < M; i++)
        cost(EACH);
    cost(1);
}
static void divide_taskloop_run(void)
{
    in_single(divide_taskloop_body);
}
static void divide_taskloop_expect(void)
{
    as_executed(4 + 2 * M * EACH, 4 + 2 * EACH);
}

/* Nothing of these divides: an iteration waits for another. */
CASE(divide_ordered)
static void divide_ordered_run(void)
{
#pragma omp parallel for ordered schedule(dynamic, 10)
    for (int i = 0; i < M; i++) {
#pragma omp ordered
        cost(EACH);
    }
}
static void divide_ordered_expect(void)
{
    m_cost(M * EACH);
    tasks_unknown();
    divisible(M * EACH);
}
