/* control.c - how many workers the program has: see control.h. entry.c sets PROF_WORKERS as soon as
 * it has found libtbb. wait.c has the hooks of the program's own tbb::global_control.
 */
#include "control.h"
#include "base/config.h"
#include "base/memory.h"
#include "entry.h"
#include "base/forbid.h"

READ_MOSTLY uint32_t tbb_controls_changed;

/* The slots of the implicit arena, as far as the program's tbb::global_control allows threads. */
int tbb_workers(void)
{
    int slots = entry()->max_concurrency(0);
    size_t (*active)(int) = entry()->control_value;
    size_t allowed = active ? active(TBB_CONTROL_PARALLELISM) : 0;
    if (allowed && allowed < (size_t)slots)
        slots = (int)allowed;
    return config.workers > 0 && config.workers < slots ? config.workers : slots;
}
