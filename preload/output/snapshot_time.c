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

/* Divides the threads' time. The time between two strands was idle if a thief began the second one,
 * if it was a wait for others, and until the second one was ready, where the agent knows that. Else
 * it is the runtime's dispatching. A thread that is between strands now is idle. Time off the CPU
 * outside of strands counts as sleep. Returns the time inside strands; adds the time off the CPU to
 * *OFF, and what of it was profiler overhead, to *OWN_OFF. */
static uint64_t sum_lives(struct snapshot *s, bool on_cpu, uint64_t *off, uint64_t *own_off)
{
    uint64_t all_busy = 0;
    for (const struct thread *th = engine_threads; th; th = th->next) {
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
    s->sleep_tsc += take(&s->dispatch_tsc, above(asleep, s->sleep_tsc));
    s->own_tsc = inside;
    uint64_t reading = at_most(above(s->sleep_tsc, asleep), above(own, s->own_tsc));
    s->own_tsc += take(&s->sleep_tsc, reading);
    s->own_tsc += take(&s->dispatch_tsc, above(own, s->own_tsc));
    s->own_tsc += take(&s->sleep_tsc, own_off);
}

void snapshot_time(struct snapshot *s)
{
    uint64_t off = 0, own_off = 0;
    bool on_cpu = on_cpu_clock();
    uint64_t all_busy = sum_lives(s, on_cpu, &off, &own_off);
    if (on_cpu)
        find_own(s, all_busy, off, own_off);
    uint64_t elapsed = clock_ticks() - engine_start_tsc;
    uint64_t slots = s->workers * elapsed;
    s->idle_tsc += slots > s->life_tsc ? slots - s->life_tsc : 0;
    if (s->idle_tsc > slots)
        s->idle_tsc = slots;
}
