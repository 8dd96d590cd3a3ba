/* snapshot_time.c - where the time of the threads and of the worker slots went: strands, search,
 * sleep, the runtime's dispatching, libprof itself. See snapshot_private.h. */
#include "dag/run.h"
#include "output/snapshot_private.h"
#include "base/forbid.h"

/* A - B, at least 0. (A thread's clock may be ahead of its CPU time, by what a host took.) */
static uint64_t above(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b) > 0 ? a - b : 0;
}

/* Takes up to PART off *FROM; returns what it took. */
static uint64_t take(uint64_t *from, uint64_t part)
{
    if (part > *from)
        part = *from;
    *from -= part;
    return part;
}

/* ---- intervals of idle time ---- */

static void idle_sum_add(struct idle_sum *to, const struct idle_sum *from)
{
    to->count += __atomic_load_n(&from->count, __ATOMIC_RELAXED);
    to->ticks += __atomic_load_n(&from->ticks, __ATOMIC_RELAXED);
}

/* Returns the ticks of FROM's intervals. */
static uint64_t idle_add_record(struct idle *to, const struct idle *from)
{
    uint64_t ticks = 0;
    for (unsigned i = 0; i < IDLE_BUCKETS; i++) {
        uint64_t before = to->interval[i].ticks;
        idle_sum_add(&to->interval[i], &from->interval[i]);
        ticks += to->interval[i].ticks - before;
    }
    idle_sum_add(&to->latency, &from->latency);
    return ticks;
}

/* Gives each record that a thread has a place in S. Without memory: none, and all intervals count
 * as one at the end. */
static void idle_places(struct snapshot *s)
{
    struct idle_snapshot *x = &s->idle;
    uint32_t n = IDLE_CONTEXTS * s->context_count, count = 0;
    x->at = memory_map(n * sizeof x->at[0]);
    for (const struct thread *th = engine_threads; th && x->at; th = th->next)
        for (uint32_t i = 0; i < n; i++)
            if (!x->at[i] && idle_of(th, i / IDLE_CONTEXTS, i % IDLE_CONTEXTS))
                x->at[i] = ++count;
    if (!count || !(x->found = memory_map(count * sizeof x->found[0])))
        return;
    x->count = count;
}

/* Adds TH's intervals; returns their ticks. */
static uint64_t idle_of_thread(struct snapshot *s, const struct thread *th)
{
    struct idle_snapshot *x = &s->idle;
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < IDLE_CONTEXTS * s->context_count && x->count; i++) {
        const struct idle *from = x->at[i] ? idle_of(th, i / IDLE_CONTEXTS, i % IDLE_CONTEXTS) : 0;
        if (from)
            ticks += idle_add_record(&x->found[x->at[i] - 1], from);
    }
    for (unsigned k = IDLE_CONTEXTS; k < IDLE_KINDS; k++) {
        const struct idle *from = idle_of(th, 0, k);
        if (from)
            ticks += idle_add_record(&x->outside[k - IDLE_CONTEXTS], from);
    }
    return ticks;
}

/* What is idle time of a thread and in none of its records: it is idle now, or there was no memory
 * for a record. */
static void idle_is_open(struct snapshot *s, uint64_t ticks)
{
    struct idle *end = &s->idle.outside[IDLE_END - IDLE_CONTEXTS];
    if ((int64_t)ticks > 0) {
        struct idle_sum *to = &end->interval[idle_bucket(ticks)];
        to->count++;
        to->ticks += ticks;
    }
}

/* Divides the threads' time. The time between two strands was idle if a thief began the second one,
 * if it was a wait for others, and until the second one was ready, where the agent knows that. Else
 * it is the runtime's dispatching. A thread that is between strands now is idle. Time off the CPU
 * outside of strands counts as sleep. Returns the time inside strands; adds the time off the CPU to
 * *OFF, and what of it was profiler overhead, to *OWN_OFF. */
static uint64_t sum_lives(struct snapshot *s, bool on_cpu, uint64_t *off, uint64_t *own_off)
{
    uint64_t all_busy = 0;
    for (const struct thread *th = engine_threads; th; th = th->next) {
        /* the intervals first: a thread that runs adds to its idle time before it counts them */
        uint64_t counted = idle_of_thread(s, th);
        uint64_t now = clock_ticks(), idle = th->idle_between_tsc, search = th->idle_between_cost;
        uint64_t life = th->life_tsc, cost = th->life_cost, busy = th->busy_tsc, value;
        if (th->live) {
            bool known = th == thread_self_ ? (value = th->t0, true)
                                            : clock_peek(&th->clock, th->tid, &value);
            life += now - th->life_since;
            cost += known ? value + th->clock.own : now - th->life_since;
            if (th->cur) {
                busy += now - th->strand_tsc;
            } else {
                idle += now - th->idle_since;
                search += !known ? now - th->idle_since : above(value, th->t0);
            }
        }
        idle_is_open(s, idle - counted);
        if (!on_cpu || search > idle)
            search = idle;
        s->life_tsc += life;
        s->idle_tsc += life > busy ? life - busy : 0;
        all_busy += busy;
        s->search_tsc += search;
        s->sleep_tsc += idle - search;
        s->dispatch_tsc += life > busy + idle ? life - busy - idle : 0;
        *off += life > cost ? life - cost : 0;
        *own_off += th->own_off_tsc;
    }
    return all_busy;
}

/* The estimate by events is of code whose data is in the cache, and others may wait for that code.
 * Samples show more. Takes what of the CPU time between strands was libprof's by their share, but
 * for KNOWN, which is taken already; and the time of the other threads that searched meanwhile, but
 * for the part in which these, too, ran libprof's code. Returns what it took from the idle time. */
static uint64_t own_by_samples(struct snapshot *s, uint64_t known)
{
    uint64_t on_cpu = s->dispatch_tsc + s->search_tsc, all = on_cpu + known;
    if (!s->sampled_outside || !on_cpu)
        return 0;
    double each = (double)all / s->sampled_outside;
    double share = (double)s->sampled_own / s->sampled_outside;
    uint64_t more = at_most(above((uint64_t)(each * s->sampled_own), known), on_cpu);
    uint64_t idle = (uint64_t)((double)more * s->search_tsc / on_cpu);
    s->own_tsc += take(&s->dispatch_tsc, more - idle);
    idle = take(&s->search_tsc, idle);
    uint64_t others = take(&s->search_tsc, (uint64_t)(each * s->sampled_own_others * (1 - share)));
    s->own_tsc += idle + others;
    return idle + others;
}

/* Takes profiler overhead out of the other parts. The time inside strands, ALL_BUSY, is work,
 * blocked time, and profiler overhead, which is the rest. The overhead between strands is what
 * remains of the estimate in own_tsc. It is taken first from sleep: readings of the clock in idle
 * time look like sleep, as no clock counts them. OFF: the threads' time off the CPU. OWN_OFF: the
 * part of it, between strands, that is measured overhead. */
static void find_own(struct snapshot *s, uint64_t all_busy, uint64_t off, uint64_t own_off)
{
    uint64_t own = s->own_tsc;
    for (uint32_t i = 0; i < s->context_count; i++)
        s->blocked_tsc += s->spread[i].blocked;
    uint64_t known = s->work + s->blocked_tsc, inside = above(all_busy, known);
    uint64_t asleep = above(off, s->blocked_tsc);
    s->idle.off_dispatch = take(&s->dispatch_tsc, above(asleep, s->sleep_tsc));
    s->sleep_tsc += s->idle.off_dispatch;
    s->own_tsc = inside;
    uint64_t reading = at_most(above(s->sleep_tsc, asleep), above(own, s->own_tsc));
    uint64_t own_idle = take(&s->sleep_tsc, reading);
    s->own_tsc += own_idle;
    s->own_tsc += take(&s->dispatch_tsc, above(own, s->own_tsc));
    own_idle += own_by_samples(s, s->own_tsc - inside);
    s->idle.own = own_idle + take(&s->sleep_tsc, own_off);
    s->own_tsc += s->idle.own - own_idle;
}

void snapshot_time(struct snapshot *s)
{
    uint64_t off = 0, own_off = 0;
    bool on_cpu = on_cpu_clock();
    idle_places(s);
    uint64_t all_busy = sum_lives(s, on_cpu, &off, &own_off);
    if (on_cpu)
        find_own(s, all_busy, off, own_off);
    uint64_t elapsed = clock_ticks() - engine_start_tsc;
    uint64_t slots = s->workers * elapsed;
    s->idle_tsc += slots > s->life_tsc ? slots - s->life_tsc : 0;
    if (s->idle_tsc > slots)
        s->idle_tsc = slots;
}
