/* context.c - see context.h. All code here but context_find is rare: it runs once for each new pair
 * of a context and a way on from it (context_way). One lock, context_lock, protects all tables. It
 * nests in no other lock. Only base/memory.c's lock nests in it. Readers of the lists, the table
 * and a context's memo (context.h) take no lock. An entry is complete before it is published
 * (release), and does not change after that.
 */
#include "contexts/context.h"
#include <string.h>
#include "base/aside.h"
#include "base/lock.h"
#include "base/memory.h"
#include "libprof_format.h"
#include "base/table.h"
#include "contexts/modules.h"
#include "unwind/call_tree.h"
#include "unwind/cfi.h"
#include "unwind/function_at.h"
#include "unwind/code_place.h"
#include "base/forbid.h"

/* A set of sites, by rising ids, interned: equal sets are one object. */
struct ancestors {
    uint32_t count;
    UT_hash_handle hh;
    struct site *site[];
};
#define ANCESTORS_MAX 1024u     /* sites in a set; with more, contexts are shared */

struct known_path {
    struct logical_path p;      /* key: up and segment, its first two words */
    uintptr_t function;         /* that spawned; 0: unknown */
    UT_hash_handle hh;
};

struct site_entry {
    struct site_key key;        /* address, runtime, construct */
    UT_hash_handle hh;
    struct site s;
};

/* Protects the tables of sites, sets, paths and contexts. */
LOCK_DEFINE(context_lock, LOCK_CONTEXTS);
static struct site_entry *sites;        /* by key */
static struct ancestors *sets;          /* by their sites */
static struct known_path *paths;        /* by up and segment */
uint64_t context_lost_nodes, context_lost_paths, context_lost_contexts;
static uint32_t site_total, context_total;

/* A context is found in three steps:
 *     (path, way)             -> struct path_step: the path that they lead to, and the spawn's site
 *     (set, site)             -> struct grown: the set with the site
 *     (path, struct grown)    -> struct context
 * A way is a segment and what is done at its end (context_way). Contexts share the results of each
 * step: in mm 1024, the 6,739 pairs of a context and a segment lead to 2,563 contexts. Beyond the
 * budget several histories share a context, which has no path in its key:
 *     (parent, way)           -> struct shared
 *
 * One table holds pointers to all of these, by open addressing. Readers take no lock. When the
 * table is half full, it is copied into one of twice its size. The old table stays: another thread
 * may read it. */
struct path_step {
    struct known known;
    const struct logical_path *path;
    struct site *site;
};
struct grown {
    struct known known;
    const struct ancestors *set;
    bool top, topcaller;
};
struct shared {
    struct known known;
    struct context *context;
};
struct table {
    size_t size, used;          /* size: a power of two */
    struct known *at[];
};
#define TABLE_MAX (1u << 23)
READ_MOSTLY static struct table *table;

READ_MOSTLY struct context *context_root;
struct context *context_list;
struct site *site_list;
uint32_t context_budget;

void context_forked(void)
{
    context_lost_nodes = context_lost_paths = context_lost_contexts = 0;
    for (struct site *s = site_list; s; s = s->next)
        s->took_others = false;
}

uint32_t context_count(void)
{
    return __atomic_load_n(&context_total, __ATOMIC_ACQUIRE);
}

void context_setup(uint32_t budget)
{
    static struct context root;
    static struct ancestors empty;
    static struct logical_path path;    /* node 0 */
    context_budget = budget;
    root.path = &path;
    root.set = &empty;
    root.top = root.topcaller = true;
    context_root = &root;
    context_list = &root;
    context_total = 1;
}

/* With context_lock. An address alone (LPF_SITE_FIRST_CALLER) is one site, whatever its first
 * caller. */
static struct site *site_find(const struct site_key *key)
{
    struct site_entry *e = 0;
    if (!(key->flags & LPF_SITE_FIRST_CALLER)) {
        HASH_FIND(hh, sites, key, sizeof *key, e);
        return e ? &e->s : 0;
    }
    struct site *s = site_list;
    while (s && !(s->address[0] == key->address[0] && s->flags == key->flags &&
                  s->construct == key->construct))
        s = s->next;
    return s;
}

/* Takes the loader's lock. So the caller must hold no lock: a callback of dl_iterate_phdr that
 * spawns holds the loader's lock and may wait for ours. */
static uintptr_t function_start(uintptr_t return_place)
{
    uintptr_t address = place_address(return_place), start = cfi_function(address - 1);
    if (!start)
        start = unwind_function_start(address - 1);
    return start ? start + place_number(return_place) : 0;
}

/* The facts of a site from the loader and the unwind tables. */
struct described {
    const struct site_key *key;
    uintptr_t function, caller;
};

static void describe(void *argument)
{
    struct described *d = argument;
    const struct site_key *key = d->key;
    unsigned last = 0;
    for (unsigned i = 0; i < SITE_ADDRESSES && key->address[i]; i++)
        modules_note(key->address[last = i]);
    d->function = function_start(key->address[0]);
    /* the first caller differs from run to run, and must not decide how paths fold */
    d->caller = last && !(key->flags & LPF_SITE_FIRST_CALLER) ? function_start(key->address[last])
                                                              : d->function;
}

/* With context_lock, which this function releases during the calls of the loader. NULL: no
 * memory. */
static struct site *site_intern(const struct site_key *k)
{
    struct site_key key;
    memset(&key, 0, sizeof key);    /* padding takes part in the hash */
    memcpy(key.address, k->address, sizeof key.address);
    key.runtime = k->runtime;
    key.construct = k->construct;
    key.flags = k->flags;
    struct site *known = site_find(&key);
    if (known)
        return known;
    lock_release(&context_lock);
    struct described d = { .key = &key };
    aside_run(describe, &d);
    lock_take(&context_lock);
    if ((known = site_find(&key)))
        return known;
    struct site_entry *e = memory_keep(sizeof *e);
    if (!e)
        return 0;
    e->key = key;
    memcpy(e->s.address, key.address, sizeof key.address);
    e->s.runtime = key.runtime;
    e->s.construct = key.construct;
    e->s.flags = key.flags;
    e->s.id = site_total++;
    e->s.function = d.function;
    e->s.caller = d.caller;
    e->s.next = site_list;
    __atomic_store_n(&site_list, &e->s, __ATOMIC_RELEASE);
    HASH_ADD(hh, sites, key, sizeof e->key, e);
    return &e->s;
}

static bool set_has(const struct ancestors *s, const struct site *site)
{
    uint32_t lo = 0, hi = s->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->site[mid]->id < site->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->count && s->site[lo] == site;
}

/* SET with SITE; interned. NULL: no memory, or the set is full. */
static const struct ancestors *set_add(const struct ancestors *set, struct site *site)
{
    if (set_has(set, site))
        return set;
    if (set->count == ANCESTORS_MAX)
        return 0;
    static SELDOM struct site *with[ANCESTORS_MAX];  /* context_lock */
    uint32_t n = 0;
    for (; n < set->count && set->site[n]->id < site->id; n++)
        with[n] = set->site[n];
    with[n] = site;
    for (; n < set->count; n++)
        with[n + 1] = set->site[n];
    struct ancestors *found;
    HASH_FIND(hh, sets, with, (n + 1) * sizeof with[0], found);
    if (found)
        return found;
    found = memory_keep(sizeof *found + (n + 1) * sizeof with[0]);
    if (!found)
        return 0;
    found->count = n + 1;
    memcpy(found->site, with, (n + 1) * sizeof with[0]);
    HASH_ADD_KEYPTR(hh, sets, found->site, found->count * sizeof with[0], found);
    return found;
}

void context_takes(const struct context *joiner, const struct context *of, bool inside)
{
    if (joiner->overflow || of->overflow)   /* their sets are not known, and counted as a loss */
        return;
    uint32_t first = joiner->set == of->set ? joiner->set->count : 0;   /* as in recursion */
    for (uint32_t i = first; joiner->site && i <= joiner->set->count; i++) {
        struct site *s = i < joiner->set->count ? joiner->set->site[i] : joiner->site;
        if (!(inside && s == of->site) && !set_has(of->set, s))
            __atomic_store_n(&s->took_others, true, __ATOMIC_RELAXED);
    }
}

/* Does FUNCTION hold one of the sites of S? */
static bool set_has_function(const struct ancestors *s, uintptr_t function)
{
    for (uint32_t i = 0; function && i < s->count; i++)
        if (s->site[i]->function == function)
            return true;
    return false;
}

static const struct logical_path *known_path(const struct logical_path *up,
                                             const struct segment *segment)
{
    const void *key[2] = { up, segment };
    struct known_path *e;
    HASH_FIND(hh, paths, key, sizeof key, e);
    return e ? &e->p : 0;
}

static const struct logical_path *path_make(const struct logical_path *up,
                                            const struct segment *segment, uintptr_t function)
{
    struct known_path *e = memory_keep(sizeof *e);
    if (!e)
        return 0;
    uint64_t *lost = &context_lost_nodes;
    e->p = (struct logical_path){
        .up = up, .segment = segment, .node = up->node, .depth = up->depth + 1
    };
    e->function = function;
    if (segment->cut)
        e->p.node = cct_child(e->p.node, LPF_NODE_CUT, 0, lost);
    for (uint32_t i = segment->count; i-- > 0;)
        e->p.node = cct_child(e->p.node, LPF_NODE_FRAME, segment->address[i], lost);
    e->p.node = cct_child(e->p.node, LPF_NODE_TASK, 0, lost);
    if (cct_node(e->p.node)->kind != LPF_NODE_TASK)
        /* the budget is used up: the task's samples count with its spawner's */
        e->p.node = up->node;
    HASH_ADD(hh, paths, p, 2 * sizeof(void *), e);
    return &e->p;
}

const struct logical_path *context_path_child(const struct logical_path *up,
                                              const struct segment *segment)
{
    lock_take(&context_lock);
    const struct logical_path *p = known_path(up, segment);
    if (!p)
        p = path_make(up, segment, 0);
    lock_release(&context_lock);
    return p;
}

/* The path above a new spawn over SEGMENT in PATH. Recursion folds: if PATH already contains
 * SEGMENT, the new spawn gets the same path above. If FUNCTION has already spawned in PATH, the new
 * spawn goes below FUNCTION's first one. So a path has at most two segments of one function,
 * whatever the depth and the spawn sites. */
static const struct logical_path *path_above(const struct logical_path *path,
                                             const struct segment *segment, uintptr_t function)
{
    const struct logical_path *first = path;
    for (const struct logical_path *p = path; p->up; p = p->up) {
        if (p->segment == segment)
            return p->up;
        if (function && ((const struct known_path *)p)->function == function)
            first = p;
    }
    return first;
}

static inline size_t table_start(const struct table *t, const void *a, const void *b)
{
    /* Two multiplications, because A and B are addresses in steps of 32, all pairs of a few hundred
     * A and B occur, and many pairs have the same sum or xor. */
    uint64_t h = ((uintptr_t)a * 0x9e3779b97f4a7c15ull ^ (uintptr_t)b) * 0xff51afd7ed558ccdull;
    return h >> 32 & (t->size - 1);
}

static inline struct known *table_find(const struct table *t, const void *a, const void *b)
{
    for (size_t i = table_start(t, a, b);; i = (i + 1) & (t->size - 1)) {
        struct known *k = __atomic_load_n(&t->at[i], __ATOMIC_ACQUIRE);
        if (!k || (k->a == a && k->b == b))
            return k;
    }
}

static void table_put(struct table *t, struct known *k)
{
    size_t i = table_start(t, k->a, k->b);
    while (t->at[i])
        i = (i + 1) & (t->size - 1);
    t->used++;
    __atomic_store_n(&t->at[i], k, __ATOMIC_RELEASE);
}

/* With context_lock. Makes room for one more in the table. False: no memory. */
static bool table_has_room(void)
{
    struct table *t = table;
    if (t && t->used < t->size / 2)
        return true;
    size_t size = t ? t->size * 2 : 1024;
    struct table *larger = size <= TABLE_MAX
                               ? memory_keep(sizeof *larger + size * sizeof larger->at[0])
                               : 0;
    if (!larger)
        return false;
    larger->size = size;
    for (size_t i = 0; t && i < t->size; i++)
        if (t->at[i])
            table_put(larger, t->at[i]);
    __atomic_store_n(&table, larger, __ATOMIC_RELEASE);
    return true;
}

/* With context_lock. A new object of SIZE bytes with the key (A, B), which is not in the table. The
 * caller fills the object, then calls table_put. NULL: no memory. */
static void *table_new(const void *a, const void *b, size_t size)
{
    struct known *k = table_has_room() ? memory_keep(size) : 0;
    if (k)
        *k = (struct known){ a, b };
    return k;
}

/* With context_lock. */
static void *table_look(const void *a, const void *b)
{
    return table ? table_find(table, a, b) : 0;
}

/* With context_lock. Makes C one of PARENT's memos, if a place is free. */
static void memorize(struct context *parent, const void *way, struct context *c)
{
    unsigned i = 0;
    while (i < CONTEXT_MEMO && parent->tag[i] && parent->memo[i] != c)
        i++;
    if (i == CONTEXT_MEMO || parent->tag[i] || c->key != (uintptr_t)way)
        return;
    parent->memo[i] = c;
    __atomic_store_n(&parent->tag[i], context_tag(way), __ATOMIC_RELEASE);
}

struct context *context_find(struct context *parent, const void *way)
{
    const struct table *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
    if (!t)
        return 0;
    if (!parent->overflow) {
        const struct path_step *step = (struct path_step *)table_find(t, parent->path, way);
        const struct grown *grown = step ? (struct grown *)table_find(t, parent->set, step->site)
                                         : 0;
        struct context *c = grown ? (struct context *)table_find(t, step->path, grown) : 0;
        if (c && !__atomic_load_n(&parent->tag[CONTEXT_MEMO - 1], __ATOMIC_RELAXED)) {
            lock_take(&context_lock);
            memorize(parent, way, c);
            lock_release(&context_lock);
        }
        if (c)
            return c;
    }
    const struct shared *shared = (struct shared *)table_find(t, parent, way);
    return shared ? shared->context : 0;
}

/* With context_lock. SET after a spawn at SITE. NULL: no memory, or the set is full. */
static struct grown *grow(const struct ancestors *set, struct site *site)
{
    struct grown *g = table_look(set, site);
    const struct ancestors *with = g ? 0 : set_add(set, site);
    if (!with || !(g = table_new(set, site, sizeof *g)))
        return g;
    g->set = with;
    g->top = !set_has(set, site);
    g->topcaller = !set_has_function(set, site->function);
    table_put(table, &g->known);
    return g;
}

/* With context_lock. NULL: twice the budget is used up, or no memory. */
static struct context *context_make(struct known known, struct context *parent,
                                    const struct logical_path *path, const void *way,
                                    struct site *site)
{
    struct context *c = path && context_total < 2 * context_budget && table_has_room()
                            ? memory_keep_lines(sizeof *c)
                            : 0;
    if (!c)
        return 0;
    const struct grown *grown = known.b;
    c->known = known;
    c->key = (uintptr_t)way;
    c->site = site;
    c->parent = parent;
    c->path = path;
    c->set = grown ? grown->set : context_root->set;
    c->top = grown && grown->top;
    c->topcaller = grown && grown->topcaller;
    c->overflow = !grown;
    c->id = context_total;
    c->next = context_list;
    __atomic_store_n(&context_list, c, __ATOMIC_RELEASE);
    __atomic_store_n(&context_total, context_total + 1, __ATOMIC_RELEASE);
    table_put(table, &c->known);
    return c;
}

/* With context_lock. Records that WAY leads from UP to PATH, by a spawn at SITE. */
static void remember_step(const struct logical_path *up, const void *way,
                          const struct logical_path *path, struct site *site)
{
    struct path_step *t = table_look(up, way) ? 0 : table_new(up, way, sizeof *t);
    if (!t)
        return;
    t->path = path;
    t->site = site;
    table_put(table, &t->known);
}

/* With context_lock. */
static void remember_shared(struct context *parent, const void *way, struct context *c)
{
    struct shared *s = table_look(parent, way) ? 0 : table_new(parent, way, sizeof *s);
    if (!s)
        return;
    s->context = c;
    table_put(table, &s->known);
}

struct context *context_child_slow(struct context *parent, const struct logical_path *base,
                                   const struct segment *segment, unsigned end,
                                   const struct site_key *k)
{
    struct context *c = 0;
    const void *way = context_way(segment, end);
    lock_take(&context_lock);
    struct site *site = site_intern(k);
    if (!site)
        goto out;
    const struct grown *grown = parent->overflow ? 0 : grow(parent->set, site);
    const struct logical_path *up = path_above(base ? base : parent->path, segment, site->caller),
                              *path = known_path(up, segment);
    bool shared = false;
    if (grown && path)
        c = table_look(path, grown);
    if (grown && !c && context_total < context_budget / 2) {
        if (!path)
            path = path_make(up, segment, site->caller);
        c = context_make((struct known){ path, grown }, parent, path, way, site);
    } else if (grown && !c) {
        /* Mutual recursion has a path for each order in which its sites first occur. So in the
         * second half of the budget, contexts with equal sets share one path, whatever the order.
         * Then the measurements by site stay exact. */
        shared = true;
        c = table_look(0, grown);
        if (!c && context_total < context_budget) {
            context_lost_paths++;
            c = context_make((struct known){ 0, grown }, parent,
                             path ? path : path_make(up, segment, site->caller), way, site);
        }
    }
    if (!c) {
        /* Over budget: each site gets one context, of unknown history. If there is no room for that
         * either, the spawn counts in PARENT. Ids stay below 2 * budget, the size of each thread's
         * metrics. */
        shared = true;
        context_lost_contexts++;
        c = table_look(site, 0);
        if (!c)
            c = context_make((struct known){ site, 0 }, context_root, context_root->path, way,
                             site);
    }
    if (c && !base) {
        memorize(parent, way, c);
        if (shared)
            remember_shared(parent, way, c);
        else
            remember_step(parent->path, way, path, site);
    }
out:
    lock_release(&context_lock);
    return c ? c : parent;
}
