/* region.h - annotated regions: start/stop pairs inside one task. [hook] all. */
#ifndef PRELOAD_ENGINE_REGION_H
#define PRELOAD_ENGINE_REGION_H

#include "dag/region.h"
#include "dag/task.h"
#include "dag/thread.h"

void region_start(struct thread *th, const char *name);
void region_stop(struct thread *th, const char *name);
/* T ends with open regions: drops them, and counts LOSS_REGION for each. */
void region_drop_all(struct thread *th, struct task *t);
/* I, open, belongs to T from now on: T enters I's candidate. */
void region_enter(struct task *t, struct region_instance *i);
/* The running strand is about to end, and another one will go on for it. take removes the open
 * regions from the one, give adds them to the other. */
struct region_instance *regions_take(struct thread *th);
void regions_give(struct thread *th, struct region_instance *list);

#endif
