/* site.c - see site.h. The function's name decides whether an address lies in header code. A table
 * keeps the answer for each address. Readers of the table take no lock.
 */
#include "callsite/site.h"
#include <string.h>
#include "base/aside.h"
#include "dag/block.h"
#include "libprof_format.h"
#include "dag/own_overhead.h"
#include "unwind/function_at.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "unwind/rust_crate.h"
#include "base/forbid.h"

enum code { CODE_UNKNOWN, CODE_PROGRAM, CODE_HEADER, CODE_NAMELESS };

/* The kinds of return addresses, by open addressing. An entry is one word, address << 2 | enum
 * code. 0: empty. Readers take no lock. A table that is half full is copied into one of twice its
 * size. The old table stays: another thread may read it. */
struct code_table {
    size_t size, used;          /* size: a power of two */
    uintptr_t entry[];
};
static struct code_table *code_table;
LOCK_DEFINE(code_lock, LOCK_SITES);     /* insertion only; base/memory.c's lock nests in it */

static inline size_t code_slot(uintptr_t address, size_t size)
{
    return (address * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);
}

static enum code code_known(uintptr_t address)
{
    const struct code_table *t = __atomic_load_n(&code_table, __ATOMIC_ACQUIRE);
    if (!t)
        return CODE_UNKNOWN;
    for (size_t i = code_slot(address, t->size);; i = (i + 1) & (t->size - 1)) {
        uintptr_t e = __atomic_load_n(&t->entry[i], __ATOMIC_RELAXED);
        if (!e)
            return CODE_UNKNOWN;
        if (e >> 2 == address)
            return e & 3;
    }
}

static void code_insert(struct code_table *t, uintptr_t entry)
{
    size_t i = code_slot(entry >> 2, t->size);
    while (t->entry[i] && t->entry[i] >> 2 != entry >> 2)
        i = (i + 1) & (t->size - 1);
    t->used += !t->entry[i];
    __atomic_store_n(&t->entry[i], entry, __ATOMIC_RELAXED);
}

static void code_remember(uintptr_t address, enum code code)
{
    lock_take(&code_lock);
    struct code_table *t = code_table;
    if (!t || t->used * 2 >= t->size) {
        size_t size = t ? t->size * 2 : 2048;
        struct code_table *grown = memory_keep(sizeof *grown + size * sizeof grown->entry[0]);
        if (!grown)
            goto out;           /* the next spawn looks the address up again */
        grown->size = size;
        for (size_t i = 0; t && i < t->size; i++)
            if (t->entry[i])
                code_insert(grown, t->entry[i]);
        __atomic_store_n(&code_table, grown, __ATOMIC_RELEASE);
        t = grown;
    }
    code_insert(t, address << 2 | code);
out:
    lock_release(&code_lock);
}

/* The prefix "_R4core" stands for all names of Rust's crate core. */
static bool has_prefix(const char *name, const char *const *prefix)
{
    const char *crate = rust_crate(name);
    for (; *prefix; prefix++) {
        bool of_crate = crate && !strncmp(*prefix, "_R", 2);
        const char *part = of_crate ? *prefix + 2 : *prefix;
        if (!strncmp(of_crate ? crate : name, part, strlen(part)))
            return true;
    }
    return false;
}

struct look_up {
    uintptr_t from;
    const struct site_style *style;
    enum code code;
};

/* Reads symbol tables, and for a nameless address /proc/self/maps. The first call in a process
 * loads libunwind. */
static void look_up(void *argument)
{
    struct look_up *l = argument;
    char name[256];
    if (unwind_function_name(l->from - 1, name, sizeof name) < 0)
        l->code = CODE_NAMELESS;
    else
        l->code = has_prefix(name, l->style->header_prefixes) ? CODE_HEADER : CODE_PROGRAM;
    code_remember(l->from, l->code);
}

/* What kind of code holds the return address FROM. NAMELESS: its function has no symbol (stripped).
 * Each address is looked up once. */
static enum code code_of(uintptr_t from, const struct site_style *style)
{
    struct look_up l = { from, style, code_known(from) };
    if (__builtin_expect(l.code == CODE_UNKNOWN, 0))
        aside_run(look_up, &l);
    return l.code;
}

/* Adds callers' addresses to KEY, up to the first function that has a name and is not header code.
 * False: the runtime's dispatcher came first; no frame of the task is the program's. */
static bool add_callers(struct site_key *key, const struct segment *segment,
                        const struct site_style *style)
{
    unsigned kept = 1;
    bool nameless = false;
    for (uint32_t i = 1; i < segment->count && i < 64; i++) {
        uintptr_t frame = segment->address[i], address = place_address(frame);
        if (runtime_owns(address))
            return nameless;
        enum code code = code_of(address, style);
        nameless |= code == CODE_NAMELESS;
        /* The last address must be the program's own frame. */
        key->address[kept < SITE_ADDRESSES ? kept : SITE_ADDRESSES - 1] = frame;
        if (kept < SITE_ADDRESSES)
            kept++;
        if (code == CODE_PROGRAM)
            return true;
    }
    return nameless;
}

bool site_is_of_runtime(const struct segment *segment, const struct site_style *style)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        uintptr_t address = place_address(segment->address[i]);
        if (runtime_owns(address))
            return true;
        if (code_of(address, style) != CODE_HEADER)
            return false;
    }
    return !segment->cut;       /* SEGMENT leaves out a runtime's frames at the outer end */
}

static struct context *find_or_make(const struct task *task, const struct segment *segment,
                                    const struct site_style *style, const char *construct,
                                    uint32_t flags)
{
    struct context *parent = task ? task->ctx : context_root;
    const struct logical_path *base = task && task->flags & TASK_MOVED ? task->base : 0;
    uintptr_t from = segment->address[0];
    struct site_key key = { .address = { from }, .runtime = style->runtime, .construct = construct,
                            .flags = flags & ~SITE_OF_CONSTRUCT };
    switch (code_of(place_address(from), style)) {
    case CODE_UNKNOWN:
    case CODE_PROGRAM:
        break;
    case CODE_NAMELESS:
        /* In a stripped program an address is a site. Callers' addresses help the reader of the
         * report to recognise it. */
        add_callers(&key, segment, style);
        key.flags |= LPF_SITE_FIRST_CALLER;
        break;
    case CODE_HEADER:
        if (!add_callers(&key, segment, style) && flags & SITE_OF_CONSTRUCT)
            return 0;
    }
    return context_child_slow(parent, base, segment, site_end(style, flags), &key);
}

/* Takes some us for each pair of a context and a path, and more where it looks up names: 5 % of a
 * program of 50 ms. So the strand is not charged for this time. */
struct context *site_context_slow(const struct task *task, const struct segment *segment,
                                  const struct site_style *style, const char *construct,
                                  uint32_t flags)
{
    struct thread *th = thread_self_;
    if (!th)
        return find_or_make(task, segment, style, construct, flags);
    struct own own = own_from(th);
    struct context *c = find_or_make(task, segment, style, construct, flags);
    own_until_now(th, own, 0, 0);
    return c;
}

void site_flush(void)
{
    lock_take(&code_lock);
    for (size_t i = 0; code_table && i < code_table->size; i++)
        /* a thread that searches meanwhile finds nothing */
        __atomic_store_n(&code_table->entry[i], 0, __ATOMIC_RELAXED);
    if (code_table)
        code_table->used = 0;
    lock_release(&code_lock);
}
