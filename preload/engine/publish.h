/* publish.h - the main strand's path as of its last join, for checkpoints.
 *
 * A checkpoint runs while everything runs, and must not follow pointers that the hooks change. So
 * it takes the critical path from what the main strand last published, and orders the next.
 */
#ifndef PRELOAD_ENGINE_PUBLISH_H
#define PRELOAD_ENGINE_PUBLISH_H

#include <stdbool.h>

struct snapshot;
struct task;

/* A checkpoint wants the path: set by publish_take, taken back by engine_publish. */
extern bool engine_publish_wanted;
/* [hook] The main strand T, which has been cut, publishes its path. */
void engine_publish(struct task *t);
/* [writer] What was published last into S, whose tables have room for S->context_count contexts;
 * the next join publishes anew. */
void publish_take(struct snapshot *s);

#endif
