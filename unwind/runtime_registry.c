/* runtime_registry.c - see runtime_registry.h. An entry is written once, before the count that
 * makes it visible. */
#define _GNU_SOURCE
#include "unwind/runtime_registry.h"
#include <link.h>
#include <string.h>
#include "base/lock.h"
#include "base/lookup.h"
#include "base/forbid.h"

#define MODULES 16
static struct { uintptr_t lo, hi; const char *name; } modules[MODULES];
static struct { int (*owns)(uintptr_t); const char *name; } owners[MODULES];
static void (*forgetters[MODULES])(void);
static struct { const char *library, *silence; } expected[MODULES];
uint32_t runtime_unloads;
static unsigned count, owner_count, forgetter_count, expected_count;
LOCK_DEFINE(register_lock, LOCK_LEAF);  /* registration only */

struct range {
    uintptr_t inside, lo, hi;
};

static int find_range(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct range *r = closure;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t lo = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && p->p_flags & PF_X && r->inside - lo < p->p_memsz) {
            r->lo = lo;
            r->hi = lo + p->p_memsz;
            return 1;
        }
    }
    return 0;
}

void runtime_register_module_of(uintptr_t address, const char *name)
{
    struct range r = { .inside = address };
    if (runtime_owns(address) || !lookup_objects(find_range, &r))
        return;
    lock_take(&register_lock);
    if (count < MODULES) {
        modules[count].lo = r.lo;
        modules[count].hi = r.hi;
        modules[count].name = name;
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    lock_release(&register_lock);
}

struct runtime_self runtime_self;

void runtime_register_self(uintptr_t here, const char *name)
{
    struct range r = { .inside = here };
    runtime_register_module_of(here, name);
    if (lookup_objects(find_range, &r))
        runtime_self = (struct runtime_self){ r.lo, r.hi, here };
}

const char *runtime_name(uintptr_t address)
{
    unsigned n = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (address - modules[i].lo < modules[i].hi - modules[i].lo)
            return modules[i].name;
    n = __atomic_load_n(&owner_count, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (owners[i].owns(address))
            return owners[i].name;
    return 0;
}

void runtime_register_owner(int (*owns)(uintptr_t), const char *name)
{
    lock_take(&register_lock);
    bool known = false;
    for (unsigned i = 0; i < owner_count; i++)
        known |= owners[i].owns == owns;
    if (!known && owner_count < MODULES) {
        owners[owner_count].owns = owns;
        owners[owner_count].name = name;
        __atomic_store_n(&owner_count, owner_count + 1, __ATOMIC_RELEASE);
    }
    lock_release(&register_lock);
}

void runtime_on_unload(void (*forget)(void))
{
    lock_take(&register_lock);
    if (forgetter_count < MODULES)
        forgetters[forgetter_count++] = forget;
    lock_release(&register_lock);
}

void runtime_unloaded(void)
{
    __atomic_add_fetch(&runtime_unloads, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < forgetter_count; i++)
        forgetters[i]();
}

void runtime_expect(const char *library, const char *silence)
{
    lock_take(&register_lock);
    if (expected_count < MODULES) {
        expected[expected_count].library = library;
        expected[expected_count++].silence = silence;
    }
    lock_release(&register_lock);
}

static int find_expected(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    const char *name = info->dlpi_name ? info->dlpi_name : "", *base = strrchr(name, '/');
    for (unsigned i = 0; i < expected_count; i++)
        if (!strncmp(base ? base + 1 : name, expected[i].library, strlen(expected[i].library))) {
            *(unsigned *)closure = i;
            return 1;
        }
    return 0;
}

const char *runtime_silence(const char **library)
{
    unsigned i;
    if (!lookup_objects(find_expected, &i))
        return 0;
    *library = expected[i].library;
    return expected[i].silence;
}

bool runtime_owns(uintptr_t address)
{
    return runtime_name(address) != 0;
}
