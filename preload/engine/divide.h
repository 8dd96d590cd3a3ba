/* divide.h - chunks: pieces of a loop that a runtime cuts by the number of its threads, and that
 * divide further.
 *
 * The dag has a chunk as it was executed: one strand, or a few, of all its iterations in series. So
 * S says how parallel the loop was as cut for this run. D (dag/lengths.h) says how parallel its
 * iterations are: a chunk of N iterations that begins at D and costs C ends at D + C / N. C is the
 * growth of D over the chunk, so what an iteration spawns and joins counts with its own D.
 *
 *   D += ceil(C / N)      one iteration, on average: a longer one than its neighbours is not seen
 *   D += C                where N is not known; counted, and the report says so
 *
 * An edge that a chunk puts or gets ends its division: what was before it is divided, what follows
 * is not.
 * [hook] everything here.
 */
#ifndef PRELOAD_ENGINE_DIVIDE_H
#define PRELOAD_ENGINE_DIVIDE_H

#include "dag/task.h"
#include "dag/thread.h"

#define DIVIDE_UNKNOWN 0

/* From here T's strand executes N iterations of a loop; DIVIDE_UNKNOWN: of how many is not known. T
 * has not begun, or its strand was just cut. */
static inline void divide_begin(struct task *t, uint64_t n)
{
    t->flags |= TASK_DIVIDES;
    t->iterations = n;
    t->divide_from = t->len.D;
}

/* PART, which the chunk T has just spawned, takes N of T's iterations. Both could have begun where
 * T did. */
static inline void divide_split(struct task *t, struct task *part, uint64_t n)
{
    part->len.D = t->divide_from;
    divide_begin(part, n);
    if (t->iterations > n && n)
        t->iterations -= n;
    else
        t->iterations = DIVIDE_UNKNOWN;
}

/* T's chunk ends where its strand was just cut. */
void task_divide(struct thread *th, struct task *t);
static inline void divide_end_cut(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->flags & TASK_DIVIDES, 0))
        task_divide(th, t);
}

/* The running strand's chunk ends here; nothing happens if it has none. */
void engine_divide_end(struct thread *th);
/* The running strand creates chunks that nobody can tell from other tasks. */
void engine_divide_unknown(struct thread *th);
/* The running strand's chunk, if any, ends here, and one of N iterations begins. */
void engine_divide_begin(struct thread *th, uint64_t n);

#endif
