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

/* What a state asks of the stack. */
enum path_question {
    PATH_FINAL,                 /* nothing: the path is known */
    PATH_RETURN,                /* the word at the slot */
    PATH_FRAME,                 /* the same minus the CFA: a saved rbp */
    PATH_LIVE,                  /* the caller's rbp minus the CFA */
};

struct path_edge {
    struct path_edge *next;
    uintptr_t word;
    struct path_state *state;
};

struct path_state {
    uint32_t question;
    int32_t slot;               /* bytes above the CFA */
    uintptr_t word;             /* the answer that came first leads to */
    struct path_state *state;   /* ... here; NULL: none came yet. Released after word */
    struct path_edge *more;     /* other answers */
    const struct segment *segment; /* final */
    struct path_progress *progress; /* path.c: how to go on */
};

/* Where to start. */
struct path_entry {
    struct path_entry *next;
    uintptr_t from, depth;
    struct path_state *state;
};

#define PATH_TABLE 4096u        /* a power of two */
extern struct path_entry *path_table[PATH_TABLE] __attribute__((visibility("hidden")));

/* LIMIT: where the task's entry is on the stack (walk.h). NULL: no memory. */
const struct segment *path_slow(const struct path_point *p, uintptr_t limit) __attribute__((noinline, cold));
/* A segment of one frame: a spawn that no frame of the program makes. */
const struct segment *path_single(uintptr_t address);

static inline uint32_t path_hash(uintptr_t from, uintptr_t depth)
{
    uint64_t h = (from ^ depth << 20) * 0x9e3779b97f4a7c15ull;
    return h >> 40 & (PATH_TABLE - 1);
}

static inline uintptr_t path_answer(const struct path_state *s, const struct path_point *p)
{
    if (__builtin_expect(s->question == PATH_RETURN, 1))
        return *(const uintptr_t *)(p->cfa + s->slot);
    return (s->question == PATH_LIVE ? p->rbp : *(const uintptr_t *)(p->cfa + s->slot)) - p->cfa;
}

/* NULL: the answer is new. */
static inline const struct path_state *path_next(const struct path_state *s, uintptr_t word)
{
    const struct path_state *next = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(next && s->word == word, 1))
        return next;
    const struct path_edge *e = __atomic_load_n(&s->more, __ATOMIC_ACQUIRE);
    while (e && e->word != word)
        e = e->next;
    return e ? e->state : 0;
}

static inline const struct segment *path_here(const struct path_point *p, uintptr_t limit)
{
    uintptr_t depth = limit - p->cfa;
    const struct path_entry *e = __atomic_load_n(&path_table[path_hash(p->from, depth)], __ATOMIC_ACQUIRE);
    while (e && !__builtin_expect(e->from == p->from && e->depth == depth, 1))
        e = e->next;
    const struct path_state *s = e ? e->state : 0;
    while (s && s->question != PATH_FINAL)
        s = path_next(s, path_answer(s, p));
    return __builtin_expect(s != 0, 1) ? s->segment : path_slow(p, limit);
}

struct path_statistics {
    uint64_t entries, states, segments, walks, uncacheable;
};
extern struct path_statistics path_statistics;  /* relaxed */

/* [hook] Code was unmapped: what is known of addresses may be another's soon. Segments stay. */
void path_flush(void);
/* [hook] Around fork: the child's tables are whole. */
void path_lock_all(bool lock);

#endif
