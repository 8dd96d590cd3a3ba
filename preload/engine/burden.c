/* burden.c - see burden.h. */
#include "engine/burden.h"
#include <string.h>
#include "base/message.h"
#include "clock/clock.h"
#include "dag/run.h"
#include "dag/thread.h"
#include "base/forbid.h"

void burden_setup(uint64_t burden, int measure)
{
    engine_burden = burden;
    burden_measured = measure;
}

/* ---- PROF_BURDEN ---- */

/* The cost of a steal, until libprof has measured one: Cilkview's 15,000 instructions, at 3
 * instructions a ns. Its cost in other events (page faults) is not known. */
#define BURDEN_INSTRUCTIONS 15000
#define BURDEN_NS 5000

static uint64_t burden_in_units(uint64_t ns)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    if (num)
        return (uint64_t)((__uint128_t)ns * den / num);
    return strstr(clock_name(), "instructions") ? ns * (BURDEN_INSTRUCTIONS / BURDEN_NS) : 0;
}

void burden_configure(const char *b)
{
    uint64_t n = 0;
    if (!strcmp(b, "auto")) {
        /* a virtual clock has no steals to measure, so only PROF_BURDEN sets a burden */
        if (clock_kind == CLOCK_VIRTUAL)
            burden_setup(0, 0);
        else
            burden_setup(burden_in_units(BURDEN_NS), 1);
        return;
    }
    if (!strcmp(b, "cilkview")) {
        burden_setup(burden_in_units(BURDEN_NS), 0);
        return;
    }
    for (const char *p = b; *p; p++) {
        if (*p < '0' || *p > '9' || n > 1000000000000ull) {
            message(MESSAGE_WARNING,
                    "PROF_BURDEN=%s is not auto, cilkview or a whole number: using auto", b);
            burden_setup(burden_in_units(BURDEN_NS), 1);
            return;
        }
        n = n * 10 + (*p - '0');
    }
    uint64_t num, den;
    clock_unit(&num, &den);
    burden_setup(num ? burden_in_units(n) : n, 0);
}

/* ---- the estimate ---- */

/* Ticks of bucket I of a steal histogram, its middle. */
static uint64_t bucket_ticks(unsigned i)
{
    unsigned octave = i / 4;
    if (octave < 2)
        return 4;
    return (1ull << octave) + ((2 * (i % 4) + 1) << (octave - 2)) / 2;
}

uint64_t histogram_median(const uint64_t *h, uint64_t n)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < 128; i++) {
        seen += h[i];
        if (seen * 2 >= n && n)
            return bucket_ticks(i);
    }
    return 0;
}

void burden_update(struct thread *th)
{
    if (burden_measured)
        __atomic_store_n(&engine_burden, histogram_median(th->steal_histogram, th->steal_samples),
                         __ATOMIC_RELAXED);
}
