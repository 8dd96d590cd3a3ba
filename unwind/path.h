/* path.h - finds the frames between the running task's entry and the spawn that it makes, in a few
 * ns.
 *
 * The automaton is an unwinder that libprof builds while the program runs. It starts from the
 * spawn's return address and the depth of the stack since the task's entry. A state knows the next
 * stack slot that matters. The word in that slot leads to the next state. The last state knows the
 * path. The result is exact, for this reason. The innermost program counter determines its row of
 * call frame information. The row determines the slot of the return address, from sp or from an
 * fp that the automaton has read before (relative to the stack). The word in that slot is the next
 * program counter, and so on. Return addresses and depth alone are not enough: two frames of
 * variable size may exchange their sizes.
 *
 * Ways that reach the same frame at the same depth share a state if their frames fold to the same
 * list. So recursion from two places has two states a level, not two to the power of the levels.
 * docs/CALL-PATHS.md has the figures.
 *
 * Chains. A chain is a way through the automaton as a flat list of slots and words. The automaton
 * must read one word before it knows the next slot. A chain knows all slots, so the processor reads
 * its words in parallel. The words determine the way, so equal words prove the same way. The first
 * few ways of each start become chains. A start with several chains keeps them in lists, by their
 * first return address. Where a function is called from twenty places, a reader then compares one
 * or two chains, not ten.
 *
 * Segments. A segment is such a path, interned, with recursion folded. Going outwards, a function
 * that comes again drops its earlier frame and the frames between. Frames of the runtime at the
 * outer end (the dispatcher) are left out.
 *
 * path_private.h describes the files behind this one.
 *
 * [hook] everything here.
 */
#ifndef UNWIND_PATH_H
#define UNWIND_PATH_H

#include <stdbool.h>
#include <stdint.h>
#include "arch/frame.h"

/* How far a fold looks back for a frame that comes again: for spawns (path_fold.c), and for samples
 * (trace.c). */
#define PATH_FOLD_WINDOW 64u

struct code_range {
    uintptr_t start, end;
};

struct segment {
    uint32_t id;
    uint32_t count;             /* at least 1 */
    bool cut;                   /* outer frames are missing */
    uintptr_t address[];        /* return addresses, innermost first, as places (code_place.h) */
};

/* A logical call path, interned: the spawner's path, then the frames from the spawner's entry to
 * the spawn. */
struct logical_path {
    const struct logical_path *up;      /* NULL: the root path, of the program's own strands */
    const struct segment *segment;      /* NULL: the root path */
    uint32_t node;              /* of the calling context tree: a task boundary, or the root */
    uint32_t depth;             /* segments */
};

/* Where a hook was called: its return address, its CFA, and the caller's frame pointer. */
struct path_point {
    uintptr_t from, cfa, fp;
};

/* The point of the call. For use in a hook that the program calls directly. */
#define PATH_POINT() CALLER_POINT(struct path_point)

/* A word of the stack, SLOT bytes above the CFA, and the value it must have. The value of a saved
 * fp is relative: minus the CFA. */
struct path_check {
    int64_t slot;
    uintptr_t word;
};

/* A way through the automaton from its start to its end. A stack with the same words has the path
 * SEGMENT. */
struct path_chain {
    struct path_chain *next, *rest;     /* rest: path_forget.c */
    const struct segment *segment;
    uintptr_t live, live_mask;  /* the caller's fp minus the CFA, if it matters */
    /* the ends of the return addresses, of which there are a multiple of four, and of the frames */
    const struct path_check *returns_end, *end;
    struct path_check check[];  /* return addresses, the last one repeated; then frames */
};

#define PATH_LISTS_LOG2 3
#define PATH_LISTS (1u << PATH_LISTS_LOG2)

/* A start of the automaton: a spawn's return address and depth. */
struct path_entry {
    struct path_entry *next;
    uintptr_t from, depth;
    int64_t slot;               /* of the word that chooses the list: all chains check it first */
    struct path_state *state;
    bool spread;                /* false: all chains are in the first list, with the same word */
    uint8_t tried[PATH_LISTS];  /* ways that were considered for a chain (path_chain.c) */
    struct path_chain *chains[PATH_LISTS] __attribute__((aligned(64)));
};

#define PATH_INLINE inline __attribute__((always_inline))       /* as in base/inline.h */
#define PATH_TABLE_LOG2 12
#define PATH_TABLE (1u << PATH_TABLE_LOG2)
extern struct path_entry *path_table[PATH_TABLE] __attribute__((visibility("hidden")));

/* The frames of P, up to LIMIT, the address of the task's entry on the stack (walk.h). path_find
 * reads what the automaton knows, without a lock; NULL: the automaton does not know this stack.
 * path_learn always finds the frames, and the automaton learns them where it can; NULL: no memory.
 * *DEEP belongs to the calling thread and is NULL at first; DEEP itself may be NULL. */
struct path_deep;
const struct segment *path_find(const struct path_point *p, uintptr_t limit);
const struct segment *path_learn(const struct path_point *p, uintptr_t limit,
                                 struct path_deep **deep);
/* A segment of one frame, for a spawn that no frame of the program makes. */
const struct segment *path_single(uintptr_t address);

static inline uint32_t path_hash(uintptr_t from, uintptr_t depth)
{
    uint64_t h = (from ^ depth << 20) * 0x9e3779b97f4a7c15ull;
    return h >> (64 - PATH_TABLE_LOG2);
}

/* The list of E that holds the chain for the stack above CFA, if there is such a chain. */
static inline unsigned path_list(const struct path_entry *e, uintptr_t cfa)
{
    if (!__atomic_load_n(&e->spread, __ATOMIC_ACQUIRE))
        return 0;
    uintptr_t word = code_address(*(const uintptr_t *)(cfa + (uintptr_t)e->slot));
    return word * 0x9e3779b97f4a7c15ull >> (64 - PATH_LISTS_LOG2);
}

static PATH_INLINE bool path_is(const struct path_chain *c, const struct path_point *p)
{
    if (__builtin_expect(((p->fp - p->cfa - c->live) & c->live_mask) != 0, 0))
        return false;
    const struct path_check *k = c->check;
    uintptr_t cfa = p->cfa;
#define AT(k) (*(const uintptr_t *)(cfa + (uintptr_t)(k).slot))
#define BACK(k) code_address(AT(k))
    /* four at a time: the processor predicts the end of the loop badly */
    for (; k != c->returns_end; k += 4)
        if (__builtin_expect(BACK(k[0]) != k[0].word || BACK(k[1]) != k[1].word ||
                             BACK(k[2]) != k[2].word || BACK(k[3]) != k[3].word, 0))
            return false;
    for (; __builtin_expect(k != c->end, 0); k++)
        if (__builtin_expect(AT(*k) - cfa != k->word, 0))
            return false;
#undef BACK
#undef AT
    return true;
}

/* The quick look-up before path_find: chains alone. NULL: none has this stack. AT is copied, so its
 * words stay in registers. */
static PATH_INLINE const struct segment *path_known(const struct path_point *at, uintptr_t limit)
{
    const struct path_point p = *at;
    uintptr_t depth = limit - p.cfa;
    struct path_entry **head = &path_table[path_hash(p.from, depth)];
    const struct path_entry *e = __atomic_load_n(head, __ATOMIC_ACQUIRE);
    while (e && !__builtin_expect(e->from == p.from && e->depth == depth, 1))
        e = e->next;
    if (__builtin_expect(e == 0, 0))
        return 0;
    struct path_chain *const *list = &e->chains[path_list(e, p.cfa)];
    for (const struct path_chain *c = __atomic_load_n(list, __ATOMIC_ACQUIRE); c; c = c->next)
        if (__builtin_expect(path_is(c, &p), 1))
            return c->segment;
    return 0;
}

struct path_statistics {
    uint64_t entries, states, chains, segments, walks, uncacheable;
};
extern struct path_statistics path_statistics;  /* written under the lock, read without */

/* Code in RANGE[0..COUNT) was unmapped. Removes what leads through these addresses: other code may
 * be mapped there soon. Segments stay. */
void path_forget(const struct code_range *range, unsigned count);
#endif
