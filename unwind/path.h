/* path.h - the frames between a task's entry and the place where it spawns, at a few ns.
 *
 * The frames of a spawn come from a verified cache. Its key is the spawn's return address and the depth
 * of the stack since the task's entry; an entry holds the stack slots in which the return addresses of
 * its path must stand, and what must stand there. Equal words prove the path: the innermost program
 * counter fixes its row of call frame information; that row finds the slot of the return address from
 * rsp, or from an rbp which is verified too (relative to the stack); an equal word there fixes the next
 * program counter, and so on to the entry. Return addresses and depth alone would not: two frames of
 * variable size may swap. docs/CALL-PATHS.md has the figures.
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

struct segment {
    uint32_t id;
    uint32_t count;             /* at least 1 */
    bool cut;                   /* outer frames are missing */
    uintptr_t address[];        /* return addresses, innermost first */
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

struct path_check {
    int32_t slot;               /* bytes above the CFA */
    uint32_t pad;
    uintptr_t word;             /* what stands there; for a saved rbp: minus the CFA */
};

struct path_entry {
    struct path_entry *next;
    uintptr_t from, depth;
    const struct segment *segment;
    uint32_t returns, frames;   /* checks: return addresses first, then saved rbps */
    bool live_rbp;              /* the caller's rbp must be ... */
    uintptr_t rbp;              /* ... this, minus the CFA */
    struct path_check check[];
};

#define PATH_TABLE 4096u        /* a power of two */
extern struct path_entry *path_table[PATH_TABLE] __attribute__((visibility("hidden")));

/* LIMIT: where the task's entry is on the stack (walk.h). NULL: no memory. */
const struct segment *path_slow(const struct path_point *p, uintptr_t limit);
/* A segment of one frame: a spawn that no frame of the program makes. */
const struct segment *path_single(uintptr_t address);

static inline bool path_verify(const struct path_entry *e, const struct path_point *p)
{
    const struct path_check *c = e->check, *end = c + e->returns;
    for (; c < end; c++)
        if (__builtin_expect(*(const uintptr_t *)(p->cfa + c->slot) != c->word, 0))
            return false;
    for (end += e->frames; c < end; c++)
        if (*(const uintptr_t *)(p->cfa + c->slot) - p->cfa != c->word)
            return false;
    return !e->live_rbp || p->rbp - p->cfa == e->rbp;
}

static inline uint32_t path_hash(uintptr_t from, uintptr_t depth)
{
    uint64_t h = (from ^ depth << 20) * 0x9e3779b97f4a7c15ull;
    return h >> 40 & (PATH_TABLE - 1);
}

static inline const struct segment *path_here(const struct path_point *p, uintptr_t limit)
{
    uintptr_t depth = limit - p->cfa;
    const struct path_entry *e = __atomic_load_n(&path_table[path_hash(p->from, depth)], __ATOMIC_ACQUIRE);
    for (; e; e = e->next)
        if (__builtin_expect(e->from == p->from && e->depth == depth && path_verify(e, p), 1))
            return e->segment;
    return path_slow(p, limit);
}

struct path_statistics {
    uint64_t entries, segments, walks, uncacheable;
};
extern struct path_statistics path_statistics;  /* relaxed */

/* [hook] Code was unmapped: what is known of addresses may be another's soon. Segments stay. */
void path_flush(void);
/* [hook] Around fork: the child's tables are whole. */
void path_lock_all(bool lock);

#endif
