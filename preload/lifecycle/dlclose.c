/* dlclose.c - dlclose. Other code may soon be mapped at the addresses that dlclose unmaps. So
 * libprof forgets all that it knows of these addresses.
 *
 * Runtimes that libprof knows stay loaded: their code is registered, and their threads wait there.
 *
 * libprof does not interpose dlopen, because dlopen finds libraries relative to its caller. libprof
 * finds new code when that code runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include "base/export.h"
#include "base/kernel.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/real.h"
#include "contexts/modules.h"
#include "callsite/site.h"
#include "dag/run.h"
#include "sampling/off_cpu.h"
#include "unwind/cfi.h"
#include "unwind/objects.h"
#include "unwind/path.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

#define LOADED_MAX 4096u
struct survey {
    unsigned long long loads, unloads;  /* the loader's own counts, before dlclose */
    bool unloaded, all_gone;            /* since then. all_gone: any range may be gone */
    unsigned count, gone_count;
    struct code_range loaded[LOADED_MAX], gone[LOADED_MAX];
};

static int look(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct survey *s = closure;
    s->loads = info->dlpi_adds;
    s->unloads = info->dlpi_subs;
    for (int i = 0; i < info->dlpi_phnum && s->count < LOADED_MAX; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && p->p_flags & PF_X)
            s->loaded[s->count++] = (struct code_range){ start, start + p->p_memsz };
    }
    return 0;
}

/* Finds the ranges that are gone. The loader's lock is held, so an object that another thread
 * closes stays mapped meanwhile. If an object was loaded since, it may be where another object
 * was. */
static int look_again(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct survey *s = closure;
    struct object o;
    objects_follow();
    s->unloaded = info->dlpi_subs != s->unloads;
    s->all_gone = info->dlpi_adds != s->loads || s->count == LOADED_MAX;
    if (s->unloaded)
        place_unloaded(s->all_gone);
    for (unsigned i = 0; s->unloaded && !s->all_gone && i < s->count; i++)
        if (!objects_find(s->loaded[i].start, &o))
            s->gone[s->gone_count++] = s->loaded[i];
    return 1;
}

static void forget(const struct code_range *gone, unsigned count)
{
    runtime_unloaded();
    cfi_flush();
    path_forget(gone, count);
    site_flush();
}

static int close_and_forget(void *handle, struct survey *before)
{
    static const struct code_range all = { 0, UINTPTR_MAX };
    int saved = errno;
    if (!before) {              /* no memory: everything may be gone */
        int result = real()->dlclose(handle);
        saved = errno;
        objects_follow();
        place_unloaded(true);
        forget(&all, 1);
        errno = saved;
        return result;
    }
    modules_note_tree();
    lookup_objects(look, before);
    errno = saved;
    int result = real()->dlclose(handle);
    saved = errno;
    lookup_objects(look_again, before);
    if (before->unloaded && before->all_gone)
        forget(&all, 1);
    else if (before->unloaded)
        forget(before->gone, before->gone_count);
    errno = saved;
    return result;
}

EXPORT int dlclose(void *handle)
{
    int saved = errno;
    if (!kernel_closed)
        lookup_open_kept();
    errno = saved;
    if (!engine_recording)
        return real()->dlclose(handle);
    struct survey *before = memory_map(sizeof *before);
    objects_unload_begin();
    off_cpu_unload_wait();
    errno = saved;
    int result = close_and_forget(handle, before);
    saved = errno;
    if (objects_unload_end())
        cfi_flush();
    memory_unmap(before, sizeof *before);
    errno = saved;
    return result;
}
