/* path.c - see path.h. How the frames of a spawn are found.
 *
 * path_find uses the automaton as it is. path_learn lets the automaton grow; where that cannot be,
 * it compares deep stacks or walks. path_private.h names the files behind this one and their lock.
 */
#include "unwind/path_private.h"
#include "unwind/cfi.h"
#include "unwind/code_place.h"
#include "unwind/walk.h"
#include "base/aside.h"
#include "base/forbid.h"

#define FRAMES_MAX 4096         /* of a walk that leaves nothing behind, before folding */
#define STACK_MAX (16u << 20)   /* bytes from spawn to entry; no task's own stack has more */
#define STEPS_MAX 1024          /* through the automaton; path_deep.c does deeper stacks */
#define STEPS_SCARCE 96         /* the same when half of the states are used up */

/* Can all memory from FROM to TO be read? The automaton reads its slots without a check. A task's
 * own stack is readable, but FROM may be on a coroutine's stack, which lies lower. */
static bool one_stack(uintptr_t from, uintptr_t to)
{
    if (to - from > STACK_MAX)
        return false;
    for (; from < to; from = (from | (WALK_PAGE - 1)) + 1)
        if (!walk_mapped(from & -8ul))
            return false;
    return true;
}

/* Finds P's frames through the automaton as it is, without the lock. NULL: P's stack is new to the
 * automaton, or may still become a chain. */
static const struct segment *known(const struct path_point *p, uintptr_t limit)
{
    const struct path_entry *e = path_entry_of(p->from, limit - p->cfa);
    if (!e)
        return 0;
    uint8_t tried = __atomic_load_n(&e->tried[path_list(e, p->cfa)], __ATOMIC_RELAXED);
    if (tried < PATH_CHAINS_TRIED)
        return 0;
    const struct path_state *s = e->state;
    while (s && s->question != PATH_FINAL)
        s = path_next(s, path_answer(s, p));
    return s ? s->segment : 0;
}

/* Finds P's frames through the automaton, which grows where P's stack is new to it. NULL: the
 * automaton cannot hold this stack. *TOO_MANY: because the stack has too many frames. */
static const struct segment *compiled(const struct path_point *p, uintptr_t limit, bool *too_many)
{
    uintptr_t depth = limit - p->cfa;
    if (!one_stack(p->cfa, limit))
        return 0;
    struct path_entry *e = path_entry_of(p->from, depth);
    bool grown = !e || !e->state;
    if (grown && !(e = path_entry_new(e, p->from, depth)))
        return 0;
    struct path_way way;
    path_way_start(&way);
    const struct path_state *s = e->state;
    for (unsigned steps = 0; s && s->question != PATH_FINAL; steps++) {
        uintptr_t word = path_answer(s, p);
        const struct path_state *next = path_next(s, word);
        bool scarce = path_statistics.states >= PATH_STATES_MAX / 2;
        *too_many = steps >= (scarce ? STEPS_SCARCE : STEPS_MAX);
        if (!next && *too_many)
            return 0;
        path_way_add(&way, s, word);
        grown |= !next;
        s = next ? next : path_grow((struct path_state *)s, word);
    }
    if (!s)
        return 0;
    path_statistics.walks += grown;
    path_chain_add(e, &way, p, s->segment);
    return s->segment;
}

struct learning {
    const struct path_point *p;
    uintptr_t limit;
    bool too_many;
    const struct segment *segment;
};

static void compile(void *argument)
{
    struct learning *l = argument;
    l->segment = compiled(l->p, l->limit, &l->too_many);
}

/* Finds P's frames by a walk, and keeps only their segment. NULL: no memory. */
static const struct segment *walked(const struct path_point *p, uintptr_t limit)
{
    struct walk_frame f = { .pc = p->from, .sp = p->cfa, .fp = p->fp };
    struct path_frames *list = path_frames_add(0, p->from);
    bool cut = false;
    if (p->cfa >= limit)
        limit = WALK_ANYWHERE;  /* P is not on the task's stack: a coroutine of the program's */
    for (unsigned n = 1; list && !cut; n++) {
        cut = walk_step(&f, limit, 0) != WALK_LIMIT || n == FRAMES_MAX;
        if (!f.pc || cut)
            break;
        list = path_frames_add(list, f.pc);
    }
    return list ? path_frames_segment(list, cut) : 0;
}

const struct segment *path_find(const struct path_point *p, uintptr_t limit)
{
    return p->cfa < limit ? known(p, limit) : 0;
}

const struct segment *path_learn(const struct path_point *p, uintptr_t limit,
                                 struct path_deep **deep)
{
    bool own_stack = p->cfa < limit;    /* else another one: a coroutine's */
    struct learning l = { p, limit, own_stack && deep && path_deep_expected(*deep, p->cfa, limit),
                          0 };
    cfi_follow();
    lock_take(&path_shared.lock);
    cfi_prepare();
    if (own_stack && !l.too_many)
        aside_run(compile, &l);
    const struct segment *s = l.segment;
    if (!s) {
        path_statistics.walks++;
        path_statistics.uncacheable++;
        if (own_stack && deep)
            s = path_deep_find(deep, p, limit, l.too_many);
        if (!s)
            s = walked(p, limit);
    }
    lock_release(&path_shared.lock);
    return s;
}

const struct segment *path_single(uintptr_t address)
{
    uintptr_t place = place_of(address);
    lock_take(&path_shared.lock);
    const struct segment *s = path_intern(&place, 1, false);
    lock_release(&path_shared.lock);
    return s;
}
