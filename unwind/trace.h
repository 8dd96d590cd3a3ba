/* trace.h - finds the node of the calling context tree for an interrupted stack.
 *
 * The outer part of a deep stack is compared with the last one (stack.h). Where it is unchanged,
 * its nodes are known, and the trace need not look them up or fold.
 *
 * Paths of more than TRACE_UNFOLDED frames fold recursion, from the outermost frame in. If one of
 * the 64 nodes above a frame has the frame's address, the path goes back to that node. So the nodes
 * of outer frames do not depend on what these frames have called.
 *
 * [any] but trace_new: no locks, errno untouched. A stack that is deeper than all before may need
 * a system call for memory. A trace belongs to one thread, and to one signal handler.
 */
#ifndef UNWIND_TRACE_H
#define UNWIND_TRACE_H

#include "unwind/logical.h"
#include "unwind/path.h"
#include "unwind/stack.h"

#define TRACE_FRAMES 16384u     /* of one stack; deeper ones are cut */
#define TRACE_FIRST 128u        /* frames that there is room for at first */
#define TRACE_UNFOLDED 256u

struct trace {
    struct stack stack;         /* a frame's node: the path that ends with it */
    const struct logical_path *path;    /* of the task */
};

/* [hook] False: no memory. */
bool trace_new(struct trace *t);

/* The node of the stack whose innermost frame is F. ENTRY and PATH are the task's. *CUT: outer
 * frames are not known, and the path has a node for them (LPF_NODE_CUT). *LOST counts nodes that
 * the budget had no room for. */
uint32_t trace_node(struct trace *t, struct walk_frame f, uintptr_t entry,
                    const struct logical_path *path, bool *cut, uint64_t *lost);

#endif
