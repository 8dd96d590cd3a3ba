/* route.c - see route.h. */
#include "route.h"
#include <string.h>
#include "base/config.h"
#include "base/memory.h"
#include "dag/bag.h"
#include "dag/block.h"
#include "dag/job.h"
#include "engine/elsewhere.h"
#include "mpi.h"
#include "point.h"
#include "sampled.h"
#include "sites.h"
#include "companion.h"
#include "base/forbid.h"

struct stretch {
    uint64_t start, end;        /* S; the last stretch has no end yet */
    struct made_of of;          /* from start to end */
    uint32_t rank, stretch;     /* where it came from */
};

/* The latest stretches, by number: stretch N is at N modulo `capacity`. Pieces double in size, and
 * none moves: by default 10 MB at most, and the bags. There is place for as many as PROF_MPI_TURNS
 * can be. The main strand alone appends. */
enum { PIECES = 18, FIRST = 64 };
static struct stretch *pieces[PIECES];
static uint32_t capacity;       /* PROF_MPI_TURNS; fewer, if memory ends before */
static uint32_t count = 1;      /* of all so far; the last one is the current one */

/* The place of stretch N. NULL: no memory. */
static struct stretch *place_of(uint32_t n)
{
    uint32_t piece = 0, first = 0, size = FIRST;
    for (n %= capacity; n - first >= size; size *= 2, piece++)
        first += size;
    if (!pieces[piece])
        pieces[piece] = memory_map(size * sizeof **pieces);
    return pieces[piece] ? &pieces[piece][n - first] : 0;
}

/* NULL: stretch N was so long ago that a later one has its place. */
static struct stretch *stretch_of(uint32_t n)
{
    return count - n <= capacity ? place_of(n) : 0;
}

void route_setup(void)
{
    capacity = config.mpi_turns;
}

/* Relaxed, as its change in route_after: a thread needs no more than the number. */
uint32_t route_now(void)
{
    return __atomic_load_n(&count, __ATOMIC_RELAXED) - 1;
}

void route_sampled(uint64_t S, uint32_t node, uint32_t weight, uint64_t squares)
{
    sampled_keep(S, route_now(), node, weight, squares);
}

void route_after(struct thread *th, struct task *t, const struct point *p)
{
    const struct elsewhere e = { p->S, { p->L, p->K, p->D, p->T } };
    struct made_of left;
    uint64_t end = t->S;
    if (!engine_after_elsewhere(th, t, &e, mpi_elsewhere(), &left) || t->birth)
        return;
    struct stretch *last = place_of(count - 1), *next = place_of(count);
    if (!next && count > 1) {
        capacity = count;
        next = place_of(count);
    }
    if (!last || !next) {
        bag_free(th, left.bag);
        return;
    }
    last->end = end;
    last->of = left;
    if (next != last)
        bag_free(th, next->of.bag);
    *next = (struct stretch){ .start = p->S, .rank = p->rank, .stretch = p->stretch };
    __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
}

/* ---- the walk ---- */

/* The part FACTOR of V, a whole number of it. */
static uint64_t part(uint64_t v, double factor)
{
    return factor >= 1 ? v : (double)v * factor;
}

/* The same of COUNT samples. What is lost by rounding one down counts for the next: a stretch often
 * has one sample or none. */
static uint64_t part_of_samples(uint64_t count, double factor)
{
    static double rest;         /* of this rank's walks */
    double all = (factor >= 1 ? count : (double)count * factor) + rest;
    uint64_t whole = all;
    rest = all - whole;
    return whole;
}

/* Adds to INTO what the path is made of in stretch S, of this NUMBER, up to UNTIL. */
static void add_stretch(struct thread *th, struct task *t, const struct stretch *s, uint32_t number,
                        uint64_t until, struct made_of *into)
{
    struct made_of of = s->of, live = { 0 };
    uint64_t local = until > s->start ? until - s->start : 0, end = s->end;
    if (number == route_now()) {
        made_of_copy(th, t, mpi_elsewhere(), &live);
        of = live;
        end = t->S;
    }
    bool sampled = sampled_until(th, of.bag, number, until, &into->bag);
    uint64_t all = end > s->start ? end - s->start : 0, placed = 0;
    double factor = all ? (double)local / all : 0;
    bool tasks = false;
    for (uint32_t k = 0; of.bag && k < of.bag->count; k++) {
        const struct bag_entry *e = &of.bag->e[k];
        tasks |= !(e->context & BAG_NODE) && e->v.span_local;
        if (sampled && e->context & BAG_NODE)
            continue;
        struct on_span *v = bag_at(th, &into->bag, e->context);
        if (!v)
            continue;
        uint64_t span = part(e->v.span_local, factor);
        if (span > local - placed)
            span = local - placed;
        v->span_local += span;
        placed += span;
        v->work_local += part(e->v.work_local, factor);
        v->span += part(e->v.span, factor);
        if (e->context & BAG_NODE) {
            uint64_t n = part_of_samples(e->v.count, factor);
            v->count += n;
            v->work += e->v.count ? (double)e->v.work / e->v.count * n + 0.5 : 0;   /* squares */
        } else {
            v->count += part(e->v.count, factor);
            v->work += part(e->v.work, factor);
        }
    }
    into->own += local - placed;
    job.left_among_tasks += tasks && local < all;
    bag_free(th, live.bag);
}

/* What one rank asks another. */
struct step {
    uint64_t S;
    uint32_t stretch, over;
};

static void send_step(const struct step *s, unsigned rank, word comm)
{
    OWN(6, Send)((word)s, sizeof *s, mpi.type_byte, rank, COMPANION_STEP, comm);
}

void route_walk(struct thread *th, struct task *t, const struct point *end, uintptr_t comm)
{
    struct made_of mine = { 0 };
    struct step s = { end->S, end->stretch, 0 };
    bool here = end->rank == job.rank;
    while (!s.over) {
        if (!here)
            OWN(7, Recv)((word)&s, sizeof s, mpi.type_byte, (word)mpi.any_source, COMPANION_STEP,
                         comm, (word)mpi.status_ignore);
        here = false;
        if (s.over)
            break;
        const struct stretch *from = stretch_of(s.stretch);
        if (t && from)
            add_stretch(th, t, from, s.stretch, s.S, &mine);
        if (from && s.stretch) {
            s = (struct step){ from->start, from->stretch, 0 };
            here = from->rank == job.rank;
            if (!here)
                send_step(&s, from->rank, comm);
            continue;
        }
        s.over = 1;
        for (unsigned i = 0; i < job.size; i++)
            if (i != job.rank)
                send_step(&s, i, comm);
    }
    if (t)
        made_of_set(th, t, mpi_elsewhere(), &mine);
}
