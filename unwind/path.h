/* path.h - the frames between a task's entry and the place where it spawns, at a few ns.
 *
 * The frames of a spawn come from an AUTOMATON, an unwinder compiled as it goes. It starts at the spawn's
 * return address and the depth of the stack since the task's entry. A state knows the next stack slot that
 * matters; the word in it leads to the next state; the last state knows the path. That is exact: the
 * innermost program counter fixes its row of call frame information; the row finds the slot of the return
 * address from rsp, or from an rbp that the automaton has read before (relative to the stack); the word
 * there fixes the next program counter, and so on. Return addresses and depth alone would not do: two frames
 * of variable size may swap.
 *
 * Ways that lead to the same frame at the same depth by paths that fold to the same one share a state, so
 * that a recursion from two places has two states a level, not two to the power of the levels.
 * docs/CALL-PATHS.md has the figures.
 *
 * The first ways through it that spawns of one start take are kept as CHAINS, flat lists of slots and words: what the
 * automaton reads one after the other, each where the last word says, is there to be read at once. The way is
 * a function of the words, so that equal words prove it. A start that has several has them in lists by the first return address
 * that they ask for: where a function is called from twenty places, one or two are compared and not ten.
 *
 * A SEGMENT is such a path, interned, with physical recursion folded: a function that comes again, walking
 * outwards, drops itself and what lies between. Frames of the runtime at its outer end (the dispatcher) are left out.
 *
 * [hook] everything here.
 */
#ifndef UNWIND_PATH_H
#define UNWIND_PATH_H

#include <stdbool.h>
#include <stdint.h>

struct code_range {
    uintptr_t start, end;
};

struct segment {
    uint32_t id;
    uint32_t count;             /* at least 1 */
    bool cut;                   /* outer frames are missing */
    uintptr_t address[];        /* return addresses, innermost first, as places (place.h) */
};

/* A logical call path, interned: the spawner's, then the frames from the spawner's entry to the spawn. */
struct logical_path {
    const struct logical_path *up;      /* NULL: the root path, which is the program's own strands' */
    const struct segment *segment;      /* NULL: the root path */
    uint32_t node;              /* of the calling context tree: a task boundary, or the root */
    uint32_t depth;             /* segments */
};

/* Where a wrapper was called: its return address, its CFA, and the caller's rbp. */
struct path_point {
    uintptr_t from, cfa, rbp;
};

/* In a wrapper that the program calls. */
#define PATH_POINT()                                                                                \
    ({ const uintptr_t *frame_ = __builtin_frame_address(0);                                        \
       (struct path_point){ frame_[1], (uintptr_t)(frame_ + 2), frame_[0] }; })

/* A word of the stack, SLOT bytes above the CFA, and what it has to be; of a saved rbp, minus the CFA. */
struct path_check {
    int64_t slot;
    uintptr_t word;
};

/* A way through the automaton from its start to its end: where all of these words are the same, the path is. */
struct path_chain {
    struct path_chain *next, *rest;     /* rest: path_forget's */
    const struct segment *segment;
    uintptr_t live, live_mask;  /* the caller's rbp minus the CFA, if it matters */
    uint32_t returns, frames;   /* returns: a multiple of four */
    struct path_check check[];  /* return addresses, the last one repeated; then frames */
};

#define PATH_LISTS_LOG2 3
#define PATH_LISTS (1u << PATH_LISTS_LOG2)

/* Where to start. */
struct path_entry {
    struct path_entry *next;
    uintptr_t from, depth;
    int64_t slot;               /* of the word that tells which list: the first that is checked in all chains */
    struct path_state *state;
    bool spread;                /* over the lists; until they differ in that word, all chains are in the first one */
    uint8_t tried[PATH_LISTS];  /* path.c: ways that were looked at for a chain */
    struct path_chain *chains[PATH_LISTS] __attribute__((aligned(64)));
};

#define PATH_TABLE 4096u        /* a power of two */
extern struct path_entry *path_table[PATH_TABLE] __attribute__((visibility("hidden")));

/* The frames of P, up to LIMIT, where the task's entry is on the stack (walk.h). find: what the automaton knows; NULL: nothing.
 * learn: always, and the automaton knows it then; *DEEP is the calling thread's, NULL at first; DEEP may be NULL. NULL: no memory. */
struct path_deep;
const struct segment *path_find(const struct path_point *p, uintptr_t limit);
const struct segment *path_learn(const struct path_point *p, uintptr_t limit, struct path_deep **deep);
/* A segment of one frame: a spawn that no frame of the program makes. */
const struct segment *path_single(uintptr_t address);

static inline uint32_t path_hash(uintptr_t from, uintptr_t depth)
{
    uint64_t h = (from ^ depth << 20) * 0x9e3779b97f4a7c15ull;
    return h >> 40 & (PATH_TABLE - 1);
}

/* The list of E in which the chain for the stack above CFA is, if there is one. */
static inline unsigned path_list(const struct path_entry *e, uintptr_t cfa)
{
    if (!__atomic_load_n(&e->spread, __ATOMIC_ACQUIRE))
        return 0;
    return *(const uintptr_t *)(cfa + (uintptr_t)e->slot) * 0x9e3779b97f4a7c15ull >> (64 - PATH_LISTS_LOG2);
}

static inline bool path_is(const struct path_chain *c, const struct path_point *p)
{
    if (__builtin_expect(((p->rbp - p->cfa - c->live) & c->live_mask) != 0, 0))
        return false;
    const struct path_check *k = c->check, *end = k + c->returns;
#define AT(k) (*(const uintptr_t *)(p->cfa + (uintptr_t)(k).slot))
    for (; k != end; k += 4)    /* how many comes as a surprise to the processor: four at a time */
        if (__builtin_expect(AT(k[0]) != k[0].word || AT(k[1]) != k[1].word || AT(k[2]) != k[2].word || AT(k[3]) != k[3].word, 0))
            return false;
    for (end += c->frames; k != end; k++)
        if (__builtin_expect(AT(*k) - p->cfa != k->word, 0))
            return false;
#undef AT
    return true;
}

/* Fast path of path_find: chains alone. */
static inline const struct segment *path_known(const struct path_point *p, uintptr_t limit)
{
    uintptr_t depth = limit - p->cfa;
    const struct path_entry *e = __atomic_load_n(&path_table[path_hash(p->from, depth)], __ATOMIC_ACQUIRE);
    while (e && !__builtin_expect(e->from == p->from && e->depth == depth, 1))
        e = e->next;
    if (__builtin_expect(e != 0, 1))
        for (const struct path_chain *c = __atomic_load_n(&e->chains[path_list(e, p->cfa)], __ATOMIC_ACQUIRE); c; c = c->next)
            if (__builtin_expect(path_is(c, p), 1))
                return c->segment;
    return 0;
}

struct path_statistics {
    uint64_t entries, states, chains, segments, walks, uncacheable;
};
extern struct path_statistics path_statistics;  /* relaxed */

/* [hook] Code in RANGE[0..COUNT) was unmapped: what is known of these addresses may be another's soon. Segments stay. */
void path_forget(const struct code_range *range, unsigned count);
#endif
