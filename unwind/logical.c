/* logical.c - see logical.h. The physical unwind leads. A bichord ends where the next frame has
 * another owner (the program, or a runtime).
 */
#include "unwind/logical.h"
#include "unwind/runtime_registry.h"
#include "base/forbid.h"

void logical_start(struct logical *l, struct walk_frame frame, uintptr_t limit)
{
    l->frame = frame;
    l->entry = limit;
    l->limit = frame.sp < limit ? limit : WALK_ANYWHERE;
    l->over = false;
    l->end = WALK_LIMIT;
}

/* One physical step. */
static inline void advance(struct logical *l)
{
    if (l->end == WALK_LIMIT)
        l->end = walk_step(&l->frame, l->limit, 0);
    if (!l->frame.pc && l->limit == WALK_ANYWHERE)
        l->end = WALK_BROKEN;   /* the stack's end is not the task's */
    if (l->end != WALK_LIMIT)
        l->frame.pc = 0;
    else if (l->frame.sp < l->entry)
        l->limit = l->entry;    /* the walk is back from a signal handler's stack */
}

bool logical_step_bichord(struct logical *l)
{
    l->pnotes = l->pnote = 0;
    if (l->over)
        return false;
    if (l->frame.pc && !runtime_owns(l->frame.pc)) {
        l->association = ONE_TO_ONE;
        l->note[l->pnotes++] = l->frame.pc;
        advance(l);
        return true;
    }
    while (l->frame.pc && l->pnotes < LOGICAL_RUNTIME_FRAMES && runtime_owns(l->frame.pc)) {
        l->note[l->pnotes++] = l->frame.pc;
        advance(l);
    }
    if (l->frame.pc && (l->entry || runtime_owns(l->frame.pc))) {
        l->association = MANY_TO_NONE;
        return true;
    }
    l->frame.pc = 0;            /* the frames further out belong to another task */
    l->association = MANY_TO_MANY;
    l->over = true;
    return true;
}

bool logical_step_pnote(struct logical *l, uintptr_t *pc)
{
    if (l->pnote == l->pnotes)
        return false;
    *pc = l->note[l->pnote++];
    return true;
}
