/* checkpoint.h - the profile as it is, every few seconds, so that SIGKILL loses the last interval
 * only. */
#ifndef PRELOAD_PROCESS_CHECKPOINT_H
#define PRELOAD_PROCESS_CHECKPOINT_H

/* [hook] In the child of fork: there are no threads of ours. */
void checkpoint_forked(void);

#endif
