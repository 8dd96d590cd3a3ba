/* aside.h - calls on a stack of libprof's.
 *
 * A hook runs on the program's stack: a coroutine's, or one of PTHREAD_STACK_MIN, that may be
 * nearly full. What a hook does each time needs a few hundred bytes there. What it does rarely
 * needs kilobytes: it learns a path, looks up a name, starts a thread. That runs on a stack of the
 * thread's own (signals/sigstack.c maps it).
 *
 * Meanwhile the thread's signals wait. So no handler of the program's runs on that stack, which may
 * be too small for it, or leaves it by longjmp; no sample is taken on it; and no handler of libprof
 * starts at its top, where it may be the alternate stack. Two kinds of signals do not wait. Faults
 * would end the process: the program's malloc may live by them. And libc's signal for setuid makes
 * another thread wait, which may hold the loader's lock.
 */
#ifndef PRELOAD_BASE_ASIDE_H
#define PRELOAD_BASE_ASIDE_H

#include <stdbool.h>
#include <stddef.h>

/* [init] Sets in_valgrind if ENVIRONMENT shows that valgrind runs the program. */
void aside_setup(char *const *environment);
extern bool in_valgrind;

/* [any] Calls F(ARGUMENT) on the stack that ends at TOP, 16-byte aligned. */
void aside_call(void *top, void (*f)(void *), void *argument);

/* [hook] The calling thread's stack: ASIDE_BYTES from BOTTOM. NULL: it has none. */
#define ASIDE_BYTES ((size_t)40 << 10)
void aside_stack(char *bottom);
/* [any] Calls F(ARGUMENT) on that stack. On the stack where it is, if the thread has no other, is
 * on it already, or has left it by longjmp from the handler of a fault. F calls nothing of the
 * program's but what libc calls for it. */
void aside_run(void (*f)(void *), void *argument);

#endif
