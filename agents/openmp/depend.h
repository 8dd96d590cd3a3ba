/* depend.h - dependences between the tasks of one parent (OpenMP 5.2, 15.9.5), by the addresses
 * that they name.
 *
 * A table belongs to the strand that creates the tasks, and only that strand uses it. Of each
 * address the table has the newest GROUP of tasks and the group before it. All readers between two
 * writers are a group, and so are the tasks of an inoutset. The tasks of a mutexinoutset are one,
 * too: they exclude each other, in no order, so there is no edge between them. Each writer is a
 * group of its own. The first task of a new group starts after the whole group before it. A task
 * that joins the newest group starts after the group before that one.
 *
 * A NODE outlives its task. It keeps the path with which the task ended, as long as a task may
 * start after it and no longer path covers it. So memory is of the order of the addresses that were
 * named since the creator's last taskwait, and of the tasks that live.
 */
#ifndef AGENTS_OPENMP_DEPEND_H
#define AGENTS_OPENMP_DEPEND_H

#include "engine/engine.h"

enum depend_kind {
    DEPEND_IN,
    DEPEND_OUT,                 /* inout, too */
    DEPEND_INOUTSET,
    DEPEND_MUTEXINOUTSET,
};

struct depend_table;
struct depend_list;
struct depend_node;

/* [hook] T, created and not begun, has a dependence, in CREATOR's table. */
void depend_add(struct thread *th, struct task *creator, struct task *t, const void *address,
                enum depend_kind kind);
/* [hook] CREATOR itself has waited: it joins what a task with this dependence would start after. */
void depend_join(struct thread *th, struct task *creator, const void *address,
                 enum depend_kind kind);

/* [hook] T starts after all that BEFORE lists. BEFORE is freed. */
void depend_apply(struct thread *th, struct task *t, struct depend_list *before);
/* [hook] T, the task of NODE, has ended. T NULL: it never ran. */
void depend_ended(struct thread *th, struct depend_node *node, struct task *t);
void depend_list_free(struct thread *th, struct depend_list *l);
void depend_table_free(struct thread *th, struct depend_table *t);
/* [hook] The creator has joined all its children: their paths cannot delay anything any more. */
void depend_table_joined(struct thread *th, struct depend_table **t);

#endif
