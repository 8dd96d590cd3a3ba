/* end.h - the end of a strand of a dag inside one invocation (dependence.h). [hook]
 *
 * Other ends are in strand.h and early_end.h. rules.h has what they share.
 */
#ifndef PRELOAD_ENGINE_END_H
#define PRELOAD_ENGINE_END_H

#include "dag/task.h"
#include "dag/thread.h"

/* The running strand of OWNER's dag ends. If TH has the dag to itself (engine_bias), and the dag
 * has no other strand now, OWNER joins the strand at once: the short way of engine_end and
 * engine_join_paused. */
void engine_end_of(struct thread *th, struct task *owner);

#endif
