/* thread_pointer.h - the register that leads to thread-local storage. [any]
 *
 *   thread_pointer()        the address of the calling thread's control block, which is different
 *                           for all threads that live. The compiler may assume that it stays
 *   thread_pointer_now(Q)   what the register holds now: a user mode emulator changes it
 *   thread_pointer_set(P)   sets the register
 *   thread_pointer_quick()  [init] Q: can thread_pointer_now() do without a system call?
 *
 *   THREAD_LOCAL(NAME)      the thread-local variable NAME, which is global and has the model
 *                           initial-exec, in a function that may go on in another thread after a
 *                           call. The compiler may keep the address of NAME itself over a call
 *
 * thread_pointer_now() and thread_pointer_set() touch no thread-local storage.
 */
#ifndef ARCH_THREAD_POINTER_H
#define ARCH_THREAD_POINTER_H

#include "arch/folder.h"
#include <stdbool.h>
#include <stdint.h>

#include ARCH(thread_pointer.h)

#endif
