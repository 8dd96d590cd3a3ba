/* trace.c - see trace.h. */
#include "unwind/trace.h"
#include <string.h>
#include "unwind/call_tree.h"
#include "libprof_format.h"
#include "unwind/code_place.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

bool trace_new(struct trace *t)
{
    memset(t, 0, sizeof *t);
    return stack_new(&t->stack, TRACE_FIRST);
}

/* The frames of a walk. Only the first NAMED frames have nodes. The frames outside of these belong
 * to the runtime, at the task's entry. */
struct met {
    struct stack_met m;
    uint32_t named;
};

/* Are L's next frame and all frames outside of it known? If only some are, moves L out to the last
 * of these. */
static bool known_from_here(struct trace *t, struct met *met, struct logical *l)
{
    struct stack *s = &t->stack;
    struct stack_met *m = &met->m;
    if (!m->may_meet || !m->count || !l->frame.pc || l->limit != l->entry)
        return false;
    if (!stack_knows(s, m, &l->frame))
        return false;
    uintptr_t tried = l->frame.tried;
    uint32_t i = stack_compare(s, m, &tried);
    if (i)
        stack_part(s, m, i, &l->frame, tried);
    return !i;
}

/* Walks from L outwards until all the rest is known, or to the end. */
static void walk_on(struct trace *t, struct met *met, struct logical *l)
{
    struct stack_met *m = &met->m;
    bool room = true;
    while (room && !known_from_here(t, met, l)) {
        struct walk_frame w = l->frame;
        uintptr_t limit = l->limit;
        if (!logical_step_bichord(l))
            break;
        /* All p-notes are kept, a runtime's frames too: the report can show or hide those later.
         * The path's node stands for the l-notes of a task's end. */
        if (l->association == MANY_TO_MANY && m->count)
            met->named = m->count;
        for (uintptr_t pc; room && logical_step_pnote(l, &pc);) {
            room = stack_meet(&t->stack, m, &w);
            if (l->pnote == l->pnotes)
                break;
            walk_step(&w, limit, 0);    /* the same step as the bichord's */
            if (w.sp < l->entry)
                limit = l->entry;
        }
        if (l->association == MANY_TO_MANY) {
            m->may_meet = 0;
            break;
        }
    }
    if (!room) {
        l->end = WALK_FULL;
        m->may_meet = 0;
    }
    t->stack.walked += m->count;
}

static uint32_t folded(uint32_t parent, uint32_t base, uintptr_t place, uint64_t *lost)
{
    uint32_t at = parent;
    for (uint32_t i = 0; i < PATH_FOLD_WINDOW && at != base; i++, at = cct_node(at)->parent)
        if (cct_node(at)->address == place)
            return at;
    return cct_child(parent, LPF_NODE_FRAME, place, lost);
}

/* Makes the nodes of the met frames, except the innermost, and makes these frames known. Returns
 * the last node. */
static uint32_t remember(struct trace *t, const struct met *met, uint32_t base, uint64_t *lost)
{
    struct stack *s = &t->stack;
    const struct stack_met *m = &met->m;
    uint32_t node = m->may_meet ? s->frame[m->may_meet - 1].node : base;
    bool known = true;
    s->known = m->may_meet;
    for (uint32_t i = m->count; i-- > 1;) {
        struct stack_frame *f = stack_met_at(s, i);
        if (i < met->named)
            node = folded(node, base, place_of(f->pc), lost);
        f->node = node;
        known = known && stack_keep(s, i);
    }
    return node;
}

uint32_t trace_node(struct trace *t, struct walk_frame f, uintptr_t entry,
                    const struct logical_path *path, bool *cut, uint64_t *lost)
{
    struct logical l;
    struct stack *s = &t->stack;
    struct met met;
    const struct stack_met *m = &met.m;
    uint32_t node = path->node, base;
    if (t->path != path)
        s->known = 0;
    t->path = path;
    if (s->tight)
        stack_grow(s, TRACE_FRAMES);
    do {
        stack_start(s, &met.m, entry);
        met.named = UINT32_MAX;
        logical_start(&l, f, entry);
        walk_on(t, &met, &l);
    } while (l.end == WALK_FULL && stack_grow(s, TRACE_FRAMES));
    *cut = l.end != WALK_LIMIT;
    if (*cut)
        node = cct_child(node, LPF_NODE_CUT, 0, lost);
    base = node;
    if (m->count + m->may_meet > TRACE_UNFOLDED) {
        node = remember(t, &met, base, lost);
        if (*cut)
            s->known = 0;       /* the frames outside may be others next time */
    } else {
        /* The known frames stay, except overwritten ones: a deeper stack may come again. */
        for (uint32_t i = 0; i < m->may_meet; i++) {
            const struct stack_frame *k = &s->frame[i];
            node = k->node == base ? base : cct_child(node, LPF_NODE_FRAME, place_of(k->pc), lost);
        }
        for (uint32_t i = m->count; i-- > 1;)
            if (i < met.named)
                node = cct_child(node, LPF_NODE_FRAME, place_of(stack_met_at(s, i)->pc), lost);
        if (s->known + m->count > s->size) {
            s->known = s->size - m->count;
            s->tight = true;
        }
    }
    return cct_child(node, LPF_NODE_LEAF,
                     place_of(runtime_leaf(stack_met_at(s, 0)->pc)), lost);
}
