/* path_deep.c - see path_private.h. Stacks that have too many frames for the automaton.
 *
 * Such a stack is compared with the thread's last one (stack.h), which still holds most of its
 * frames. Beside each kept frame stands the folded list of frames from the spawn out to it. Where
 * another spawn from the same place reaches a kept frame with the same folded list, and the stack
 * is unchanged from there on, the remaining frames fold as they did: the segment is the last one.
 *
 * A struct path_deep is one thread's. Folding needs path_shared.lock; comparing releases it.
 */
#include "unwind/path_private.h"
#include "unwind/stack.h"
#include "base/memory.h"
#include "base/forbid.h"

#define DEEP_FRAMES 65536       /* of a stack that is compared; a deeper one is walked each time */
#define DEEP_FIRST 1024         /* frames that there is room for at first */
#define DEEP_KINDS 4            /* return addresses whose spawns are kept apart */

/* What libprof knows of the spawns from one return address. */
struct deep_kind {
    uintptr_t from;             /* the return address */
    uint32_t known;             /* FOLDED is valid for so many frames, from the outermost in */
    struct path_frames **folded;        /* the folded list out to each frame, by its index */
    const struct segment *segment;      /* of the last spawn */
};
struct path_deep {
    struct stack stack;         /* must be first: a test reads it */
    struct deep_kind kind[DEEP_KINDS];
    uint32_t replaced;          /* kinds so far */
    uintptr_t entry;            /* of the task; the next two describe its stack */
    /* A stack that reaches down to deep has too many frames for the automaton. One that reaches
     * down to too_deep has too many for this file, too. */
    uintptr_t deep, too_deep;
};

/* One walk of a deep stack. */
struct deep_walk {
    struct path_deep *deep;
    struct deep_kind *kind;
    struct stack_met met;
    struct walk_frame at;       /* the frame whose caller is sought */
    struct path_frames *folded; /* from the spawn to AT; NULL: no memory */
};

static struct path_deep *deep_of(struct path_deep **mine)
{
    struct path_deep *d = *mine;
    if (d)
        return d;
    d = memory_map(sizeof *d);
    if (d && !stack_new(&d->stack, DEEP_FIRST)) {
        memory_unmap(d, sizeof *d);
        d = 0;
    }
    return *mine = d;
}

/* The kind of FROM; it may replace another. NULL: no memory. */
static struct deep_kind *kind_of(struct path_deep *d, uintptr_t from)
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

/* Makes room for more frames, and forgets all known ones. False: no memory, or there is room for
 * DEEP_FRAMES already. */
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

/* From now on the frames that W has met are known, and so are their folded lists, for W's kind. */
static void keep(struct deep_walk *w)
{
    struct stack *s = &w->deep->stack;
    struct deep_kind *k = w->kind;
    for (unsigned i = 0; i < DEEP_KINDS; i++)
        if (w->deep->kind[i].known > w->met.may_meet)
            w->deep->kind[i].known = w->met.may_meet;
    s->walked += w->met.count;
    s->known = w->met.may_meet;
    for (uint32_t i = w->met.count; i-- > 0 && stack_keep(s, i);)
        k->folded[s->known - 1] = k->folded[s->size - 1 - i];
    k->known = s->known;
}

enum reuse {
    REUSE_SEGMENT,              /* the rest of the stack folds as it did: the kind's segment */
    REUSE_ALL,                  /* the rest is unchanged, and now folded; or there is no memory */
    REUSE_PART,                 /* the walk goes on from the outermost unchanged frame */
    REUSE_FULL,                 /* as REUSE_PART, but there is no room for its frames */
};

/* W has reached a known frame. Folds the known frames from there outwards, as far as the stack is
 * unchanged. */
static enum reuse reuse(struct deep_walk *w)
{
    struct stack *s = &w->deep->stack;
    struct deep_kind *k = w->kind;
    struct stack_met *m = &w->met;
    uintptr_t tried = w->at.tried;
    lock_release(&path_shared.lock);
    uint32_t to = stack_compare(s, m, &tried);  /* frames 0 to TO - 2 have changed; 0: none has */
    lock_take(&path_shared.lock);
    for (uint32_t i = m->may_meet; i-- > 0;) {
        if (!to && i < k->known && k->folded[i] == w->folded)
            return REUSE_SEGMENT;
        k->folded[i] = w->folded;
        if (i == (to ? to - 1 : 0))
            break;
        if (!(w->folded = path_frames_add(w->folded, s->frame[i - 1].pc)))
            break;
    }
    if (!w->folded || !to)
        return REUSE_ALL;
    if (m->count + m->may_meet > s->size)
        return REUSE_FULL;
    for (uint32_t i = m->may_meet; i > to; i--)
        k->folded[s->size - 1 - (m->count + m->may_meet - i)] = k->folded[i - 1];
    stack_part(s, m, to, &w->at, tried);
    return REUSE_PART;
}

/* The frames of P. NULL: no memory, or more than DEEP_FRAMES frames. */
static const struct segment *find(struct path_deep *d, const struct path_point *p, uintptr_t limit)
{
    struct stack *s = &d->stack;
    if (s->tight)
        deep_grow(d);
    struct deep_kind *k = kind_of(d, p->from);
    struct deep_walk w = { .deep = d, .kind = k };
    w.at = (struct walk_frame){ .pc = p->from, .sp = p->cfa, .fp = p->fp };
    w.folded = k ? path_frames_add(0, p->from) : 0;
    stack_start(s, &w.met, limit);
    s->known = w.met.may_meet;
    for (unsigned i = 0; i < DEEP_KINDS && !s->known; i++)
        d->kind[i].known = 0;
    bool cut = false;
    while (w.folded && w.at.pc && !cut) {
        if (stack_knows(s, &w.met, &w.at)) {
            enum reuse reused = reuse(&w);
            if (reused == REUSE_SEGMENT) {
                keep(&w);
                return k->segment;
            }
            if (reused == REUSE_ALL)
                break;
            if (reused == REUSE_FULL)
                return deep_grow(d) ? find(d, p, limit) : 0;
        }
        if (!stack_meet(s, &w.met, &w.at)) {
            if (deep_grow(d))
                return find(d, p, limit);
            d->too_deep = p->cfa;
            s->known = 0;
            return 0;
        }
        k->folded[s->size - w.met.count] = w.folded;
        cut = walk_step(&w.at, limit, 0) != WALK_LIMIT;
        if (!w.at.pc)
            w.met.may_meet = 0; /* the walk reached the end and met no known frame */
        else if (!cut)
            w.folded = path_frames_add(w.folded, w.at.pc);
    }
    if (!w.folded || cut) {     /* the frames outside may be others next time */
        s->known = 0;
        return w.folded ? path_frames_segment(w.folded, true) : 0;
    }
    keep(&w);
    return k->segment = path_frames_segment(w.folded, false);
}

bool path_deep_expected(struct path_deep *d, uintptr_t cfa, uintptr_t limit)
{
    if (!d)
        return false;
    if (d->entry != limit) {
        d->entry = limit;
        d->deep = d->too_deep = 0;
    }
    return cfa <= d->deep;
}

const struct segment *path_deep_find(struct path_deep **mine, const struct path_point *p,
                                     uintptr_t limit, bool too_many)
{
    struct path_deep *d = deep_of(mine);
    if (!d)
        return 0;
    d->entry = limit;
    if (too_many && d->deep < p->cfa)
        d->deep = p->cfa;
    return p->cfa <= d->too_deep ? 0 : find(d, p, limit);
}
