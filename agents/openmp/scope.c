/* scope.c - see scope.h. */
#define _GNU_SOURCE
#include "scope.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include "memory.h"
#include "runtime.h"

/* The object that has SYMBOL, loaded for good; NULL: it is our own, or the program, which has what everybody has. */
static void *holder(const void *symbol)
{
    Dl_info info, ours;
    if (!symbol || !dladdr(symbol, &info) || !info.dli_fname || (dladdr((void *)holder, &ours) && ours.dli_fbase == info.dli_fbase))
        return 0;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* Names of loaded objects that may be OpenMP runtimes; the loader's lock is not to be held when they are opened. */
struct names {
    char name[SCOPE_RUNTIMES][1024];
    unsigned count;
};

static int add_name(struct dl_phdr_info *info, size_t size, void *list)
{
    struct names *names = list;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : 0, *base = slash ? slash + 1 : info->dlpi_name;
    if (base && strstr(base, "omp") && strlen(info->dlpi_name) < sizeof names->name[0])
        strcpy(names->name[names->count++], info->dlpi_name);
    return names->count == SCOPE_RUNTIMES;
}

static void *any_handle(const char *name)
{
    void *found = 0;
    struct names *names = memory_map(sizeof *names);
    if (!names)
        return 0;
    dl_iterate_phdr(add_name, names);
    for (unsigned i = 0; i < names->count && !found; i++) {
        void *handle = dlopen(names->name[i], RTLD_LAZY | RTLD_NOLOAD);
        if (handle) {
            found = holder(dlsym(handle, name));
            dlclose(handle);
        }
    }
    memory_unmap(names, sizeof *names);
    return found;
}

void *scope_handle(const void *code, const char *name)
{
    Dl_info info;
    void *found = 0, *handle = code && dladdr(code, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : 0;
    if (handle) {
        found = holder(dlsym(handle, name));
        dlclose(handle);
    }
    return found ? found : any_handle(name);
}

uint32_t scope_unloads(void)
{
    return __atomic_load_n(&runtime_unloads, __ATOMIC_RELAXED) & 0xff;
}
