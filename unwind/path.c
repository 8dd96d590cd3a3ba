/* path.c - see path.h. The automaton and its chains are read without a lock; states, edges and chains are complete
 * before they are published. path_lock protects growing it, and the segments; memory.c's lock nests in it.
 *
 * What leads through code that was unmapped is used again (path_forget): nobody can be reading it, for who does has that code on its
 * stack. But other code may have been mapped there, and run, before we were told, so that it rests until the next time.
 * Only what others may pass by stays: edges and the entries of the table wait for the same address to come again, chains in the
 * list of a start that is still there are left alone, and count as made.
 */
#include "unwind/path.h"
#include <string.h>
#include "unwind/place.h"
#include "unwind/runtime.h"
#include "unwind/stack.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/table.h"
#include "unwind/walk.h"
#include "unwind/cfi.h"

#define FRAMES_MAX 4096         /* of a walk that leaves nothing behind, before folding */
#define DEEP_FRAMES 65536       /* of a stack that is compared with the last one's; deeper ones are walked so far each time */
#define DEEP_FIRST 1024         /* that there is room for at first */
#define DEEP_KINDS 4            /* spawns that come in turn there */
#define STATES_MAX 65536
#define STACK_MAX (16u << 20)   /* bytes between spawn and entry; more are no task's own stack */
#define STEPS_MAX 1024          /* of one spawn; deeper stacks are compared with the last one, */
#define STEPS_SCARCE 96         /* these once half of the states are gone */
#define CALLERS_MAX 4096        /* of a state, */
#define FRAMES_SEEN_MAX 64      /* where it asks for a saved rbp: of frames of variable size there is no end. A path over another is
                                 * walked each time */
#define CHAINS_TRIED 4          /* of a list of a start; other ways go through the automaton, */
#define CHAIN_MAX 64            /* as longer ones do, */
#define CHAINS_MAX 16384        /* and those that come when so many are kept */
#define FOLD_WINDOW 64
#define SEGMENTS_MAX 65536      /* beyond: the spawn's own frame alone */
#define FOLDED_MAX 262144       /* frames of folded paths; beyond, paths end early */

/* What a state asks of the stack. */
enum path_question {
    PATH_FINAL,                 /* nothing: the path is known */
    PATH_RETURN,                /* the word at the slot */
    PATH_FRAME,                 /* the same minus the CFA: a saved rbp */
    PATH_LIVE,                  /* the caller's rbp minus the CFA */
};

/* Answers after the first one: open addressing, read without a lock; one that is half full is copied into one twice its size, and kept. */
struct path_edge {
    uintptr_t word;
    struct path_state *state;   /* NULL: free; &unmapped: was one. Released after word */
};
struct path_edges {
    uint32_t size, used;        /* size: a power of two */
    struct path_edges *smaller; /* what this was copied from; of a free one: the next */
    struct path_edge at[];
};
#define EDGES_LOG2 14           /* CALLERS_MAX of a table that is half full */
static struct path_edges *free_edges[EDGES_LOG2 + 1];   /* by log2 of their size */
static struct path_edges *resting_edges;

struct path_state {
    uint32_t question;
    int32_t slot;               /* bytes above the CFA */
    uintptr_t word;             /* the answer that came first leads to; 0: none came yet */
    struct path_state *state;   /* ... here; NULL: nowhere any more. Released after word */
    struct path_edges *more;    /* other answers; NULL: none */
    const struct segment *segment; /* final */
    struct path_progress *progress; /* how to go on */
};

static struct path_state unmapped;

struct path_entry *path_table[PATH_TABLE];
struct path_statistics path_statistics;

struct segment_entry {
    UT_hash_handle hh;
    struct segment s;
};
static struct segment_entry *segments[2];       /* whole ones and cut ones, by addresses */
LOCK_DEFINE(path_lock, LOCK_PATHS);     /* of all that learning writes */

/* Frames so far, folded, the last one outermost: interned, so that equal ones are one. */
struct frames {
    struct { struct frames *inner; uintptr_t address; } key;
    uintptr_t function;
    uint32_t count;
    bool unmapped;              /* path_forget: one of them is */
    UT_hash_handle hh;
};
static struct frames *all_frames, *free_frames, *resting_frames;        /* free: by key.inner */

/* How far an unwind has come: the frame whose caller is sought. Offsets are from the CFA of the spawn's
 * wrapper. No padding: the whole is a hash key. */
enum rbp_known { RBP_LIVE, RBP_IN_SLOT, RBP_VALUE, RBP_LOST };
struct progress_key {
    uintptr_t pc, depth;
    int64_t rsp, cfa;           /* cfa: 0 until a realigned frame's was read */
    int64_t rbp;                /* the slot that it was saved in, or its value */
    uint64_t rbp_known;
    struct frames *frames;
};
struct path_progress {
    struct progress_key key;
    struct path_state state;
    UT_hash_handle hh;
};
static struct path_progress *all_progress, *free_progress, *resting_progress;   /* free: by hh.next */

/* Where the function of return address PC starts: looking it up takes longer than the rest of a walk's step. */
static struct { uintptr_t pc, start; } functions[4096];

static uintptr_t function_of(uintptr_t pc)
{
    unsigned i = (pc ^ pc >> 12) & (sizeof functions / sizeof functions[0] - 1);
    if (functions[i].pc != pc) {
        functions[i].start = cfi_function(pc - 1);
        functions[i].pc = pc;
    }
    return functions[i].start;
}

/* F and its caller's frame PC. A function that comes again drops itself and what lies between. */
static struct frames *add_frame(struct frames *f, uintptr_t pc)
{
    uintptr_t function = function_of(pc);
    unsigned seen = 0;
    for (struct frames *at = f; at && seen < FOLD_WINDOW; at = at->key.inner, seen++)
        if (at->key.address == pc || (function && at->function == function))
            return at;
    struct frames *found, like;
    memset(&like, 0, sizeof like);
    like.key.inner = f;
    like.key.address = pc;
    HASH_FIND(hh, all_frames, &like.key, sizeof like.key, found);
    if (found)
        return found;
    static uint32_t made;
    if ((found = free_frames)) {
        free_frames = found->key.inner;
    } else {
        found = made < FOLDED_MAX ? memory_keep(sizeof *found) : 0;
        if (!found)
            return f;
        made++;
    }
    *found = like;
    found->function = function;
    found->count = f ? f->count + 1 : 1;
    HASH_ADD(hh, all_frames, key, sizeof found->key, found);
    return found;
}

/* With path_lock. */
static const struct segment *intern(const uintptr_t *address, uint32_t count, bool cut)
{
    struct segment_entry *e;
    HASH_FIND(hh, segments[cut], address, count * sizeof *address, e);
    if (e)
        return &e->s;
    e = memory_keep(sizeof *e + count * sizeof *address);
    if (!e)
        return 0;
    e->s.id = path_statistics.segments++;
    e->s.count = count;
    e->s.cut = cut;
    memcpy(e->s.address, address, count * sizeof *address);
    HASH_ADD_KEYPTR(hh, segments[cut], e->s.address, count * sizeof *address, e);
    return &e->s;
}

/* The segment of F without the runtime's frames at its outer end. */
static const struct segment *segment_of(struct frames *f, bool cut)
{
    uintptr_t address[FOLD_WINDOW * 4];
    while (path_statistics.segments >= SEGMENTS_MAX && f->key.inner) {
        f = f->key.inner;
        cut = true;
    }
    while (f->count > 1 && runtime_owns(f->key.address))
        f = f->key.inner;
    while (f->count > sizeof address / sizeof address[0]) {
        f = f->key.inner;
        cut = true;
    }
    for (struct frames *at = f; at; at = at->key.inner)
        address[at->count - 1] = place_of(at->key.address);
    return intern(address, f->count, cut);
}

/* What is asked next to get on from K; final where the walk ends. */
static void ask(struct path_state *s, const struct progress_key *k)
{
    const struct cfi_row row = cfi_row(k->pc - 1);
    int64_t end = (int64_t)k->depth, cfa = k->cfa ? k->cfa : k->rsp + row.cfa_offset;
    bool known = row.cfa == CFI_RSP || k->cfa;
    if (!known && (row.cfa == CFI_RBP || row.cfa == CFI_RBP_DEREF)) {
        if (k->rbp_known == RBP_LIVE || k->rbp_known == RBP_IN_SLOT) {
            s->question = k->rbp_known == RBP_LIVE ? PATH_LIVE : PATH_FRAME;
            s->slot = k->rbp;
            return;
        }
        known = k->rbp_known == RBP_VALUE;
        cfa = k->rbp + row.cfa_offset;
        if (known && row.cfa == CFI_RBP_DEREF) {
            known = cfa >= k->rsp && cfa < end && !(cfa & 7) && cfa == (int32_t)cfa;
            s->question = PATH_FRAME;
            s->slot = cfa;
            if (known)
                return;
        }
    }
    if (known && cfa < end && cfa - 8 >= k->rsp && cfa == (int32_t)cfa && !(cfa & 7)) {
        s->question = PATH_RETURN;
        s->slot = cfa - 8;
        return;
    }
    s->question = PATH_FINAL;
    s->segment = segment_of(k->frames, row.cfa != CFI_END && !(known && cfa >= end));
}

/* The state of K, made if needed; NULL: no room. */
static struct path_state *state_of(const struct progress_key *k)
{
    struct path_progress *p;
    struct path_state s;
    memset(&s, 0, sizeof s);
    ask(&s, k);
    HASH_FIND(hh, all_progress, k, sizeof *k, p);
    if (p)
        return &p->state;
    if (path_statistics.states >= STATES_MAX)
        return 0;
    if ((p = free_progress))
        free_progress = p->hh.next;
    else if (!(p = memory_keep(sizeof *p)))
        return 0;
    path_statistics.states++;
    p->key = *k;
    p->state = s;
    p->state.progress = p;
    HASH_ADD(hh, all_progress, key, sizeof p->key, p);
    return &p->state;
}

/* K after the answer WORD to S. False: no memory. */
static bool go_on(const struct path_state *s, struct progress_key *k, uintptr_t word)
{
    const struct cfi_row row = cfi_row(k->pc - 1);
    if (s->question != PATH_RETURN) {
        if (k->rbp_known == RBP_VALUE) {
            k->cfa = (int64_t)word;
        } else {
            k->rbp_known = RBP_VALUE;
            k->rbp = (int64_t)word;
        }
        return true;
    }
    k->pc = word;
    k->rsp = s->slot + 8;
    if (row.cfa == CFI_RBP_DEREF && !row.rbp_lost) {
        k->rbp_known = RBP_IN_SLOT;     /* where rbp points: k->rbp is its value */
    } else if (row.rbp_saved) {
        k->rbp_known = RBP_IN_SLOT;
        k->rbp = k->rsp + row.rbp_offset;
    } else if (row.rbp_lost) {
        k->rbp_known = RBP_LOST;
        k->rbp = 0;
    }
    /* a slot outside the stack that is known is never read */
    if (k->rbp_known == RBP_IN_SLOT && (k->rbp < 0 || k->rbp >= (int64_t)k->depth || k->rbp & 7 || k->rbp != (int32_t)k->rbp)) {
        k->rbp_known = RBP_LOST;
        k->rbp = 0;
    }
    k->cfa = 0;
    k->frames = add_frame(k->frames, word);
    return k->frames != 0;
}

static inline uint32_t edge_start(const struct path_edges *e, uintptr_t word)
{
    return word * 0x9e3779b97f4a7c15ull >> 32 & (e->size - 1);
}

static inline const struct path_state *edge_find(const struct path_edges *e, uintptr_t word)
{
    for (uint32_t i = edge_start(e, word);; i = (i + 1) & (e->size - 1)) {
        const struct path_state *state = __atomic_load_n(&e->at[i].state, __ATOMIC_ACQUIRE);
        if (!state || e->at[i].word == word)
            return state == &unmapped ? 0 : state;
    }
}

static void edge_add(struct path_edges *e, uintptr_t word, struct path_state *state)
{
    uint32_t i = edge_start(e, word);
    while (e->at[i].state && e->at[i].word != word)
        i = (i + 1) & (e->size - 1);
    e->used += !e->at[i].state;
    e->at[i].word = word;
    __atomic_store_n(&e->at[i].state, state, __ATOMIC_RELEASE);
}

static void edges_rest(struct path_edges *e)
{
    while (e) {
        struct path_edges *smaller = e->smaller;
        e->smaller = resting_edges;
        resting_edges = e;
        e = smaller;
    }
}

/* Room for one more answer to S; false: no. */
static bool edge_room(struct path_state *s)
{
    struct path_edges *e = s->more;
    if (e && e->used >= (s->question == PATH_RETURN ? CALLERS_MAX : FRAMES_SEEN_MAX))
        return false;
    if (e && e->used < e->size / 2)
        return true;
    uint32_t size = e ? e->size * 2 : 4;
    struct path_edges **unused = &free_edges[__builtin_ctz(size)], *larger = *unused;
    if (larger) {
        *unused = larger->smaller;
        memset(larger->at, 0, size * sizeof larger->at[0]);
        larger->used = 0;
    } else if (!(larger = memory_keep(sizeof *larger + size * sizeof larger->at[0]))) {
        return false;
    }
    larger->size = size;
    larger->smaller = e;
    for (uint32_t i = 0; e && i < e->size; i++)
        if (e->at[i].state && e->at[i].state != &unmapped)
            edge_add(larger, e->at[i].word, e->at[i].state);
    __atomic_store_n(&s->more, larger, __ATOMIC_RELEASE);
    return true;
}

/* The state after S for WORD, now an edge of S; NULL: no room. */
static const struct path_state *grow(struct path_state *s, uintptr_t word)
{
    struct progress_key k = s->progress->key;
    bool first = !s->state && (!s->word || s->word == word);
    struct path_state *next = (first || edge_room(s)) && go_on(s, &k, word) ? state_of(&k) : 0;
    if (!next)
        return 0;
    if (first) {
        s->word = word;
        __atomic_store_n(&s->state, next, __ATOMIC_RELEASE);
    } else {
        edge_add(s->more, word, next);
    }
    return next;
}

/* The automaton reads its slots as they are: it is for a task's own stack, not for a coroutine's somewhere below. */
static bool one_stack(uintptr_t from, uintptr_t to)
{
    if (to - from > STACK_MAX)
        return false;
    for (; from < to; from = (from | (WALK_PAGE - 1)) + 1)
        if (!walk_mapped(from & -8ul))
            return false;
    return true;
}

static uintptr_t answer(const struct path_state *s, const struct path_point *p)
{
    if (__builtin_expect(s->question == PATH_RETURN, 1))
        return *(const uintptr_t *)(p->cfa + s->slot);
    return (s->question == PATH_LIVE ? p->rbp : *(const uintptr_t *)(p->cfa + s->slot)) - p->cfa;
}

/* NULL: the answer is new. */
static const struct path_state *next_state(const struct path_state *s, uintptr_t word)
{
    const struct path_state *next = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(next && s->word == word, 1))
        return next;
    const struct path_edges *e = __atomic_load_n(&s->more, __ATOMIC_ACQUIRE);
    return e ? edge_find(e, word) : 0;
}

static struct path_entry *entry_of(uintptr_t from, uintptr_t depth)
{
    struct path_entry *e = __atomic_load_n(&path_table[path_hash(from, depth)], __ATOMIC_ACQUIRE);
    while (e && (e->from != from || e->depth != depth))
        e = e->next;
    return e;
}

/* The entry with a state; OLD: the entry that has none, or NULL. NULL: no room. */
static struct path_entry *entry_new(struct path_entry *old, uintptr_t from, uintptr_t depth)
{
    struct progress_key k;
    memset(&k, 0, sizeof k);
    k.pc = from;
    k.depth = depth;
    k.rbp_known = RBP_LIVE;
    k.frames = add_frame(0, from);
    struct path_state *first = k.frames ? state_of(&k) : 0;
    struct path_entry *e = !first ? 0 : old ? old : memory_keep_lines(sizeof *e);
    if (!e)
        return 0;
    path_statistics.entries++;
    if (old) {
        __atomic_store_n(&e->state, first, __ATOMIC_RELEASE);
        return e;
    }
    struct path_entry **head = &path_table[path_hash(from, depth)];
    *e = (struct path_entry){ .next = *head, .from = from, .depth = depth, .state = first };
    __atomic_store_n(head, e, __ATOMIC_RELEASE);
    return e;
}

#define LINE 64u
static inline unsigned chain_lines(unsigned checks)
{
    return (sizeof(struct path_chain) + checks * sizeof(struct path_check) + LINE - 1) / LINE;
}
static struct path_chain *free_chains[(sizeof(struct path_chain) + 2 * CHAIN_MAX * sizeof(struct path_check)) / LINE + 2];  /* by lines */
static struct path_chain *resting_chains;       /* by rest */

static void chain_rest(struct path_chain *c)
{
    c->rest = resting_chains;   /* its next leads on, for who is there */
    resting_chains = c;
    path_statistics.chains--;
}

/* What was put to rest last time is free. */
static void rest_is_over(void)
{
    for (struct path_chain *c; (c = resting_chains);) {
        struct path_chain **list = &free_chains[chain_lines(c->returns + c->frames)];
        resting_chains = c->rest;
        c->next = *list;
        *list = c;
    }
    for (struct path_edges *e; (e = resting_edges);) {
        struct path_edges **list = &free_edges[__builtin_ctz(e->size)];
        resting_edges = e->smaller;
        e->smaller = *list;
        *list = e;
    }
    for (struct path_progress *s; (s = resting_progress);) {
        resting_progress = s->hh.next;
        s->hh.next = free_progress;
        free_progress = s;
    }
    for (struct frames *f; (f = resting_frames);) {
        resting_frames = f->key.inner;
        f->key.inner = free_frames;
        free_frames = f;
    }
}

/* A way through the automaton, as it is taken. */
struct way {
    unsigned returns, frames;   /* CHAIN_MAX and more: too long */
    struct path_check at_return[CHAIN_MAX], at_frame[CHAIN_MAX];
    uintptr_t live, live_mask;
};

static void way_add(struct way *w, const struct path_state *s, uintptr_t word)
{
    struct path_check check = { s->slot, word };
    if (s->question == PATH_LIVE) {
        w->live = word;
        w->live_mask = UINTPTR_MAX;
    } else if (s->question == PATH_FRAME) {
        if (w->frames < CHAIN_MAX)
            w->at_frame[w->frames++] = check;
    } else if (w->returns < CHAIN_MAX) {
        w->at_return[w->returns++] = check;
    }
}

/* From now on E's chains are in lists. */
static void spread(struct path_entry *e)
{
    struct path_chain *all = e->chains[0];
    unsigned list = all->check[0].word * 0x9e3779b97f4a7c15ull >> (64 - PATH_LISTS_LOG2);
    uint8_t tried = e->tried[0];
    e->slot = all->check[0].slot;
    e->tried[0] = 0;
    __atomic_store_n(&e->chains[0], (struct path_chain *)0, __ATOMIC_RELAXED);
    __atomic_store_n(&e->tried[list], tried, __ATOMIC_RELAXED);
    __atomic_store_n(&e->chains[list], all, __ATOMIC_RELAXED);
    __atomic_store_n(&e->spread, true, __ATOMIC_RELEASE);
}

/* The list must be known before the stack is looked at, so all of E's chains have their first return address at one place; ways
 * that have it elsewhere (the caller's frame is of variable size) are no chains. */
static void chain_add(struct path_entry *e, const struct way *w, const struct path_point *p, const struct segment *segment)
{
    const struct path_check *first = w->returns ? &w->at_return[0] : 0;
    const struct path_chain *like = e->chains[0];
    if (!e->spread && first && like && like->returns && like->check[0].slot == first->slot && like->check[0].word != first->word)
        spread(e);
    unsigned returns = (w->returns + 3) & ~3u, list = path_list(e, p->cfa);
    uint8_t tried = e->tried[list];
    if (tried >= CHAINS_TRIED)
        return;
    for (const struct path_chain *c = e->chains[list]; c; c = c->next)
        if (path_is(c, p))
            return;             /* another thread that waited for the lock */
    __atomic_store_n(&e->tried[list], tried + 1, __ATOMIC_RELAXED);
    if (w->returns >= CHAIN_MAX || w->frames >= CHAIN_MAX || path_statistics.chains >= CHAINS_MAX)
        return;
    if (e->spread ? !first || first->slot != e->slot : like && (!first || !like->returns || first->slot != like->check[0].slot))
        return;
    unsigned lines = chain_lines(returns + w->frames);
    struct path_chain *c = free_chains[lines];
    if (c)
        free_chains[lines] = c->next;
    else if (!(c = memory_keep_lines(lines * LINE)))
        return;
    c->next = e->chains[list];
    c->segment = segment;
    c->live = w->live;
    c->live_mask = w->live_mask;
    c->returns = returns;
    c->frames = w->frames;
    for (unsigned i = 0; i < returns; i++)
        c->check[i] = w->at_return[i < w->returns ? i : w->returns - 1];
    memcpy(c->check + returns, w->at_frame, w->frames * sizeof c->check[0]);
    path_statistics.chains++;
    __atomic_store_n(&e->chains[list], c, __ATOMIC_RELEASE);
}

/* Through the automaton as it is, without the lock. NULL: P's stack is new to it, or a chain may come of it. */
static const struct segment *known(const struct path_point *p, uintptr_t limit)
{
    const struct path_entry *e = entry_of(p->from, limit - p->cfa);
    if (!e || __atomic_load_n(&e->tried[path_list(e, p->cfa)], __ATOMIC_RELAXED) < CHAINS_TRIED)
        return 0;
    const struct path_state *s = e->state;
    while (s && s->question != PATH_FINAL)
        s = next_state(s, answer(s, p));
    return s ? s->segment : 0;
}

/* Through the automaton, which grows where P's stack is new to it. NULL: this stack is not for it, *DEEP: for its many frames. */
static const struct segment *compiled(const struct path_point *p, uintptr_t limit, bool *deep)
{
    uintptr_t depth = limit - p->cfa;
    if (!one_stack(p->cfa, limit))
        return 0;
    struct path_entry *e = entry_of(p->from, depth);
    bool grown = !e || !e->state;
    if (grown && !(e = entry_new(e, p->from, depth)))
        return 0;
    struct way way;
    way.returns = way.frames = 0;
    way.live = way.live_mask = 0;
    const struct path_state *s = e->state;
    for (unsigned steps = 0; s && s->question != PATH_FINAL; steps++) {
        uintptr_t word = answer(s, p);
        const struct path_state *next = next_state(s, word);
        *deep = steps >= (path_statistics.states < STATES_MAX / 2 ? STEPS_MAX : STEPS_SCARCE);
        if (!next && *deep)
            return 0;
        way_add(&way, s, word);
        grown |= !next;
        s = next ? next : grow((struct path_state *)s, word);
    }
    if (!s)
        return 0;
    path_statistics.walks += grown;
    chain_add(e, &way, p, s->segment);
    return s->segment;
}

/* A walk that leaves nothing behind. */
static const struct segment *walked(const struct path_point *p, uintptr_t limit)
{
    struct walk_frame f = { .pc = p->from, .rsp = p->cfa, .rbp = p->rbp };
    struct frames *list = add_frame(0, p->from);
    bool cut = false;
    if (p->cfa >= limit)
        limit = WALK_ANYWHERE;  /* another stack than the task's: a program's own coroutine */
    for (unsigned n = 1; list && !cut; n++) {
        cut = walk_step(&f, limit, 0) != WALK_LIMIT || n == FRAMES_MAX;
        if (!f.pc || cut)
            break;
        list = add_frame(list, f.pc);
    }
    return list ? segment_of(list, cut) : 0;
}

/* Stacks that are too deep for the automaton are compared with the thread's last one. With each of its frames stands what the frames
 * from the spawn to it fold to: where a spawn at the same place comes to a frame with the same, the rest folds as it did. */
struct deep_kind {
    uintptr_t from;             /* the spawn */
    uint32_t known;             /* frames, from the outermost in, that FOLDED is known of */
    struct frames **folded;     /* by index in the stack's frames */
    const struct segment *segment;
};
struct path_deep {
    struct stack stack;         /* first: a test looks at it */
    struct deep_kind kind[DEEP_KINDS];
    uint32_t replaced;          /* kinds so far */
    uintptr_t entry;            /* in this task's stack, */
    uintptr_t deep, too_deep;   /* what lies below has too many frames for the automaton, and for this */
};

static struct path_deep *deep_of(struct path_deep **deep)
{
    struct path_deep *d = *deep;
    if (d)
        return d;
    d = memory_map(sizeof *d);
    if (d && !stack_new(&d->stack, DEEP_FIRST)) {
        memory_unmap(d, sizeof *d);
        d = 0;
    }
    return *deep = d;
}

/* NULL: no memory. */
static struct deep_kind *deep_kind(struct path_deep *d, uintptr_t from)
{
    for (unsigned i = 0; i < DEEP_KINDS; i++)
        if (d->kind[i].from == from)
            return &d->kind[i];
    struct deep_kind *k = &d->kind[d->replaced++ % DEEP_KINDS];
    if (!k->folded && !(k->folded = memory_map(d->stack.size * sizeof k->folded[0])))
        return 0;
    k->from = from;
    k->known = 0;
    return k;
}

/* A stack has more frames than there is room for: nothing is known of it then. False: no memory, or DEEP_FRAMES. */
static bool deep_grow(struct path_deep *d)
{
    uint32_t size = d->stack.size;
    if (!stack_grow(&d->stack, DEEP_FRAMES))
        return false;
    for (unsigned i = 0; i < DEEP_KINDS; i++) {
        memory_unmap(d->kind[i].folded, size * sizeof d->kind[i].folded[0]);
        d->kind[i] = (struct deep_kind){ .from = 0 };
    }
    return true;
}

/* The frames that were met are known from now, and what they fold to, for kind K. */
static void deep_keep(struct path_deep *d, const struct stack_met *m, struct deep_kind *k)
{
    struct stack *s = &d->stack;
    for (unsigned i = 0; i < DEEP_KINDS; i++)
        if (d->kind[i].known > m->may_meet)
            d->kind[i].known = m->may_meet;
    s->walked += m->count;
    s->known = m->may_meet;
    for (uint32_t i = m->count; i-- > 0 && stack_keep(s, i);)
        k->folded[s->known - 1] = k->folded[s->size - 1 - i];
    k->known = s->known;
}

/* With path_lock, but for comparing. NULL: no memory, or more than DEEP_FRAMES frames. */
static const struct segment *deep(struct path_deep *d, const struct path_point *p, uintptr_t limit)
{
    struct stack *s = &d->stack;
    if (s->tight)
        deep_grow(d);
    struct deep_kind *k = deep_kind(d, p->from);
    struct walk_frame w = { .pc = p->from, .rsp = p->cfa, .rbp = p->rbp };
    struct frames *f = k ? add_frame(0, p->from) : 0;
    struct stack_met m;
    stack_start(s, &m, limit);
    s->known = m.may_meet;
    for (unsigned i = 0; i < DEEP_KINDS && !s->known; i++)
        d->kind[i].known = 0;
    bool cut = false;
    while (f && w.pc && !cut) {
        if (stack_knows(s, &m, &w)) {
            uintptr_t tried = w.tried;
            lock_release(&path_lock);
            uint32_t to = stack_compare(s, &m, &tried);
            lock_take(&path_lock);
            for (uint32_t i = m.may_meet; i-- > 0;) {
                if (!to && i < k->known && k->folded[i] == f) {
                    deep_keep(d, &m, k);
                    return k->segment;
                }
                k->folded[i] = f;
                if (i == (to ? to - 1 : 0) || !(f = add_frame(f, s->frame[i - 1].pc)))
                    break;
            }
            if (!f || !to)
                break;
            if (m.count + m.may_meet > s->size)
                return deep_grow(d) ? deep(d, p, limit) : 0;
            for (uint32_t i = m.may_meet; i > to; i--)
                k->folded[s->size - 1 - (m.count + m.may_meet - i)] = k->folded[i - 1];
            stack_part(s, &m, to, &w, tried);
        }
        if (!stack_meet(s, &m, &w)) {
            if (deep_grow(d))
                return deep(d, p, limit);
            d->too_deep = p->cfa;
            s->known = 0;
            return 0;
        }
        k->folded[s->size - m.count] = f;
        cut = walk_step(&w, limit, 0) != WALK_LIMIT;
        if (!w.pc)
            m.may_meet = 0;     /* the walk came to the end by itself */
        else if (!cut)
            f = add_frame(f, w.pc);
    }
    if (!f || cut) {            /* what is outside can be another next time */
        s->known = 0;
        return f ? segment_of(f, true) : 0;
    }
    deep_keep(d, &m, k);
    return k->segment = segment_of(f, false);
}

const struct segment *path_learn(const struct path_point *p, uintptr_t limit, struct path_deep **mine)
{
    struct path_deep *d = mine && p->cfa < limit ? *mine : 0;
    const struct segment *s = 0;
    if (d && d->entry != limit) {
        d->entry = limit;
        d->deep = d->too_deep = 0;
    }
    lock_take(&path_lock);
    bool is_deep = d && p->cfa <= d->deep;
    if (p->cfa < limit && !is_deep)
        s = compiled(p, limit, &is_deep);
    if (!s) {
        path_statistics.walks++;
        path_statistics.uncacheable++;
        if (mine && p->cfa < limit && (d = deep_of(mine))) {
            d->entry = limit;
            if (is_deep && d->deep < p->cfa)
                d->deep = p->cfa;
            s = p->cfa <= d->too_deep ? 0 : deep(d, p, limit);
        }
        if (!s)
            s = walked(p, limit);
    }
    lock_release(&path_lock);
    return s;
}

const struct segment *path_find(const struct path_point *p, uintptr_t limit)
{
    return p->cfa < limit ? known(p, limit) : 0;
}

const struct segment *path_single(uintptr_t address)
{
    uintptr_t place = place_of(address);
    lock_take(&path_lock);
    const struct segment *s = intern(&place, 1, false);
    lock_release(&path_lock);
    return s;
}

/* ---- code that was unmapped ---- */

struct unmapped_code {
    const struct code_range *range;
    unsigned count;
};

static bool holds(const struct unmapped_code *u, uintptr_t pc)
{
    for (unsigned i = 0; i < u->count; i++)
        if (pc - u->range[i].start < u->range[i].end - u->range[i].start)
            return true;
    return false;
}

/* S is still there: the answers that led into what is not. */
static void forget_answers(const struct unmapped_code *u, struct path_state *s)
{
    if (s->question != PATH_RETURN)
        return;
    if (s->state && holds(u, s->word))
        __atomic_store_n(&s->state, (struct path_state *)0, __ATOMIC_RELEASE);
    for (uint32_t i = 0; s->more && i < s->more->size; i++)
        if (s->more->at[i].state && holds(u, s->more->at[i].word))
            __atomic_store_n(&s->more->at[i].state, &unmapped, __ATOMIC_RELEASE);
}

/* The spawn was there. */
static void forget_start(struct path_entry *e)
{
    for (unsigned i = 0; i < PATH_LISTS; i++) {
        struct path_chain *c = e->chains[i], *next;
        __atomic_store_n(&e->chains[i], (struct path_chain *)0, __ATOMIC_RELEASE);
        for (; c; c = next) {
            next = c->next;
            chain_rest(c);
        }
        __atomic_store_n(&e->tried[i], 0, __ATOMIC_RELAXED);
    }
    path_statistics.entries -= e->state != 0;
    __atomic_store_n(&e->state, (struct path_state *)0, __ATOMIC_RELEASE);
    __atomic_store_n(&e->spread, false, __ATOMIC_RELEASE);
}

static void forget_chains(const struct unmapped_code *u, struct path_entry *e)
{
    for (unsigned i = 0; i < PATH_LISTS; i++)
        for (struct path_chain **at = &e->chains[i], *c; (c = *at);) {
            bool gone = false;
            for (uint32_t k = 0; k < c->returns && !gone; k++)
                gone = holds(u, c->check[k].word);
            if (!gone) {
                at = &c->next;
                continue;
            }
            __atomic_store_n(at, c->next, __ATOMIC_RELEASE);    /* C leads on, for who is there */
            __atomic_store_n(&e->tried[i], 0, __ATOMIC_RELAXED);
        }
}

void path_forget(const struct code_range *range, unsigned count)
{
    static struct frames no_frames;     /* keeps the table when nothing else is in it */
    static struct path_progress no_progress;
    const struct unmapped_code u = { range, count };
    struct frames *f, *next_frames;
    struct path_progress *p, *next_progress;
    lock_take(&path_lock);
    rest_is_over();
    memset(functions, 0, sizeof functions);
    if (all_frames && !no_frames.hh.tbl)
        HASH_ADD(hh, all_frames, key, sizeof no_frames.key, &no_frames);
    if (all_progress && !no_progress.hh.tbl)
        HASH_ADD(hh, all_progress, key, sizeof no_progress.key, &no_progress);
    for (f = all_frames; f; f = f->hh.next)     /* in the order in which they came: inner ones first */
        f->unmapped = holds(&u, f->key.address) || (f->key.inner && f->key.inner->unmapped);
    for (unsigned i = 0; i < PATH_TABLE; i++)
        for (struct path_entry *e = path_table[i]; e; e = e->next)
            if (holds(&u, e->from))
                forget_start(e);
            else
                forget_chains(&u, e);
    HASH_ITER(hh, all_progress, p, next_progress) {
        if (!holds(&u, p->key.pc) && !(p->key.frames && p->key.frames->unmapped)) {
            forget_answers(&u, &p->state);
            continue;
        }
        HASH_DEL(all_progress, p);
        edges_rest(p->state.more);
        p->hh.next = resting_progress;
        resting_progress = p;
        path_statistics.states--;
    }
    HASH_ITER(hh, all_frames, f, next_frames) {
        if (!f->unmapped)
            continue;
        HASH_DEL(all_frames, f);
        f->key.inner = resting_frames;
        resting_frames = f;
    }
    lock_release(&path_lock);
}
