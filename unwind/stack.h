/* stack.h - the frames of a deep stack, kept to be compared with the next one.
 *
 * Most frames of a deep stack are the same as the last time, so its outer part need not be walked
 * again. A struct stack keeps the frames, and the words of the stack that lead from each frame to
 * its caller. A frame with the same pc, sp and fp as before has the same caller if these words
 * are the same. The same holds for that caller, and so on out to the task's entry. The comparison
 * is as exact as a walk, for the reason that path.h gives. It takes about 2 ns a frame; a walk
 * takes 12.
 *
 * trace.c (samples) and path_deep.c (spawns far below their task's entry) use stacks. They store
 * with each frame what they know of it.
 *
 * [any] but stack_new: no locks, errno untouched. Only stack_new and stack_grow allocate. A stack
 * belongs to one thread: there, to one signal handler or to the hooks.
 */
#ifndef UNWIND_STACK_H
#define UNWIND_STACK_H

#include "unwind/walk.h"

struct stack_frame {
    uintptr_t pc, sp, fp;       /* as in struct walk_frame */
    int32_t offset : 28;        /* STACK_SAVED: of the caller's fp, from the CFA */
    uint32_t how : 2;           /* stack.c: how the caller is found */
    uint32_t exact : 1, fp_lost : 1;
    uint32_t node;              /* for the user of the stack */
};

/* frame[0..known) is the last deep stack, outermost first, so sp falls. A walk stores the frames
 * that it meets at the other end of the array, from the top down. It may overwrite known frames
 * that it cannot meet any more. */
struct stack {
    struct stack_frame *frame;
    uint32_t size, known;
    bool tight;                 /* there was no room for all frames */
    uint32_t unloads;           /* runtime_unloads at the last walk */
    uintptr_t entry;            /* of the task whose stack it is */
    uint64_t walked, compared;  /* frames, in all */
};

/* The frames of one walk that were not known, innermost first (stack_met_at). */
struct stack_met {
    uint32_t count;
    uint32_t may_meet;          /* the outer known frames, which the walk may still reach */
};

/* [hook] Room for SIZE frames. False: no memory. */
bool stack_new(struct stack *s, uint32_t size);
/* [any] Room for four times as many, up to MOST. Known and met frames are lost. False: there is
 * room for MOST already, or no memory. */
bool stack_grow(struct stack *s, uint32_t most);
void stack_free(struct stack *s);

/* Starts a walk of the stack of the task that was entered at ENTRY. */
void stack_start(struct stack *s, struct stack_met *m, uintptr_t entry);
/* Stores W, which the walk met. False: no room. */
bool stack_meet(struct stack *s, struct stack_met *m, const struct walk_frame *w);
static inline struct stack_frame *stack_met_at(const struct stack *s, uint32_t i)
{
    return &s->frame[s->size - 1 - i];
}

/* Is W a known frame? Then it is frame[m->may_meet - 1]. */
bool stack_knows(const struct stack *s, struct stack_met *m, const struct walk_frame *w);
/* After stack_knows: follows the known frames outwards while the stack is unchanged. Returns 0 if
 * the stack is unchanged out to the end of the walk. Else returns I: frame[I - 1] is the last
 * unchanged frame. */
uint32_t stack_compare(struct stack *s, const struct stack_met *m, uintptr_t *tried);
/* After stack_compare returned I, not 0: the known frames inside of frame[I - 1] count as met. The
 * walk goes on from frame[I - 1], which W becomes. */
void stack_part(struct stack *s, struct stack_met *m, uint32_t i, struct walk_frame *w,
                uintptr_t tried);

/* After the walk: makes met frame I known. The caller first sets s->known to m->may_meet, then
 * calls from the outermost met frame inwards. False: frame I and the frames inside of it are on
 * another stack, a signal handler's. */
bool stack_keep(struct stack *s, uint32_t i);

static inline struct walk_frame stack_state(const struct stack_frame *f, uintptr_t tried)
{
    return (struct walk_frame){ .pc = f->pc, .sp = f->sp, .fp = f->fp, .exact = f->exact,
                                .fp_lost = f->fp_lost, .tried = tried };
}

#endif
