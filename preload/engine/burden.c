/* burden.c - see burden.h. */
#include "engine/burden.h"
#include <stdbool.h>
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

/* What the setting states, in ns, until burden_settle converts it with a good rate of the clock,
 * which takes 100 us: most processes end without an event. Written by burden_configure, taken by
 * the first burden_settle. */
static uint64_t stated_ns;
static bool stated_by_user;     /* it is not the default */

/* NS in units of the clock. If they are no time, the program's user states units. */
static uint64_t in_units(uint64_t ns)
{
    uint64_t num, den;
    clock_unit(&num, &den);
    if (num)
        return (uint64_t)((__uint128_t)ns * den / num);
    if (stated_by_user)
        return ns;
    return strstr(clock_name(), "instructions") ? ns * (BURDEN_INSTRUCTIONS / BURDEN_NS) : 0;
}

void burden_settle(void)
{
    uint64_t ns = __atomic_exchange_n(&stated_ns, 0, __ATOMIC_RELAXED);
    if (ns)
        burden_setup(in_units(ns), burden_measured);
}

static void state(uint64_t ns, bool by_user, int measure)
{
    burden_setup(clock_ns_to_ticks(ns), measure);
    stated_by_user = by_user;
    stated_ns = ns;
    if (!clock_counts_ticks())
        burden_settle();
}

void burden_configure(const char *b)
{
    uint64_t n = 0;
    if (!strcmp(b, "auto")) {
        /* a virtual clock has no steals to measure, so only PROF_BURDEN sets a burden */
        bool steals = clock_kind != CLOCK_VIRTUAL;
        state(steals ? BURDEN_NS : 0, false, steals);
        return;
    }
    if (!strcmp(b, "cilkview")) {
        state(BURDEN_NS, false, 0);
        return;
    }
    for (const char *p = b; *p; p++) {
        if (*p < '0' || *p > '9' || n > 1000000000000ull) {
            message(MESSAGE_WARNING,
                    "PROF_BURDEN=%s is not auto, cilkview or a whole number: using auto", b);
            state(BURDEN_NS, false, 1);
            return;
        }
        n = n * 10 + (*p - '0');
    }
    state(n, true, 0);
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
