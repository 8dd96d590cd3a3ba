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
#include "../unwind/unwind.h"

/* A set of sites as a bitmap, interned: equal sets are one object. */
struct ancestors {
    uint32_t words;
    uint32_t pad;
    UT_hash_handle hh;
    uint64_t bits[];
};

struct context_key {
    const struct ancestors *set;
    const struct site *site;
    uint64_t flags;             /* top | topcaller << 1 | overflow << 2 */
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
static uint32_t site_total, context_total;

struct context *context_root;
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
    context_budget = budget;
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
    for (unsigned i = 0; i < SITE_ADDRESSES && key.address[i]; i++)
        writer_note_module(key.address[i]);
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

static struct context *context_intern(struct context *parent, struct site *site,
                                      const struct ancestors *set, bool top, bool topcaller,
                                      bool overflow)
{
    struct context_key key;
    memset(&key, 0, sizeof key);
    key.set = set;
    key.site = site;
    key.flags = top | (uint64_t)topcaller << 1 | (uint64_t)overflow << 2;
    struct context_entry *e;
    HASH_FIND(hh, contexts, &key, sizeof key, e);
    if (e)
        return &e->c;
    if (context_total >= context_budget)
        return 0;
    e = memory_keep(sizeof *e);
    if (!e)
        return 0;
    e->key = key;
    e->c.site = site;
    e->c.parent = parent;
    e->c.set = set;
    e->c.top = top;
    e->c.topcaller = topcaller;
    e->c.overflow = overflow;
    e->c.id = context_total;
    e->c.next = context_list;
    __atomic_store_n(&context_list, &e->c, __ATOMIC_RELEASE);
    __atomic_store_n(&context_total, context_total + 1, __ATOMIC_RELEASE);
    HASH_ADD(hh, contexts, key, sizeof key, e);
    return &e->c;
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

struct context *context_child_slow(struct context *parent, uint64_t key, const struct site_key *k)
{
    struct context *c = 0;
    spin_lock(&context_lock);
    /* The memo holds few keys; what fell out of it is found by its identity. */
    struct site *site = site_intern(k);
    if (!site)
        goto out;
    bool top = !set_has(parent->set, site->id);
    bool topcaller = !set_has_function(parent->set, site->function);
    const struct ancestors *set = parent->overflow ? 0 : set_add(parent->set, site->id);
    if (set)
        c = context_intern(parent, site, set, top, topcaller, false);
    if (!c) {
        /* Over budget: one context a site, its history unknown; then the parent's own. */
        struct thread *th = thread_self_;
        if (th)
            th->lost[LOSS_CONTEXTS]++;
        uint32_t budget = context_budget;
        /* ids stay below 2 * budget, the size of the per-thread metrics */
        context_budget = budget + site_total + 1 < 2 * budget ? budget + site_total + 1 : 2 * budget;
        c = context_intern(parent, site, context_root->set, false, false, true);
        context_budget = budget;
    }
    if (c) {
        /* One context may be reached by several keys (recompiled addresses of one site): the
         * memo compares the key that the context was made with, so give each key its own. */
        if (!c->key)
            c->key = key;
        if (c->key == key)
            __atomic_store_n(&parent->memo[(key >> 4) % CONTEXT_MEMO], c, __ATOMIC_RELEASE);
    }
out:
    spin_unlock(&context_lock);
    return c ? c : parent;
}
