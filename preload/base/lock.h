/* lock.h - all locks of libprof.so.
 *
 * A lock is a word: 0, or its holder. The holder is a thread pointer and, above it, the number of
 * forks between the program's first process and this one (the generation). So a waiter recognises
 *   - a thread of the parent, which the child of fork does not have: the lock is free;
 *   - itself: a handler of the program interrupted the section, or left it by longjmp. Then the
 *     waiter takes the lock over. What the section protects may be half changed, which is the
 *     lesser evil.
 *
 * A section is a few dozen instructions, without calls into a runtime. Our own signal handler never
 * enters one. A holder may be preempted, even by a thread of a higher real-time priority that then
 * waits on the same CPU: so waiters sleep after some turns.
 *
 * A lock that is not part of an object is declared with LOCK_DEFINE, which lists it in a section of
 * the object file. fork holds all listed locks, taken in the order of their levels, so that the
 * child finds their tables whole. A lock of an object (a scope, an edge) is a field, and fork does
 * not hold it: the child hardly uses objects of threads that it does not have, and never waits for
 * them.
 *
 * [hook] all of it. errno is kept; no cancellation point.
 */
#ifndef PRELOAD_LOCK_H
#define PRELOAD_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include "base/debug.h"

struct lock {
    uint64_t word;
};

/* The holder of a lock may take one of a higher level, and no other. Locks of objects come before
 * LOCK_PATHS, but for the recorded dag's nodes, which are leaves. */
enum lock_level {
    LOCK_LOADER, /* held during a call of the loader, whose lock a forking thread may hold: fork
                    does not take this one, and no thread waits longer than LOCK_LOADER_NS */
    LOCK_WRITER,
    LOCK_AGENT, /* an agent's lists */
    LOCK_PATHS,
    LOCK_CONTEXTS,
    LOCK_SITES,
    LOCK_LEAF, /* of the engine's; none nests in another */
    LOCK_MEMORY,
    LOCK_LEVELS
};

struct lock_named {
    const char *name;
    struct lock *lock;
    uint64_t level;             /* enum lock_level */
};

/* A lock of the process, and one that is a member of a variable: PLACE. */
#define LOCK_LISTED(id, place, level)                                                              \
    static const struct lock_named id##_named                                                      \
        __attribute__((section("prof_locks"), used, aligned(8))) = { #place, &(place), (level) }
#define LOCK_DEFINE(id, level)          \
    static struct lock id;              \
    LOCK_LISTED(id, id, level)

/* shifted to its place in the word; written in the child of fork */
extern uint64_t lock_generation;

static inline uint64_t lock_me(void)
{
    return (uintptr_t)__builtin_thread_pointer() | lock_generation;
}

#if LIBPROF_DEBUG
void lock_taken(const struct lock *l);  /* traps where the order of the levels is not kept */
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

/* Waits for NS at most, and not at all for this thread itself. */
bool lock_take_within(struct lock *l, uint64_t ns);

static inline void lock_release(struct lock *l)
{
    lock_released(l);
    __atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
}

/* For a wait for another thread without a lock: called between two tests, with a count that starts
 * at 0. Waits as lock_take does: a loop of yields would keep a thread of a lower real-time priority
 * from running on the same CPU. */
void lock_turn(uint32_t *count);
#define LOCK_LOADER_NS 200000000u
#define LOCK_TURNS_MOST 300u    /* a quarter of a second; a waiter that may wait in vain gives up
                                   then */

/* Around fork: all that are listed. take returns false, and holds none, if this thread is inside of
 * one (its handler forks) or one could not be taken within NS. forked: in the child, first of all.
 */
bool lock_all_take(uint64_t ns);
void lock_all_release(void);
void lock_forked(void);

#endif
