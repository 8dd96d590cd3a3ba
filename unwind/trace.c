/* trace.c - see trace.h. */
#include "trace.h"
#include <string.h>
#include "cct.h"
#include "cfi.h"
#include "libprof_format.h"
#include "memory.h"
#include "runtime.h"

#define FOLD_WINDOW 64u

enum trace_how {
    TRACE_SAME,                 /* by its return address; rbp is the caller's */
    TRACE_SAVED,                /* the same, and rbp was saved */
    TRACE_WALK,                 /* by a step of a walk */
};

bool trace_new(struct trace *t)
{
    memset(t, 0, sizeof *t);
    t->frame = memory_map(TRACE_FRAMES * sizeof t->frame[0]);
    return t->frame != 0;
}

void trace_free(struct trace *t)
{
    memory_unmap(t->frame, TRACE_FRAMES * sizeof t->frame[0]);
    t->frame = 0;
}

static struct walk_frame state_of(const struct trace_frame *f, uintptr_t tried)
{
    return (struct walk_frame){ .pc = f->pc, .rsp = f->rsp, .rbp = f->rbp, .exact = f->exact, .rbp_lost = f->rbp_lost, .tried = tried };
}

static bool same(const struct trace_frame *f, const struct walk_frame *w)
{
    return f->pc == w->pc && f->rsp == w->rsp && f->rbp == w->rbp && f->exact == w->exact && f->rbp_lost == w->rbp_lost;
}

/* The word at AT is WORD, on a page that is there. */
static inline bool word_is(uintptr_t at, uintptr_t word, uintptr_t *tried)
{
    if ((at ^ *tried) >= WALK_PAGE) {
        if (!walk_mapped(at))
            return false;
        *tried = at & -WALK_PAGE;
    }
    return *(const uintptr_t *)at == word;
}

/* Frame I of T is on the stack. Is its caller, frame I - 1? Of the outermost: does the walk end there? */
static inline bool leads_on(const struct trace *t, uint32_t i, uintptr_t *tried)
{
    const struct trace_frame *f = &t->frame[i], *caller = f - 1;
    if (f->how != TRACE_WALK)
        return word_is(caller->rsp - 8, caller->pc, tried) &&
               (f->how == TRACE_SAME || word_is(caller->rsp + f->offset, caller->rbp, tried));
    struct walk_frame w = state_of(f, *tried);
    if (walk_step(&w, t->entry, 0) != WALK_LIMIT)
        return false;
    *tried = w.tried;
    return i ? same(caller, &w) : !w.pc;
}

/* How frame I of T leads to its caller, as its row says; both are filled in. */
static void learn(struct trace *t, uint32_t i)
{
    struct trace_frame *f = &t->frame[i];
    f->how = TRACE_WALK;
    if (!i || f->exact || f->rbp_lost || f[-1].rbp_lost)
        return;
    struct cfi_row row = cfi_row(f->pc - 1);
    f->offset = row.rbp_offset;
    if ((row.cfa == CFI_RSP || row.cfa == CFI_RBP) && f->offset == row.rbp_offset)
        f->how = row.rbp_saved ? TRACE_SAVED : TRACE_SAME;
}

/* The frames of a walk that T does not know, innermost first, from the top of T's array down. */
struct met {
    uint32_t count;
    uint32_t named;             /* outside of these are the runtime's at the task's entry */
    uint32_t may_meet;          /* frames of T that the walk may come to, the outer ones */
};

static struct trace_frame *met_at(const struct trace *t, uint32_t i)
{
    return &t->frame[TRACE_FRAMES - 1 - i];
}

static bool meet(struct trace *t, struct met *m, const struct walk_frame *w)
{
    if (m->count == TRACE_FRAMES)
        return false;
    if (m->count + m->may_meet == TRACE_FRAMES)
        m->may_meet = 0;
    *met_at(t, m->count++) = (struct trace_frame){ .pc = w->pc, .rsp = w->rsp, .rbp = w->rbp, .exact = w->exact, .rbp_lost = w->rbp_lost };
    return true;
}

/* The stack pointer has come to RSP: frames of T below are gone. */
static void pass(const struct trace *t, struct met *m, uintptr_t rsp)
{
    uint32_t lo = 0, hi = m->may_meet;
    if (!hi || t->frame[hi - 1].rsp >= rsp)
        return;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (t->frame[mid].rsp >= rsp)
            lo = mid + 1;
        else
            hi = mid;
    }
    m->may_meet = lo;
}

/* Is all that is outside of L's next frame known? Otherwise L stands before the first frame whose caller is another now. */
static bool known_from_here(struct trace *t, struct met *m, struct logical *l)
{
    if (!m->may_meet || !m->count || !l->frame.pc || l->limit != l->entry)
        return false;
    pass(t, m, l->frame.rsp);
    uint32_t i = m->may_meet;
    if (!i || !same(&t->frame[i - 1], &l->frame))
        return false;
    uintptr_t tried = l->frame.tried;
    while (i && leads_on(t, i - 1, &tried))
        i--;
    t->compared += m->may_meet - i;
    if (!i)
        return true;
    for (uint32_t k = m->may_meet; k > i; k--) {
        struct walk_frame w = state_of(&t->frame[k - 1], tried);
        m->may_meet = k - 1;
        meet(t, m, &w);
    }
    l->frame = state_of(&t->frame[i - 1], tried);
    m->may_meet = i - 1;
    return false;
}

/* A walk from L on, up to what is known. */
static void walk_on(struct trace *t, struct met *m, struct logical *l)
{
    bool room = true;
    while (room && !known_from_here(t, m, l)) {
        struct walk_frame w = l->frame;
        uintptr_t limit = l->limit;
        if (!logical_step_bichord(l))
            break;
        /* All p-notes are kept: which are a runtime's can be told later, and both projections be shown. The
         * l-notes of a task's end are its path's node. */
        if (l->association == MANY_TO_MANY && m->count)
            m->named = m->count;
        for (uintptr_t pc; room && logical_step_pnote(l, &pc);) {
            room = meet(t, m, &w);
            if (l->pnote == l->pnotes)
                break;
            walk_step(&w, limit, 0);    /* as the bichord did */
            if (w.rsp < l->entry)
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
    t->walked += m->count;
}

static uint32_t folded(uint32_t parent, uint32_t base, uintptr_t pc, uint64_t *lost)
{
    uint32_t at = parent;
    for (uint32_t i = 0; i < FOLD_WINDOW && at != base; i++, at = cct_nodes[at].parent)
        if (cct_nodes[at].address == pc)
            return at;
    return cct_child(parent, LPF_NODE_FRAME, pc, lost);
}

/* The nodes of the frames that were met, but for the innermost; they are known from now. */
static uint32_t remember(struct trace *t, const struct met *m, uint32_t base, uint64_t *lost)
{
    uint32_t known = m->may_meet, node = known ? t->frame[known - 1].node : base;
    bool falls = true;
    for (uint32_t i = m->count; i-- > 1;) {
        struct trace_frame f = *met_at(t, i);
        if (i < m->named)
            node = folded(node, base, f.pc, lost);
        f.node = node;
        falls &= !known || f.rsp < t->frame[known - 1].rsp;     /* not to another stack, above */
        if (!falls)
            continue;
        t->frame[known] = f;
        learn(t, known++);
    }
    t->known = known;
    return node;
}

uint32_t trace_node(struct trace *t, struct walk_frame f, uintptr_t entry, const struct logical_path *path, bool *cut, uint64_t *lost)
{
    struct logical l;
    uint32_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE), node = path->node, base;
    if (t->entry != entry || t->path != path || t->unloads != unloads)
        t->known = 0;
    t->entry = entry;
    t->path = path;
    t->unloads = unloads;
    struct met m = { .named = UINT32_MAX, .may_meet = t->known };
    logical_start(&l, f, entry, path);
    walk_on(t, &m, &l);
    *cut = l.end != WALK_LIMIT;
    if (*cut)
        node = cct_child(node, LPF_NODE_CUT, 0, lost);
    base = node;
    if (m.count + m.may_meet > TRACE_UNFOLDED) {
        node = remember(t, &m, base, lost);
        if (*cut)
            t->known = 0;       /* what is outside can be another next time */
    } else {
        /* a deeper stack may come again; what was met may have overwritten it */
        for (uint32_t i = 0; i < m.may_meet; i++)
            node = t->frame[i].node == base ? base : cct_child(node, LPF_NODE_FRAME, t->frame[i].pc, lost);
        for (uint32_t i = m.count; i-- > 1;)
            if (i < m.named)
                node = cct_child(node, LPF_NODE_FRAME, met_at(t, i)->pc, lost);
        if (t->known + m.count > TRACE_FRAMES)
            t->known = TRACE_FRAMES - m.count;
    }
    return cct_child(node, LPF_NODE_LEAF, met_at(t, 0)->pc, lost);
}
