/* burden.c - see burden.h. */
#include "engine/burden.h"
#include "base/memory.h"
#include "dag/run.h"
#include "dag/thread.h"

READ_MOSTLY struct calibrated calibrated;

void burden_setup(uint64_t burden, int measure)
{
    engine_burden = burden;
    burden_measured = measure;
}

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
