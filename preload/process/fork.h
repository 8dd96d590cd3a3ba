/* fork.h - both sides of a fork. */
#ifndef PRELOAD_PROCESS_FORK_H
#define PRELOAD_PROCESS_FORK_H

/* [init] Registers what happens at fork. */
void fork_setup(void);

#endif
