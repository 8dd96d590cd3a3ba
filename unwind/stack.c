/* stack.c - see stack.h. How a known frame is checked depends on how its caller is found. */
#include "unwind/stack.h"
#include <string.h>
#include "unwind/cfi.h"
#include "base/memory.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

enum how {                      /* compare what to see that the caller is the same */
    STACK_SAME,                 /* the return address; fp is unchanged */
    STACK_SAVED,                /* the return address and the saved fp */
    STACK_WALK,                 /* the result of a step of a walk */
};

bool stack_new(struct stack *s, uint32_t size)
{
    memset(s, 0, sizeof *s);
    s->size = size;
    s->frame = memory_map(size * sizeof s->frame[0]);
    return s->frame != 0;
}

void stack_free(struct stack *s)
{
    memory_unmap(s->frame, s->size * sizeof s->frame[0]);
    s->frame = 0;
}

bool stack_grow(struct stack *s, uint32_t most)
{
    uint32_t size = s->size < most / 4 ? 4 * s->size : most;
    struct stack_frame *frame = size > s->size ? memory_map(size * sizeof *frame) : 0;
    s->tight = false;
    if (!frame)
        return false;
    stack_free(s);
    s->frame = frame;
    s->size = size;
    s->known = 0;
    return true;
}

void stack_start(struct stack *s, struct stack_met *m, uintptr_t entry)
{
    uint32_t unloads = __atomic_load_n(&runtime_unloads, __ATOMIC_ACQUIRE);
    if (s->entry != entry || s->unloads != unloads)
        s->known = 0;
    s->entry = entry;
    s->unloads = unloads;
    *m = (struct stack_met){ .may_meet = s->known };
}

bool stack_meet(struct stack *s, struct stack_met *m, const struct walk_frame *w)
{
    if (m->count + m->may_meet >= s->size)
        s->tight = true;
    if (m->count == s->size)
        return false;
    if (m->count + m->may_meet == s->size)
        m->may_meet = 0;
    *stack_met_at(s, m->count++) = (struct stack_frame){ .pc = w->pc, .sp = w->sp, .fp = w->fp,
                                                         .exact = w->exact,
                                                         .fp_lost = w->fp_lost };
    return true;
}

static bool same(const struct stack_frame *f, const struct walk_frame *w)
{
    return f->pc == w->pc && f->sp == w->sp && f->fp == w->fp && f->exact == w->exact &&
           f->fp_lost == w->fp_lost;
}

/* Is the word at AT mapped, and is it WORD? */
static inline bool word_is(uintptr_t at, uintptr_t word, uintptr_t *tried)
{
    if ((at ^ *tried) >= WALK_PAGE) {
        if (!walk_mapped(at))
            return false;
        *tried = at & -WALK_PAGE;
    }
    return *(const uintptr_t *)at == word;
}

/* Frame I is on the stack. Is frame I - 1 still its caller? For frame 0: does the walk end
 * there? */
static inline bool leads_on(const struct stack *s, uint32_t i, uintptr_t *tried)
{
    const struct stack_frame *f = &s->frame[i], *caller = f - 1;
    if (f->how != STACK_WALK)
        return word_is(caller->sp - 8, caller->pc, tried) &&
               (f->how == STACK_SAME || word_is(caller->sp + f->offset, caller->fp, tried));
    struct walk_frame w = stack_state(f, *tried);
    if (walk_step(&w, s->entry, 0) != WALK_LIMIT)
        return false;
    *tried = w.tried;
    return i ? same(caller, &w) : !w.pc;
}

/* Sets how frame I leads to its caller, from its row. Both frames are filled in. A return address
 * that is not pushed may be anywhere in the frame, so that only a walk finds it. */
static void learn(struct stack *s, uint32_t i)
{
    struct stack_frame *f = &s->frame[i];
    f->how = STACK_WALK;
    if (!RETURN_IS_PUSHED || !i || f->exact || f->fp_lost || f[-1].fp_lost)
        return;
    struct cfi_row row = cfi_row(f->pc - 1);
    f->offset = row.fp_offset;
    if ((row.cfa == CFI_SP || row.cfa == CFI_FP) && f->offset == row.fp_offset)
        f->how = row.fp_saved ? STACK_SAVED : STACK_SAME;
}

/* The walk has reached SP. It cannot meet known frames below any more. */
static void pass(const struct stack *s, struct stack_met *m, uintptr_t sp)
{
    uint32_t lo = 0, hi = m->may_meet;
    if (!hi || s->frame[hi - 1].sp >= sp)
        return;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->frame[mid].sp >= sp)
            lo = mid + 1;
        else
            hi = mid;
    }
    m->may_meet = lo;
}

bool stack_knows(const struct stack *s, struct stack_met *m, const struct walk_frame *w)
{
    pass(s, m, w->sp);
    return m->may_meet && same(&s->frame[m->may_meet - 1], w);
}

uint32_t stack_compare(struct stack *s, const struct stack_met *m, uintptr_t *tried)
{
    uint32_t i = m->may_meet;
    while (i && leads_on(s, i - 1, tried))
        i--;
    s->compared += m->may_meet - i;
    return i;
}

void stack_part(struct stack *s, struct stack_met *m, uint32_t i, struct walk_frame *w,
                uintptr_t tried)
{
    for (uint32_t k = m->may_meet; k > i; k--) {
        struct walk_frame met = stack_state(&s->frame[k - 1], tried);
        m->may_meet = k - 1;
        stack_meet(s, m, &met);
    }
    *w = stack_state(&s->frame[i - 1], tried);
    m->may_meet = i - 1;
}

bool stack_keep(struct stack *s, uint32_t i)
{
    struct stack_frame f = *stack_met_at(s, i);
    if (s->known && f.sp >= s->frame[s->known - 1].sp)
        return false;
    s->frame[s->known] = f;
    learn(s, s->known++);
    return true;
}
