/* point.c - see point.h. */
#include "lifecycle/thread.h"
#include "point.h"
#include <string.h>
#include "callsite/runtime_wait.h"
#include "clock/clock.h"
#include "dag/awaited.h"
#include "engine/elsewhere.h"
#include "engine/engine.h"
#include "libprof_format.h"
#include "receipts.h"
#include "route.h"
#include "sites.h"
#include "base/forbid.h"

uint32_t point_host;

/* Threads in a call that have no state: libprof does not record them, or had no memory. A function
 * of MPI may call another one by its public name, and that is no call of the program. */
enum { UNRECORDED = 16 };
static uint64_t unrecorded[UNRECORDED];

static bool change(uint64_t from, uint64_t to)
{
    for (unsigned i = 0; i < UNRECORDED; i++) {
        uint64_t was = from;
        if (__atomic_compare_exchange_n(&unrecorded[i], &was, to, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* False: the thread is in a call already, or there are too many of its kind. */
static bool enter(struct thread *th)
{
    bool outside = th ? !th->aside : !change(thread_pointer(), thread_pointer());
    if (th)
        th->aside = 1;
    return outside && (th || change(0, thread_pointer()));
}

static void leave(struct thread *th)
{
    if (th)
        th->aside = 0;
    else
        change(thread_pointer(), 0);
}

void point_max(const struct point *in, struct point *inout)
{
    struct lengths a = { inout->L, inout->K, inout->D, inout->T };
    const struct lengths b = { in->L, in->K, in->D, in->T };
    lengths_max(&a, &b);
    bool later = in->when > inout->when || (in->when == inout->when && in->last < inout->last);
    uint64_t when = later ? in->when : inout->when;
    uint32_t last = later ? in->last : inout->last;
    bool hosts = in->hosts || inout->hosts || in->host != inout->host;
    /* of equal paths the one of the lowest rank, whatever the order of the reduction */
    if (in->S > inout->S || (in->S == inout->S && in->rank < inout->rank))
        *inout = *in;
    *inout = (struct point){ .S = inout->S, .L = a.L, .K = a.K, .D = a.D, .T = a.T, .when = when,
                             .rank = inout->rank, .stretch = inout->stretch, .host = inout->host,
                             .hosts = hosts, .last = last };
}

static bool begin(struct call *c, struct path_point from, const char *name, enum job_cause cause)
{
    struct thread *th = engine_recording ? thread_self() : 0;
    if (!enter(th))
        return false;
    *c = (struct call){ .th = th, .strand = th && th->cur ? engine_pause(th) : 0, .from = from,
                        .name = name, .cause = cause, .ready_known = true };
    return true;
}

bool call_begin(struct call *c, struct path_point from, const char *name, enum job_cause cause)
{
    return __atomic_load_n(&job.joined, __ATOMIC_ACQUIRE) && begin(c, from, name, cause);
}

bool call_begin_first(struct call *c, struct path_point from, const char *name)
{
    return begin(c, from, name, JOB_TRANSFER);
}

/* A call of a few hundred ns waited for nobody (callsite/runtime_wait.c). */
#define WAIT_NS 500

static uint64_t shortest_wait(void)
{
    static uint64_t ticks;      /* the first threads compute it, all to the same value */
    uint64_t known = __atomic_load_n(&ticks, __ATOMIC_RELAXED);
    if (__builtin_expect(!known, 0)) {
        known = clock_ns_to_ticks(WAIT_NS);
        __atomic_store_n(&ticks, known, __ATOMIC_RELAXED);
    }
    return known;
}

/* Counts TICKS of C, whose strand is still paused, by its call path; and a wait for the rank that
 * came last, if it is known which. */
static void count(struct call *c, uint64_t ticks, enum job_cause cause)
{
    __atomic_fetch_add(&job.ticks[cause], ticks, __ATOMIC_RELAXED);
    if (!ticks)
        return;
    const struct context *ctx = runtime_wait_count(c->th, c->strand, &c->from, &mpi_site_style,
                                                   c->name, mpi_site_flags(cause), ticks);
    if (ctx && c->ready && c->ready_known &&
        (cause == JOB_LATE_SENDER || cause == JOB_COLLECTIVE))
        awaited_add(ctx->id, c->last, ticks);
}

/* Ticks of C, since SINCE until NOW, that were for other ranks. */
static uint64_t waited_for_others(const struct call *c, uint64_t since, uint64_t now)
{
    if (!c->ready_known)
        return now - since;
    if (c->cause == JOB_SENT || (int64_t)(c->ready - since) <= 0)
        return 0;
    if (c->cause == JOB_COLLECTIVE && c->last == job.rank)
        return 0;               /* it came last itself */
    return (int64_t)(now - c->ready) > 0 ? c->ready - since : now - since;
}

void call_end(struct call *c)
{
    struct thread *th = c->th;
    leave(th);
    if (!c->strand)
        return;
    uint64_t since = th->idle_since, now = clock_ticks(), waited, sent = 0;
    __atomic_fetch_add(&job.calls, 1, __ATOMIC_RELAXED);
    if ((int64_t)(now - since) < 0)
        now = since;
    waited = waited_for_others(c, since, now);
    if (waited < shortest_wait())
        waited = 0;
    /* what a call took after its receives was for its sends, as far as it is known */
    if (c->cause == JOB_SENT || (c->sent_count && c->cause != JOB_TRANSFER))
        sent = now - since - waited;
    if (sent < shortest_wait())
        sent = 0;
    if (waited)
        count(c, waited, c->cause);
    if (sent)
        count(c, sent, JOB_SENT);
    count(c, now - since - waited - sent, JOB_TRANSFER);
    receipts_take(th, now, false);
    struct sent_idle *idle = sent ? receipts_await(c, now - sent, now) : 0;
    engine_resume(th, c->strand);
    if (idle)
        idle->cost = (double)th->between_cost * sent / (th->strand_tsc - since);
    if (waited + sent)
        between_was_idle_until(th, since + waited + sent, IDLE_WAIT);
    if (idle)
        idle->in = th->idle_last;
    if ((int64_t)(th->strand_tsc - now) > 0)    /* counting took this: profiler overhead */
        th->measured_tsc += th->strand_tsc - now;
}

uint64_t call_since(const struct call *c)
{
    return c->strand ? c->th->idle_since : clock_ticks();
}

void call_point(const struct call *c, struct point *p)
{
    const struct task *t = c->strand;
    *p = (struct point){ .when = clock_ticks(), .rank = job.rank, .stretch = route_now(),
                         .host = point_host, .last = job.rank };
    if (t) {
        p->S = t->S;
        p->L = t->len.L;
        p->K = t->len.K;
        p->D = t->len.D;
        p->T = t->len.T;
    }
}

void call_after(struct call *c, const struct point *p)
{
    if (p->host != point_host || p->hosts)
        c->ready_known = false;
    if ((int64_t)(p->when - c->ready) > 0 || !c->ready) {
        c->ready = p->when;
        c->last = p->last;
    }
    if (c->strand)
        route_after(c->th, c->strand, p);
}
