/* divide.h - chunks. A runtime cuts a loop into chunks by the number of its threads. The iterations
 * of a chunk divide further.
 *
 * The dag has a chunk as executed: one strand, or a few, of all its iterations in series. So S
 * shows how parallel the loop was as cut for this run. D (dag/lengths.h) shows how parallel its
 * iterations are: a chunk of N iterations that begins at D and costs C ends at D + C / N. C is the
 * growth of D over the chunk, so the tasks of an iteration count with their own D.
 *
 *   D += ceil(C / N)      the mean of the iterations: one that is longer than others is not seen
 *   D += C                where N is not known; counted, and the report shows it
 *
 * An edge that a chunk puts or gets ends its division. The part before the edge is divided. The
 * part after it is not.
 * [hook] everything here.
 */
#ifndef PRELOAD_ENGINE_DIVIDE_H
#define PRELOAD_ENGINE_DIVIDE_H

#include "base/debug.h"
#include "dag/task.h"
#include "dag/thread.h"

#define DIVIDE_UNKNOWN 0

/* From here T's strand executes N iterations of a loop. DIVIDE_UNKNOWN: their number is not known.
 * T has not begun, or its strand was just cut. */
static inline void divide_begin(struct task *t, uint64_t n)
{
    t->flags |= TASK_DIVIDES;
    t->iterations = n;
    t->divide_from = t->len.D;
}

/* T divides. The program chose the size of its chunk, and nothing of this run is in its dag. */
static inline void divide_by_program(struct task *t)
{
    t->flags |= TASK_BY_PROGRAM;
}

/* T divides. The program chose the size of its chunk, but which thread got it decides on the order
 * of what follows. */
static inline void divide_sized(struct task *t)
{
    t->flags |= TASK_SIZED;
}

/* The chunk T has just spawned PART, which takes N of T's iterations. Both begin where T began, for
 * the iterations are parallel. */
static inline void divide_split(struct task *t, struct task *part, uint64_t n)
{
    part->len.D = t->divide_from;
    divide_begin(part, n);
    if (t->iterations > n && n)
        t->iterations -= n;
    else
        t->iterations = DIVIDE_UNKNOWN;
}

/* T's chunk, of not just one iteration, ends here. */
void task_divide_many(struct thread *th, struct task *t);
/* T's chunk ends here. T's strand was just cut. Inline, for the chunks of many loops have one
 * iteration, with nothing to divide. */
static inline void task_divide(struct thread *th, struct task *t)
{
    ASSERT(t->len.D >= t->divide_from);
    th->chunks++;
    th->iterations += t->iterations;
    if (t->iterations != 1)
        task_divide_many(th, t);
    t->flags &= ~(TASK_DIVIDES | TASK_BY_PROGRAM | TASK_SIZED);
}

static inline void divide_end_cut(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->flags & TASK_DIVIDES, 0))
        task_divide(th, t);
}

/* The same at T's end. */
void task_divide_last(struct thread *th, struct task *t);
static inline void divide_end_last(struct thread *th, struct task *t)
{
    if (__builtin_expect(t->flags & (TASK_DIVIDES | TASK_CHUNK), 0))
        task_divide_last(th, t);
}

/* The running strand's chunk ends here; nothing happens if it has none. */
void engine_divide_end(struct thread *th);
/* The running strand creates chunks that the agent cannot distinguish from other tasks. SIZED: the
 * program chose their size. */
void engine_divide_unknown(struct thread *th, bool sized);
/* The running strand's chunk, if any, ends here, and one of N iterations begins. */
void engine_divide_begin(struct thread *th, uint64_t n);

#endif
