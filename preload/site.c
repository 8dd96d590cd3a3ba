/* site.c - see site.h. Which addresses lie in header code is decided once, from the function's name,
 * and remembered in tables that are read without a lock.
 */
#include "site.h"
#include <string.h>
#include "block.h"
#include "libprof_format.h"
#include "runtime.h"
#include "../unwind/unwind.h"

#define TABLE 1024              /* addresses whose function is known; beyond: taken as the program's */
static uintptr_t header_code[TABLE], program_code[TABLE];
static uint32_t table_lock;     /* insertion only */

static bool has(const uintptr_t *table, uintptr_t a)
{
    for (unsigned i = a / 4 % TABLE, n = 0; n < 16; i = (i + 1) % TABLE, n++) {
        uintptr_t x = __atomic_load_n(&table[i], __ATOMIC_RELAXED);
        if (x == a)
            return true;
        if (!x)
            return false;
    }
    return false;
}

static void put(uintptr_t *table, uintptr_t a)
{
    spin_lock(&table_lock);
    for (unsigned i = a / 4 % TABLE, n = 0; n < 16; i = (i + 1) % TABLE, n++)
        if (!table[i] || table[i] == a) {
            __atomic_store_n(&table[i], a, __ATOMIC_RELAXED);
            break;
        }
    spin_unlock(&table_lock);
}

static bool has_prefix(const char *name, const char *const *prefix)
{
    for (; *prefix; prefix++)
        if (!strncmp(name, *prefix, strlen(*prefix)))
            return true;
    return false;
}

enum code { CODE_PROGRAM, CODE_HEADER, CODE_NAMELESS };

/* Whose code returns to FROM? NAMELESS: its function has no symbol (stripped). */
static enum code code_of(uintptr_t from, const struct site_style *style)
{
    if (has(header_code, from))
        return CODE_HEADER;
    if (has(program_code, from))
        return CODE_PROGRAM;
    char name[256];
    if (unwind_function_name(from - 1, name, sizeof name) < 0)
        return CODE_NAMELESS;
    bool header = has_prefix(name, style->header_prefixes);
    put(header ? header_code : program_code, from);
    return header ? CODE_HEADER : CODE_PROGRAM;
}

/* Adds callers' addresses to KEY up to the first that a person can read: a named function that is
 * not header code. False: the runtime's dispatcher came first, no frame of the task is the
 * program's. */
static bool add_callers(struct site_key *key, uintptr_t from, const struct site_style *style)
{
    uintptr_t frames[32];
    size_t n = unwind_callers(from, frames, 32);
    unsigned kept = 1;
    bool nameless = false;
    for (size_t i = 1; i < n; i++) {
        if (runtime_owns(frames[i]))
            return nameless;
        enum code code = code_of(frames[i], style);
        nameless |= code == CODE_NAMELESS;
        /* The last place is for the program's own frame. */
        key->address[kept < SITE_ADDRESSES ? kept : SITE_ADDRESSES - 1] = frames[i];
        if (kept < SITE_ADDRESSES)
            kept++;
        if (code == CODE_PROGRAM)
            return true;
    }
    return true;
}

struct context *site_context_slow(struct context *parent, uintptr_t from, const struct site_style *style,
                                  const char *construct, uint32_t flags)
{
    struct site_key key = { .address = { from }, .runtime = style->runtime, .construct = construct,
                            .flags = flags };
    uint64_t hash = from;
    switch (code_of(from, style)) {
    case CODE_PROGRAM:
        break;
    case CODE_NAMELESS:
        /* A stripped program: one site an address; who called it first helps to recognise it. */
        if (context_known(from, &key))
            break;
        add_callers(&key, from, style);
        key.flags |= LPF_SITE_FIRST_CALLER;
        break;
    case CODE_HEADER:
        if (!add_callers(&key, from, style) && parent->site)
            return 0;
        for (unsigned i = 0; i < SITE_ADDRESSES; i++)
            hash = (hash ^ key.address[i]) * 0x9e3779b97f4a7c15ull;
        hash |= 1;              /* not a return address' own key but by bad luck */
        struct context *c = context_child(parent, hash);
        if (c)
            return c;
    }
    return context_child_slow(parent, hash, &key);
}
