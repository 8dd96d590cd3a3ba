/* region.h - annotated regions: start/stop pairs inside one task. [hook] all. */
#ifndef PRELOAD_ENGINE_REGION_H
#define PRELOAD_ENGINE_REGION_H

#include "dag/region.h"
#include "dag/task.h"
#include "dag/thread.h"

void engine_region_start(struct thread *th, const char *name);
void engine_region_stop(struct thread *th, const char *name);
/* The task ends with open regions: they are dropped, and counted as LOSS_REGION. */
void region_drop_all(struct thread *th, struct task *t);
/* I, open, is T's from now: T is inside of its candidate. */
void region_enter(struct task *t, struct region_instance *i);
/* The running strand is about to end and another one will go on for it: the regions pass to that.
 */
struct region_instance *engine_regions_take(struct thread *th);
void engine_regions_give(struct thread *th, struct region_instance *list);

#endif
