/* stack.h - the frames of a deep stack, kept to be compared with the next one.
 *
 * Of a deep stack most frames are the ones of the last time: its outer part need not be walked again. Kept are the frames with the
 * stack's words that lead from each to its caller. A frame that stands where it stood, with the same rsp and rbp, has the same
 * caller if these words are the same, and so on out to the task's entry; what its program counter means was found then. That is as
 * exact as walking (path.h argues alike), at some 2 ns a frame instead of 12.
 *
 * Used by trace.c (samples) and path.c (spawns far below their task's entry), which hang on each frame what they know of it.
 *
 * [any] but stack_new: no locks, errno untouched; stack_grow alone allocates. A stack is one thread's, and one signal handler's.
 */
#ifndef UNWIND_STACK_H
#define UNWIND_STACK_H

#include "unwind/walk.h"

struct stack_frame {
    uintptr_t pc, rsp, rbp;     /* as in struct walk_frame */
    int32_t offset : 28;        /* STACK_SAVED: of the caller's rbp, from the CFA */
    uint32_t how : 2;           /* stack.c: to the caller */
    uint32_t exact : 1, rbp_lost : 1;
    uint32_t node;              /* its user's */
};

/* frame[0..known): the last deep stack, outermost first, so rsp falls. A walk puts what it meets at the other end, from
 * the top down; a frame that it cannot meet any more may be overwritten. */
struct stack {
    struct stack_frame *frame;
    uint32_t size, known;
    bool tight;                 /* it had no room for all */
    uint32_t unloads;           /* runtime_unloads then */
    uintptr_t entry;            /* of which task's stack */
    uint64_t walked, compared;  /* frames, in all */
};

/* A walk's frames that were not known, innermost first. */
struct stack_met {
    uint32_t count;
    uint32_t may_meet;          /* known frames that the walk may come to, the outer ones */
};

/* [hook] SIZE frames at most. False: no memory. */
bool stack_new(struct stack *s, uint32_t size);
/* [any] Four times as many, up to MOST; nothing is known or met then. False: there are so many, or no memory. */
bool stack_grow(struct stack *s, uint32_t most);
void stack_free(struct stack *s);

/* A walk of the stack of the task that was entered at ENTRY. */
void stack_start(struct stack *s, struct stack_met *m, uintptr_t entry);
/* W was met. False: no room. */
bool stack_meet(struct stack *s, struct stack_met *m, const struct walk_frame *w);
static inline struct stack_frame *stack_met_at(const struct stack *s, uint32_t i)
{
    return &s->frame[s->size - 1 - i];
}

/* Is W a frame that stood there? Then it is frame[m->may_meet - 1]. */
bool stack_knows(const struct stack *s, struct stack_met *m, const struct walk_frame *w);
/* For such a W: which is the outermost known frame up to which the stack is what it was? That one's index plus 1 if its caller is another
 * now; 0: the stack is what it was out to the end of the walk. */
uint32_t stack_compare(struct stack *s, const struct stack_met *m, uintptr_t *tried);
/* The former: frames inside of I - 1 are met, and the walk goes on with W, which is I - 1. */
void stack_part(struct stack *s, struct stack_met *m, uint32_t i, struct walk_frame *w, uintptr_t tried);

/* After the walk, from the outermost met frame in, s->known being m->may_meet: met frame I is known. False: it is none of this stack, nor
 * are those inside of it: a signal handler's. */
bool stack_keep(struct stack *s, uint32_t i);

static inline struct walk_frame stack_state(const struct stack_frame *f, uintptr_t tried)
{
    return (struct walk_frame){ .pc = f->pc, .rsp = f->rsp, .rbp = f->rbp, .exact = f->exact, .rbp_lost = f->rbp_lost, .tried = tried };
}

#endif
