/* task.h - the words of a task object that are ours while the runtime has the object: who may touch
 * them, and when.
 *
 * An ARMED task has the vptr of tbb_task_vtable, and points to its record and to its own vtable.
 * One vtable serves all classes: between spawn and execute only the runtime reads a task, and it
 * uses only these four slots.
 *
 * After the real execute() the task does not exist any more, and we never touch it again. There is
 * one exception: if a C++ exception leaves execute(), the runtime calls cancel() on the same task.
 * So we arm the task again (run.c).
 *
 * The runtime may have one object more than once: a program that uses the internal interface may
 * submit a task again while it waits or runs, even from several threads. Then execute() runs on the
 * object several times at once, and each of these words may change at any moment. The object exists
 * while a thread spawns or runs it. These rules hold:
 *  - vptr is the class's own or ARMED; original_vptr is NULL or the class's own, and is set before
 *    vptr is ARMED for the first time. It stays, so that a function called by way of ARMED finds
 *    the class.
 *  - one spawner (`arm`) claims rec from NULL before it sets ARMED, and one run (`take`) takes rec
 *    after it has set the class's own vptr again. So ARMED is never lost while nobody is between
 *    the two.
 *  - a spawn that finds rec claimed, and a run that finds rec taken, are not recorded. The span is
 *    a lower bound.
 * An object that was never armed before belongs to its spawner alone, and the claim is a plain
 * store. If two strands spawn such an object for the first time at the same moment, a record is
 * lost. Its join counts as late (LOSS_LATE_JOIN).
 */
#ifndef AGENTS_TBB_TASK_H
#define AGENTS_TBB_TASK_H

#include "engine/engine.h"
#include "tbb_abi.h"

/* Two words before the functions: offset to top, typeinfo. Written at start alone. */
extern void *tbb_task_vtable[2 + VTABLE_SLOTS] __attribute__((visibility("hidden")));
#define TBB_ARMED ((void *const *)&tbb_task_vtable[2])

extern const char tbb_task_twice[];     /* the name of a lower bound */

/* [init] Sets the functions that the runtime calls for armed tasks. */
typedef void *tbb_task_body(struct tbb_task *t, struct tbb_execution_data *ed);
void tbb_task_runs_by(tbb_task_body *execute, tbb_task_body *cancel);

/* [hook] Arms T, of class VPTR, with REC. False: T has another record. ALONE: only the caller knows
 * T. */
static inline bool tbb_task_arm(struct tbb_task *t, void *const *vptr, struct task *rec, bool alone)
{
    struct task *none = 0;
    if (__builtin_expect(t->original_vptr != 0, 0))
        alone = false;
    else
        __atomic_store_n(&t->original_vptr, vptr, __ATOMIC_RELAXED);
    if (__builtin_expect(alone, 1))
        __atomic_store_n(&t->rec, rec, __ATOMIC_RELEASE);
    else if (!__atomic_compare_exchange_n(&t->rec, &none, rec, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&t->vptr, TBB_ARMED, __ATOMIC_RELEASE);
    return true;
}

/* [hook] The record of T, for whoever runs or destroys T. NULL: T has none, or another run of the
 * same object took it. */
static inline struct task *tbb_task_take(struct tbb_task *t, void *const *vptr)
{
    if (__builtin_expect(!__atomic_load_n(&t->rec, __ATOMIC_RELAXED), 0))
        return 0;
    __atomic_store_n(&t->vptr, vptr, __ATOMIC_RELAXED);
    return __atomic_exchange_n(&t->rec, (struct task *)0, __ATOMIC_ACQ_REL);
}

/* [hook] The class of a task that can be armed. NULL: it is armed, or its words are in use for
 * something else. */
static inline void *const *tbb_task_fits(const struct tbb_task *t)
{
    void *const *vptr = __atomic_load_n(&t->vptr, __ATOMIC_ACQUIRE);
    void *const *before = __atomic_load_n(&t->original_vptr, __ATOMIC_RELAXED);
    if (__builtin_expect(__atomic_load_n(&t->rec, __ATOMIC_RELAXED) != 0, 0))
        return 0;
    if (__builtin_expect(before != 0, 0))
        return vptr == TBB_ARMED || vptr == before ? before : 0;
    return vptr;
}

/* [hook] T does not fit, and is not recorded: counts this. */
void tbb_task_refused(struct thread *th, const struct tbb_task *t) __attribute__((noinline, cold));

/* [hook] The class of T, armed or not. */
static inline void *const *tbb_task_vptr(const struct tbb_task *t)
{
    void *const *vptr = __atomic_load_n(&t->vptr, __ATOMIC_ACQUIRE);
    return vptr == TBB_ARMED ? t->original_vptr : vptr;
}

/* [hook] Does T have a record? */
bool tbb_task_seen(const struct tbb_task *t);
/* [hook] Gives REC to T, which is new and known only to the caller. SPAWNED: T is on its way to the
 * dispatcher. Else the program will spawn it later. */
void tbb_task_see(struct tbb_task *t, struct task *rec, bool spawned);

#endif
