/* late_record.c - how long a joiner waits for the record of a task's end. See late_record.h.
 *
 * A runtime lets a waiter go as soon as the last task has decremented the runtime's counter. That
 * is a few instructions before the task's end reaches us.
 */
#include "base/kernel.h"
#include "engine/rules.h"
#include "arch/cpu.h"
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/forbid.h"

/* A joiner's patience. It halves after each record that did not come, because where the model
 * misses one end, it misses more. After a record that came, the full patience returns. After
 * LATE_MOST_NS of waits in vain, the patience stays at the least. Written by any thread. */
enum { LATE_SPINS = 2000, LATE_YIELDS = 200, LATE_NAPS = 2000, LATE_NAP_NS = 20000,
       LATE_HALVINGS = 12, LATE_SPINS_LEAST = 500, LATE_MOST_NS = 400000000 };
static uint32_t late_halvings;
static uint64_t late_in_vain;   /* ns */

bool late_turn(struct late *l)
{
    if (__builtin_expect(kernel_closed, 0))
        return false;           /* nothing is recorded any more */
    if (!l->since) {
        uint32_t halvings = __atomic_load_n(&late_halvings, __ATOMIC_RELAXED);
        l->since = clock_read_ns(CLOCK_MONOTONIC);
        l->spins = halvings < LATE_HALVINGS ? LATE_SPINS : LATE_SPINS_LEAST;
        l->yields = LATE_YIELDS >> halvings;
        l->naps = LATE_NAPS >> halvings;
    }
    if (l->spins) {
        l->spins--;
        cpu_pause();
    } else if (l->yields) {     /* a preempted finisher needs time slices, not spins */
        l->yields--;
        sched_yield();
    } else if (l->naps) {
        l->naps--;
        /* libc's nanosleep is a cancellation point */
        const struct timespec nap = { 0, LATE_NAP_NS };
        kernel_call(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &nap, 0L);
    } else {
        return false;
    }
    return true;
}

void late_end(struct thread *th, const struct late *l, bool came)
{
    if (came) {
        if (__atomic_load_n(&late_in_vain, __ATOMIC_RELAXED) < LATE_MOST_NS)
            __atomic_store_n(&late_halvings, 0, __ATOMIC_RELAXED);
        return;
    }
    th->lost[LOSS_LATE_JOIN]++;
    if (kernel_closed)
        return;
    uint64_t waited = clock_read_ns(CLOCK_MONOTONIC) - l->since;
    bool most = __atomic_add_fetch(&late_in_vain, waited, __ATOMIC_RELAXED) >= LATE_MOST_NS;
    uint32_t halvings = __atomic_load_n(&late_halvings, __ATOMIC_RELAXED);
    if (halvings < LATE_HALVINGS)
        __atomic_store_n(&late_halvings, most ? LATE_HALVINGS : halvings + 1, __ATOMIC_RELAXED);
}

/* The strand is paused meanwhile, so the wait counts as idle, as a wait in the runtime does. */
__attribute__((noinline, cold)) bool scope_settle(struct thread *th, struct scope *s,
                                                  bool (*over)(const struct scope *))
{
    int saved = errno;
    struct task *strand = engine_pause(th);
    struct late late = { .since = 0 };
    bool settled = false;
    while (!settled && late_turn(&late))
        settled = over(s);
    late_end(th, &late, settled);
    engine_resume(th, strand);
    if (strand)
        between_idle(th, th->between_cost, strand->ctx, IDLE_WAIT);
    errno = saved;
    return settled;
}
