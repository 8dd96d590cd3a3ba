/* path_automaton.c - see path_private.h. The automaton that path.h explains.
 *
 * A state stands for how far an unwind has come (struct path_key), and asks for one word of the
 * stack. The answer leads along an edge to the next state. ask() computes the question from the
 * row of call frame information. advance() computes the next key from the answer.
 *
 * path_entry_of, path_answer and path_next run without the lock. All others need path_shared.lock.
 */
#include "unwind/path_private.h"
#include <string.h>
#include "unwind/cfi.h"
#include "base/memory.h"
#include "base/forbid.h"

/* Edges of a state that asks for a saved fp. Frames of variable size give it ever new answers. A
 * stack with one more answer is walked each time. */
#define FRAMES_SEEN_MAX 64

SELDOM struct path_entry *path_table[PATH_TABLE];
struct path_state path_unmapped;        /* no state: its address marks edges (struct path_edge) */

/* ---- states ---- */

/* Sets the question of S, whose answer leads on from K. S is final where the walk ends. */
static void ask(struct path_state *s, const struct path_key *k)
{
    const struct cfi_row row = cfi_row(k->pc - 1);
    int64_t end = (int64_t)k->depth, cfa = k->cfa ? k->cfa : k->sp + row.cfa_offset;
    bool known = row.cfa == CFI_SP || k->cfa;
    if (!known && (row.cfa == CFI_FP || row.cfa == CFI_FP_DEREF)) {
        if (k->fp_known == FP_LIVE || k->fp_known == FP_IN_SLOT) {
            s->question = k->fp_known == FP_LIVE ? PATH_LIVE : PATH_FRAME;
            s->slot = k->fp;
            return;
        }
        known = k->fp_known == FP_VALUE;
        cfa = k->fp + row.cfa_offset;
        if (known && row.cfa == CFI_FP_DEREF) {
            known = cfa >= k->sp && cfa < end && !(cfa & 7) && cfa == (int32_t)cfa;
            s->question = PATH_FRAME;
            s->slot = cfa;
            if (known)
                return;
        }
    }
    int64_t slot = cfa + cfi_return_offset(row);
    if (known && cfa < end && slot >= k->sp && cfa == (int32_t)cfa && !(cfa & 7) &&
        !cfi_return_in_register(row)) {
        s->question = PATH_RETURN;
        s->slot = slot;
        return;
    }
    s->question = PATH_FINAL;
    s->segment = path_frames_segment(k->frames, row.cfa != CFI_END && !(known && cfa >= end));
}

/* The state of K, made if needed. NULL: no room. */
static struct path_state *state_of(const struct path_key *k)
{
    struct path_progress *p;
    struct path_state s;
    memset(&s, 0, sizeof s);
    ask(&s, k);
    HASH_FIND(hh, path_shared.progress, k, sizeof *k, p);
    if (p)
        return &p->state;
    if (path_statistics.states >= PATH_STATES_MAX)
        return 0;
    if ((p = path_shared.free_progress))
        path_shared.free_progress = p->hh.next;
    else if (!(p = memory_keep(sizeof *p)))
        return 0;
    path_statistics.states++;
    p->key = *k;
    p->state = s;
    p->state.progress = p;
    HASH_ADD(hh, path_shared.progress, key, sizeof p->key, p);
    return &p->state;
}

/* Is the slot at OFFSET on the task's stack, and does it fit a state? */
static bool slot_valid(int64_t offset, const struct path_key *k)
{
    return offset >= 0 && offset < (int64_t)k->depth && !(offset & 7) && offset == (int32_t)offset;
}

/* Moves K on by the answer WORD to the question of S. False: no memory. */
static bool advance(const struct path_state *s, struct path_key *k, uintptr_t word)
{
    const struct cfi_row row = cfi_row(k->pc - 1);
    if (s->question != PATH_RETURN) {
        if (k->fp_known == FP_VALUE) {
            k->cfa = (int64_t)word;
        } else {
            k->fp_known = FP_VALUE;
            k->fp = (int64_t)word;
        }
        return true;
    }
    k->pc = word;
    k->sp = s->slot - cfi_return_offset(row);
    if (row.cfa == CFI_FP_DEREF && !row.fp_lost) {
        k->fp_known = FP_IN_SLOT;     /* k->fp, fp's value, is also the slot it points to */
    } else if (row.fp_saved) {
        k->fp_known = FP_IN_SLOT;
        k->fp = k->sp + row.fp_offset;
    } else if (row.fp_lost) {
        k->fp_known = FP_LOST;
        k->fp = 0;
    }
    /* the automaton reads no slot outside the task's stack */
    if (k->fp_known == FP_IN_SLOT && !slot_valid(k->fp, k)) {
        k->fp_known = FP_LOST;
        k->fp = 0;
    }
    k->cfa = 0;
    k->frames = path_frames_add(k->frames, word);
    return k->frames != 0;
}

/* ---- edges ---- */

static inline uint32_t edge_start(const struct path_edges *e, uintptr_t word)
{
    return word * 0x9e3779b97f4a7c15ull >> 32 & (e->size - 1);
}

static inline const struct path_state *edge_find(const struct path_edges *e, uintptr_t word)
{
    for (uint32_t i = edge_start(e, word);; i = (i + 1) & (e->size - 1)) {
        const struct path_state *state = __atomic_load_n(&e->at[i].state, __ATOMIC_ACQUIRE);
        if (!state || e->at[i].word == word)
            return state == &path_unmapped ? 0 : state;
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

/* Makes room for one more edge of S. False: S has as many as it may, or no memory. */
static bool edge_room(struct path_state *s)
{
    struct path_edges *e = s->more;
    if (e && e->used >= (s->question == PATH_RETURN ? PATH_CALLERS_MAX : FRAMES_SEEN_MAX))
        return false;
    if (e && e->used < e->size / 2)
        return true;
    uint32_t size = e ? e->size * 2 : 4;
    struct path_edges **unused = &path_shared.free_edges[__builtin_ctz(size)], *larger = *unused;
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
        if (e->at[i].state && e->at[i].state != &path_unmapped)
            edge_add(larger, e->at[i].word, e->at[i].state);
    __atomic_store_n(&s->more, larger, __ATOMIC_RELEASE);
    return true;
}

const struct path_state *path_grow(struct path_state *s, uintptr_t word)
{
    struct path_key k = s->progress->key;
    bool first = !s->state && (!s->word || s->word == word);
    struct path_state *next = 0;
    if ((first || edge_room(s)) && advance(s, &k, word))
        next = state_of(&k);
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

uintptr_t path_answer(const struct path_state *s, const struct path_point *p)
{
    if (__builtin_expect(s->question == PATH_RETURN, 1))
        return code_address(*(const uintptr_t *)(p->cfa + s->slot));
    uintptr_t fp = s->question == PATH_LIVE ? p->fp : *(const uintptr_t *)(p->cfa + s->slot);
    return fp - p->cfa;
}

const struct path_state *path_next(const struct path_state *s, uintptr_t word)
{
    const struct path_state *next = __atomic_load_n(&s->state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(next && s->word == word, 1))
        return next;
    const struct path_edges *e = __atomic_load_n(&s->more, __ATOMIC_ACQUIRE);
    return e ? edge_find(e, word) : 0;
}

/* ---- entries ---- */

struct path_entry *path_entry_of(uintptr_t from, uintptr_t depth)
{
    struct path_entry **head = &path_table[path_hash(from, depth)];
    struct path_entry *e = __atomic_load_n(head, __ATOMIC_ACQUIRE);
    while (e && (e->from != from || e->depth != depth))
        e = e->next;
    return e;
}

struct path_entry *path_entry_new(struct path_entry *old, uintptr_t from, uintptr_t depth)
{
    struct path_key k;
    memset(&k, 0, sizeof k);
    k.pc = from;
    k.depth = depth;
    k.fp_known = FP_LIVE;
    k.frames = path_frames_add(0, from);
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
