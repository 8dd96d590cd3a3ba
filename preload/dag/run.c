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

void engine_lower_bound(const char *construct)
{
    for (unsigned i = 0; i < 16; i++) {
        const char *none = 0;
        if (engine_lower_bounds[i].construct == construct ||
            __atomic_compare_exchange_n(&engine_lower_bounds[i].construct, &none, construct, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) || none == construct) {
            __atomic_fetch_add(&engine_lower_bounds[i].count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}
