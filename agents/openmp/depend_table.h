/* depend_table.h - dependences between the tasks of one parent (OpenMP 5.2, 15.9.5), by the
 * addresses that they name.
 *
 * A table belongs to the strand that creates the tasks, and only that strand uses it. For each
 * address the table has the newest GROUP of tasks and the group before it. All readers between two
 * writers are a group. So are the tasks of an inoutset, and those of a mutexinoutset: the latter
 * exclude each other in no order, so there is no edge between them. Each writer is a group of its
 * own. All tasks of a group start after the whole group before it.
 *
 * A task with dependences has a NODE (task.agent_node), which outlives it. The node keeps the path
 * with which the task ended, as long as another task may start after it and no longer path covers
 * it. So the memory grows with the addresses that were named since the creator's last taskwait, and
 * with the tasks that have not ended.
 */
#ifndef AGENTS_OPENMP_DEPEND_TABLE_H
#define AGENTS_OPENMP_DEPEND_TABLE_H

#include "engine/engine.h"

enum depend_kind {
    DEPEND_IN,
    DEPEND_OUT,                 /* inout, too */
    DEPEND_INOUTSET,
    DEPEND_MUTEXINOUTSET,
};

/* The names of what has no edges: tasks that exclude each other, in no order; a dependence on all
 * addresses (OpenMP 5.1, omp_all_memory). */
extern const char depend_mutexinoutset[];
extern const char depend_all_memory[];

struct depend_table;
struct omp_data;

/* [hook] T, created and not begun, has a dependence, in the table of D, its creator's record. */
void depend_add(struct thread *th, struct omp_data *d, struct task *t, const void *address,
                enum depend_kind kind);
/* [hook] CREATOR itself has waited: it joins the tasks that a task with this dependence would start
 * after. */
void depend_join(struct thread *th, struct task *creator, const void *address,
                 enum depend_kind kind);

/* [hook] Does T, not begun, start after other tasks? */
bool depend_waits(const struct task *t);
/* [hook] T starts after these, and now begins. Returns the tsc when the last of them ended; 0: none
 * has. */
uint64_t depend_apply(struct thread *th, struct task *t);
/* [hook] T's body has ended. Its event may be outstanding. */
void depend_awaits_event(struct task *t);
/* [hook] T has ended, or will never run. Nothing happens if it had no dependence. */
void depend_ended(struct thread *th, struct task *t);
void depend_never_ran(struct thread *th, struct task *t);
void depend_table_free(struct thread *th, struct depend_table *t);
/* [hook] The creator has joined all its children, so their paths cannot delay other tasks. Empties
 * *T if it is large. */
void depend_table_joined(struct thread *th, struct depend_table **t);

#endif
