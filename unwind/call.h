/* call.h - reads the code before an address: may a call return there, and which function did it
 * call?
 *
 * A word of a stack is a return address only if it points into code, right after a call. With this
 * test a walk can reject old words on the stack. A walk needs the test where it must guess
 * (sampling/off_cpu.c) and where the address has no row (walk.c).
 *
 * [any] all functions: no locks, no allocation, errno untouched. They read code. As in cfi.h, no
 * thread may unload that code meanwhile.
 */
#ifndef UNWIND_CALL_H
#define UNWIND_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* Is BACK in code, right after a call? Memory of no object counts as code, because the program may
 * have made code there at run time. True also where the kernel does not let us read the code. */
bool call_before(uintptr_t back);

/* May the call before BACK have entered the function that starts at START? False: there is no call
 * before BACK, or it calls another function. True where the target is not known. */
bool call_enters(uintptr_t back, uintptr_t start);

#endif
