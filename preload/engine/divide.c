/* divide.c - see divide.h. */
#include "engine/divide.h"
#include "engine/rules.h"
#include "base/forbid.h"

/* FLAGS: TASK_BY_PROGRAM, TASK_SIZED, or neither. */
static void count(struct thread *th, const struct context *ctx, uint32_t flags)
{
    struct chunks *c = thread_chunks(th, ctx->id);
    if (!c)
        return;
    ++*(flags & TASK_BY_PROGRAM ? &c->by_program : &c->by_runtime);
    c->sized += (flags & (TASK_BY_PROGRAM | TASK_SIZED)) == TASK_SIZED;
}

__attribute__((noinline)) void task_divide_many(struct thread *th, struct task *t)
{
    uint64_t n = t->iterations, cost = t->len.D - t->divide_from;
    if (n != DIVIDE_UNKNOWN) {
        t->len.D = t->divide_from + (cost + n - 1) / n;
        th->chunks_divided++;
    } else {
        th->chunks_unknown++;
    }
    count(th, t->ctx, t->flags);
}

void task_divide_last(struct thread *th, struct task *t)
{
    struct chunks *c = t->flags & TASK_CHUNK ? thread_chunks(th, t->ctx->id) : 0;
    if (c) {
        c->tasks++;
        c->work += t->own;
        if (t->own > c->longest)
            c->longest = t->own;
    }
    divide_end_cut(th, t);
}

void engine_divide_end(struct thread *th)
{
    struct task *t = th->cur;
    if (!t || !(t->flags & TASK_DIVIDES))
        return;
    strand_cut(th, t, 0);
    task_divide(th, t);
}

void engine_divide_unknown(struct thread *th, bool sized)
{
    th->chunks++;
    th->chunks_unknown++;
    count(th, th->cur ? th->cur->ctx : context_root, sized ? TASK_SIZED : 0);
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
