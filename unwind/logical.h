/* logical.h - logical unwinding: Tallent & Mellor-Crummey, PPoPP 2009, section 3 and algorithm 1.
 *
 * The physical stack of a worker thread shows its frames, but not the code that spawned its task. A
 * logical unwind walks the physical and the logical frames together, in BICHORDS. A bichord is a
 * run of physical frames (p-notes) and the logical frames (l-notes) that they stand for, innermost
 * first. Associations:
 *   1 <-> 1   a frame of the program: itself
 *   M <-> 0   consecutive frames of a runtime: nothing. Agents register which code is a
 *             runtime's (runtime_registry.h)
 *   M <-> M'  the end of a task's frames: the runtime's frames at its entry. They stand for the
 *             chain of spawners, from the spawn of this task out to the program's first frame
 * The chain is the task's logical call path, kept since its spawn (path.h), wherever the task runs.
 * The path has a node in the calling context tree. So no function here returns its l-notes.
 *
 *     struct logical l;
 *     for (logical_start(&l, frame, limit); logical_step_bichord(&l);)
 *         while (logical_step_pnote(&l, &pc)) ...
 *
 * [any] as walk.h.
 */
#ifndef UNWIND_LOGICAL_H
#define UNWIND_LOGICAL_H

#include "unwind/walk.h"

enum association { ONE_TO_ONE, MANY_TO_NONE, MANY_TO_MANY };

#define LOGICAL_RUNTIME_FRAMES 64u      /* of one bichord; a longer run is several bichords */

struct logical {
    enum association association;       /* of the bichord */
    enum walk_end end;                  /* if it is not WALK_LIMIT after the last bichord, the
                                         * rest of the stack is not known */
    /* trace.c uses these too, before a bichord */
    struct walk_frame frame;            /* the next p-note; pc 0: none */
    uintptr_t limit, entry;             /* of frame's stack; of the task's */
    uint32_t pnotes, pnote;             /* of the bichord; how many were returned */
    /* private */
    bool over;
    uintptr_t note[LOGICAL_RUNTIME_FRAMES];
};

/* FRAME: the innermost frame. LIMIT: where the task was entered (walk.h). 0: the task's body has
 * not begun or has ended, so the innermost run of a runtime's frames belongs to the task's
 * entry. */
void logical_start(struct logical *l, struct walk_frame frame, uintptr_t limit);
/* False: there is no further bichord. L->end shows whether the walk reached the task's end. */
bool logical_step_bichord(struct logical *l);
bool logical_step_pnote(struct logical *l, uintptr_t *pc);

#endif
