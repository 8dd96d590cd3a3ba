/* waiting.h - signals that the program waits for. */
#ifndef PRELOAD_SIGNALS_WAITING_H
#define PRELOAD_SIGNALS_WAITING_H

#include <signal.h>
#include <stdbool.h>

/* [init] IS_SAMPLE [any]: is a signal 60 with INFO one of ours? Then waits skip it. NULL: no signal
 * is. */
void waiting_setup(bool (*is_sample)(const siginfo_t *));
/* [any] A thread gives up its samples: from now on descriptors have the sets that the program asked
 * for. */
void waiting_give_up(void);

#endif
