/* walk.h - physical unwinding: from a frame to its callers, by the rows of cfi.h.
 *
 * [any] The stack that is walked is the calling thread's own, or one that stands still meanwhile.
 * Nothing is read outside [rsp, limit): LIMIT is an address in the frame where the walk shall end,
 * for a task the one that called its body; nor where no memory is: the program may have left the task's stack
 * for one of its own, a coroutine's, that ends earlier. No locks, no allocation, errno untouched.
 */
#ifndef UNWIND_WALK_H
#define UNWIND_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame: where it executes and what finds its caller. */
struct walk_frame {
    uintptr_t pc;
    uintptr_t rsp, rbp;
    bool exact;                 /* pc is an instruction that was interrupted; else a return address */
    bool rbp_lost;
    uintptr_t tried;            /* a page that is mapped; 0: none is known */
    intptr_t copy;              /* 0: the stack itself is read; else how far from it a copy of all below the limit is */
};

enum walk_end {
    WALK_LIMIT,                 /* reached the frame of LIMIT, or the outermost frame: all is there */
    WALK_FULL,                  /* the array is full */
    WALK_BROKEN,                /* a frame whose caller is not known */
};

#define WALK_ANYWHERE UINTPTR_MAX       /* a limit: the stack is none of the task's, its end is where frames end */

#define WALK_PAGE 4096ul
/* [init] Says ENVIRONMENT that valgrind runs the program? */
void walk_setup(char *const *environment);
extern bool in_valgrind;
/* Can the word at AT (aligned) be read? 100 ns. */
bool walk_mapped(uintptr_t at);

/* The caller of F, in place. WALK_LIMIT: go on. *SLOT (may be NULL): where its return address was. */
enum walk_end walk_step(struct walk_frame *f, uintptr_t limit, const uintptr_t **slot);

/* PCs of F and its callers below LIMIT, innermost first. Returns how many; *END says why no more. */
size_t walk(struct walk_frame f, uintptr_t limit, uintptr_t *pc, size_t capacity, enum walk_end *end);

#endif
