/* lock.c - see lock.h. */
#define _GNU_SOURCE
#include "base/lock.h"
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/forbid.h"

#define GENERATION_SHIFT 48     /* above every address of a program's */

READ_MOSTLY uint64_t lock_generation;

extern const struct lock_named __start_prof_locks[] __attribute__((visibility("hidden")));
extern const struct lock_named __stop_prof_locks[] __attribute__((visibility("hidden")));

/* ---- waiting ---- */

/* A waiter pauses while the holder runs and will be done soon, and yields where the holder was
 * preempted. It naps where it preempts the holder itself, by a higher real-time priority: a yield
 * would not help. */
enum { PAUSES = 64, YIELDS = 8, NAP_NS = 50000, NAP_MOST_NS = 1000000 };

/* Turn N of a waiter; returns the ns that it slept. */
static uint64_t turn(uint32_t n)
{
    if (n < PAUSES) {
        __builtin_ia32_pause();
        return 0;
    }
    if (n < PAUSES + YIELDS) {
        sched_yield();
        return 0;
    }
    uint32_t doubled = n - PAUSES - YIELDS;
    uint64_t ns = doubled < 5 ? NAP_NS << doubled : NAP_MOST_NS;
    const struct timespec nap = { 0, ns };
    int saved = errno;
    syscall(SYS_clock_nanosleep, (long)CLOCK_MONOTONIC, 0L, &nap, 0L);
    errno = saved;
    return ns;
}

void lock_turn(uint32_t *count)
{
    turn((*count)++);
}

/* The process whose handlers of fork have run. They do not run in a child of _Fork or of a system
 * call: such a child waits UNSEEN_NS for a thread that it does not have. A child of vfork shares
 * its parent's threads, which go on. */
static pid_t process;
enum { UNSEEN_NS = 1000000000 };

/* 101: with lifecycle.c's. */
__attribute__((constructor(101))) static void note_process(void)
{
    process = getpid();
}

/* Does a thread hold it that this process does not have? */
static bool left_behind(uint64_t word)
{
    return word >> GENERATION_SHIFT != lock_generation >> GENERATION_SHIFT;
}

static bool take_over(struct lock *l, uint64_t word)
{
    if (!__atomic_compare_exchange_n(&l->word, &word, lock_me(), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    lock_taken(l);
    return true;
}

__attribute__((noinline, cold)) void lock_wait(struct lock *l)
{
    uint64_t slept = 0;
    for (uint32_t n = 0;; n++) {
        uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
        bool lost = slept > UNSEEN_NS && getpid() != process;
        if ((!word || word == lock_me() || left_behind(word) || lost) && take_over(l, word))
            return;
        slept += turn(n);
    }
}

bool lock_take_within(struct lock *l, uint64_t ns)
{
    uint64_t slept = 0;
    for (uint32_t n = 0; slept <= ns; n++) {
        uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
        if (word == lock_me())
            return false;
        if ((!word || left_behind(word)) && take_over(l, word))
            return true;
        slept += turn(n);
    }
    return false;
}

/* ---- fork ---- */

static void release_below(uint64_t level, const struct lock_named *end)
{
    for (uint64_t at = level + 1; at-- > LOCK_LOADER + 1;)
        for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
            if (l->level == at && (at < level || l < end))
                lock_release(l->lock);
}

bool lock_all_take(uint64_t ns)
{
    for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
        if (__atomic_load_n(&l->lock->word, __ATOMIC_RELAXED) == lock_me())
            return false;
    for (uint64_t level = LOCK_LOADER + 1; level < LOCK_LEVELS; level++)
        for (const struct lock_named *l = __start_prof_locks; l < __stop_prof_locks; l++)
            if (l->level == level && !lock_take_within(l->lock, ns)) {
                release_below(level, l);
                return false;
            }
    return true;
}

void lock_all_release(void)
{
    release_below(LOCK_LEVELS - 1, __stop_prof_locks);
}

void lock_forked(void)
{
    lock_generation += 1ull << GENERATION_SHIFT;
    process = getpid();
}

/* ---- the order of levels ---- */

#if LIBPROF_DEBUG

/* The listed locks that this thread holds: one bit each, in the order of the section. A handler
 * that interrupted a locked section counts as the section: it takes no lock of a lower level. */
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
    uint64_t below = 0;         /* fork takes all of one level, in the order of the section */
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
