/* publish.h - the main strand's path, for checkpoints.
 *
 * A checkpoint is taken while the program runs, so it must not follow pointers that the hooks
 * change. It takes the critical path that the main strand published last, and asks for a new one.
 * The main strand then publishes its path at its next join.
 */
#ifndef PRELOAD_ENGINE_PUBLISH_H
#define PRELOAD_ENGINE_PUBLISH_H

#include <stdbool.h>

struct snapshot;
struct task;

/* A checkpoint wants a path. publish_take sets it, engine_publish clears it. */
extern bool engine_publish_wanted;
/* [hook] The main strand T, which has been cut, publishes its path. */
void engine_publish(struct task *t);
/* [writer] Copies the last published path into S, whose tables have room for S->context_count
 * contexts. The next join publishes again. */
void publish_take(struct snapshot *s);

#endif
