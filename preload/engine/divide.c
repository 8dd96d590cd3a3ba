/* divide.c - see divide.h. */
#include "engine/divide.h"
#include "engine/rules.h"

void task_divide(struct thread *th, struct task *t)
{
    uint64_t n = t->iterations, cost = t->len.D - t->divide_from;
    ASSERT(t->len.D >= t->divide_from);
    t->flags &= ~TASK_DIVIDES;
    th->chunks++;
    th->iterations += n;
    if (n > 1) {
        t->len.D = t->divide_from + (cost + n - 1) / n;
        th->chunks_divided++;
    } else if (n == DIVIDE_UNKNOWN) {
        th->chunks_unknown++;
    }
}

void engine_divide_end(struct thread *th)
{
    struct task *t = th->cur;
    if (!t || !(t->flags & TASK_DIVIDES))
        return;
    strand_cut(th, t, 0);
    task_divide(th, t);
}

void engine_divide_unknown(struct thread *th)
{
    th->chunks++;
    th->chunks_unknown++;
}

void engine_divide_begin(struct thread *th, uint64_t n)
{
    struct task *t = th->cur;
    if (!t)
        return;
    strand_cut(th, t, 0);
    divide_end_cut(th, t);
    divide_begin(t, n);
}
