/* run.c - see run.h. */
#include "dag/run.h"
#include "base/memory.h"

READ_MOSTLY bool engine_recording, engine_extras;
uint32_t engine_worker_slots;
READ_MOSTLY uint64_t engine_burden;
int burden_measured;
uint64_t engine_start_tsc;
struct lower_bound engine_lower_bounds[16];

void engine_workers(uint32_t p)
{
    if (p > __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED))
        __atomic_store_n(&engine_worker_slots, p, __ATOMIC_RELAXED);
}

static void count(const char *construct, bool no_bound)
{
    for (unsigned i = 0; i < 16; i++) {
        const char *none = 0;
        if (engine_lower_bounds[i].construct == construct ||
            __atomic_compare_exchange_n(&engine_lower_bounds[i].construct, &none, construct, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == construct) {
            __atomic_store_n(&engine_lower_bounds[i].no_bound, no_bound, __ATOMIC_RELAXED);
            __atomic_fetch_add(&engine_lower_bounds[i].count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

void engine_lower_bound(const char *construct)
{
    count(construct, false);
}

void engine_not_exact(const char *construct)
{
    count(construct, true);
}
