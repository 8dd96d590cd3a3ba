/* fork.h - both sides of a fork. */
#ifndef PRELOAD_LIFECYCLE_FORK_H
#define PRELOAD_LIFECYCLE_FORK_H

/* [init] Registers what happens at fork. */
void fork_setup(void);

#endif
