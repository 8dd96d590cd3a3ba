/* lookup.c - see lookup.h. glibc has the thread's error behind a pointer in thread-local storage,
 * __libc_dlerror_result. The name is private to glibc. Where glibc has no such name (before 2.34,
 * perhaps later), an error of the program's is lost, but none of libprof's is left.
 */
#define _GNU_SOURCE
#include "base/lookup.h"
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include "base/message.h"
#include "base/thread_pointer.h"

struct wanted {
    const char *name;
    uint32_t hash;
    const ElfW(Sym) *symbol;    /* NULL: not found */
    char *storage;              /* of the thread, of the object that defines it */
    char *path;                 /* of that object; it has SIZE bytes. NULL: not asked for */
    size_t size;
};

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static bool is_it(const struct wanted *w, const ElfW(Sym) *s, const char *strings)
{
    return s->st_shndx != SHN_UNDEF && !strcmp(strings + s->st_name, w->name);
}

/* DT_GNU_HASH: four words, the Bloom filter, the buckets, the hashes of the symbols of each bucket.
 * The last hash of a bucket is odd. */
static const ElfW(Sym) *find_gnu(const struct wanted *w, const uint32_t *table,
                                 const ElfW(Sym) *symbols, const char *strings)
{
    uint32_t buckets = table[0], first = table[1];
    const uint32_t *bucket = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *hashes = bucket + buckets;
    uint32_t i = buckets ? bucket[w->hash % buckets] : 0;
    for (; i && i >= first; i++) {
        uint32_t h = hashes[i - first];
        if ((h | 1) == (w->hash | 1) && is_it(w, &symbols[i], strings))
            return &symbols[i];
        if (h & 1)
            break;
    }
    return 0;
}

/* DT_HASH: the second word is the number of symbols. Few objects have only this table. */
static const ElfW(Sym) *find_old(const struct wanted *w, const uint32_t *table,
                                 const ElfW(Sym) *symbols, const char *strings)
{
    for (uint32_t i = 1; i < table[1]; i++)
        if (is_it(w, &symbols[i], strings))
            return &symbols[i];
    return 0;
}

static bool is_ours(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD &&
            (uintptr_t)is_ours - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

/* The loader has made the addresses in an object's dynamic section absolute, but not those of the
 * kernel's object. */
static const void *address(const struct dl_phdr_info *info, ElfW(Addr) a)
{
    return (const void *)(a < info->dlpi_addr ? a + info->dlpi_addr : a);
}

static int find_in(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct wanted *w = closure;
    const ElfW(Dyn) *d = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    const uint32_t *gnu = 0, *old = 0;
    const ElfW(Sym) *symbols = 0;
    const char *strings = 0;
    for (; d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_GNU_HASH: gnu = address(info, d->d_un.d_ptr); break;
        case DT_HASH: old = address(info, d->d_un.d_ptr); break;
        case DT_SYMTAB: symbols = address(info, d->d_un.d_ptr); break;
        case DT_STRTAB: strings = address(info, d->d_un.d_ptr); break;
        }
    if (!symbols || !strings || !(gnu || old) || is_ours(info))
        return 0;
    w->symbol = gnu ? find_gnu(w, gnu, symbols, strings) : find_old(w, old, symbols, strings);
    w->storage = info->dlpi_tls_data;
    if (w->symbol && w->path)
        message_format(w->path, w->size, "%s", info->dlpi_name ? info->dlpi_name : "");
    return w->symbol != 0;
}

static struct wanted find(const char *name)
{
    struct wanted w = { .name = name, .hash = gnu_hash(name) };
    dl_iterate_phdr(find_in, &w);
    return w;
}

bool lookup_defined(const char *name)
{
    return find(name).symbol;
}

bool lookup_definer(const char *name, char *path, size_t size)
{
    struct wanted w = { .name = name, .hash = gnu_hash(name), .path = path, .size = size };
    *path = 0;
    dl_iterate_phdr(find_in, &w);
    return *path;
}

/* ---- the thread's error ---- */

/* Where the pointer to the error lies, from the thread pointer. NOT_ASKED, or NONE. Several threads
 * may find it at once: they store the same value. */
enum { NOT_ASKED, NONE };
static intptr_t at;

static void **pending(void)
{
    char *thread = (char *)thread_pointer();
    intptr_t offset = __atomic_load_n(&at, __ATOMIC_RELAXED);
    if (offset == NOT_ASKED) {
        struct wanted w = find("__libc_dlerror_result");
        bool known = w.symbol && ELF64_ST_TYPE(w.symbol->st_info) == STT_TLS && w.storage;
        offset = known ? w.storage + w.symbol->st_value - thread : NONE;
        __atomic_store_n(&at, offset, __ATOMIC_RELAXED);
    }
    return offset == NONE ? 0 : (void **)(thread + offset);
}

void *lookup_error_aside(void)
{
    void **p = pending(), *error = p ? *p : 0;
    if (p)
        *p = 0;
    return error;
}

void lookup_error_back(void *error)
{
    void **p = pending();
    if (p)
        *p = error;
}

/* The first dlerror() returns the error, the second one frees it. */
static void drop(char *why, size_t size)
{
    const char *text = dlerror();
    if (why)
        message_format(why, size, "%s", text ? text : "no reason given");
    dlerror();
}

void lookup_error_drop(void)
{
    drop(0, 0);
}

/* Where the thread's error cannot be put aside, a look-up must not fail: the text of its error is
 * freed while it is pending, by a `free` that may look itself up. */
static bool may_ask(const char *name)
{
    return pending() || lookup_defined(name);
}

void *lookup(void *handle, const char *name)
{
    if (__builtin_expect(!may_ask(name), 0))
        return 0;
    void *error = lookup_error_aside(), *found = dlsym(handle, name);
    if (!found)
        drop(0, 0);
    lookup_error_back(error);
    return found;
}

void *lookup_version(void *handle, const char *name, const char *version)
{
    if (__builtin_expect(!may_ask(name), 0))
        return 0;
    void *error = lookup_error_aside(), *found = dlvsym(handle, name, version);
    if (!found)
        drop(0, 0);
    lookup_error_back(error);
    return found;
}

void *lookup_object(const char *file, int flags, char *why, size_t size)
{
    void *error = lookup_error_aside(), *found = dlopen(file, flags);
    if (!found)
        drop(why, size);
    lookup_error_back(error);
    return found;
}
