/* annotations.c - the exported side of include/libprof.h. */
#include "base/export.h"
#include "engine/engine.h"
#include "lifecycle/thread.h"
#include "base/forbid.h"

EXPORT int libprof_active_impl(void);
EXPORT void libprof_cost_impl(uint64_t cost);
EXPORT void libprof_region_start_impl(const char *name);
EXPORT void libprof_region_stop_impl(const char *name);

int libprof_active_impl(void)
{
    return engine_recording;
}

void libprof_cost_impl(uint64_t cost)
{
    struct thread *th = thread_self();
    if (th && clock_kind == CLOCK_VIRTUAL)
        th->clock.virtual_now += cost;
}

void libprof_region_start_impl(const char *name)
{
    struct thread *th = thread_self();
    if (th)
        region_start(th, name);
}

void libprof_region_stop_impl(const char *name)
{
    struct thread *th = thread_self();
    if (th)
        region_stop(th, name);
}
