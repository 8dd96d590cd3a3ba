/* path_private.h - what the files behind path.h share. No other file includes it.
 *
 * The layers, the lowest first. A file uses files of earlier lines, and none of later ones:
 *   path_fold.c        frames, folded and interned, and the segments made of them
 *   path_automaton.c   the automaton: its states, questions and edges, and how it grows
 *   path_chain.c       chains: ways through the automaton, as flat lists
 *   path_deep.c        stacks that have too many frames for the automaton
 *   path_forget.c      path_forget: removes what leads through code that was unmapped
 *   path.c             path_find, path_learn, path_single: they choose how to find the frames
 *
 * The lock. There is one, path_shared.lock. It protects everything that learning and forgetting
 * write: the tables and free lists of path_shared, the entries, states, edges and chains, the
 * statistics, and the private tables of the files above. base/memory.c's lock nests in it. All
 * functions below need it, unless their comment states otherwise.
 *
 * Readers without the lock. path_known (path.h) and path_find read entries, chains, states and
 * edges without it. So each of these is complete before a release store publishes it.
 *
 * [hook] everything here.
 */
#ifndef UNWIND_PATH_PRIVATE_H
#define UNWIND_PATH_PRIVATE_H

#include "unwind/path.h"
#include "base/lock.h"
#include "base/table.h"

#define PATH_STATES_MAX 65536
#define PATH_CHAINS_TRIED 4     /* ways of one list; others go through the automaton */
#define PATH_CHAIN_MAX 64       /* checks of a chain, of either kind */
#define PATH_CALLERS_MAX 4096   /* edges of a state that asks for a return address */
#define PATH_EDGES_LOG2 14      /* of a table that has PATH_CALLERS_MAX edges and is half full */

/* ---- frames (path_fold.c) ---- */

/* A list of frames, folded; this one is the outermost. Lists are interned: equal ones are one. */
struct path_frames {
    struct { struct path_frames *inner; uintptr_t address; } key;
    uintptr_t function;         /* where the function of this frame starts; 0: not known */
    uint32_t count;
    bool unmapped;              /* path_forget: the code of this frame or of an inner one is gone */
    UT_hash_handle hh;
};

/* F with its caller's frame PC outside of it. A function that comes again drops its earlier frame
 * and what lies between. F is NULL for the first frame. NULL: no memory, and F is NULL. */
struct path_frames *path_frames_add(struct path_frames *f, uintptr_t pc);
/* The segment of F without the runtime's frames at its outer end. CUT: outer frames are missing. */
const struct segment *path_frames_segment(struct path_frames *f, bool cut);
/* The segment of these places. NULL: no memory. */
const struct segment *path_intern(const uintptr_t *place, uint32_t count, bool cut);
/* Forgets which function holds which address. */
void path_functions_flush(void);

/* ---- the automaton (path_automaton.c) ---- */

/* What a state asks of the stack. */
enum path_question {
    PATH_FINAL,                 /* nothing: the path is known */
    PATH_RETURN,                /* the word at the slot */
    PATH_FRAME,                 /* the word at the slot minus the CFA: a saved fp */
    PATH_LIVE,                  /* the caller's fp minus the CFA */
};

/* The edges of a state after its first one: open addressing, read without the lock. A table that is
 * half full is copied into one of twice its size. The old one is kept: others may be reading it. */
struct path_edge {
    uintptr_t word;             /* the answer */
    struct path_state *state;   /* where it leads. NULL: free. &path_unmapped: it led into code that
                                 * was unmapped. Stored with release, after word */
};
struct path_edges {
    uint32_t size, used;        /* size: a power of two */
    struct path_edges *smaller; /* what this was copied from; of a free table: the next free one */
    struct path_edge at[];
};

struct path_state {
    uint32_t question;          /* enum path_question */
    int32_t slot;               /* bytes above the CFA; no meaning for PATH_LIVE and PATH_FINAL */
    uintptr_t word;             /* the answer that came first; 0: none came yet */
    struct path_state *state;   /* where word leads, or NULL. Stored with release, after word */
    struct path_edges *more;    /* other answers; NULL: none */
    const struct segment *segment;      /* PATH_FINAL */
    struct path_progress *progress;     /* the key that this state stands for */
};

/* How far an unwind has come: the frame whose caller is sought. All offsets are from the CFA of the
 * spawn's hook. Unwinds that come equally far share a state: this is the hash key of a state. */
enum path_fp { FP_LIVE, FP_IN_SLOT, FP_VALUE, FP_LOST };
struct path_key {               /* no padding: all bytes count */
    uintptr_t pc, depth;
    int64_t sp, cfa;           /* cfa: 0 until a realigned frame's was read */
    int64_t fp;                /* FP_IN_SLOT: the slot. FP_VALUE: the value. Else 0 */
    uint64_t fp_known;         /* enum path_fp */
    struct path_frames *frames; /* from the spawn to here */
};
struct path_progress {
    struct path_key key;
    struct path_state state;
    UT_hash_handle hh;
};

extern struct path_state path_unmapped;

/* The entry of the table; NULL: there is none. Without the lock. */
struct path_entry *path_entry_of(uintptr_t from, uintptr_t depth);
/* An entry with a state. OLD: the entry of FROM and DEPTH, which has no state, or NULL. NULL: no
 * room. */
struct path_entry *path_entry_new(struct path_entry *old, uintptr_t from, uintptr_t depth);
/* What P's stack answers to the question of S, which is not final. Without the lock. */
uintptr_t path_answer(const struct path_state *s, const struct path_point *p);
/* The state after S for the answer WORD; NULL: the answer is new. Without the lock. */
const struct path_state *path_next(const struct path_state *s, uintptr_t word);
/* The same for an answer that is new. From now on an edge of S leads to that state. NULL: no room.
 */
const struct path_state *path_grow(struct path_state *s, uintptr_t word);

/* ---- chains (path_chain.c) ---- */

/* A way through the automaton, as far as a walk has come. */
struct path_way {
    unsigned returns, frames;   /* PATH_CHAIN_MAX: too long for a chain */
    struct path_check at_return[PATH_CHAIN_MAX], at_frame[PATH_CHAIN_MAX];
    uintptr_t live, live_mask;
};

#define PATH_LINE 64u
#define PATH_CHAIN_LINES(checks)        \
    ((sizeof(struct path_chain) + (checks) * sizeof(struct path_check) + PATH_LINE - 1) / PATH_LINE)

void path_way_start(struct path_way *w);
/* S was answered by WORD. */
void path_way_add(struct path_way *w, const struct path_state *s, uintptr_t word);
/* W, the way of P's stack from E to SEGMENT, becomes a chain of E if there is room for one. */
void path_chain_add(struct path_entry *e, const struct path_way *w, const struct path_point *p,
                    const struct segment *segment);

/* ---- deep stacks (path_deep.c) ---- */

/* Did a stack from CFA or above to LIMIT have too many frames for the automaton? D: the thread's
 * own, or NULL. Without the lock. */
bool path_deep_expected(struct path_deep *d, uintptr_t cfa, uintptr_t limit);
/* The frames of P, whose stack the automaton cannot hold. TOO_MANY: because the stack has too many
 * frames. Releases the lock while it compares. NULL: no memory, or more frames than are kept. */
const struct segment *path_deep_find(struct path_deep **mine, const struct path_point *p,
                                     uintptr_t limit, bool too_many);

/* ---- what the lock protects and several files use ---- */

/* free_*: objects that led through unmapped code, for use again (path_forget.c fills the lists). */
struct path_shared {
    struct lock lock;
    struct path_frames *frames;         /* all lists, by key, in the order in which they came */
    struct path_frames *free_frames;    /* linked by key.inner */
    struct path_progress *progress;     /* all states, by key */
    struct path_progress *free_progress;        /* linked by hh.next */
    struct path_edges *free_edges[PATH_EDGES_LOG2 + 1]; /* by log2 of size; linked by smaller */
    struct path_chain *free_chains[PATH_CHAIN_LINES(2 * PATH_CHAIN_MAX) + 1];   /* by their lines */
};
extern struct path_shared path_shared;

#endif
