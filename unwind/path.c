/* path.c - see path.h. The table is read without a lock; entries are complete before they are published
 * and never freed. path_lock protects insertion and the segments; memory.c's lock nests in it.
 */
#include "path.h"
#include <string.h>
#include "block.h"
#include "runtime.h"
#include "table.h"
#include "walk.h"
#include "cfi.h"

#define FRAMES_MAX 4096         /* of a segment, before folding */
#define CHECKS_MAX 64           /* of a cache entry: deeper stacks are walked each time */
#define ENTRIES_MAX 65536
#define CHAIN_MAX 64            /* entries that differ in words alone; more: none is added */
#define FOLD_WINDOW 64

struct path_entry *path_table[PATH_TABLE];
struct path_statistics path_statistics;

struct segment_entry {
    UT_hash_handle hh;
    struct segment s;
};
static struct segment_entry *segments;  /* by addresses */
static uint32_t path_lock;

/* What a walk finds: addresses, folded, and what proves them. */
struct trail {
    uintptr_t address[FRAMES_MAX], function[FRAMES_MAX];
    uint32_t count;
    bool cut, cacheable, live_rbp;
    uint32_t returns, frames;
    struct path_check check[CHECKS_MAX], frame[CHECKS_MAX];
};

static void add_address(struct trail *t, uintptr_t pc)
{
    uint32_t last = t->count > FOLD_WINDOW ? t->count - FOLD_WINDOW : 0;
    uintptr_t function = cfi_function(pc - 1);
    for (uint32_t i = t->count; i-- > last;)
        if (t->address[i] == pc || (function && t->function[i] == function)) {
            t->count = i + 1;
            return;
        }
    t->function[t->count] = function;
    t->address[t->count++] = pc;
}

static void add_check(struct trail *t, struct path_check *list, uint32_t *n, intptr_t slot, uintptr_t word)
{
    if (*n == CHECKS_MAX || slot != (int32_t)slot) {
        t->cacheable = false;
        return;
    }
    list[*n].slot = slot;
    list[*n].pad = 0;
    list[(*n)++].word = word;
}

/* The frames' rbps that found a CFA must be verified: the one in the register when the program called us,
 * or the slot that it was loaded from. */
static void add_frame(struct trail *t, const struct path_point *p, uintptr_t rbp_slot)
{
    if (!rbp_slot) {
        t->live_rbp = true;
        return;
    }
    for (uint32_t i = 0; i < t->frames; i++)
        if (t->frame[i].slot == (intptr_t)(rbp_slot - p->cfa))
            return;
    add_check(t, t->frame, &t->frames, rbp_slot - p->cfa, *(const uintptr_t *)rbp_slot - p->cfa);
}

static void follow(struct trail *t, const struct path_point *p, uintptr_t limit)
{
    struct walk_frame f = { .pc = p->from, .rsp = p->cfa, .rbp = p->rbp };
    uintptr_t rbp_slot = 0;     /* where f.rbp was loaded from; 0: it is the live one */
    bool inside = p->cfa < limit;
    t->count = t->returns = t->frames = 0;
    t->cut = t->live_rbp = false;
    t->cacheable = true;
    add_address(t, f.pc);
    for (unsigned n = 1; inside; n++) {
        struct cfi_row row = cfi_row(f.pc - !f.exact);
        const uintptr_t *slot = 0;
        if (row.cfa == CFI_RBP || row.cfa == CFI_RBP_DEREF)
            add_frame(t, p, rbp_slot);
        if (row.cfa == CFI_SIGNAL)
            t->cacheable = false;
        uintptr_t rbp = f.rbp, at_rbp = f.rbp + row.cfa_offset;
        enum walk_end end = walk_step(&f, limit, &slot);
        if (end != WALK_LIMIT) {
            t->cut = true;
            return;
        }
        if (!f.pc)
            return;
        if (n == FRAMES_MAX) {
            t->cut = true;
            t->cacheable = false;
            return;
        }
        if (slot)
            add_check(t, t->check, &t->returns, (intptr_t)slot - (intptr_t)p->cfa, *slot);
        if (row.cfa == CFI_RBP_DEREF) {
            add_check(t, t->frame, &t->frames, at_rbp - p->cfa, *(const uintptr_t *)at_rbp - p->cfa);
            rbp_slot = rbp;
        } else if (row.rbp_saved) {
            rbp_slot = f.rsp + row.rbp_offset;
        }
        add_address(t, f.pc);
    }
    t->cut = true;
    t->cacheable = false;       /* another stack than the task's: a program's own coroutine */
}

/* With path_lock. */
static const struct segment *intern(const uintptr_t *address, uint32_t count, bool cut)
{
    struct segment_entry *e;
    HASH_FIND(hh, segments, address, count * sizeof *address, e);
    if (e)
        return &e->s;
    e = memory_keep(sizeof *e + count * sizeof *address);
    if (!e)
        return 0;
    e->s.id = path_statistics.segments++;
    e->s.count = count;
    e->s.cut = cut;
    memcpy(e->s.address, address, count * sizeof *address);
    HASH_ADD_KEYPTR(hh, segments, e->s.address, count * sizeof *address, e);
    return &e->s;
}

/* With path_lock. */
static void remember(const struct trail *t, const struct path_point *p, uintptr_t depth, const struct segment *s)
{
    struct path_entry **head = &path_table[path_hash(p->from, depth)];
    unsigned chain = 0;
    for (const struct path_entry *e = *head; e; e = e->next)
        chain += e->from == p->from && e->depth == depth;
    struct path_entry *e = 0;
    if (chain < CHAIN_MAX && path_statistics.entries < ENTRIES_MAX)
        e = memory_keep(sizeof *e + (t->returns + t->frames) * sizeof e->check[0]);
    if (!e) {
        path_statistics.uncacheable++;
        return;
    }
    path_statistics.entries++;
    *e = (struct path_entry){ .next = *head, .from = p->from, .depth = depth, .segment = s, .returns = t->returns,
                              .frames = t->frames, .live_rbp = t->live_rbp, .rbp = p->rbp - p->cfa };
    memcpy(e->check, t->check, t->returns * sizeof e->check[0]);
    memcpy(e->check + t->returns, t->frame, t->frames * sizeof e->check[0]);
    __atomic_store_n(head, e, __ATOMIC_RELEASE);
}

const struct segment *path_slow(const struct path_point *p, uintptr_t limit)
{
    /* off the stack, which may be a small one; the lock makes it ours */
    static struct trail t;
    spin_lock(&path_lock);
    follow(&t, p, limit);
    uint32_t n = t.count;
    while (n > 1 && runtime_owns(t.address[n - 1]))
        n--;
    const struct segment *s = intern(t.address, n, t.cut);
    path_statistics.walks++;
    if (s && t.cacheable)
        remember(&t, p, limit - p->cfa, s);
    else
        path_statistics.uncacheable++;
    spin_unlock(&path_lock);
    return s;
}

const struct segment *path_single(uintptr_t address)
{
    spin_lock(&path_lock);
    const struct segment *s = intern(&address, 1, false);
    spin_unlock(&path_lock);
    return s;
}

void path_flush(void)
{
    spin_lock(&path_lock);
    for (unsigned i = 0; i < PATH_TABLE; i++)
        __atomic_store_n(&path_table[i], (struct path_entry *)0, __ATOMIC_RELEASE);
    path_statistics.entries = 0;        /* the entries' memory stays: they may be in use */
    spin_unlock(&path_lock);
}

void path_lock_all(bool lock)
{
    if (lock)
        spin_lock(&path_lock);
    else
        spin_unlock(&path_lock);
}
