/* checkpoint.h - writes the profile every few seconds, so that SIGKILL loses only the last
 * interval. */
#ifndef PRELOAD_LIFECYCLE_CHECKPOINT_H
#define PRELOAD_LIFECYCLE_CHECKPOINT_H

/* [hook] In the child of fork, which does not have libprof's threads. */
void checkpoint_forked(void);

#endif
