/* stack_call.h - a call on another stack. */
#ifndef ARCH_STACK_CALL_H
#define ARCH_STACK_CALL_H

/* [any] Calls F(ARGUMENT) on the stack that ends at TOP, which is aligned to 16 bytes. An unwinder
 * finds the caller. */
void stack_call(void *top, void (*f)(void *), void *argument);

#endif
