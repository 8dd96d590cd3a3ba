/* receipts.c - see receipts.h. */
#include "base/memory.h"
#include "lifecycle/thread.h"
#include "receipts.h"
#include "base/lock.h"
#include "callsite/runtime_wait.h"
#include "clock/clock.h"
#include "dag/thread.h"
#include "sites.h"
#include "base/forbid.h"

static struct receipt *receipts;        /* NULL: none */

/* A wait that has been counted as JOB_SENT. The waits of a process are few: only sends that take
 * some time are here, until their receipts come, which is about when the call ends. */
struct wait {
    struct thread *th;          /* NULL: the entry is free */
    uint64_t from, end;         /* ticks; `from` advances over what is counted anew */
    struct sent_idle idle;      /* what was counted as idle, of the rest */
    uint64_t next;              /* when to look again */
    uint64_t sent[CALL_SENT];   /* the messages whose receipts have not come */
    uint32_t messages;
    bool whole;                 /* `sent` has had all messages of the call */
    uint32_t as_sent, as_late, as_transfer;     /* contexts */
};
enum { WAITS = 64 };
static SELDOM struct wait waits[WAITS];
static uint32_t open_waits, next_wait;
static uint64_t next_look;      /* the first `next` of all, or before */
LOCK_DEFINE(waits_lock, LOCK_AGENT);

void receipts_use(struct receipt *table)
{
    __atomic_store_n(&receipts, table, __ATOMIC_RELEASE);
}

static uint64_t key_of(uint32_t rank, uint64_t when)
{
    uint64_t h = (when ^ (uint64_t)(rank + 1) << 44) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 29) | 1;
}

static struct receipt *place_of(struct receipt *table, uint64_t key)
{
    return &table[(key >> 40) % RECEIPTS];
}

static uint64_t check_of(uint64_t key, uint64_t posted)
{
    return key ^ posted * 0xff51afd7ed558ccdu;
}

void receipts_leave(const struct point *sent, uint64_t posted)
{
    struct receipt *r = __atomic_load_n(&receipts, __ATOMIC_ACQUIRE);
    if (!r || sent->host != point_host || sent->hosts)
        return;
    uint64_t key = key_of(sent->rank, sent->when);
    r = place_of(r, key);
    __atomic_store_n(&r->posted, posted, __ATOMIC_RELAXED);
    __atomic_store_n(&r->check, check_of(key, posted), __ATOMIC_RELAXED);
    __atomic_store_n(&r->key, key, __ATOMIC_RELEASE);
}

/* When the message that this rank sent at WHEN was awaited. False: there is no receipt, or not
 * yet. */
static bool find(uint64_t when, uint64_t *posted)
{
    uint64_t key = key_of(job.rank, when);
    const struct receipt *r = place_of(receipts, key);
    if (__atomic_load_n(&r->key, __ATOMIC_ACQUIRE) != key)
        return false;
    *posted = __atomic_load_n(&r->posted, __ATOMIC_RELAXED);
    return __atomic_load_n(&r->check, __ATOMIC_RELAXED) == check_of(key, *posted);
}

/* TICKS of W, from its beginning, were for CAUSE, by the context of number ID. */
static void count_anew(struct wait *w, uint64_t ticks, enum job_cause cause, uint32_t id)
{
    struct thread *th = w->th;
    uint64_t rest = w->end - w->from;
    if (!ticks)
        return;
    __atomic_fetch_sub(&job.ticks[JOB_SENT], ticks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&job.ticks[cause], ticks, __ATOMIC_RELAXED);
    thread_metrics_made(th, w->as_sent)->work -= ticks;
    struct metrics *m = thread_metrics_made(th, id);
    m->invocations++;
    m->work += ticks;
    uint64_t cost = rest ? (double)w->idle.cost * ticks / rest : 0;
    w->from += ticks;
    w->idle.cost -= cost;
    if (cause == JOB_TRANSFER && th->idle_between_tsc >= ticks && th->idle_between_cost >= cost) {
        th->idle_between_tsc -= ticks;          /* it was the library's work */
        th->idle_between_cost -= cost;
        if (w->idle.in && w->idle.in->ticks >= ticks)
            w->idle.in->ticks -= ticks;
    }
}

/* Is nothing more to be known of W? */
static bool settle(struct wait *w)
{
    for (uint32_t i = 0; i < w->messages;) {
        uint64_t posted;
        if (!find(w->sent[i], &posted)) {
            i++;
            continue;
        }
        w->sent[i] = w->sent[--w->messages];
        if ((int64_t)(posted - w->from) > 0 && (int64_t)(w->end - posted) >= 0)
            count_anew(w, posted - w->from, JOB_LATE_RECEIVER, w->as_late);
    }
    if (!w->messages && w->whole)
        count_anew(w, w->end - w->from, JOB_TRANSFER, w->as_transfer);
    return !w->messages;
}

/* W is over if it is settled, or ANYWAY. */
static void look(struct wait *w, uint64_t now, bool anyway)
{
    if (settle(w) || anyway) {
        w->th = 0;
        __atomic_fetch_sub(&open_waits, 1, __ATOMIC_RELAXED);
    } else {
        w->next = now + (now - w->end) / 4;         /* the later it is, the seldomer */
    }
}

void receipts_take(struct thread *th, uint64_t now, bool all)
{
    uint64_t first = now + ((uint64_t)1 << 62);
    if (!__atomic_load_n(&open_waits, __ATOMIC_RELAXED) ||
        (!all && (int64_t)(__atomic_load_n(&next_look, __ATOMIC_RELAXED) - now) > 0))
        return;
    lock_take(&waits_lock);
    for (struct wait *w = waits; w < waits + WAITS; w++) {
        if (w->th == th && (all || (int64_t)(w->next - now) <= 0))
            look(w, now, all);
        if (w->th && (int64_t)(w->next - first) < 0)
            first = w->next;
    }
    __atomic_store_n(&next_look, first, __ATOMIC_RELAXED);
    lock_release(&waits_lock);
}

struct sent_idle *receipts_await(const struct call *c, uint64_t from, uint64_t end)
{
    static const enum job_cause causes[] = { JOB_SENT, JOB_LATE_RECEIVER, JOB_TRANSFER };
    const struct context *contexts[3];
    if (!__atomic_load_n(&receipts, __ATOMIC_RELAXED) || !c->sent_count)
        return 0;
    for (unsigned i = 0; i < 3; i++)
        if (!(contexts[i] = runtime_wait_context(c->strand, &c->from, &mpi_site_style, c->name,
                                                 mpi_site_flags(causes[i]))))
            return 0;
    lock_take(&waits_lock);
    struct wait *w = &waits[next_wait++ % WAITS];
    if (!w->th)                 /* else what it was for stays unknown */
        __atomic_fetch_add(&open_waits, 1, __ATOMIC_RELAXED);
    *w = (struct wait){ .th = c->th, .from = from, .end = end, .next = end,
                        .messages = c->sent_count < CALL_SENT ? c->sent_count : CALL_SENT,
                        .whole = c->sent_count <= CALL_SENT,
                        .as_sent = contexts[0]->id, .as_late = contexts[1]->id,
                        .as_transfer = contexts[2]->id };
    for (uint32_t i = 0; i < w->messages; i++)
        w->sent[i] = c->sent[i];
    __atomic_store_n(&next_look, end, __ATOMIC_RELAXED);
    lock_release(&waits_lock);
    return &w->idle;
}
