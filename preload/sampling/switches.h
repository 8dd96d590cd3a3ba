/* switches.h - why a thread was ready and had no CPU.
 *
 * The kernel counts the time for which a thread was ready to run and had no CPU (the run delay),
 * and how often the thread left its CPU: voluntarily, to wait in the kernel; or involuntarily,
 * because the kernel gave the CPU to another thread. A run delay after a voluntary switch is the
 * latency of a wake-up: without the wait there would be none. One after an involuntary switch is
 * preemption. On a virtual machine a wake-up may take as long as a lock is held.
 *
 * The kernel does not sum the two apart. Between two readings most threads have switches of one
 * kind only. If they have both, their delay is split in proportion to the counts.
 *
 * [any] all functions.
 */
#ifndef PRELOAD_SAMPLING_SWITCHES_H
#define PRELOAD_SAMPLING_SWITCHES_H

#include "dag/thread.h"

/* The part of DELAY that is preemption, of a thread that had the switches of C meanwhile. Without
 * any it waited for its first CPU, or for the next one since before the time of C. */
static inline uint64_t switches_preempted(uint64_t delay, const struct switches *c)
{
    unsigned __int128 all = (unsigned __int128)c->voluntary + c->involuntary;
    return c->voluntary ? (uint64_t)((unsigned __int128)delay * c->involuntary / all) : delay;
}

/* Adds the switches of C, and DELAY split by them, to TO. Returns the part that is preemption. */
static inline uint64_t switches_add(struct switches *to, uint64_t delay, const struct switches *c)
{
    uint64_t preempted = switches_preempted(delay, c);
    to->voluntary += c->voluntary;
    to->involuntary += c->involuntary;
    to->preempted += preempted;
    to->wakeup += delay - preempted;
    return preempted;
}

/* The counts of A that B does not have. */
static inline struct switches switches_since(const struct switches *a, const struct switches *b)
{
    return (struct switches){
        .voluntary = a->voluntary > b->voluntary ? a->voluntary - b->voluntary : 0,
        .involuntary = a->involuntary > b->involuntary ? a->involuntary - b->involuntary : 0,
    };
}

static inline void switches_sum(struct switches *to, const struct switches *from)
{
    to->voluntary += from->voluntary;
    to->involuntary += from->involuntary;
    to->wakeup += from->wakeup;
    to->preempted += from->preempted;
}

#endif
