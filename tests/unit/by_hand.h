/* by_hand.h - the engine, set up in this process, and single strands driven through it. */
#ifndef TESTS_UNIT_BY_HAND_H
#define TESTS_UNIT_BY_HAND_H

#include "engine/engine.h"
#include "output/snapshot.h"
#include "lifecycle/thread.h"

/* Virtual ns of one burden; the address of spawn site 0, and from one site to the next. */
enum { BURDEN = 1000, SITE_BASE = 0x1000, SITE_STEP = 0x100 };

/* Sets the engine up with the clock NAME. Aborts where it cannot. Call it once in a process. */
void engine_start(const char *name, uint64_t burden);

/* The same with the virtual clock: a strand costs what is added to its thread's virtual_now. */
void engine_fresh(uint64_t burden);

/* The context of SITE, reached from PARENT. */
struct context *context_of(struct context *parent, uint32_t site);

/* TH's strand spawns a task at SITE into SCOPE, stops, and TH runs the task. */
struct task *child_begin(struct thread *th, struct scope *scope, uint32_t site);

/* TH's task ends, COST later, and PARENT goes on. */
void child_end(struct thread *th, struct task *parent, uint64_t cost);

/* The critical path's length, summed over the contexts on it. */
uint64_t span_sum(const struct snapshot *s);

/* What C contributes to the critical path itself. */
static inline uint64_t on_span_of(const struct snapshot *s, const struct context *c)
{
    return s->on_span[c->id].span_local;
}

#endif
