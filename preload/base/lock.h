/* lock.h - all locks of libprof.so.
 *
 * A lock is a word: 0, or its holder. The holder is a thread pointer, and above it the number of
 * forks between the program's first process and this one (the generation). So a waiter recognises
 *   - a thread of the parent, which the child of fork does not have: the lock is free;
 *   - itself: a handler of the program interrupted the critical section, or left it by longjmp.
 *     Then the waiter takes the lock over. The protected data may be half changed; a deadlock would
 *     be worse.
 *
 * A critical section is a few dozen instructions, without calls into a runtime. Our own signal
 * handler never enters one. A holder may be preempted, even by a thread of a higher real-time
 * priority that then waits on the same CPU. So waiters sleep after some turns. They set a bit of
 * the word, and a release that finds the bit wakes one of them. A sleep also ends by itself: the
 * first after 1 ms, each later one after twice as long, up to 64 ms. If some thousand waiters woke
 * up more often, they would leave the holder no time.
 *
 * A lock that is not part of an object is declared with LOCK_DEFINE, which lists it in a section of
 * the object file. fork takes all listed locks but LOCK_LOADER's, in the order of their levels, so
 * that the child finds their tables whole. A lock of an object (a scope, an edge) is a field, and
 * fork does not take it. The child hardly uses objects of threads that it does not have, and never
 * waits for such threads.
 *
 * [hook] everything here. errno is kept; no cancellation point.
 */
#ifndef PRELOAD_BASE_LOCK_H
#define PRELOAD_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/debug.h"
#include "arch/thread_pointer.h"

struct lock {
    uint64_t word;
};

/* The holder of a lock may only take locks of a higher level. Locks of objects have no level here:
 * they are taken before LOCK_PATHS. The locks of the recorded dag's nodes are leaves. */
enum lock_level {
    LOCK_LOADER, /* held during a call of the loader. A forking thread may hold the loader's lock,
                  * so fork does not take this lock, and nobody waits longer than LOCK_LOADER_NS */
    LOCK_WRITER,
    LOCK_AGENT, /* an agent's lists */
    LOCK_PATHS,
    LOCK_CONTEXTS,
    LOCK_SITES,
    LOCK_LEAF, /* no lock of this level nests in another one of it */
    LOCK_MEMORY,
    LOCK_LEVELS
};

struct lock_named {
    const char *name;
    struct lock *lock;
    uint64_t level;             /* enum lock_level */
};

/* LOCK_LISTED lists the lock at PLACE, a member of a variable. LOCK_DEFINE makes a lock and lists
 * it. */
#define LOCK_LISTED(id, place, level)                                                              \
    static const struct lock_named id##_named                                                      \
        __attribute__((section("prof_locks"), used, aligned(8))) = { #place, &(place), (level) }
#define LOCK_DEFINE(id, level)          \
    static struct lock id;              \
    LOCK_LISTED(id, id, level)

/* The generation, shifted to its place in the word. Written in the child of fork. */
extern uint64_t lock_generation;

/* A bit of the word, below the thread pointer: a waiter may sleep. */
#define LOCK_SLEEPER 1ull

static inline uint64_t lock_me(void)
{
    return thread_pointer() | lock_generation;
}

#if LIBPROF_DEBUG
void lock_taken(const struct lock *l);  /* fails where the order of the levels is not kept */
void lock_released(const struct lock *l);
#else
static inline void lock_taken(const struct lock *l) { (void)l; }
static inline void lock_released(const struct lock *l) { (void)l; }
#endif

/* Does not wait. */
static inline bool lock_try(struct lock *l)
{
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&l->word, &none, lock_me(), false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    lock_taken(l);
    return true;
}

void lock_wait(struct lock *l);
static inline void lock_take(struct lock *l)
{
    if (__builtin_expect(!lock_try(l), 0))
        lock_wait(l);
}

/* Waits for NS at most. False: not taken. If this thread holds the lock, returns false at once. */
bool lock_take_within(struct lock *l, uint64_t ns);

void lock_wake(struct lock *l);

/* A waiter that sets the bit and falls asleep between the two accesses is not woken. That is rare,
 * because the release would have to be interrupted there. The waiter wakes up by itself, after 1 to
 * 64 ms. */
static inline void lock_release(struct lock *l)
{
    lock_released(l);
    uint64_t word = __atomic_load_n(&l->word, __ATOMIC_RELAXED);
    __atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
    if (__builtin_expect(word & LOCK_SLEEPER, 0))
        lock_wake(l);
}

static inline bool lock_is_mine(const struct lock *l)
{
    return (__atomic_load_n(&l->word, __ATOMIC_RELAXED) & ~LOCK_SLEEPER) == lock_me();
}

/* For a loop that waits for another thread without a lock. Call it between two tests, with a count
 * that starts at 0. It pauses, yields or sleeps as lock_take does. A loop of yields alone would
 * keep a thread of a lower real-time priority from running on the same CPU. */
void lock_turn(uint32_t *count);
#define LOCK_LOADER_NS 200000000u
#define LOCK_TURNS_MOST 300u    /* a quarter of a second; a waiter that may wait in vain gives up
                                   then */

/* Around fork: all listed locks but LOCK_LOADER's. lock_all_take returns false, and holds none, if
 * this thread holds one (its handler forks), or could not take one within NS. Nobody waits for its
 * locks without end: lock_all_release returns false if another thread has taken one meanwhile.
 * lock_forked: in the child, before it takes a lock. */
bool lock_all_take(uint64_t ns);
bool lock_all_release(void);
void lock_forked(void);

#endif
