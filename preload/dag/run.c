/* run.c - see run.h. */
#include "dag/run.h"
#include "base/memory.h"
#include "libprof_format.h"
#include "base/forbid.h"

READ_MOSTLY bool engine_recording, engine_extras;
uint32_t engine_worker_slots;
READ_MOSTLY uint64_t engine_burden;
int burden_measured;
uint64_t engine_start_tsc;
struct caveat engine_caveats[ENGINE_CAVEATS];

void run_workers(uint32_t p)
{
    if (p > __atomic_load_n(&engine_worker_slots, __ATOMIC_RELAXED))
        __atomic_store_n(&engine_worker_slots, p, __ATOMIC_RELAXED);
}

static void count(const char *construct, enum lpf_note_kind kind)
{
    for (unsigned i = 0; i < ENGINE_CAVEATS; i++) {
        struct caveat *c = &engine_caveats[i];
        const char *none = 0;
        if (c->construct == construct ||
            __atomic_compare_exchange_n(&c->construct, &none, construct, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) || none == construct) {
            __atomic_store_n(&c->kind, kind, __ATOMIC_RELAXED);
            __atomic_fetch_add(&c->count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

void run_lower_bound(const char *construct)
{
    count(construct, LPF_NOTE_LOWER_BOUND);
}

void run_not_exact(const char *construct)
{
    count(construct, LPF_NOTE_NOT_EXACT);
}

void run_as_executed(const char *construct)
{
    count(construct, LPF_NOTE_EXECUTED);
}
