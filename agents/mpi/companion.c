/* companion.c - see companion.h. */
#define _GNU_SOURCE
#include "companion.h"
#include <sched.h>
#include <time.h>
#include <string.h>
#include "base/lock.h"
#include "base/memory.h"
#include "clock/clock.h"
#include "dag/run.h"
#include "mpi.h"
#include "base/forbid.h"

struct companion {
    struct point point;
    uint64_t comm;
    int32_t tag;
    uint32_t retracts;          /* 1: takes back the last one of COMM and TAG */
};

/* One that has come, and whose message has not been received yet. */
struct waiting {
    struct companion c;
    struct waiting *next;
};

/* What comes from one rank. */
struct stream {
    struct companion slot;      /* `request` receives into it; of this rank: not used */
    word request;
    bool open;                  /* `request` is posted */
    bool lost;                  /* a companion did not come: no more are waited for */
    struct waiting *first, **end;
    struct posted *oldest, *newest;     /* open receives from this rank, of one tag */
};

/* What this rank sends stays in one of these until MPI has taken it. They form a ring, in the order
 * of their use. It grows: a program may have any number of sends that no receiver has taken. */
struct slot {
    struct slot *next;
    struct companion c;
    word request;
    bool busy;
};

static word comm;
static struct stream **streams;         /* by the job's rank */
static struct posted *any_oldest, *any_newest;  /* open receives of any source or any tag */
static struct waiting *free_waiting;
static struct slot first_slot = { .next = &first_slot }, *last_slot = &first_slot;
/* Of all of the above. Within it the library's tests and its non-blocking sends and receives are
 * called, so it is in no list (base/lock.h): fork does not wait for it. */
static struct { struct lock lock; } guard;

/* The sender has sent a companion before its message, so one that is missing is a moment away. One
 * that never comes was sent by a function that the agent does not wrap. */
#define MISSING_NS 2000000000u

word companion_comm(void)
{
    return comm;
}

bool companion_start(void)
{
    streams = memory_map(job.size * sizeof *streams);
    bool made = !OWN(2, Comm_dup)(mpi.comm_world, (word)&comm);     /* all ranks call it */
    return streams && made && !OWN(2, Comm_set_errhandler)(comm, mpi.errors_return);
}

static struct stream *stream_of(int rank)
{
    struct stream *s = streams[rank];
    if (!s && (s = memory_keep(sizeof *s))) {
        s->end = &s->first;
        streams[rank] = s;
    }
    return s;
}

/* ---- sending ---- */

/* Has MPI taken what is in S? */
static bool is_free(struct slot *s)
{
    int done = 0;
    if (s->busy && !OWN(3, Test)((word)&s->request, (word)&done, (word)mpi.status_ignore) && !done)
        return false;
    s->busy = false;
    return true;
}

/* The slot for the next companion: the one that has been in use longest, or a new one behind the
 * one that was used last. */
static struct slot *take_slot(void)
{
    struct slot *s = last_slot->next, *more;
    if (!is_free(s) && (more = memory_keep(sizeof *more))) {
        more->next = s;
        last_slot->next = s = more;
    }
    while (!is_free(s))         /* no memory for more */
        sched_yield();
    return last_slot = s;
}

/* Waits until MPI has taken all, but not for ever: the job ends. */
static bool all_taken(void)
{
    uint64_t since = clock_read_ns(CLOCK_MONOTONIC);
    struct slot *s = last_slot;
    do {
        s = s->next;
        while (!is_free(s)) {
            if (clock_read_ns(CLOCK_MONOTONIC) - since > MISSING_NS)
                return false;
            sched_yield();
        }
    } while (s != last_slot);
    return true;
}

static void arrived(struct stream *s, const struct companion *c);

static bool send_one(struct call *call, const struct comm *c, int dest, int tag,
                     uint32_t retracts)
{
    int peer = comm_peer(c, dest);
    if (peer < 0)
        return false;
    lock_take(&guard.lock);
    struct slot *s = take_slot();
    s->c = (struct companion){ .comm = c->id, .tag = tag, .retracts = retracts };
    call_point(call, &s->c.point);
    call->announced = s->c.point.when;
    if (peer == (int)job.rank) {
        struct stream *mine = stream_of(peer);
        if (mine)
            arrived(mine, &s->c);
    } else {
        s->busy = !OWN(7, Isend)((word)&s->c, sizeof s->c, mpi.type_byte, peer, COMPANION_POINT,
                                 comm, (word)&s->request);
    }
    lock_release(&guard.lock);
    return true;
}

bool companion_send(struct call *call, const struct comm *c, int dest, int tag)
{
    return send_one(call, c, dest, tag, 0);
}

void companion_retract(struct call *call, const struct comm *c, int dest, int tag)
{
    send_one(call, c, dest, tag, 1);
}

/* ---- receiving ---- */

static bool is_of(const struct waiting *w, const struct comm *c, int tag)
{
    return w->c.comm == c->id && w->c.tag == tag;
}

/* Takes what is at AT out of S. */
static struct waiting *take_out(struct stream *s, struct waiting **at)
{
    struct waiting *w = *at;
    *at = w->next;
    if (!w->next)
        s->end = at;
    return w;
}

static void drop(struct waiting *w)
{
    w->next = free_waiting;
    free_waiting = w;
}

static void retract(struct stream *s, const struct companion *c)
{
    struct waiting **last = 0;
    for (struct waiting **at = &s->first; *at; at = &(*at)->next)
        if ((*at)->c.comm == c->comm && (*at)->c.tag == c->tag)
            last = at;
    if (last)
        drop(take_out(s, last));
}

static void arrived(struct stream *s, const struct companion *c)
{
    if (c->retracts) {
        retract(s, c);
        return;
    }
    struct waiting *w = free_waiting;
    if (w)
        free_waiting = w->next;
    else if (!(w = memory_keep(sizeof *w)))
        return;
    w->c = *c;
    w->next = 0;
    *s->end = w;
    s->end = &w->next;
}

/* Takes in a companion that has come from RANK. False: none has. */
static bool take_in(struct stream *s, int rank)
{
    int done = 0;
    if (rank == (int)job.rank || s->lost)
        return false;
    if (!s->open) {
        s->open = !OWN(7, Irecv)((word)&s->slot, sizeof s->slot, mpi.type_byte, rank,
                                 COMPANION_POINT, comm, (word)&s->request);
        if (!s->open)
            return false;
    }
    if (OWN(3, Test)((word)&s->request, (word)&done, (word)mpi.status_ignore) || !done)
        return false;
    arrived(s, &s->slot);
    s->open = !OWN(7, Irecv)((word)&s->slot, sizeof s->slot, mpi.type_byte, rank, COMPANION_POINT,
                             comm, (word)&s->request);
    return true;
}

/* Waits until a companion has come from RANK. False: none comes. */
static bool await(struct stream *s, int rank)
{
    uint64_t since = 0;
    while (!take_in(s, rank)) {
        if (s->lost || rank == (int)job.rank)
            return false;
        uint64_t now = clock_read_ns(CLOCK_MONOTONIC);
        if (!since)
            since = now;
        if (now - since > MISSING_NS) {
            s->lost = true;
            run_lower_bound("MPI messages without a companion");
            return false;
        }
        if (now - since > 10000)
            sched_yield();
    }
    return true;
}

/* The companion of RANK, C and TAG that comes after SKIP others. NULL: it does not come. */
static struct waiting **find(struct stream *s, int rank, const struct comm *c, int tag,
                             unsigned skip)
{
    for (;;) {
        unsigned left = skip;
        for (struct waiting **at = &s->first; *at; at = &(*at)->next)
            if (is_of(*at, c, tag) && !left--)
                return at;
        if (!await(s, rank))
            return 0;
    }
}

/* ---- open receives ---- */

static bool takes_any(const struct posted *p)
{
    return p->source < 0 || p->tag == mpi.any_tag;
}

/* P's list: those of one sender and tag are in the sender's stream. */
static struct posted **list_of(const struct posted *p, struct posted ***newest)
{
    struct stream *s = takes_any(p) ? 0 : streams[p->source];
    *newest = s ? &s->newest : &any_newest;
    return s ? &s->oldest : &any_oldest;
}

bool companion_post(const struct call *call, struct posted *p, struct comm *c, int source, int tag)
{
    static uint64_t posts;
    int peer = source == mpi.any_source ? -1 : comm_peer(c, source);
    *p = (struct posted){ .comm = c, .source = peer, .tag = tag };
    if (peer < 0 && source != mpi.any_source)
        return false;
    if (peer < 0)
        run_as_executed("MPI_ANY_SOURCE");
    lock_take(&guard.lock);
    bool room = peer < 0 || stream_of(peer);
    if (room) {
        struct posted **newest, **oldest = list_of(p, &newest);
        p->order = ++posts;
        p->when = call_since(call);
        p->older = *newest;
        *(p->older ? &p->older->newer : oldest) = p;
        *newest = p;
        __atomic_fetch_add(&c->uses, 1, __ATOMIC_RELAXED);
    }
    lock_release(&guard.lock);
    return room;
}

static void withdraw(struct posted *p)
{
    struct posted **newest, **oldest = list_of(p, &newest);
    *(p->older ? &p->older->newer : oldest) = p->newer;
    *(p->newer ? &p->newer->older : newest) = p->older;
    __atomic_fetch_sub(&p->comm->uses, 1, __ATOMIC_RELAXED);
}

void companion_withdraw(struct posted *p)
{
    lock_take(&guard.lock);
    withdraw(p);
    lock_release(&guard.lock);
}

/* Has Q, an open receive of any source or tag, got a message of RANK and TAG? */
static bool any_got(const struct posted *q, int rank, int tag)
{
    struct status_room room;
    unsigned char *status = room.bytes;
    int done = 0;
    if ((q->source >= 0 && q->source != rank) || (q->tag != mpi.any_tag && q->tag != tag))
        return false;
    if (!q->request || OWN(3, Request_get_status)(q->request, (word)&done, (word)status) || !done) {
        run_not_exact("MPI wildcard receives");
        return false;
    }
    return comm_peer(q->comm, status_int(status, mpi.status_source)) == rank &&
           status_int(status, mpi.status_tag) == tag;
}

/* How many open receives that were posted before ORDER get companions of RANK, C and TAG? */
static unsigned count_before(struct stream *s, uint64_t order, const struct comm *c, int rank,
                             int tag)
{
    unsigned n = 0;
    for (const struct posted *q = s->oldest; q && q->order < order; q = q->newer)
        n += q->comm->id == c->id && q->tag == tag;
    for (const struct posted *q = any_oldest; q && q->order < order; q = q->newer)
        n += q->comm->id == c->id && any_got(q, rank, tag);
    return n;
}

/* Receives that were freed while they were open have got the first companions of their kind. */
static void take_abandoned(struct stream *s, int rank)
{
    for (struct posted *q = s->oldest, *newer; q; q = newer) {
        newer = q->newer;
        struct waiting **at = &s->first;
        while (q->abandoned && *at && !is_of(*at, q->comm, q->tag))
            at = &(*at)->next;
        if (!q->abandoned || !*at || count_before(s, q->order, q->comm, rank, q->tag))
            continue;
        drop(take_out(s, at));
        withdraw(q);
        q->abandoned = false;
        companion_abandoned(q);
    }
}

bool companion_take(struct posted *p, int source, int tag, struct point *point)
{
    lock_take(&guard.lock);
    struct stream *s = source >= 0 ? stream_of(source) : 0;
    struct waiting **at = 0;
    if (s) {
        take_abandoned(s, source);
        at = find(s, source, p->comm, tag, count_before(s, p->order, p->comm, source, tag));
    }
    if (at) {
        struct waiting *w = take_out(s, at);
        *point = w->c.point;
        drop(w);
    }
    withdraw(p);
    lock_release(&guard.lock);
    return at != 0;
}

bool companion_peek(struct comm *c, int source, int tag, struct point *point)
{
    lock_take(&guard.lock);
    struct stream *s = source >= 0 ? stream_of(source) : 0;
    struct waiting **at = 0;
    if (s) {
        take_abandoned(s, source);
        at = find(s, source, c, tag, count_before(s, UINT64_MAX, c, source, tag));
    }
    if (at)
        *point = (*at)->c.point;
    lock_release(&guard.lock);
    return at != 0;
}

void companion_stop(void)
{
    lock_take(&guard.lock);
    bool whole = all_taken();
    for (unsigned i = 0; i < job.size; i++)
        if (streams[i] && streams[i]->open) {
            OWN(1, Cancel)((word)&streams[i]->request);
            OWN(2, Wait)((word)&streams[i]->request, (word)mpi.status_ignore);
            streams[i]->open = false;
        }
    lock_release(&guard.lock);
    if (whole)
        OWN(1, Comm_free)((word)&comm);
}
