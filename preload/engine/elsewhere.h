/* elsewhere.h - paths that lead through other processes: the ranks of a job.
 *
 * A message carries its sender's path: lengths alone, because the contexts are another process's.
 * The receiver's path is the longer one, as at an edge (dependence.h). What of the path was
 * elsewhere is charged to one context of its own. [hook] all functions.
 */
#ifndef PRELOAD_ENGINE_ELSEWHERE_H
#define PRELOAD_ENGINE_ELSEWHERE_H

#include "dag/task.h"
#include "dag/thread.h"

/* The lengths of a path, in units of the clock. */
struct elsewhere {
    uint64_t S;
    struct lengths len;
};

/* What a path was made of in this process: so much by BAG's contexts, OWN by the task itself. */
struct made_of {
    struct bag *bag;            /* owned */
    uint64_t own;
};

/* T, paused, goes on after E. True: E is the longer path. CTX: the context for what was elsewhere.
 * There are two cases. If T begins the program's path (its birth is 0), its new path is E and
 * nothing else, and *LEFT becomes what its path was made of until now. If T was spawned, only the
 * gain is E's, and *LEFT is empty: the split of T's path is approximate. */
bool engine_after_elsewhere(struct thread *th, struct task *t, const struct elsewhere *e,
                            struct context *ctx, struct made_of *left);
/* A copy of what the path of T, paused, is made of, without CTX's part. */
void made_of_copy(struct thread *th, const struct task *t, const struct context *ctx,
                  struct made_of *of);
/* The path of T, whose birth is 0, is known to be made of OF, which is consumed, and for the rest
 * of CTX. T's S stays. OF has at most S. */
void made_of_set(struct thread *th, struct task *t, struct context *ctx, struct made_of *of);

#endif
