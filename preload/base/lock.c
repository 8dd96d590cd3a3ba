/* lock.c - see lock.h. */
#define _GNU_SOURCE
#include "arch/cpu.h"
#include "arch/system_call.h"
#include "base/kernel.h"
#include "base/lock.h"
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/program.h"
#include "base/forbid.h"

#define GENERATION_SHIFT 48     /* a program's addresses have 47 bits */

READ_MOSTLY uint64_t lock_generation;

extern const struct lock_named __start_prof_locks[] __attribute__((visibility("hidden")));
extern const struct lock_named __stop_prof_locks[] __attribute__((visibility("hidden")));

/* ---- waiting ---- */

/* A waiter first pauses: the holder probably runs and will be done soon. Then it yields: the holder
 * may have been preempted. Then it sleeps: it may itself keep the holder from running, by a higher
 * real-time priority, and a yield does not help there. Where nobody wakes it, it naps. Where a
 * release wakes it, it sleeps longer, up to SLEEP_MOST_NS. */
enum { PAUSES = 64, YIELDS = 8, PAUSE_NS = 40, NAP_NS = 50000, NAP_MOST_NS = 1000000 };
enum { SLEEP_NS = 1000000, SLEEP_MOST_NS = 64000000 };

static uint64_t doubled(uint64_t ns, uint32_t times, uint64_t most)
{
    return times < 6 && ns << times < most ? ns << times : most;
}

static void nap(uint64_t ns)
{
    const struct timespec t = { 0, ns };
    kernel_call(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &t, 0L);
}

static void turn(uint32_t n)
{
    if (n < PAUSES)
        cpu_pause();
    else if (!kernel_closed)
        sched_yield();
}

void lock_turn(uint32_t *count)
{
    uint32_t n = (*count)++;
    if (n < PAUSES + YIELDS) {
        turn(n);
        return;
    }
    int saved = errno;
    nap(doubled(NAP_NS, n - PAUSES - YIELDS, NAP_MOST_NS));
    errno = saved;
}

/* By the system call: the program may define a clock_gettime of its own. */
static uint64_t now_ns(void)
{
    struct timespec t = { 0 };
    system_call2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Sleeps until L, which had WORD, is released, and no longer than NS. */
static void sleep_on(struct lock *l, uint64_t word, uint64_t ns)
{
    if (!word)
        return;
    if (!(word & LOCK_SLEEPER)) {
        if (!__atomic_compare_exchange_n(&l->word, &word, word | LOCK_SLEEPER, false,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return;
        word |= LOCK_SLEEPER;
    }
    const struct timespec t = { 0, ns };
    /* the lower half of the word, which has the bit */
    if (kernel_call(SYS_futex, &l->word, (long)FUTEX_WAIT_PRIVATE, (long)(uint32_t)word, &t, 0L,
                    0L) &&
        errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT)
        nap(NAP_NS);            /* a filter of system calls */
}

void lock_wake(struct lock *l)
{
    int saved = errno;
    kernel_call(SYS_futex, &l->word, (long)FUTEX_WAKE_PRIVATE, 1L, 0L, 0L, 0L);
    errno = saved;
}

/* A wait for a lock. */
struct waiter {
    uint64_t since;             /* CLOCK_MONOTONIC at the first sleep, in ns; 0: none yet */
    uint64_t slept;             /* ns, since then; without system calls, about so many */
    uint32_t turns;
    uint64_t bit;               /* LOCK_SLEEPER: others may sleep; the next release wakes one */
};

static void wait_turn(struct waiter *w, struct lock *l, uint64_t word)
{
    uint32_t n = w->turns++;
    if (n < PAUSES + YIELDS) {
        turn(n);
        return;
    }
    if (__builtin_expect(kernel_closed, 0)) {
        cpu_pause();
        w->slept += PAUSE_NS;
        return;
    }
    int saved = errno;
    if (!w->since)
        w->since = now_ns();
    sleep_on(l, word, doubled(SLEEP_NS, n - PAUSES - YIELDS, SLEEP_MOST_NS));
    w->slept = now_ns() - w->since;
    w->bit = LOCK_SLEEPER;
    errno = saved;
}

/* The fork handlers, which set process_pid, do not run in a child of _Fork or of a system call.
 * Such a child waits UNSEEN_NS for a holder that it does not have, then takes the lock. A child of
 * vfork shares its parent's memory, and the parent's threads go on and release locks. */
enum { UNSEEN_NS = 1000000000 };

/* The word of a thread that holds all locks for a fork; 0: none does. libc takes locks of its own
 * before it makes the child, and a thread that holds one of them may wait for us: fflush(NULL)
 * calls the write functions of the program's streams. So once a waiter has waited UNSEEN_NS, it and
 * all others take the locks: the forking thread changes no data under them. OVERDUE: that has
 * happened. Relaxed: with a stale value, a waiter waits another turn. */
static uint64_t forker;
#define OVERDUE LOCK_SLEEPER

/* Does WORD name a holder that stayed in the parent of a fork? */
static bool left_behind(uint64_t word)
{
    return word >> GENERATION_SHIFT != lock_generation >> GENERATION_SHIFT;
}

static bool take_over(const struct waiter *w, struct lock *l, uint64_t word)
{
    uint64_t mine = lock_me() | w->bit | (word & LOCK_SLEEPER);
    if (!__atomic_compare_exchange_n(&l->word, &word, mine, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    lock_taken(l);
    return true;
}

/* Is the holder WORD one that W need not wait for any more? */
static bool is_lost(const struct waiter *w, uint64_t word)
{
    uint64_t f = __atomic_load_n(&forker, __ATOMIC_RELAXED);
    if ((word ^ f) & ~LOCK_SLEEPER)
        return w->slept > UNSEEN_NS && getpid() != process_pid;
    if (!(f & OVERDUE) && w->slept > UNSEEN_NS)
        __atomic_compare_exchange_n(&forker, &f, f | OVERDUE, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return f & OVERDUE || w->slept > UNSEEN_NS;
}

__attribute__((noinline, cold)) void lock_wait(struct lock *l)
{
    struct waiter w = { 0 };
    for (;;) {
        uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
        bool mine = (word & ~LOCK_SLEEPER) == lock_me();
        if ((!word || mine || left_behind(word) || is_lost(&w, word)) && take_over(&w, l, word))
            return;
        wait_turn(&w, l, word);
    }
}

bool lock_take_within(struct lock *l, uint64_t ns)
{
    struct waiter w = { 0 };
    while (w.slept <= ns) {
        if (lock_is_mine(l))
            return false;
        uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
        if ((!word || left_behind(word)) && take_over(&w, l, word))
            return true;
        wait_turn(&w, l, word);
    }
    return false;
}

/* ---- fork ---- */

/* False: another thread has taken it. */
static bool release_if_mine(struct lock *l)
{
    uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
    lock_released(l);
    do
        if ((word & ~LOCK_SLEEPER) != lock_me())
            return false;
    while (!__atomic_compare_exchange_n(&l->word, &word, 0, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    if (word & LOCK_SLEEPER)
        lock_wake(l);
    return true;
}

static bool release_below(uint64_t level, const struct lock_named *end)
{
    bool all = true;
    for (uint64_t at = level + 1; at-- > LOCK_LOADER + 1;)
        for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
            if (l->level == at && (at < level || l < end))
                all &= release_if_mine(l->lock);
    return all;
}

bool lock_all_take(uint64_t ns)
{
    for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
        if (lock_is_mine(l->lock))
            return false;
    for (uint64_t level = LOCK_LOADER + 1; level < LOCK_LEVELS; level++)
        for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
            if (l->level == level && !lock_take_within(l->lock, ns)) {
                release_below(level, l);
                return false;
            }
    __atomic_store_n(&forker, lock_me(), __ATOMIC_RELAXED);
    return true;
}

bool lock_all_release(void)
{
    __atomic_store_n(&forker, 0, __ATOMIC_RELAXED);
    return release_below(LOCK_LEVELS - 1, __stop_prof_locks);
}

void lock_forked(void)
{
    lock_generation += 1ull << GENERATION_SHIFT;
    process_pid = getpid();
}

/* ---- the order of levels ---- */

#if LIBPROF_DEBUG

/* The listed locks that this thread holds: one bit each, in the order of the section prof_locks. A
 * handler that interrupted a holder counts as the holder: it may take no lock of a lower level. */
static __thread uint64_t held __attribute__((tls_model("initial-exec")));

static const struct lock_named *named(const struct lock *l)
{
    for (const struct lock_named *n = __start_prof_locks; n < __stop_prof_locks; n++)
        if (n->lock == l)
            return n;
    return 0;
}

void lock_taken(const struct lock *l)
{
    const struct lock_named *me = named(l);
    if (!me)
        return;
    uint64_t below = 0;         /* fork takes all locks of a level, in the section's order */
    for (const struct lock_named *n = __start_prof_locks; n < __stop_prof_locks; n++) {
        uint64_t bit = 1ull << (n - __start_prof_locks);
        if (held & bit && n != me && n->level >= me->level && !(n->level == me->level && n < me))
            debug_failed(me->name, 0, "locks are taken in the order of their levels");
        below |= n == me ? bit : 0;
    }
    held |= below;
}

void lock_released(const struct lock *l)
{
    const struct lock_named *me = named(l);
    if (me)
        held &= ~(1ull << (me - __start_prof_locks));
}

#endif
