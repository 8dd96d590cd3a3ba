/* trace.h - from an interrupted stack to its node of the calling context tree.
 *
 * Of a deep stack the outer part is compared with the last one's (stack.h); its nodes need not be looked up, nor recursion be folded, once
 * more.
 *
 * Paths of more than TRACE_UNFOLDED frames fold recursion, from the outermost frame in: an address that comes again among the
 * 64 nodes above goes back to the node where it was. So what stands outside does not depend on what it has called.
 *
 * [any] but trace_new: no locks, errno untouched; a stack that is deeper than all before may need a system call for memory. A trace is one
 * thread's, and one signal handler's.
 */
#ifndef UNWIND_TRACE_H
#define UNWIND_TRACE_H

#include "unwind/logical.h"
#include "unwind/stack.h"

#define TRACE_FRAMES 16384u     /* of one stack; more are cut */
#define TRACE_FIRST 128u        /* that there is room for at the start: a page */
#define TRACE_UNFOLDED 256u

struct trace {
    struct stack stack;         /* a frame's node: the path that ends with it */
    const struct logical_path *path;    /* of the task */
};

/* [hook] False: no memory. */
bool trace_new(struct trace *t);
void trace_free(struct trace *t);

/* The node of the stack whose innermost frame is F, of the task that was entered at ENTRY and has PATH. *CUT: outer frames are
 * not known; a node says so. *LOST counts nodes that the budget had no room for. */
uint32_t trace_node(struct trace *t, struct walk_frame f, uintptr_t entry, const struct logical_path *path, bool *cut, uint64_t *lost);

#endif
