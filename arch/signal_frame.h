/* signal_frame.h - the frame that the kernel makes on a stack when it starts a signal handler.
 *
 *   HANDLER_ENTRY, HANDLER_BEGIN()   the attributes and the first statement of a handler of ours
 *   signal_frame_begin(U)            the lowest address of the frame that holds U
 *   signal_frame_enter(U, H, G, BY)  a return from U leads into the handler H, with the arguments G
 *                                    and the frame's copy that lies BY further
 *   signal_frame_follow(U, OF)       a return from U leads to where one from OF leads, which
 *                                    signal_frame_enter has changed
 *
 * A RELAY is code that stands for a handler of the program's (preload/signals/sigstack.h).
 * SIGNAL_RELAYS(ENTER, CLOSED), at file level, makes RELAYS of them, of RELAY_BYTES each, from
 * signal_relays on. A relay blocks all signals, and calls ENTER: see relay_enter. It makes no
 * system call if the variable CLOSED is set. As soon as all signals are blocked, the relay has
 * begun. Until then, its registers and its stack pointer show for whom it runs. After that, the
 * handler's return restores all registers, so a relay need not save any.
 *
 *   signal_relay_waiting(U, G)       the number of the relay that U's signal struck before it had
 *                                    begun, and what that relay was given; else -1
 *
 * [any] All of them. None touches thread-local storage.
 */
#ifndef ARCH_SIGNAL_FRAME_H
#define ARCH_SIGNAL_FRAME_H

#include "arch/folder.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define RELAYS 64

/* What the kernel gives a handler. */
struct signal_given {
    int number;
    siginfo_t *info;
    ucontext_t *context;
};

/* RELAY: the number of the relay. MASK: the signals that were blocked before. FAILED: not all
 * signals are blocked. */
typedef void relay_enter(int number, siginfo_t *info, void *context, unsigned relay, uint64_t mask,
                         int failed);

#include ARCH(signal_frame.h)

#endif
