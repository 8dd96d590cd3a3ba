/* depend.h - dependences between the tasks of one parent (OpenMP 5.2, 15.9.5), by the addresses that they name.
 *
 * A table belongs to the strand that creates the tasks, and only that uses it. Of an address it knows the
 * newest GROUP of tasks and the one before: all readers between two writers are a group, so are the tasks of an
 * inoutset, or of a mutexinoutset (which exclude each other, in no order: no edge), and every writer is one. A task of a new group starts after the whole group before it, one that
 * joins the newest group after the group before that.
 *
 * A NODE outlives its task: it keeps the path that the task ended with, until nobody can start after it, or only together with a
 * longer one. So memory is of the order of the addresses named since the creator's last taskwait, and of the tasks that live.
 */
#ifndef AGENTS_OPENMP_DEPEND_H
#define AGENTS_OPENMP_DEPEND_H

#include "engine/engine.h"

enum depend_kind { DEPEND_IN, DEPEND_OUT, DEPEND_INOUTSET, DEPEND_MUTEXINOUTSET };  /* out: inout, too */

struct depend_table;
struct depend_list;
struct depend_node;

/* [hook] T, created and not begun, has a dependence; CREATOR's table. */
void depend_add(struct thread *th, struct task *creator, struct task *t, const void *address, enum depend_kind kind);
/* [hook] CREATOR itself waits: what a task with this dependence would start after is joined now. */
void depend_join(struct thread *th, struct task *creator, const void *address, enum depend_kind kind);

/* [hook] T starts; the list is used up. T, the task of NODE, has ended (NULL: it never ran). */
void depend_apply(struct thread *th, struct task *t, struct depend_list *before);
void depend_ended(struct thread *th, struct depend_node *node, struct task *t);
void depend_list_free(struct thread *th, struct depend_list *l);
void depend_table_free(struct thread *th, struct depend_table *t);
/* [hook] The creator has joined all its children: what they ended with is behind it. */
void depend_table_joined(struct thread *th, struct depend_table **t);

#endif
