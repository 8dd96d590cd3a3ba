/* fork.h - both sides of a fork. */
#ifndef PRELOAD_LIFECYCLE_FORK_H
#define PRELOAD_LIFECYCLE_FORK_H

/* [any] Registers what happens at fork, once. Before anybody registers a handler of their own. */
void fork_setup(void);

#endif
