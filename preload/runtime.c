/* runtime.c - see runtime.h. Entries are written once, before the count that covers them. */
#include "runtime.h"
#include "block.h"

#define MODULES 16
static struct { uintptr_t lo, hi; const char *name; } modules[MODULES];
static unsigned count;
static uint32_t lock;           /* registration only */

void runtime_module_register(uintptr_t lo, uintptr_t hi, const char *name)
{
    spin_lock(&lock);
    if (count < MODULES) {
        modules[count].lo = lo;
        modules[count].hi = hi;
        modules[count].name = name;
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    spin_unlock(&lock);
}

bool runtime_owns(uintptr_t address)
{
    unsigned n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (address - modules[i].lo < modules[i].hi - modules[i].lo)
            return true;
    return false;
}
