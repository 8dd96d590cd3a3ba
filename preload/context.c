/* context.c - see context.h. Everything here but context_child (inline) is off the fast path: it
 * runs once for every new (context, key) pair. One lock, context_lock, protects all tables; it
 * nests in nothing but memory.c's own lock nests in it. Readers of the memo and of the lists take
 * no lock: entries are complete before they are published (release) and never change after.
 */
#include "context.h"
#include <string.h>
#include "block.h"
#include "engine.h"
#include "libprof_format.h"
#include "table.h"
#include "writer.h"
#include "../unwind/cct.h"
#include "../unwind/unwind.h"

/* A set of sites as a bitmap, interned: equal sets are one object. */
struct ancestors {
    uint32_t words;
    uint32_t pad;
    UT_hash_handle hh;
    uint64_t bits[];
};

struct known_path {
    struct logical_path p;      /* key: up and segment, its first two words */
    uintptr_t function;         /* that spawned; 0: unknown */
    UT_hash_handle hh;
};

struct context_key {
    const struct logical_path *path;    /* NULL: shared by histories of several */
    const struct ancestors *set;
    const struct site *site;
    uint64_t flags;             /* TOP, ... */
};

struct context_entry {
    struct context_key key;
    UT_hash_handle hh;
    struct context c;
};

struct site_entry {
    struct site_key key;        /* address, runtime, construct */
    UT_hash_handle hh;
    struct site s;
};

static uint32_t context_lock;
static struct context_entry *contexts;  /* by key */
static struct site_entry *sites;        /* by key */
static struct ancestors *sets;          /* by bits */
static struct known_path *paths;        /* by up and segment */
static uint32_t site_total, context_total;

/* (parent, segment) -> context, for what does not stay in the parents' memos: open addressing, read without a lock. A
 * place is taken once its child is set. A table that is half full is copied into one twice its size and kept, for who may
 * be reading it. */
struct known_child {
    const struct context *parent;
    const struct segment *segment;
    struct context *child;
};
struct known_table {
    size_t size, used;          /* size: a power of two */
    struct known_child at[];
};
#define KNOWN_MAX (1u << 21)    /* beyond, what does not stay in a memo is made out anew each time */
static struct known_table *known;

READ_MOSTLY struct context *context_root;
struct context *context_list;
struct site *site_list;
uint32_t context_budget;

uint32_t context_count(void)
{
    return __atomic_load_n(&context_total, __ATOMIC_ACQUIRE);
}

int context_setup(uint32_t budget)
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
    return 0;
}

static struct site *site_intern(const struct site_key *k)
{
    struct site_key key;
    memset(&key, 0, sizeof key);    /* padding takes part in the hash */
    memcpy(key.address, k->address, sizeof key.address);
    key.runtime = k->runtime;
    key.construct = k->construct;
    key.flags = k->flags;
    struct site_entry *e;
    HASH_FIND(hh, sites, &key, sizeof key, e);
    if (e)
        return &e->s;
    e = memory_keep(sizeof *e);
    if (!e)
        return 0;
    e->key = key;
    memcpy(e->s.address, key.address, sizeof key.address);
    e->s.runtime = key.runtime;
    e->s.construct = key.construct;
    e->s.flags = key.flags;
    e->s.id = site_total++;
    e->s.function = unwind_function_start(key.address[0] - 1);
    unsigned last = 0;
    for (unsigned i = 0; i < SITE_ADDRESSES && key.address[i]; i++)
        writer_note_module(key.address[last = i]);
    e->s.caller = last ? unwind_function_start(key.address[last] - 1) : e->s.function;
    e->s.next = site_list;
    __atomic_store_n(&site_list, &e->s, __ATOMIC_RELEASE);
    HASH_ADD(hh, sites, key, sizeof key, e);
    return &e->s;
}

static bool set_has(const struct ancestors *s, uint32_t site)
{
    return site / 64 < s->words && (s->bits[site / 64] >> site % 64 & 1);
}

/* SET with SITE; interned. NULL when memory is out. */
static const struct ancestors *set_add(const struct ancestors *set, uint32_t site)
{
    if (set_has(set, site))
        return set;
    uint32_t words = site / 64 + 1 > set->words ? site / 64 + 1 : set->words;
    if (words > 64)
        return 0;
    uint64_t bits[64] = {0};
    memcpy(bits, set->bits, set->words * 8);
    bits[site / 64] |= 1ull << site % 64;
    struct ancestors *found;
    HASH_FIND(hh, sets, bits, words * 8, found);
    if (found)
        return found;
    found = memory_keep(sizeof *found + words * 8);
    if (!found)
        return 0;
    found->words = words;
    memcpy(found->bits, bits, words * 8);
    HASH_ADD_KEYPTR(hh, sets, found->bits, words * 8, found);
    return found;
}

/* Was an invocation among PARENT's ancestors made from FUNCTION? */
static bool set_has_function(const struct ancestors *s, uintptr_t function)
{
    if (!function)
        return false;
    for (const struct site *x = site_list; x; x = x->next)
        if (x->function == function && set_has(s, x->id))
            return true;
    return false;
}

static const struct logical_path *path_find(const struct logical_path *up, const struct segment *segment)
{
    const void *key[2] = { up, segment };
    struct known_path *e;
    HASH_FIND(hh, paths, key, sizeof key, e);
    return e ? &e->p : 0;
}

static const struct logical_path *path_make(const struct logical_path *up, const struct segment *segment,
                                            uintptr_t function)
{
    struct known_path *e = memory_keep(sizeof *e);
    if (!e)
        return 0;
    struct thread *th = thread_self_;
    uint64_t *lost = th ? &th->lost[LOSS_NODES] : 0;
    e->p = (struct logical_path){ .up = up, .segment = segment, .node = up->node, .depth = up->depth + 1 };
    e->function = function;
    if (segment->cut)
        e->p.node = cct_child(e->p.node, LPF_NODE_CUT, 0, lost);
    for (uint32_t i = segment->count; i-- > 0;)
        e->p.node = cct_child(e->p.node, LPF_NODE_FRAME, segment->address[i], lost);
    e->p.node = cct_child(e->p.node, LPF_NODE_TASK, 0, lost);
    if (cct_nodes[e->p.node].kind != LPF_NODE_TASK)
        e->p.node = up->node;   /* the budget is used up: what runs there counts with its spawner */
    HASH_ADD(hh, paths, p, 2 * sizeof(void *), e);
    return &e->p;
}

const struct logical_path *context_path_child(const struct logical_path *up, const struct segment *segment)
{
    spin_lock(&context_lock);
    const struct logical_path *p = path_find(up, segment);
    if (!p)
        p = path_make(up, segment, 0);
    spin_unlock(&context_lock);
    return p;
}

/* Recursion folds: a spawn over SEGMENT, which stands in PATH, hangs where that one hangs; another one by
 * FUNCTION, which has already spawned in PATH, below the first that it made. So a path has at most two
 * segments of one function, whatever the depth and the spawn sites. */
static const struct logical_path *path_above(const struct logical_path *path, const struct segment *segment,
                                             uintptr_t function)
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

static struct context *context_look(const struct context_key *key)
{
    struct context_entry *e;
    HASH_FIND(hh, contexts, key, sizeof *key, e);
    return e ? &e->c : 0;
}

enum { TOP = 1, TOPCALLER = 2, OVERFLOWED = 4 };

static struct context *context_make(const struct context_key *key, struct context *parent,
                                    const struct logical_path *path)
{
    struct context_entry *e = path && context_total < 2 * context_budget ? memory_keep(sizeof *e) : 0;
    if (!e)
        return 0;
    e->key = *key;
    e->c.site = (struct site *)key->site;
    e->c.parent = parent;
    e->c.set = key->set;
    e->c.path = path;
    e->c.top = key->flags & TOP;
    e->c.topcaller = key->flags & TOPCALLER;
    e->c.overflow = key->flags & OVERFLOWED;
    e->c.id = context_total;
    e->c.next = context_list;
    __atomic_store_n(&context_list, &e->c, __ATOMIC_RELEASE);
    __atomic_store_n(&context_total, context_total + 1, __ATOMIC_RELEASE);
    HASH_ADD(hh, contexts, key, sizeof e->key, e);
    return &e->c;
}

static void count_loss(enum loss loss)
{
    struct thread *th = thread_self_;
    if (th)
        th->lost[loss]++;
}

bool context_known(uintptr_t address, struct site_key *key)
{
    for (const struct site *s = __atomic_load_n(&site_list, __ATOMIC_ACQUIRE); s; s = s->next)
        if (s->address[0] == address && s->flags & LPF_SITE_FIRST_CALLER) {
            memcpy(key->address, s->address, sizeof key->address);
            key->flags = s->flags;
            return true;
        }
    return false;
}

static inline size_t known_start(const struct known_table *t, const struct context *parent, const struct segment *segment)
{
    uint64_t h = ((uintptr_t)parent ^ (uint64_t)(uintptr_t)segment << 7) * 0x9e3779b97f4a7c15ull;
    return h >> 32 & (t->size - 1);
}

struct context *context_find(const struct context *parent, const struct segment *segment)
{
    const struct known_table *t = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (!t)
        return 0;
    for (size_t i = known_start(t, parent, segment);; i = (i + 1) & (t->size - 1)) {
        struct context *child = __atomic_load_n(&t->at[i].child, __ATOMIC_ACQUIRE);
        if (!child || (t->at[i].parent == parent && t->at[i].segment == segment))
            return child;
    }
}

/* With context_lock. K is not in T. */
static void known_add(struct known_table *t, const struct known_child *k)
{
    size_t i = known_start(t, k->parent, k->segment);
    while (t->at[i].child)
        i = (i + 1) & (t->size - 1);
    t->at[i].parent = k->parent;
    t->at[i].segment = k->segment;
    t->used++;
    __atomic_store_n(&t->at[i].child, k->child, __ATOMIC_RELEASE);
}

/* With context_lock. NULL: full, or no memory. */
static struct known_table *known_with_room(void)
{
    struct known_table *t = known;
    if (t && t->used < t->size / 2)
        return t;
    size_t size = t ? t->size * 2 : 1024;
    struct known_table *grown = size <= KNOWN_MAX ? memory_keep(sizeof *grown + size * sizeof grown->at[0]) : 0;
    if (!grown)
        return 0;
    grown->size = size;
    for (size_t i = 0; t && i < t->size; i++)
        if (t->at[i].child)
            known_add(grown, &t->at[i]);
    __atomic_store_n(&known, grown, __ATOMIC_RELEASE);
    return grown;
}

/* With context_lock. */
static void know(struct context *parent, const struct segment *segment, struct context *c)
{
    if (!c->key)
        c->key = (uintptr_t)segment;
    if (c->key == (uintptr_t)segment)
        __atomic_store_n(&parent->memo[((uintptr_t)segment >> 5) % CONTEXT_MEMO], c, __ATOMIC_RELEASE);
    if (context_find(parent, segment))
        return;                 /* another thread was faster */
    struct known_table *t = known_with_room();
    if (t)
        known_add(t, &(struct known_child){ parent, segment, c });
}

struct context *context_child_slow(struct context *parent, const struct logical_path *base,
                                   const struct segment *segment, const struct site_key *k)
{
    struct context *c = 0;
    const struct logical_path *up = base ? base : parent->path;
    spin_lock(&context_lock);
    struct site *site = site_intern(k);
    if (!site)
        goto out;
    bool recursive = set_has(parent->set, site->id);
    struct context_key key;
    memset(&key, 0, sizeof key);
    key.site = site;
    key.set = parent->overflow ? 0 : set_add(parent->set, site->id);
    key.flags = (recursive ? 0 : TOP) | (set_has_function(parent->set, site->function) ? 0 : TOPCALLER);
    up = path_above(up, segment, site->caller);
    key.path = path_find(up, segment);
    if (key.set && key.path)
        c = context_look(&key);
    if (key.set && !c && context_total < context_budget / 2) {
        if (!key.path)
            key.path = path_make(up, segment, site->caller);
        c = context_make(&key, parent, key.path);
    } else if (key.set && !c) {
        /* Mutual recursion has a path for each order in which its sites first come. The second half of
         * the budget is for contexts that have one path whatever the order, so that at least what is
         * measured by site stays exact. */
        const struct logical_path *path = key.path;
        key.path = 0;
        c = context_look(&key);
        if (!c && context_total < context_budget) {
            count_loss(LOSS_PATHS);
            c = context_make(&key, parent, path ? path : path_make(up, segment, site->caller));
        }
    }
    if (!c) {
        /* Over budget: one context a site, its history unknown; then the parent's own. Ids stay below
         * 2 * budget, the size of the per-thread metrics. */
        count_loss(LOSS_CONTEXTS);
        memset(&key, 0, sizeof key);
        key.site = site;
        key.set = context_root->set;
        key.flags = OVERFLOWED;
        c = context_look(&key);
        if (!c)
            c = context_make(&key, context_root, context_root->path);
    }
    if (c && !base)
        know(parent, segment, c);
out:
    spin_unlock(&context_lock);
    return c ? c : parent;
}

void context_lock_all(bool lock)
{
    if (lock)
        spin_lock(&context_lock);
    else
        spin_unlock(&context_lock);
}
