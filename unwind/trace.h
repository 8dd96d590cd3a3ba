/* trace.h - from an interrupted stack to its node of the calling context tree.
 *
 * Of a deep stack most frames are the ones of the sample before: its outer part is not walked again, only compared. A
 * TRACE keeps the frames of the last deep walk, with the stack's words that lead from each to its caller. A frame that stands
 * where it stood, with the same rsp and rbp, has the same caller if these words are the same, and so on out to the task's
 * entry; what its program counter means was found then. That is as exact as walking (path.h argues alike), at some
 * 4 ns a frame instead of 12, and its nodes need not be looked up, nor recursion be folded, once more.
 *
 * Paths of more than TRACE_UNFOLDED frames fold recursion, from the outermost frame in: an address that comes again among the
 * 64 nodes above goes back to the node where it was. So what stands outside does not depend on what it has called.
 *
 * [any] but trace_new: no locks, no allocation, errno untouched. A trace is one thread's, and one signal handler's.
 */
#ifndef UNWIND_TRACE_H
#define UNWIND_TRACE_H

#include "logical.h"

#define TRACE_FRAMES 16384u     /* of one stack; more are cut */
#define TRACE_UNFOLDED 256u

struct trace_frame {
    uintptr_t pc, rsp, rbp;     /* as in struct walk_frame */
    int32_t offset : 28;        /* TRACE_SAVED: of the caller's rbp, from the CFA */
    uint32_t how : 2;           /* enum trace_how: to the caller */
    uint32_t exact : 1, rbp_lost : 1;
    uint32_t node;              /* the path that ends with this frame */
};

/* frame[0..known): the last deep stack, outermost first, so rsp falls. A walk puts what it meets at the other end, from
 * the top down; a frame that it cannot meet any more may be overwritten. */
struct trace {
    struct trace_frame *frame;
    uint32_t known;
    uint32_t unloads;           /* runtime_unloads then */
    uintptr_t entry;            /* of which task's stack, and */
    const struct logical_path *path;    /* that task's path */
    uint64_t walked, compared;  /* frames, in all */
};

/* [hook] False: no memory. */
bool trace_new(struct trace *t);
void trace_free(struct trace *t);

/* The node of the stack whose innermost frame is F, of the task that was entered at ENTRY and has PATH. *CUT: outer frames are
 * not known; a node says so. *LOST counts nodes that the budget had no room for. */
uint32_t trace_node(struct trace *t, struct walk_frame f, uintptr_t entry, const struct logical_path *path, bool *cut, uint64_t *lost);

#endif
