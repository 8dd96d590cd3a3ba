/* tries.h - what a test measures in real time. An interrupt, another program or the host may take
 * the processor at any moment, and the clocks of a guest do not all see that. So such a test tries
 * some times, and passes if one try is as it should be. What libprof does wrong, it does each time.
 */
#ifndef TESTS_UNIT_TRIES_H
#define TESTS_UNIT_TRIES_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>

enum { TRIES = 20 };

/* What was wrong with the last try. */
static char wrong_try[200];

/* In a try: ends it, because CONDITION does not hold. */
#define NEEDS(condition, ...)                                            \
    do                                                                   \
        if (!(condition)) {                                              \
            snprintf(wrong_try, sizeof wrong_try, __VA_ARGS__);          \
            return false;                                                \
        }                                                                \
    while (0)

static inline void one_try_of_many(bool (*as_it_should)(void))
{
    unsigned i = 0;
    while (i < TRIES && !as_it_should())
        i++;
    cr_expect(i < TRIES, "%u tries; the last one: %s", i, wrong_try);
}

#endif
