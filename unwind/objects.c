/* objects.c - see objects.h. There are two tables: readers search the current one while the other
 * one is filled. A reader that is overtaken twice searches again. A signal handler that interrupts
 * the writer finds the current table whole. Tables grow, and old ones stay mapped. */
#define _GNU_SOURCE
#include "unwind/objects.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include "base/lookup.h"
#include "base/memory.h"
#include "unwind/walk.h"
#include "base/forbid.h"

/* glibc's manual, "Dynamic Linker Introspection". Declared here, because headers before 2.35 lack
 * it, and what is built with them runs on later ones. */
struct loader_object {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *eh_frame;
    unsigned long long reserved[7];
};
static int (*find_object)(void *, struct loader_object *);

#define TABLE_LEAST 64u
#define TRIES 8                 /* of a reader whose table is overwritten while it reads */

struct entry {
    struct object object;
    bool stays;                 /* the program started with it */
};
struct objects {
    uint32_t capacity, count;
    struct entry entry[];       /* by address */
};
static struct {
    struct objects *objects;
    uint32_t version;           /* odd while it is written */
} side[2];
static uint32_t current;        /* index of side */
/* Written in callbacks of dl_iterate_phdr, so by one thread at a time. */
static unsigned long long loads, unloads;
static bool own_table;

uint32_t objects_unloading;
/* this thread's calls among these: in a child of fork there are no others */
static __thread uint32_t unloading_here __attribute__((tls_model("initial-exec")));

/* ---- writing ---- */

/* The loader's lock is held from the first callback to the last. */
static int count_object(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)info, (void)size;
    ++*(uint32_t *)count;
    return 0;
}

static bool stays_in(const struct objects *t, uintptr_t start)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->entry[middle].object.start <= start)
            low = middle + 1;
        else
            high = middle;
    }
    return low && t->entry[low - 1].object.start == start && t->entry[low - 1].stays;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *closure)
{
    (void)size;
    struct objects *t = closure;
    struct object o = { .start = UINTPTR_MAX, .bias = info->dlpi_addr,
                        .path = info->dlpi_name ? info->dlpi_name : "" };
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_EH_FRAME)
            o.eh_frame = (const uint8_t *)start;
        if (p->p_type != PT_LOAD)
            continue;
        if ((start & -4096ul) < o.start)
            o.start = start & -4096ul;
        if (start + p->p_memsz > o.end)
            o.end = start + p->p_memsz;
    }
    if (o.start >= o.end || t->count == t->capacity)
        return 0;
    const struct objects *before = side[current].objects;
    t->entry[t->count++] = (struct entry){ o, !before || stays_in(before, o.start) };
    return 0;
}

static void sift(struct entry *e, uint32_t at, uint32_t count)
{
    const struct entry sinks = e[at];
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && e[child + 1].object.start > e[child].object.start)
            child++;
        if (e[child].object.start <= sinks.object.start)
            break;
        e[at] = e[child];
    }
    e[at] = sinks;
}

/* By address. The loader's order is by age, mostly from high addresses to low ones, and a program
 * may have hundreds of plug-ins: hence a heap. */
static void sort(struct objects *t)
{
    for (uint32_t i = t->count / 2; i-- > 0;)
        sift(t->entry, i, t->count);
    for (uint32_t n = t->count; n-- > 1;) {
        const struct entry last = t->entry[0];
        t->entry[0] = t->entry[n];
        t->entry[n] = last;
        sift(t->entry, 0, n);
    }
}

static struct objects *make(uint32_t count)
{
    uint32_t capacity = TABLE_LEAST;
    while (capacity < count)
        capacity *= 2;
    struct objects *t = memory_map(sizeof *t + capacity * sizeof t->entry[0]);
    if (t)
        t->capacity = capacity;
    return t;
}

/* The first callback of an outer dl_iterate_phdr, whose lock is recursive. */
static int follow(struct dl_phdr_info *info, size_t size, void *changed)
{
    (void)size;
    uint32_t count = 0, next = !current;
    if (side[current].objects && info->dlpi_adds == loads && info->dlpi_subs == unloads)
        return 1;
    lookup_objects(count_object, &count);
    struct objects *t = side[next].objects;
    if (!t || t->capacity < count)
        t = make(count);
    if (!t)
        return 1;
    __atomic_store_n(&side[next].version, side[next].version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    t->count = 0;
    lookup_objects(add_object, t);
    sort(t);
    __atomic_store_n(&side[next].objects, t, __ATOMIC_RELEASE);
    __atomic_store_n(&side[next].version, side[next].version + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&current, next, __ATOMIC_RELEASE);
    loads = info->dlpi_adds;
    unloads = info->dlpi_subs;
    *(bool *)changed = true;
    return 1;
}

bool objects_follow(void)
{
    bool changed = false;
    if (__builtin_expect(!own_table, 1))
        return false;
    int saved = errno;
    lookup_objects(follow, &changed);
    errno = saved;
    return changed;
}

void objects_unload_begin(void)
{
    unloading_here++;
    __atomic_fetch_add(&objects_unloading, 1, __ATOMIC_SEQ_CST);
}

bool objects_unload_end(void)
{
    unloading_here--;
    __atomic_fetch_sub(&objects_unloading, 1, __ATOMIC_SEQ_CST);
    return own_table;
}

void objects_forked(void)
{
    objects_unloading = unloading_here;
}

bool objects_setup(bool own)
{
    *(void **)&find_object = own ? 0 : lookup(RTLD_DEFAULT, "_dl_find_object");
    own_table = !find_object;
    return find_object || objects_follow();
}

/* ---- reading ---- */

#define FIELD(to, from) (to) = __atomic_load_n(&(from), __ATOMIC_RELAXED)

/* Searches T, which another thread may be writing: then the result is nonsense, but it was read
 * from T. */
static bool search(const struct objects *t, uintptr_t pc, struct object *found, bool *stays)
{
    uint32_t low = 0, high = __atomic_load_n(&t->count, __ATOMIC_RELAXED);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (__atomic_load_n(&t->entry[middle].object.start, __ATOMIC_RELAXED) <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct object *o = &t->entry[low - 1].object;
    FIELD(found->start, o->start);
    FIELD(found->end, o->end);
    FIELD(found->bias, o->bias);
    FIELD(found->path, o->path);
    FIELD(found->eh_frame, o->eh_frame);
    FIELD(*stays, t->entry[low - 1].stays);
    return pc < found->end;
}

static bool find_in_table(uintptr_t pc, struct object *found, bool *stays)
{
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t i = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
        uint32_t version = __atomic_load_n(&side[i].version, __ATOMIC_ACQUIRE);
        const struct objects *t = __atomic_load_n(&side[i].objects, __ATOMIC_ACQUIRE);
        if (!t)
            return false;
        if (version & 1)
            continue;
        bool is_there = search(t, pc, found, stays);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&side[i].version, __ATOMIC_RELAXED) == version)
            return is_there;
    }
    return false;
}

static bool is_mapped(const struct object *o)
{
    return __atomic_load_n(&objects_unloading, __ATOMIC_SEQ_CST) == unloading_here &&
           walk_mapped(o->start) &&
           (!o->eh_frame || walk_mapped((uintptr_t)o->eh_frame));
}

bool objects_find(uintptr_t pc, struct object *object)
{
    struct loader_object o;
    bool stays;
    if (__builtin_expect(own_table, 0))
        return find_in_table(pc, object, &stays) && (stays || is_mapped(object));
    if (!find_object || find_object((void *)pc, &o))
        return false;
    *object = (struct object){ (uintptr_t)o.start, (uintptr_t)o.end, o.map->l_addr,
                               o.map->l_name ? o.map->l_name : "", o.eh_frame };
    return true;
}
