/* modules.c - see modules.h. */
#define _GNU_SOURCE
#include "contexts/modules.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/kernel.h"
#include "base/lock.h"
#include "base/lookup.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/program.h"
#include "unwind/call_tree.h"
#include "unwind/objects.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

struct module *modules_list;
LOCK_DEFINE(modules_lock, LOCK_LEAF);   /* insertion; readers need no lock */

struct find_module {
    uintptr_t address, place;
    struct module *found;
};

static void copy_build_id(struct lpf_module *m, const struct dl_phdr_info *info,
                          const ElfW(Phdr) * p)
{
    const char *at = (const char *)info->dlpi_addr + p->p_vaddr, *end = at + p->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
        const ElfW(Nhdr) *n = (const void *)at;
        const char *name = at + sizeof *n;
        const char *desc = name + ((n->n_namesz + 3) & ~3u);
        if (desc + n->n_descsz > end)
            return;
        if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
            n->n_descsz <= sizeof m->build_id) {
            m->build_id_len = n->n_descsz;
            memcpy(m->build_id, desc, n->n_descsz);
            return;
        }
        at = desc + ((n->n_descsz + 3) & ~3u);
    }
}

/* The loader knows an object by the name under which it was opened, ./plugin.so for instance. The
 * program may have changed its directory since. */
static void copy_path(struct module *m, const char *name)
{
    char now[sizeof m->path];
    if (*name != '/' && strchr(name, '/')) {
        program_directory_now(now, sizeof now);
        const char *base[] = { now, program.directory };
        for (unsigned i = 0; i < 2; i++) {
            if (!*base[i])
                continue;
            int length = message_format(m->path, sizeof m->path, "%s/%s", base[i],
                                        !strncmp(name, "./", 2) ? name + 2 : name);
            if (length < (int)sizeof m->path - 1 &&
                !kernel_call(SYS_faccessat, AT_FDCWD, m->path, F_OK))
                return;
        }
    }
    memset(m->path, 0, sizeof m->path);
    strncpy(m->path, name, sizeof m->path - 1);
}

static int find_in(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct find_module *f = closure;
    const ElfW(Phdr) *text = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
            f->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            text = p;
    }
    if (!text)
        return 0;
    objects_follow();
    struct module *m = place_of(f->address) == f->place ? memory_keep(sizeof *m) : 0;
    if (!m)
        return 1;
    m->m.start = info->dlpi_addr + text->p_vaddr;
    m->m.end = m->m.start + text->p_memsz;
    m->m.bias = info->dlpi_addr;
    copy_path(m, info->dlpi_name && *info->dlpi_name ? info->dlpi_name : program.exe);
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE)
            copy_build_id(&m->m, info, &info->dlpi_phdr[i]);
    for (uint32_t i = 0; i < 2 * m->m.build_id_len; i++)
        m->build_id[i] = "0123456789abcdef"[m->m.build_id[i / 2] >> 4 * (~i & 1) & 15];
    if (f->place == f->address)
        place_keep(m->m.start, m->m.end);
    f->found = m;
    return 1;
}

/* The module of PLACE, if it is noted. */
static struct module *noted_module(uintptr_t place)
{
    struct module *m = __atomic_load_n(&modules_list, __ATOMIC_ACQUIRE);
    while (m && place - m->m.start >= m->m.end - m->m.start)
        m = m->next;
    return m;
}

void modules_note(uintptr_t place)
{
    uintptr_t address = place_address(place), number = place_number(place);
    struct find_module f = { address, place, 0 };
    if (noted_module(place))
        return;
    int saved = errno;
    lookup_objects(find_in, &f);
    errno = saved;
    if (!f.found)
        return;
    f.found->m.start += number;
    f.found->m.end += number;
    f.found->m.bias += number;
    /* Only now: a thread that holds the loader's lock may wait for modules_lock. */
    lock_take(&modules_lock);
    bool known = false;
    for (const struct module *m = modules_list; m; m = m->next)
        known |= m->m.start == f.found->m.start;
    if (!known) {
        f.found->next = modules_list;
        __atomic_store_n(&modules_list, f.found, __ATOMIC_RELEASE);
    }
    lock_release(&modules_lock);
}

bool modules_find(uintptr_t place, struct module_facts *out)
{
    modules_note(place);
    const struct module *m = noted_module(place);
    if (m)
        *out = (struct module_facts){ m->m.bias, m->path, m->build_id };
    return m;
}

/* Sets which modules are mapped. In a callback of dl_iterate_phdr, because the loader unmaps
 * nothing meanwhile, or where the program has never unmapped anything. */
static int see_who_is_here(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (info)
        objects_follow();
    for (struct module *m = __atomic_load_n(&modules_list, __ATOMIC_ACQUIRE); m; m = m->next)
        __atomic_store_n(&m->here, place_is_mapped(m->m.start), __ATOMIC_RELAXED);
    return 1;
}

/* An unloaded module keeps its flags. runtime_name asks agents, which may take locks of their own,
 * so this loop runs without the loader's lock. */
void modules_note_runtimes(void)
{
    if (__atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE))
        lookup_objects(see_who_is_here, 0);
    else
        see_who_is_here(0, 0, 0);
    for (struct module *m = __atomic_load_n(&modules_list, __ATOMIC_ACQUIRE); m; m = m->next) {
        const char *runtime = __atomic_load_n(&m->here, __ATOMIC_RELAXED)
                                  ? runtime_name(place_address(m->m.start))
                                  : 0;
        if (runtime)
            __atomic_store_n(&m->m.flags,
                             strcmp(runtime, "libprof") ? LPF_MODULE_RUNTIME : LPF_MODULE_LIBPROF,
                             __ATOMIC_RELAXED);
    }
}

void modules_note_tree(void)
{
    static uint32_t noted;      /* nodes seen; two threads at once may see some twice */
    uint32_t n = cct_count();
    for (uint32_t i = __atomic_load_n(&noted, __ATOMIC_RELAXED); i < n; i++)
        if (cct_node(i)->kind == LPF_NODE_FRAME || cct_node(i)->kind == LPF_NODE_LEAF)
            modules_note(cct_node(i)->address);
    __atomic_store_n(&noted, n, __ATOMIC_RELAXED);
    modules_note_runtimes();
}
