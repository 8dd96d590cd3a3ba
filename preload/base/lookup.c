/* lookup.c - see lookup.h. glibc has the thread's error behind a pointer in thread-local storage,
 * __libc_dlerror_result. The name is private to glibc. Where glibc has no such name (before 2.34,
 * perhaps later), an error of the program's is lost, but none of libprof's is left.
 */
#define _GNU_SOURCE
#include "base/lookup.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include "base/kernel.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/message.h"
#include "arch/thread_pointer.h"

struct wanted {
    const char *name, *version; /* NULL: the version that a call gets that names none */
    uint32_t hash;
    const ElfW(Sym) *symbol;    /* NULL: not found */
    uintptr_t address;          /* of the symbol, of a function */
    char *storage;              /* of the thread, of the object that defines it */
    uintptr_t bias;             /* of that object */
};

/* The tables of an object. */
struct tables {
    const uint32_t *gnu, *old;  /* hash tables; one may be NULL */
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Half) *versions; /* of each symbol; NULL: the object has no versions */
    const ElfW(Verdef) *defined; /* NULL: it defines none */
};
enum { HIDDEN = 0x8000 };       /* bit of a version: only a call that names it gets the symbol */

static uint32_t gnu_hash(const char *name)
{
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static bool is_version(const struct wanted *w, const struct tables *t, ElfW(Half) version)
{
    const ElfW(Verdef) *d = t->defined;
    if (!w->version)
        return !(version & HIDDEN);
    while (d && d->vd_ndx != (version & ~HIDDEN))
        d = d->vd_next ? (const void *)((const char *)d + d->vd_next) : 0;
    const ElfW(Verdaux) *name = d ? (const void *)((const char *)d + d->vd_aux) : 0;
    return name && !strcmp(t->strings + name->vda_name, w->version);
}

static bool is_it(const struct wanted *w, const struct tables *t, uint32_t i)
{
    const ElfW(Sym) *s = &t->symbols[i];
    return s->st_shndx != SHN_UNDEF && !strcmp(t->strings + s->st_name, w->name) &&
           (t->versions ? is_version(w, t, t->versions[i]) : !w->version);
}

/* DT_GNU_HASH: four words, the Bloom filter, the buckets, the hashes of the symbols of each bucket.
 * The last hash of a bucket is odd. */
static const ElfW(Sym) *find_gnu(const struct wanted *w, const struct tables *t)
{
    uint32_t buckets = t->gnu[0], first = t->gnu[1];
    const uint32_t *bucket = t->gnu + 4 + t->gnu[2] * (sizeof(ElfW(Addr)) / sizeof *t->gnu);
    const uint32_t *hashes = bucket + buckets;
    uint32_t i = buckets ? bucket[w->hash % buckets] : 0;
    for (; i && i >= first; i++) {
        uint32_t h = hashes[i - first];
        if ((h | 1) == (w->hash | 1) && is_it(w, t, i))
            return &t->symbols[i];
        if (h & 1)
            break;
    }
    return 0;
}

/* DT_HASH: the second word is the number of symbols. Few objects have only this table. */
static const ElfW(Sym) *find_old(const struct wanted *w, const struct tables *t)
{
    for (uint32_t i = 1; i < t->old[1]; i++)
        if (is_it(w, t, i))
            return &t->symbols[i];
    return 0;
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
            return true;
    }
    return false;
}

static bool is_ours(const struct dl_phdr_info *info)
{
    return holds(info, (uintptr_t)is_ours);
}

static bool is_program(const struct dl_phdr_info *info)
{
    return !info->dlpi_name || !*info->dlpi_name;
}

/* The loader has made the addresses in an object's dynamic section absolute, but not those of the
 * kernel's object. */
static const void *address(const struct dl_phdr_info *info, ElfW(Addr) a)
{
    return (const void *)(a < info->dlpi_addr ? a + info->dlpi_addr : a);
}

static const ElfW(Dyn) *dynamic_of(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *d = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return d;
}

static struct tables tables_of(const struct dl_phdr_info *info)
{
    struct tables t = { 0 };
    for (const ElfW(Dyn) *d = dynamic_of(info); d && d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_GNU_HASH: t.gnu = address(info, d->d_un.d_ptr); break;
        case DT_HASH: t.old = address(info, d->d_un.d_ptr); break;
        case DT_SYMTAB: t.symbols = address(info, d->d_un.d_ptr); break;
        case DT_STRTAB: t.strings = address(info, d->d_un.d_ptr); break;
        case DT_VERSYM: t.versions = address(info, d->d_un.d_ptr); break;
        case DT_VERDEF: t.defined = address(info, d->d_un.d_ptr); break;
        }
    return t;
}

static int find_in(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct wanted *w = closure;
    struct tables t = tables_of(info);
    if (!t.symbols || !t.strings || !(t.gnu || t.old) || is_ours(info))
        return 0;
    w->symbol = t.gnu ? find_gnu(w, &t) : find_old(w, &t);
    w->address = w->symbol ? info->dlpi_addr + w->symbol->st_value : 0;
    w->storage = info->dlpi_tls_data;
    w->bias = info->dlpi_addr;
    return w->symbol != 0;
}

/* ---- the loaded objects ---- */

typedef int see_object(struct dl_phdr_info *, size_t, void *);
typedef int each_object(see_object *, void *);
static each_object *libcs_each;  /* NULL: not asked */

/* Only libc has both names. Another preload has the second one, perhaps. */
static int find_libcs(struct dl_phdr_info *info, size_t size, void *closure)
{
    static const char mark[] = "gnu_get_libc_version", name[] = "dl_iterate_phdr";
    struct wanted libc = { .name = mark, .hash = gnu_hash(mark) };
    struct wanted *w = closure;
    *w = (struct wanted){ .name = name, .hash = gnu_hash(name) };
    return find_in(info, size, &libc) && find_in(info, size, w);
}

/* The first call is in a constructor, before the program's threads. So another preload's
 * dl_iterate_phdr can do this one. Several threads may do it at once: they store the same value. */
static __attribute__((noinline, cold)) each_object *find_each_object(void)
{
    struct wanted w;
    each_object *found = dl_iterate_phdr(find_libcs, &w) ? (each_object *)w.address
                                                         : dl_iterate_phdr;
    __atomic_store_n(&libcs_each, found, __ATOMIC_RELAXED);
    return found;
}

static bool list_is_stuck;       /* this is a child of fork, and nobody will unlock the list */

int lookup_objects(see_object *see, void *closure)
{
    each_object *each = __atomic_load_n(&libcs_each, __ATOMIC_RELAXED);
    if (__builtin_expect(list_is_stuck, 0))
        return 0;
    return (each ? each : find_each_object())(see, closure);
}

/* ---- the lock of their list ---- */

static const pthread_mutex_t *list_mutex; /* NULL: not found */

struct held {
    const pthread_mutex_t *mutex[8];
    unsigned count;
};

static bool is_held(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) != 0;
}

static pid_t holder(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
}

/* The mutexes in the loader's data that this thread holds. */
static int find_held(struct dl_phdr_info *info, size_t size, void *closure)
{
    static const char name[] = "_rtld_global";
    struct wanted data = { .name = name, .hash = gnu_hash(name) };
    struct held *h = closure;
    if (!find_in(info, size, &data))
        return 0;
    pid_t me = kernel_call(SYS_gettid);
    uintptr_t end = data.address + data.symbol->st_size;
    for (uintptr_t a = data.address; a + sizeof(pthread_mutex_t) <= end;
         a += _Alignof(pthread_mutex_t)) {
        const pthread_mutex_t *m = (const pthread_mutex_t *)a;
        if (is_held(m) && holder(m) == me && m->__data.__count == 1 &&
            m->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP && h->count < 8)
            h->mutex[h->count++] = m;
    }
    return 1;
}

void lookup_setup(void)
{
    struct held h = { .count = 0 };
    unsigned found = 0;
    lookup_objects(find_held, &h);
    for (unsigned i = 0; i < h.count; i++)
        if (!is_held(h.mutex[i])) {
            list_mutex = h.mutex[i];
            found++;
        }
    if (found != 1)
        list_mutex = 0;
}

void lookup_before_fork(void)
{
    if (!list_mutex || !is_held(list_mutex))
        return;
    pid_t me = kernel_call(SYS_gettid);
    for (uint32_t turns = 0; turns < LOCK_TURNS_MOST && is_held(list_mutex) &&
                             holder(list_mutex) != me;
         lock_turn(&turns))
        ;
}

bool lookup_is_stuck(void)
{
    return list_is_stuck;
}

bool lookup_forked(void)
{
    list_is_stuck |= list_mutex && is_held(list_mutex);
    return !list_is_stuck;
}

/* ---- names ---- */

static int find_in_library(struct dl_phdr_info *info, size_t size, void *closure)
{
    return !is_program(info) && find_in(info, size, closure);
}

static struct wanted find(const char *name)
{
    struct wanted w = { .name = name, .hash = gnu_hash(name) };
    lookup_objects(find_in, &w);
    return w;
}

bool lookup_defined(const char *name)
{
    return find(name).symbol;
}

bool lookup_replaced(const char *name, const char *beside)
{
    struct wanted a = find(name), b = find(beside);
    return a.symbol && b.symbol && a.bias != b.bias;
}

/* A symbol that the object does not define is before those of DT_GNU_HASH. */
static int find_asked(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct wanted *w = closure;
    struct tables t = tables_of(info);
    if (!is_program(info))
        return 0;
    uint32_t end = !t.symbols || !t.strings ? 0 : t.gnu ? t.gnu[1] : t.old ? t.old[1] : 0;
    for (uint32_t i = 1; i < end && !w->symbol; i++) {
        const ElfW(Sym) *s = &t.symbols[i];
        if (s->st_shndx == SHN_UNDEF && !strcmp(t.strings + s->st_name, w->name))
            w->symbol = s;
    }
    return 1;
}

bool lookup_asked(const char *name)
{
    struct wanted w = { .name = name };
    lookup_objects(find_asked, &w);
    return w.symbol;
}

const void *lookup_first(const char *name)
{
    struct wanted w = { .name = name, .hash = gnu_hash(name) };
    lookup_objects(find_in_library, &w);
    return (const void *)w.address;
}

/* ---- as an object sees a name ---- */

struct within {
    uintptr_t code;
    struct wanted wanted;
};

static int find_within(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct within *w = closure;
    if (!holds(info, w->code))
        return 0;
    find_in_library(info, size, &w->wanted);
    return 1;
}

const void *lookup_within(const void *code, const char *name)
{
    struct within w = { (uintptr_t)code, { .name = name, .hash = gnu_hash(name) } };
    lookup_objects(find_within, &w);
    return (const void *)w.wanted.address;
}

/* The objects that the loader searches for an object's names: itself, those that it needs, those
 * that these need, and so on. A search in more objects fails. */
enum { SEARCHED = 128 };
struct scope {
    uintptr_t code;
    struct wanted wanted;
    const char *needed;         /* the name of the object to add; NULL: the one that has `code` */
    const ElfW(Dyn) *object[SEARCHED];  /* by their dynamic sections */
    unsigned count, next;
};

static bool is_called(const struct dl_phdr_info *info, const char *name)
{
    const char *slash = is_program(info) ? 0 : strrchr(info->dlpi_name, '/'),
               *file = slash ? slash + 1 : info->dlpi_name, *strings = tables_of(info).strings;
    if (file && (!strcmp(file, name) || !strcmp(info->dlpi_name, name)))
        return true;
    for (const ElfW(Dyn) *d = dynamic_of(info); strings && d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SONAME)
            return !strcmp(strings + d->d_un.d_val, name);
    return false;
}

static int add_to_scope(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct scope *s = closure;
    const ElfW(Dyn) *dynamic = dynamic_of(info);
    if (!dynamic || !(s->needed ? is_called(info, s->needed) : holds(info, s->code)))
        return 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->object[i] == dynamic)
            return 1;
    if (s->count < SEARCHED)
        s->object[s->count++] = dynamic;
    return 1;
}

/* Searches the next object. Without success, adds the objects that it needs. */
static int search_next(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct scope *s = closure;
    const ElfW(Dyn) *d = dynamic_of(info);
    if (d != s->object[s->next])
        return 0;
    const char *strings = tables_of(info).strings;
    if (!find_in_library(info, size, &s->wanted))
        for (; strings && d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED) {
                s->needed = strings + d->d_un.d_val;
                lookup_objects(add_to_scope, s);
            }
    return 1;
}

/* The first callback of an outer dl_iterate_phdr, whose lock is recursive: no object comes or goes
 * meanwhile. */
static int search(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)info, (void)size;
    struct scope *s = closure;
    lookup_objects(add_to_scope, s);
    for (; s->next < s->count && !s->wanted.symbol; s->next++)
        lookup_objects(search_next, s);
    return 1;
}

const void *lookup_seen_from(const void *code, const char *name, const char *version)
{
    struct scope s = { .code = (uintptr_t)code, .wanted = { .name = name, .version = version,
                                                            .hash = gnu_hash(name) } };
    lookup_objects(search, &s);
    return (const void *)s.wanted.address;
}

struct definers {
    struct wanted wanted;
    unsigned count;
};

static int count_definer(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct definers *d = closure;
    d->count += find_in_library(info, size, &d->wanted) != 0;
    return d->count > 1;
}

static int holds_first(struct dl_phdr_info *info, size_t size, void *closure)
{
    const uintptr_t *two = closure;
    (void)size;
    return holds(info, two[0]) ? 1 : holds(info, two[1]) ? 2 : 0;
}

/* RTLD_NEXT: the program, what it needs, and what was opened with RTLD_GLOBAL. The loader lists
 * objects in the order in which they were loaded. */
const void *lookup_global(const void *code, const char *name)
{
    struct definers d = { .wanted = { .name = name, .hash = gnu_hash(name) } };
    if (lookup_objects(count_definer, &d) == 0)
        return 0;
    const void *global = lookup(RTLD_NEXT, name);
    uintptr_t two[2] = { (uintptr_t)global, (uintptr_t)code };
    return global && lookup_objects(holds_first, two) == 1 ? global : 0;
}

/* ---- objects that must stay ---- */

static uintptr_t kept[LOOKUP_KEPT];
static uint32_t kept_count, kept_open;  /* the first kept_open have been opened once more */

/* The process ends, and the loader runs destructors: the program's, then libprof's, then those of
 * the objects after it. To open an object after its destructors would run its constructors
 * again. */
static bool destroyed;

__attribute__((destructor)) static void note_destruction(void)
{
    __atomic_store_n(&destroyed, true, __ATOMIC_RELAXED);
}

void lookup_keep(const void *address)
{
    uint32_t i = __atomic_fetch_add(&kept_count, 1, __ATOMIC_RELAXED);
    if (i < LOOKUP_KEPT)
        __atomic_store_n(&kept[i], (uintptr_t)address, __ATOMIC_RELEASE);
}

struct named {
    uintptr_t address;
    char *path;                 /* has SIZE bytes */
    size_t size;
};

static int name_in(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct named *n = closure;
    if (is_program(info) || !holds(info, n->address))
        return 0;
    message_format(n->path, n->size, "%s", info->dlpi_name);
    return 1;
}

void lookup_open_kept(void)
{
    enum { BYTES = 4096 };
    uint32_t i = __atomic_load_n(&kept_open, __ATOMIC_RELAXED);
    if (__builtin_expect(i == LOOKUP_KEPT || !__atomic_load_n(&kept[i], __ATOMIC_ACQUIRE), 1) ||
        __atomic_load_n(&destroyed, __ATOMIC_RELAXED))
        return;
    char *path = memory_map(BYTES);
    for (; path && i < LOOKUP_KEPT && __atomic_load_n(&kept[i], __ATOMIC_ACQUIRE); i++) {
        struct named named = { kept[i], path, BYTES };
        if (lookup_objects(name_in, &named))
            lookup_object(path, RTLD_LAZY | RTLD_NOLOAD, 0, 0);
        __atomic_store_n(&kept_open, i + 1, __ATOMIC_RELAXED);
    }
    memory_unmap(path, BYTES);
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

/* Before glibc 2.36, dlsym(RTLD_NEXT) finds the oldest version of a symbol (bug 14932), and a call
 * gets the default one. */
static bool finds_oldest(void)
{
    enum { NOT_ASKED_YET, NO, YES };
    static int answer;
    int a = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (a == NOT_ASKED_YET) {
        static const char since[] = "pidfd_open";
        struct wanted w = { .name = since, .version = "GLIBC_2.36", .hash = gnu_hash(since) };
        a = lookup_objects(find_in, &w) ? NO : YES;
        __atomic_store_n(&answer, a, __ATOMIC_RELAXED);
    }
    return a == YES;
}

/* FOUND, or the default version of the same function. */
static void *default_of(void *found, const char *name)
{
    struct within w = { (uintptr_t)found, { .name = name, .hash = gnu_hash(name) } };
    lookup_objects(find_within, &w);
    const ElfW(Sym) *s = w.wanted.symbol;
    return s && ELF64_ST_TYPE(s->st_info) == STT_FUNC ? (void *)w.wanted.address : found;
}

void *lookup(void *handle, const char *name)
{
    if (__builtin_expect(!may_ask(name), 0))
        return 0;
    void *error = lookup_error_aside(), *found = dlsym(handle, name);
    if (!found)
        drop(0, 0);
    lookup_error_back(error);
    return found && handle == RTLD_NEXT && finds_oldest() ? default_of(found, name) : found;
}

void *lookup_next(const char *name)
{
    void *after = lookup(RTLD_NEXT, name);
    return after ? after : (void *)find(name).address;
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
    void *error = lookup_error_aside(), *found = list_is_stuck ? 0 : dlopen(file, flags);
    if (!found)
        drop(why, size);
    lookup_error_back(error);
    return found;
}

void *lookup_runtime(const void *runtime, const char *name, const char *version)
{
    if (runtime)
        return (void *)lookup_seen_from(runtime, name, version);
    return version ? lookup_version(RTLD_NEXT, name, version) : lookup(RTLD_NEXT, name);
}
