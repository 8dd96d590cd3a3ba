/* walk.h - physical unwinding: from a frame to its callers, by the rows of cfi.h.
 *
 * [any] The stack that is walked is the calling thread's own, or one that does not run meanwhile.
 * LIMIT is an address in the frame where the walk ends; for a task, the frame that called its
 * body. A walk reads only [sp, limit), and in it only mapped memory: the program may have left
 * the task's stack for a coroutine's, which ends earlier. No locks, no allocation, errno
 * untouched.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/frame.h"

/* A frame: where it executes, and the registers that lead to its caller. */
struct walk_frame {
    uintptr_t pc;
    uintptr_t sp, fp;           /* the stack pointer and the frame pointer (arch/frame.h) */
#if !RETURN_IS_PUSHED
    uintptr_t link;             /* exact: the return address, if it is still in its register */
#endif
    bool exact;                 /* pc is an interrupted instruction; else a return address */
    bool fp_lost;               /* fp is not known */
    uintptr_t tried;            /* a page that is mapped; 0: none is known */
    intptr_t copy;              /* 0: the walk reads the stack itself. Else: the distance from the
                                 * stack to a copy of all below the limit, which the walk reads */
};

/* Initialises the link from U, the ucontext of an interrupted frame. */
#if RETURN_IS_PUSHED
#define WALK_LINK(u)
#else
#define WALK_LINK(u) .link = registers_link(u),
#endif

enum walk_end {
    WALK_LIMIT,                 /* the frame of LIMIT, or the outermost one: nothing is missing */
    WALK_FULL,                  /* the array is full */
    WALK_BROKEN,                /* a frame whose caller is not known */
};

/* A limit for a stack that is not the task's: the walk ends at the outermost frame. */
#define WALK_ANYWHERE UINTPTR_MAX

#define WALK_PAGE 4096ul
/* Can the word at AT (aligned) be read? Takes 100 ns. */
bool walk_mapped(uintptr_t at);

/* Moves F to its caller. WALK_LIMIT: F is the caller, or pc is 0 and the walk has ended. *SLOT:
 * where the return address was. SLOT may be NULL. */
enum walk_end walk_step(struct walk_frame *f, uintptr_t limit, const uintptr_t **slot);

/* Stores the PCs of F and its callers below LIMIT, innermost first. Returns their number; *END: why
 * there are no more. */
size_t walk(struct walk_frame f, uintptr_t limit, uintptr_t *pc, size_t capacity,
            enum walk_end *end);

#endif
