/* region.h - annotated regions: start/stop pairs inside one task. [hook] all. */
#ifndef PRELOAD_REGION_H
#define PRELOAD_REGION_H

#include "engine/engine.h"

/* A region that is open in a task. */
struct region_instance {
    struct region_instance *next;
    struct region_total *total;
    uint64_t S, L, K, work;     /* the task's at the outermost start */
    uint32_t depth;             /* nested starts of the same name */
    int candidate;              /* of whatif.h's, that the start has entered; -1: none */
};

/* The task ends with open regions: dropped, counted as LOSS_REGION. */
void region_drop_all(struct thread *th, struct task *t);
/* I, open, is T's from now: T is inside of its candidate. */
void region_enter(struct task *t, struct region_instance *i);

#endif
