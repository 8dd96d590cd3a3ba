/* unit.c - see unit.h.
 *
 * Each call of libdw's dwarf_getscopes and dwarf_getscopes_die reads a unit from its start, which
 * takes 10 ms for a large unit. Here the first call lists the functions at the top of the unit and
 * in its namespaces, and skips what is inside them. Functions of classes that are declared inside
 * functions (lambdas) are not in this list. For these, the whole unit is read once.
 */
#include "symbols/unit.h"
#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>
#include "base/format.h"

void unit_full(Dwarf_Die *cu)
{
    Dwarf_Die skeleton, split;
    uint8_t type;
    if (!dwarf_cu_info(cu->cu, 0, &type, &skeleton, &split, 0, 0, 0) && type == DW_UT_skeleton)
        *cu = split;
}

struct function {
    Dwarf_Addr start, end;
    Dwarf_Off die;
};

struct unit {
    Dwarf *dwarf;
    Dwarf_Die cu;
    /* ascending by start; a function that overlaps another may be missed, but none should */
    struct function *functions;
    size_t count, capacity;
    Dwarf_Off *tops;            /* the unit's children, ascending */
    size_t top_count, top_capacity;
    bool whole;                 /* the unit has been read to its last DIE */
};

bool unit_sibling(Dwarf_Die *die)
{
    Dwarf_Off before = dwarf_dieoffset(die);
    return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

static void add_function(struct unit *u, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (u->count == u->capacity) {
            u->capacity = u->capacity ? u->capacity * 2 : 64;
            u->functions = format_memory(realloc(u->functions, u->capacity * sizeof *u->functions));
        }
        u->functions[u->count++] = (struct function){ start, end, dwarf_dieoffset(die) };
    }
}

static void add_top(struct unit *u, Dwarf_Off die)
{
    if (u->top_count == u->top_capacity) {
        u->top_capacity = u->top_capacity ? u->top_capacity * 2 : 64;
        u->tops = format_memory(realloc(u->tops, u->top_capacity * sizeof *u->tops));
    }
    u->tops[u->top_count++] = die;
}

static bool has_scopes(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
           tag == DW_TAG_inlined_subroutine;
}

/* Reads the functions below DIE: those at the top and in namespaces; or with WHOLE all others.
 * LISTED: the first reading has read DIE's own functions. */
static void read_functions(struct unit *u, Dwarf_Die *die, unsigned depth, bool whole, bool listed)
{
    Dwarf_Die child;
    if (depth > UNIT_DEPTH || dwarf_child(die, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!depth && !whole)
            add_top(u, dwarf_dieoffset(&child));
        if (tag == DW_TAG_subprogram && !(whole && listed))
            add_function(u, &child);
        if (tag == DW_TAG_namespace || (whole && has_scopes(tag)))
            read_functions(u, &child, depth + 1, whole, listed && tag == DW_TAG_namespace);
    } while (unit_sibling(&child));
}

static int compare_functions(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return x->start != y->start ? (x->start < y->start ? -1 : 1)
                                : (x->die > y->die) - (x->die < y->die);
}

static void read_unit(struct unit *u, bool whole)
{
    read_functions(u, &u->cu, 0, whole, true);
    if (u->count)
        qsort(u->functions, u->count, sizeof *u->functions, compare_functions);
    u->whole = whole;
}

static struct unit *unit_new(Dwarf_Die *cu)
{
    struct unit *u = format_memory(calloc(1, sizeof *u));
    u->cu = *cu;
    u->dwarf = dwarf_cu_getdwarf(cu->cu);
    read_unit(u, false);
    return u;
}

struct units {
    void *cu;                   /* the place of its DIE in memory */
    struct unit *unit;
    UT_hash_handle hh;
};

struct unit *units_get(struct units **all, Dwarf_Die *cu)
{
    struct units *k;
    HASH_FIND_PTR(*all, &cu->addr, k);
    if (!k) {
        k = format_memory(malloc(sizeof *k));
        k->cu = cu->addr;
        k->unit = unit_new(cu);
        HASH_ADD_PTR(*all, cu, k);
    }
    return k->unit;
}

void units_free(struct units **all)
{
    struct units *k, *next;
    HASH_ITER(hh, *all, k, next) {
        HASH_DEL(*all, k);
        free(k->unit->functions);
        free(k->unit->tops);
        free(k->unit);
        free(k);
    }
}

/* ---- from an address to its scopes ---- */

static const struct function *find_function(const struct unit *u, Dwarf_Addr pc)
{
    size_t low = 0, high = u->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->functions[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low && pc < u->functions[low - 1].end ? &u->functions[low - 1] : 0;
}

/* May DIE or a scope below it hold PC? *HOLDS: DIE itself does. A block has no addresses if all of
 * its code is in the blocks below it. */
static bool may_hold(Dwarf_Die *die, Dwarf_Addr pc, bool *holds)
{
    int tag = dwarf_tag(die);
    if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine)
        return false;
    *holds = dwarf_haspc(die, pc) > 0;
    return *holds || (tag == DW_TAG_lexical_block && !dwarf_hasattr(die, DW_AT_low_pc) &&
                      !dwarf_hasattr(die, DW_AT_ranges));
}

/* Appends the scopes around PC below SCOPES[N - 1], outermost first. Returns their number with
 * N. */
static size_t descend(Dwarf_Addr pc, Dwarf_Die *scopes, size_t n)
{
    Dwarf_Die child;
    bool holds;
    if (n >= UNIT_DEPTH || dwarf_child(&scopes[n - 1], &child))
        return n;
    do {
        if (!may_hold(&child, pc, &holds))
            continue;
        scopes[n] = child;
        size_t found = descend(pc, scopes, n + 1);
        if (holds || found > n + 1)
            return found;
    } while (unit_sibling(&child));
    return n;
}

size_t unit_scopes(struct unit *u, Dwarf_Addr pc, bool whole, Dwarf_Die *scopes)
{
    const struct function *f = find_function(u, pc);
    if (!f && whole && !u->whole) {
        read_unit(u, true);
        f = find_function(u, pc);
    }
    if (!f || !dwarf_offdie(u->dwarf, f->die, &scopes[0]))
        return 0;
    size_t n = descend(pc, scopes, 1);
    for (size_t i = 0; i < n / 2; i++) {
        Dwarf_Die other = scopes[i];
        scopes[i] = scopes[n - 1 - i];
        scopes[n - 1 - i] = other;
    }
    return n;
}

/* ---- the scopes around a DIE ---- */

/* DIEs are sorted by their offsets, and children lie between their parent and its next sibling. So
 * the way down to DIE reads no other subtree. */
size_t unit_parents(struct unit *u, Dwarf_Die *die, Dwarf_Die *parents)
{
    Dwarf_Off wanted = dwarf_dieoffset(die);
    Dwarf_Die at, next, path[UNIT_DEPTH];
    size_t low = 0, high = u->top_count, n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->tops[middle] <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !dwarf_offdie(u->dwarf, u->tops[low - 1], &at))
        return 0;
    while (dwarf_dieoffset(&at) != wanted) {
        if (n == UNIT_DEPTH || dwarf_child(&at, &next))
            return 0;
        path[n++] = at;
        do
            at = next;
        while (unit_sibling(&next) && dwarf_dieoffset(&next) <= wanted);
    }
    for (size_t i = 0; i < n; i++)
        parents[i] = path[n - 1 - i];
    return n;
}
