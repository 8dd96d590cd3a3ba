/* model_loop.c - chunks: parts of loops that the runtime hands out one by one. See model.h. */
#include "lifecycle/thread.h"
#include "model.h"
#include "dag/block.h"
#include "engine/divide.h"
#include "doacross.h"
#include "base/forbid.h"

struct task *omp_chunk_end(void)
{
    struct thread *th = thread_self();
    struct task *t = th ? th->cur : 0, *strand = omp_chunk_of(t);
    struct omp_data *d = omp_data_if_any(t);
    if (!strand)
        return d ? engine_pause(th) : 0;
    t->agent = 0;
    engine_end_loose(th);
    if (__builtin_expect(d != 0, 0))
        omp_data_free(th, d);
    return strand;
}

/* C becomes the next chunk of STRAND, a paused implicit task, of N iterations. */
static void chunk_made(struct task *strand, const struct omp_data *d, struct task *c, uint64_t n)
{
    c->chunk_of = strand;
    c->base = strand->base;
    c->flags |= TASK_CHUNK | (strand->flags & (TASK_MOVED | TASK_ENTRY_AT));
    c->entry = strand->entry;
    if (!d->doacross) {         /* else each iteration waits for others */
        divide_begin(c, n);
        /* a larger one is the runtime's: libomp hands a whole loop to a team of one */
        uint64_t chunk = d->more && d->more->chunk ? d->more->chunk : d->region->chunk;
        if (n != DIVIDE_UNKNOWN && n <= chunk)
            divide_sized(c);
    }
}

/* The first chunk of STRAND, a paused implicit task, opens the scope of its chunks. */
static void chunks_open(struct thread *th, struct task *strand, struct omp_data *d)
{
    engine_resume(th, strand);
    d->loop = scope_new(th, d);
    engine_pause(th);
}

void omp_chunk_next(struct task *strand, bool got, uint64_t n)
{
    struct thread *th = strand ? thread_self() : 0;
    struct omp_data *d = th ? omp_data_if_any(strand) : 0;
    struct task *c = 0;
    if (!d)
        return;
    if (got && !d->loop)
        chunks_open(th, strand, d);
    if (got && d->loop)
        c = engine_spawn_paused(th, strand, d->loop, strand->ctx,
                                TASK_CALL | TASK_INHERIT | OMP_TASK);
    if (!c) {
        engine_resume(th, strand);
        return;
    }
    chunk_made(strand, d, c, n);
    engine_begin(th, c);
}

/* The running strand, an implicit task or its chunk, has left a loop: ends and joins its chunks. */
static void chunks_leave(struct thread *th)
{
    if (omp_chunk_of(th->cur))          /* the loop ended early */
        omp_chunk_next(omp_chunk_end(), false, DIVIDE_UNKNOWN);
    struct omp_data *d = omp_data_if_any(th->cur);
    if (d && d->loop) {
        engine_cut(th);
        engine_join_group(th, d->loop);
        omp_scope_drop(th, d->loop);
        d->loop = 0;
    }
}

/* The record of the implicit task that runs, or whose chunk does; NULL: there is none. */
static inline struct omp_data *implicit_data(struct thread *th)
{
    struct omp_data *d = th ? omp_data_if_any(omp_creator(th->cur)) : 0;
    return d && d->region ? d : 0;
}

/* ---- iterations ---- */

uint64_t omp_iterations(struct task *strand, int64_t first, int64_t last, int64_t step)
{
    struct thread *th = thread_self();
    struct omp_data *d = strand ? omp_data_if_any(strand) : implicit_data(th);
    if (!th || !d || !d->region)
        return DIVIDE_UNKNOWN;
    if (!step)
        step = d->more && d->more->step ? d->more->step : d->region->step;
    else if (omp_more_of(th, d))
        d->more->step = step;
    return step ? (uint64_t)((last - first) / step) : DIVIDE_UNKNOWN;
}

/* The running implicit task's part, if any, ends. In the divided dag all parts begin where the
 * first part began. */
static void part_end(struct thread *th, struct omp_data *d)
{
    struct task *t = th->cur;
    if (!d->in_parts)
        return;
    engine_divide_end(th);
    if (t->len.D > d->more->parts_best)
        d->more->parts_best = t->len.D;
    t->len.D = d->more->parts_from;
}

/* The running implicit task's last part of the loop ends. */
static void parts_leave(struct thread *th)
{
    struct omp_data *d = omp_data_if_any(th->cur);
    if (!d || !d->in_parts)
        return;
    part_end(th, d);
    th->cur->len.D = d->more->parts_best;
    d->in_parts = false;
}

void omp_part_next(bool got, uint64_t n)
{
    struct thread *th = thread_self();
    struct omp_data *d = th ? omp_data_if_any(th->cur) : 0;
    if (!d || !d->region || d->doacross)
        return;
    part_end(th, d);
    if (!got || !omp_more_of(th, d))
        return;
    engine_divide_begin(th, n);
    if (!d->in_parts)
        d->more->parts_from = d->more->parts_best = th->cur->len.D;
    d->in_parts = true;
}

void omp_share_of_loop_begin(uint64_t n)
{
    struct thread *th = thread_self();
    if (n && implicit_data(th) && is_omp(th->cur))
        engine_divide_begin(th, n);
}

void omp_share_of_loop_end(void)
{
    struct thread *th = thread_self();
    if (th)
        engine_divide_end(th);
}

/* ---- the loop ---- */

void omp_loop_kind(bool is_static)
{
    struct omp_data *d = implicit_data(thread_self());
    if (d) {
        d->in_loop = true;
        d->static_loop = is_static;
    }
}

void omp_loop_begin(bool is_static)
{
    struct thread *th = thread_self();
    if (implicit_data(th)) {
        parts_leave(th);
        chunks_leave(th); /* an earlier, cancelled loop may have left chunks, without a barrier */
        omp_loop_kind(is_static);
    }
}

bool omp_loop_is_static(void)
{
    const struct omp_data *d = implicit_data(thread_self());
    return !d || d->static_loop;
}

void omp_loop_chunk(struct task *strand, uint64_t k)
{
    struct thread *th = thread_self();
    struct omp_data *d = strand ? omp_data_if_any(strand) : implicit_data(th);
    if (th && d && (d->more || k) && omp_more_of(th, d))
        d->more->chunk = k;
}

bool omp_in_loop(void)
{
    const struct omp_data *d = implicit_data(thread_self());
    return d && d->in_loop;
}

void omp_loop_end(void)
{
    struct thread *th = thread_self();
    if (th) {
        chunks_leave(th);
        parts_leave(th);
        struct omp_data *d = omp_data_if_any(th->cur);
        if (d) {
            d->in_loop = false;
            if (d->more) {
                d->more->step = 0;
                d->more->chunk = 0;
            }
            doacross_leave(th, d);
        }
    }
}
